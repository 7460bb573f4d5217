import { z } from 'zod'
import { fileChangeSchema } from '#shared/util/file-change.ts'
import {
  assistantMessageSchema,
  imagePartSchema,
  stopReasonSchema,
  textPartSchema,
  thinkingPartSchema,
  toolCallPartSchema,
  toolResultMessageSchema,
  untrustedSourceSchema,
  usageSchema,
  userMessageSchema,
  readToolDetails,
  storedToolDetails,
} from '#shared/chat/message-schemas.ts'
import { addUsage, noUsage, type Usage, branchEntry, deletedBranches } from '#shared/chat/messages.ts'
import { isRecord } from '#shared/util/json.ts'
import type { ChatMessage } from '#shared/contract/index.ts'
import { digestLineSchema } from './digest.ts'

/** Format version of new files; files with a newer one are refused. */
export const formatVersion = 3

export const headerSchema = z.looseObject({
  type: z.literal('session'),
  version: z.number().default(1),
  id: z.string(),
  timestamp: z.string(),
  /** IANA name; other programs do not store it. */
  timeZone: z.enum(Intl.supportedValuesOf('timeZone').concat('UTC')).optional().catch(undefined),
})

const storedText = z.union([z.string(), z.number().transform(String)]).catch('')
const storedName = storedText.transform((name) => name || 'unnamed')
/** NaN: the entry's time replaces it. */
const storedTime = z.number().catch(NaN)

/** Accepts a text as one part, and drops invalid parts. */
function storedParts<Part extends z.ZodType>(part: Part) {
  const parts = z.array(part.nullable().catch(null)).catch([])
  return z.preprocess(
    (content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content),
    parts.transform((read) => read.filter((item) => item !== null)),
  )
}

const textOrImages = storedParts(z.discriminatedUnion('type', [textPartSchema, imagePartSchema]))
const toolCall = toolCallPartSchema.extend({
  id: storedText,
  name: storedName,
  arguments: toolCallPartSchema.shape.arguments.catch({}),
})
const answerParts = storedParts(z.discriminatedUnion('type', [textPartSchema, thinkingPartSchema, toolCall]))

/** A message as stored, possibly by another program: missing fields are filled, invalid parts are dropped. */
export const storedMessageSchema = z.discriminatedUnion('role', [
  userMessageSchema.extend({ content: z.union([z.string(), textOrImages]), timestamp: storedTime }),
  assistantMessageSchema.extend({
    content: answerParts.transform((parts) =>
      parts.map((part, index) =>
        part.type === 'toolCall' && part.id === '' ? { ...part, id: `call_${index}` } : part,
      ),
    ),
    provider: storedText,
    model: storedText,
    usage: z
      .preprocess(
        (usage) => (isRecord(usage) ? { ...noUsage, ...usage } : noUsage),
        usageSchema.extend({ cost: usageSchema.shape.cost.catch(undefined) }),
      )
      .catch(noUsage),
    stopReason: stopReasonSchema.catch('stop'),
    timestamp: storedTime,
  }),
  toolResultMessageSchema.extend({
    toolCallId: storedText,
    toolName: storedName,
    content: textOrImages,
    details: z.unknown().transform(readToolDetails).optional(),
    isError: z.boolean().catch(false),
    timestamp: storedTime,
  }),
])

const entryBase = { id: z.string(), parentId: z.string().nullable().default(null), timestamp: z.string() }

function entryOf<Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) {
  return z.looseObject({ type: z.literal(type), ...entryBase, ...shape })
}

export const entrySchema = z.discriminatedUnion('type', [
  entryOf('message', { message: storedMessageSchema }).transform((entry) => {
    if (Number.isNaN(entry.message.timestamp)) entry.message.timestamp = Date.parse(entry.timestamp) || 0
    return entry
  }),
  /** The summary replaces the entries before `firstKeptEntryId` in requests; they stay in the file. */
  entryOf('compaction', {
    summary: z.string(),
    /** The digest that the summary shows; undefined in transcripts of other programs. */
    lines: z.array(digestLineSchema).optional(),
    firstKeptEntryId: z.string(),
    tokensBefore: z.number().default(0),
    tokensAfter: z.number().optional(),
    leftOut: z.boolean().optional(),
    /** Sources of the summarised messages that are less trusted than the user. */
    sources: z.array(untrustedSourceSchema).optional(),
    usage: usageSchema.optional(),
  }),
  /** Notes are taken from the messages up to and including `throughEntryId`; an empty one changes nothing. */
  entryOf('flush', {
    status: z.enum(['wrote', 'nothing', 'failed']),
    throughEntryId: z.string(),
    /** After a failure: the last message whose notes are missing. */
    missingEntryId: z.string().optional(),
    changes: z.array(fileChangeSchema),
    lines: z.array(digestLineSchema),
    message: z.string().optional(),
    usage: usageSchema.optional(),
  }),
  /** Ids of tool calls whose results later requests contain trimmed or cleared. */
  entryOf('prune', {
    trimmed: z.array(z.string()),
    cleared: z.array(z.string()),
    charactersBefore: z.number(),
    charactersAfter: z.number(),
  }),
  entryOf('model_change', { provider: z.string(), modelId: z.string() }),
  entryOf('session_info', { name: z.string().optional() }),
  entryOf('custom', { customType: z.string(), data: z.unknown() }),
])

/** An entry of another program's type: it becomes a custom one, so that it can be the parent of others. */
export const foreignEntrySchema = z
  .looseObject({ ...entryBase, type: z.string(), timestamp: z.string().catch('') })
  .refine(({ type }) => type !== 'message')
  .transform((entry) => ({ ...entry, type: 'custom' as const, customType: entry.type, data: undefined }))

export type TranscriptEntry = z.infer<typeof entrySchema>
type WithoutIds<T> = T extends unknown ? Omit<T, 'id' | 'parentId' | 'timestamp' | number> : never
export type CompactionEntry = Extract<TranscriptEntry, { type: 'compaction' }>
export type FlushEntry = Extract<TranscriptEntry, { type: 'flush' }>
export type EntryContent = WithoutIds<TranscriptEntry>
export type MessageEntry = Extract<TranscriptEntry, { type: 'message' }>

export interface TranscriptHeader {
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Time zone where the session began, IANA name. */
  readonly timeZone?: string | undefined
}

/** Serialises an entry as JSON without a line break. Unknown tool details are written as they were read. */
export function serializeEntry(entry: TranscriptEntry): string {
  if (entry.type !== 'message' || entry.message.role !== 'toolResult' || !entry.message.details)
    return JSON.stringify(entry)
  const details = storedToolDetails(entry.message.details)
  return JSON.stringify({ ...entry, message: { ...entry.message, details } })
}

export function usageOfEntries(entries: readonly TranscriptEntry[]): Usage {
  const usages = entries.flatMap((entry) => {
    if (entry.type === 'message') return entry.message.role === 'assistant' ? entry.message.usage : []
    return entry.type === 'flush' || entry.type === 'compaction' ? (entry.usage ?? []) : []
  })
  return usages.reduce(addUsage, noUsage)
}

/**
 * The tree that a transcript's entries form by `parentId`. An edit, a retry and a deletion start a new branch and keep
 * the old one; the current branch ends at the last entry of the file.
 *
 *   m1 ─ m2 ─ m3            m3' is an edited m3: both follow m2, so they are siblings
 *          └─ m3' ─ m4'     a branch marker below m3 makes its branch the current one again
 */

export type MessageVersions = NonNullable<ChatMessage['versions']>

type Parents = ReadonlyMap<string, string | null>

/** Returns the ids from `leaf` to the root, both included; empty for null. */
export function pathTo(leaf: string | null, parents: Parents): Set<string> {
  const path = new Set<string>()
  for (let id = leaf; id !== null && !path.has(id); id = parents.get(id) ?? null) path.add(id)
  return path
}

export function versionsOnBranch(leaf: string | null, entries: readonly TranscriptEntry[], parents: Parents) {
  const path = pathTo(leaf, parents)
  const messages = entries.filter(({ type }) => type === 'message')
  const messageIds = new Set(messages.map(({ id }) => id))
  const deleted = deletedBranches(
    entries.flatMap((entry) => (entry.type === 'custom' && entry.customType === branchEntry ? [entry.data] : [])),
  )
  const shown = messages.filter(({ id }) => !deleted.has(id))
  const siblingsByParent = Map.groupBy(shown, ({ parentId }) => {
    let parentMessage = parentId
    while (parentMessage !== null && !messageIds.has(parentMessage)) parentMessage = parents.get(parentMessage) ?? null
    return parentMessage
  })
  const versions = new Map<string, MessageVersions>()
  for (const siblings of siblingsByParent.values()) {
    const ids = siblings.map(({ id }) => id)
    for (const [index, id] of ids.entries()) if (ids.length > 1 && path.has(id)) versions.set(id, { ids, index })
  }
  return versions
}

/** Returns the id of the newest entry below `id`, or `id` if there is none. */
export function newestDescendant(id: string, entries: readonly TranscriptEntry[], parents: Parents): string {
  const descendants = new Set([id])
  // Parents precede their children in the file.
  for (const entry of entries) if (descendants.has(parents.get(entry.id) ?? '')) descendants.add(entry.id)
  return [...descendants].at(-1) ?? id
}
