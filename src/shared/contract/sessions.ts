import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { fileChangeSchema } from '../util/file-change.ts'
import { imagePartSchema, messageSchema, usageSchema } from '../chat/message-schemas.ts'
import { maxAttachments, maxMessage, maxName, maxPhrase, maxPicture, maxTitle } from '../util/limits.ts'
import { base, forAgent, idSchema, sessionIdSchema } from './base.ts'

export const sessionSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  updatedAt: z.number(),
  messages: z.number().int(),
  pinned: z.boolean(),
  /** True when it was given a name, by the user or a model; else the title is its first words. */
  named: z.boolean(),
  /** Nothing is recalled for it, nothing of it is kept, and it is not searched. */
  isWithoutMemory: z.boolean(),
})
export type SessionSummary = z.infer<typeof sessionSummarySchema>

/** A message on the current branch of the transcript, with the id of its entry. */
export const sessionMessageSchema = z.object({
  id: z.string(),
  message: messageSchema,
  /** Other versions of this message, oldest first, and where it stands among them (0-based). */
  versions: z.object({ ids: z.array(z.string()), index: z.number().int() }).optional(),
})
export type SessionMessage = z.infer<typeof sessionMessageSchema>

/** What a command did. */
export const commandOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['compacted', 'nothingToCompact']), before: z.number(), after: z.number() }),
  z.object({ kind: z.literal('needsArgument'), command: z.string() }),
  z.object({ kind: z.literal('remembered'), change: fileChangeSchema }),
  z.object({
    kind: z.literal('found'),
    query: z.string(),
    /** `snippet`: what stands there; what was stored before has none. */
    results: z.array(
      z.object({ path: z.string(), startLine: z.number(), score: z.number(), snippet: z.string().optional() }),
    ),
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
    /** Tokens from which on memory is written, and the conversation summarised; what was stored before has none. */
    flushAt: z.number().optional(),
    compactAt: z.number().optional(),
  }),
  z.object({ kind: z.literal('help') }),
  /** `message`: in plain English, for a terminal; what was stored before has none. */
  z.object({ kind: z.literal('failed'), code: z.string(), data: errorDataSchema, message: z.string().optional() }),
])
export type CommandOutcome = z.infer<typeof commandOutcomeSchema>

/** What happened to a conversation besides messages, shown where it happened. */
export const sessionEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('flush'),
    status: z.enum(['wrote', 'nothing', 'rescued', 'failed', 'distilled']),
    changes: z.array(fileChangeSchema),
    tokens: z.number(),
  }),
  z.object({
    type: z.literal('compaction'),
    summary: z.string(),
    before: z.number(),
    after: z.number(),
    /** No summary could be had: older messages are simply not sent any more. */
    leftOut: z.boolean(),
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

/** A conversation that a search found: by its title, or by a passage of a message. */
export const foundSessionSchema = z.object({
  id: z.string(),
  title: z.string(),
  message: z.string().optional(),
  snippet: z.string().optional(),
})
export type FoundSession = z.infer<typeof foundSessionSchema>

export const attachmentSchema = z.discriminatedUnion('type', [
  imagePartSchema.extend({
    data: z.string().max(maxPicture),
    mimeType: z.string().max(maxName),
    name: z.string().max(maxName),
  }),
  z.object({ type: z.literal('file'), name: z.string().max(maxName), text: z.string().max(maxMessage) }),
])
export type Attachment = z.infer<typeof attachmentSchema>

export const draftSchema = z.object({
  text: z.string().max(maxMessage),
  attachments: z.array(attachmentSchema).max(maxAttachments),
})
export type Draft = z.infer<typeof draftSchema>

const forSession = forAgent.extend({ session: sessionIdSchema })
const done = z.object({})

export const sessions = {
  /** @param empty also those in which nothing was said yet */
  list: base.input(forAgent.extend({ empty: z.boolean().optional() })).output(z.array(sessionSummarySchema)),
  get: base.input(forSession).output(
    z.object({
      summary: sessionSummarySchema,
      messages: z.array(sessionMessageSchema),
      events: z.array(placedEventSchema),
      /** Lines of the file that could not be read: torn by a crash, or of an unknown kind. 1-based. */
      skippedLines: z.array(z.number().int()),
      /** A reset has ended it: a message starts a new one, unless it is asked to go on here. */
      over: z.boolean(),
    }),
  ),
  /** What all of it used: every branch, flushes and summaries included. */
  usage: base.input(forSession).output(usageSchema),
  /** Conversations in which every word of the query stands. */
  find: base.input(forAgent.extend({ query: z.string().max(maxPhrase) })).output(z.array(foundSessionSchema)),
  rename: base.input(forSession.extend({ name: z.string().trim().min(1).max(maxTitle) })).output(done),
  pin: base.input(forSession.extend({ pinned: z.boolean() })).output(done),
  /** Holds it without memory from here on, or keeps all of it after all: then it is searched, and leaves behind what conversations do. */
  setWithoutMemory: base.input(forSession.extend({ isWithoutMemory: z.boolean() })).output(done),
  /** Puts it aside; `restore` brings it back. */
  remove: base.input(forSession).output(done),
  restore: base.input(forSession).output(done),
  export: base
    .input(forSession.extend({ format: z.enum(['markdown', 'jsonl']) }))
    .output(z.object({ name: z.string(), text: z.string() })),
  /** A new conversation with everything up to this entry. */
  fork: base.input(forSession.extend({ entry: idSchema })).output(z.object({ session: z.string() })),
  /** Shows another version of a message and what followed it. */
  switchTo: base.input(forSession.extend({ entry: idSchema })).output(done),
  /** Takes a message and all after it out of the conversation; the file keeps them, and `undelete` brings them back. */
  deleteFrom: base.input(forSession.extend({ entry: idSchema })).output(done),
  undelete: base.input(forSession.extend({ entry: idSchema })).output(done),
  /** The unsent message, null for none; without a session, of a new chat. */
  draft: base.input(forAgent.extend({ session: sessionIdSchema.optional() })).output(draftSchema.nullable()),
  saveDraft: base.input(forAgent.extend({ session: sessionIdSchema.optional(), draft: draftSchema })).output(done),
}
