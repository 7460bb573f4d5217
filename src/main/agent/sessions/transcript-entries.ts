import { z } from 'zod'
import { fileChangeSchema } from '#shared/util/file-change.ts'
import {
  assistantMessageSchema,
  sourceSchema,
  toolResultMessageSchema,
  usageSchema,
  userMessageSchema,
} from '#shared/chat/message-schemas.ts'
import { readToolDetails, storedToolDetails } from '#shared/chat/tool-details.ts'
import { addUsage, noUsage, type Usage } from '#shared/chat/messages.ts'

/** The version of the layout that is written; newer ones are not guessed at. */
export const version = 3

export const headerSchema = z.looseObject({
  type: z.literal('session'),
  version: z.number().optional(),
  id: z.string(),
  timestamp: z.string(),
})

/** A message as it stands in a transcript, whoever wrote it. */
export const storedMessageSchema = z.discriminatedUnion('role', [
  userMessageSchema,
  assistantMessageSchema,
  toolResultMessageSchema.extend({ details: z.unknown().transform(readToolDetails).optional() }),
])

const entryBase = { id: z.string(), parentId: z.string().nullable().default(null), timestamp: z.string() }

export const entrySchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message'), ...entryBase, message: storedMessageSchema }),
  /** A summary stands for what is before `firstKeptEntryId`; nothing is removed from the file. */
  z.looseObject({
    type: z.literal('compaction'),
    ...entryBase,
    summary: z.string(),
    firstKeptEntryId: z.string(),
    tokensBefore: z.number().default(0),
    tokensAfter: z.number().optional(),
    /** No summary could be had: what is before was left out, and what no flush had read is rescued. */
    leftOut: z.boolean().optional(),
    /** A local model made the summary of local notes: no remote one gets it. */
    local: z.literal(true).optional(),
    /** Where some of what it stands for comes from. */
    sources: z.array(sourceSchema).optional(),
    usage: usageSchema.optional(),
  }),
  /** What was said up to `throughEntryId` has been looked through for durable notes; `distilled`: what had been rescued before. */
  z.looseObject({
    type: z.literal('flush'),
    ...entryBase,
    status: z.enum(['wrote', 'nothing', 'rescued', 'failed', 'distilled']),
    throughEntryId: z.string(),
    changes: z.array(fileChangeSchema).default([]),
    message: z.string().optional(),
    usage: usageSchema.optional(),
  }),
  /** Results that are sent cut, or not at all, from here on. */
  z.looseObject({
    type: z.literal('prune'),
    ...entryBase,
    trimmed: z.array(z.string()),
    cleared: z.array(z.string()),
    charactersBefore: z.number(),
    charactersAfter: z.number(),
  }),
  z.looseObject({ type: z.literal('model_change'), ...entryBase, provider: z.string(), modelId: z.string() }),
  /** The conversation's name. */
  z.looseObject({ type: z.literal('session_info'), ...entryBase, name: z.string().optional() }),
  z.looseObject({ type: z.literal('custom'), ...entryBase, customType: z.string(), data: z.unknown() }),
])

export type TranscriptEntry = z.infer<typeof entrySchema>
type WithoutIds<T> = T extends unknown ? Omit<T, 'id' | 'parentId' | 'timestamp' | number> : never
export type KeptEntry = Extract<TranscriptEntry, { type: 'flush' | 'compaction' | 'prune' }>
/** An entry before it has its place in a conversation. */
export type EntryContent = WithoutIds<TranscriptEntry>
export type KeptContent = WithoutIds<KeptEntry>
export type MessageEntry = Extract<TranscriptEntry, { type: 'message' }>

export interface TranscriptHeader {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** An entry that we do not understand, but that others hang on to. */
export interface ForeignEntry {
  readonly id: string
  readonly parentId: string | null
}

export const foreignSchema = z.looseObject({
  type: z.string(),
  id: z.string(),
  parentId: z.string().nullable().default(null),
})

/** An entry as a line of a transcript: what others left with a tool's result is written the way it was read. */
export function lineOf(entry: TranscriptEntry): string {
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
