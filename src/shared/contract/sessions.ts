import { z } from 'zod'
import { errorDataSchema } from '../errors.ts'
import { fileChangeSchema, messageSchema } from '../messages.ts'
import { base, forAgent, sessionIdSchema } from './base.ts'

export const sessionSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
  messages: z.number().int(),
})
export type SessionSummary = z.infer<typeof sessionSummarySchema>

/** A message on the current branch of the transcript, with the id of its entry. */
export const sessionMessageSchema = z.object({ id: z.string(), message: messageSchema })
export type SessionMessage = z.infer<typeof sessionMessageSchema>

/** What a command did. */
export const commandOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['compacted', 'nothingToCompact']), before: z.number(), after: z.number() }),
  z.object({ kind: z.literal('needsArgument'), command: z.string() }),
  z.object({ kind: z.literal('remembered'), change: fileChangeSchema }),
  z.object({
    kind: z.literal('found'),
    query: z.string(),
    results: z.array(z.object({ path: z.string(), startLine: z.number(), score: z.number() })),
  }),
  z.object({ kind: z.literal('model'), model: z.string() }),
  z.object({ kind: z.literal('agent'), agent: z.string(), workspace: z.string() }),
  z.object({
    kind: z.literal('status'),
    tokens: z.number(),
    contextWindow: z.number(),
    files: z.number(),
    chunks: z.number(),
    model: z.string(),
  }),
  z.object({ kind: z.literal('help') }),
  z.object({ kind: z.literal('failed'), code: z.string(), data: errorDataSchema }),
])
export type CommandOutcome = z.infer<typeof commandOutcomeSchema>

/** What happened to a conversation besides messages (M45), shown where it happened. */
export const sessionEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('flush'),
    status: z.enum(['wrote', 'nothing', 'rescued', 'failed']),
    changes: z.array(fileChangeSchema),
    tokens: z.number(),
  }),
  z.object({
    type: z.literal('compaction'),
    summary: z.string(),
    before: z.number(),
    after: z.number(),
    tokens: z.number(),
  }),
  z.object({ type: z.literal('prune'), results: z.number(), before: z.number(), after: z.number() }),
  z.object({ type: z.literal('notice'), kind: z.literal('compactionFailed'), code: z.string(), data: errorDataSchema }),
  z.object({ type: z.literal('command'), command: z.string(), outcome: commandOutcomeSchema }),
])
export type SessionEvent = z.infer<typeof sessionEventSchema>

/** An event and the message that it came after; null before the first. */
export const placedEventSchema = z.object({ id: z.string(), after: z.string().nullable(), event: sessionEventSchema })
export type PlacedEvent = z.infer<typeof placedEventSchema>

export const sessions = {
  list: base.input(forAgent).output(z.array(sessionSummarySchema)),
  get: base.input(forAgent.extend({ session: sessionIdSchema })).output(
    z.object({
      summary: sessionSummarySchema,
      messages: z.array(sessionMessageSchema),
      events: z.array(placedEventSchema),
      /** Lines of the file that could not be read: torn by a crash, or of an unknown kind. 1-based. */
      skippedLines: z.array(z.number().int()),
    }),
  ),
}
