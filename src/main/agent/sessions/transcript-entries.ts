import { z } from 'zod'
import { fileChangeSchema } from '#shared/util/file-change.ts'
import {
  assistantMessageSchema,
  untrustedSourceSchema,
  toolResultMessageSchema,
  usageSchema,
  userMessageSchema,
} from '#shared/chat/message-schemas.ts'
import { readToolDetails, storedToolDetails } from '#shared/chat/tool-details.ts'
import { addUsage, noUsage, type Usage } from '#shared/chat/messages.ts'
import { digestLineSchema } from './digest.ts'

/** Format version of new files; files with a newer one are refused. */
export const formatVersion = 3

export const headerSchema = z.looseObject({
  type: z.literal('session'),
  version: z.number().optional(),
  id: z.string(),
  timestamp: z.string(),
  /** IANA name; older versions did not store it. */
  timeZone: z.string().optional().catch(undefined),
})

/** A message as stored, possibly written by another program. */
export const storedMessageSchema = z.discriminatedUnion('role', [
  userMessageSchema,
  assistantMessageSchema,
  toolResultMessageSchema.extend({ details: z.unknown().transform(readToolDetails).optional() }),
])

const entryBase = { id: z.string(), parentId: z.string().nullable().default(null), timestamp: z.string() }

export const entrySchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message'), ...entryBase, message: storedMessageSchema }),
  /** The summary replaces the entries before `firstKeptEntryId` in requests; they stay in the file. */
  z.looseObject({
    type: z.literal('compaction'),
    ...entryBase,
    summary: z.string(),
    /** The digest that the summary shows; older versions did not store it. */
    lines: z.array(digestLineSchema).optional(),
    firstKeptEntryId: z.string(),
    tokensBefore: z.number().default(0),
    tokensAfter: z.number().optional(),
    /** True if the older messages were dropped without a summary; those that no flush had read are saved verbatim. */
    leftOut: z.boolean().optional(),
    /** Set by older versions, see `local` of messages. */
    local: z.literal(true).optional(),
    /** Sources of the summarised messages that are less trusted than the user. */
    sources: z.array(untrustedSourceSchema).optional(),
    usage: usageSchema.optional(),
  }),
  /** A flush has read the messages up to and including `throughEntryId`, or, if `distilled`, text saved verbatim. */
  z.looseObject({
    type: z.literal('flush'),
    ...entryBase,
    status: z.enum(['wrote', 'nothing', 'rescued', 'failed', 'distilled']),
    throughEntryId: z.string(),
    changes: z.array(fileChangeSchema).default([]),
    /** The notes that it wrote; empty in entries of older versions. */
    lines: z.array(digestLineSchema).default([]),
    message: z.string().optional(),
    usage: usageSchema.optional(),
  }),
  /** Ids of tool calls whose results later requests contain trimmed or cleared. */
  z.looseObject({
    type: z.literal('prune'),
    ...entryBase,
    trimmed: z.array(z.string()),
    cleared: z.array(z.string()),
    charactersBefore: z.number(),
    charactersAfter: z.number(),
  }),
  z.looseObject({ type: z.literal('model_change'), ...entryBase, provider: z.string(), modelId: z.string() }),
  z.looseObject({ type: z.literal('session_info'), ...entryBase, name: z.string().optional() }),
  z.looseObject({ type: z.literal('custom'), ...entryBase, customType: z.string(), data: z.unknown() }),
])

export type TranscriptEntry = z.infer<typeof entrySchema>
type WithoutIds<T> = T extends unknown ? Omit<T, 'id' | 'parentId' | 'timestamp' | number> : never
export type CompactionEntry = Extract<TranscriptEntry, { type: 'compaction' }>
export type EntryContent = WithoutIds<TranscriptEntry>
export type MessageEntry = Extract<TranscriptEntry, { type: 'message' }>

export interface TranscriptHeader {
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Time zone where the session began, IANA name. */
  readonly timeZone?: string | undefined
}

/** An entry of an unknown type that may be the parent of others. */
export const unknownEntrySchema = z.looseObject({
  type: z.string(),
  id: z.string(),
  parentId: z.string().nullable().default(null),
})

export type UnknownEntry = z.infer<typeof unknownEntrySchema>

/** Serialises an entry as JSON without a line break. Unknown tool details are written as they were read. */
export function serializeEntry(entry: TranscriptEntry): string {
  if (entry.type !== 'message' || entry.message.role !== 'toolResult' || !entry.message.details)
    return JSON.stringify(entry)
  return JSON.stringify({
    ...entry,
    message: { ...entry.message, details: storedToolDetails(entry.message.details) },
  })
}

export function usageOfEntries(entries: readonly TranscriptEntry[]): Usage {
  let sum: Usage = noUsage
  for (const entry of entries) {
    if (entry.type === 'message' && entry.message.role === 'assistant') sum = addUsage(sum, entry.message.usage)
    else if ((entry.type === 'flush' || entry.type === 'compaction') && entry.usage) sum = addUsage(sum, entry.usage)
  }
  return sum
}
