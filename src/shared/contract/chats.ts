import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { fileChangeSchema } from '../util/file-change.ts'
import { imagePartSchema, messageSchema, usageSchema } from '../chat/message-schemas.ts'
import { maxAttachments, maxMessage, maxName, maxSearchText, maxPicture, maxTitle } from '../util/limits.ts'
import { done, filePathSchema, forAgent, forSession, idSchema, rpc, sessionIdSchema, timestampSchema } from './base.ts'

export const chatSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  messages: z.int(),
  pinned: z.boolean(),
  /** True if the user or a model named the session; otherwise `title` is its first words. */
  named: z.boolean(),
  /** Temporary chat: uses no memory, stores none, and is not searchable. */
  isWithoutMemory: z.boolean(),
  isWithoutRecall: z.boolean(),
  /** Private chat: only models on this machine read it, and no other program. */
  isPrivate: z.boolean(),
  kept: z.int(),
  /** True if the notes of some messages could not be saved yet. */
  areNotesMissing: z.boolean(),
})
export type ChatSummary = z.infer<typeof chatSummarySchema>

export const chatMessageSchema = z.object({
  id: z.string(),
  message: messageSchema,
  /** Ids of all versions of this message, oldest first, and the 0-based index of this one. */
  versions: z.object({ ids: z.array(z.string()), index: z.int() }).optional(),
})
export type ChatMessage = z.infer<typeof chatMessageSchema>

export const commandOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['compacted', 'nothingToCompact']), before: z.number(), after: z.number() }),
  z.object({ kind: z.literal('needsArgument'), command: z.string() }),
  z.object({ kind: z.literal('remembered'), change: fileChangeSchema }),
  z.object({
    kind: z.literal('found'),
    query: z.string(),
    results: z.array(z.object({ path: z.string(), startLine: z.number(), score: z.number(), snippet: z.string() })),
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
    /** Token thresholds of flush and compaction; undefined for a step that is off. */
    flushAt: z.number().optional(),
    compactAt: z.number().optional(),
  }),
  z.object({ kind: z.literal('help') }),
  /** `message`: in English, for the terminal. */
  z.object({ kind: z.literal('failed'), code: z.string(), data: errorDataSchema, message: z.string() }),
])
export type CommandOutcome = z.infer<typeof commandOutcomeSchema>

export const sessionEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('flush'),
    /** `failed`: the notes follow later; `summarized`: the session ended, and its summary was written. */
    status: z.enum(['wrote', 'nothing', 'failed', 'summarized']),
    changes: z.array(fileChangeSchema),
    /** After a failure: id of the last message whose notes are saved; undefined if there is none. */
    takenThrough: z.string().optional(),
  }),
  z.object({
    type: z.literal('compaction'),
    summary: z.string(),
    /** Lines of the summary with the ids of their messages; empty for summaries of other programs. */
    lines: z.array(z.object({ text: z.string(), messages: z.array(z.string()) })).default([]),
    before: z.number(),
    after: z.number(),
    /** True if no summary could be generated: older messages are no longer sent. */
    leftOut: z.boolean(),
  }),
  z.object({ type: z.literal('prune'), results: z.number(), before: z.number(), after: z.number() }),
  z.object({
    type: z.literal('notice'),
    /**
     * `modelReplaced`: the chat's model is missing, so the offline model made the notes or the summary. `withoutTools`: the
     * model cannot call tools. `truncated`: the server has cut the request without an error.
     */
    kind: z.enum(['compactionFailed', 'modelReplaced', 'withoutTools', 'truncated']),
    code: z.string(),
    data: errorDataSchema,
  }),
  /** The model does not learn of it. */
  z.object({ type: z.literal('privateMatches'), count: z.int() }),
  z.object({ type: z.literal('command'), command: z.string(), outcome: commandOutcomeSchema }),
])
export type SessionEvent = z.infer<typeof sessionEventSchema>

/** `after`: id of the message before the event; null if it precedes the first message. */
export const placedEventSchema = z.object({ id: z.string(), after: z.string().nullable(), event: sessionEventSchema })
export type PlacedEvent = z.infer<typeof placedEventSchema>

export const foundChatSchema = z.object({
  id: z.string(),
  title: z.string(),
  message: z.string().optional(),
  snippet: z.string().optional(),
})
export type FoundChat = z.infer<typeof foundChatSchema>

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

/** `line` is 1-based. */
export const noteLineSchema = z.object({ path: z.string(), line: z.int(), text: z.string() })
export type NoteLine = z.infer<typeof noteLineSchema>
const maxMarked = 10_000
const markedLineSchema = noteLineSchema.extend({ path: filePathSchema, text: z.string().max(maxMessage) })

export const releasePreviewSchema = z.object({
  messages: z.int(),
  /** The first lines that equal private lines; `lineCount` counts all. */
  lines: z.array(z.string()),
  lineCount: z.int(),
  notes: z.array(z.string()),
})
export type ReleasePreview = z.infer<typeof releasePreviewSchema>

export const chats = {
  /** @param empty includes sessions without messages */
  list: rpc(forAgent.extend({ empty: z.boolean().optional() }), z.array(chatSummarySchema)),
  get: rpc(forSession, {
    summary: chatSummarySchema,
    messages: z.array(chatMessageSchema),
    events: z.array(placedEventSchema),
    /** 1-based lines of the transcript that could not be parsed: truncated by a crash, or of an unknown kind. */
    skippedLines: z.array(z.int()),
    /** True if a reset has ended the session: the next message starts a new one unless `reopen` is set. */
    over: z.boolean(),
  }),
  usage: rpc(forSession, usageSchema),
  find: rpc(forAgent.extend({ query: z.string().max(maxSearchText) }), z.array(foundChatSchema)),
  /** Saves the notes and the summary. A later message continues the session. */
  end: rpc(forSession, done),
  /** `isComplete`: false if it failed again. @throws AppError 'unknown_session', or if the model is missing */
  takeNotes: rpc(forSession, { isComplete: z.boolean() }),
  rename: rpc(forSession.extend({ name: z.string().trim().min(1).max(maxTitle) }), done),
  pin: rpc(forSession.extend({ pinned: z.boolean() }), done),
  /** Turns memory off from the next message on, or on for the whole chat, also in searches. */
  setWithoutMemory: rpc(forSession.extend({ isWithoutMemory: z.boolean() }), done),
  setWithoutRecall: rpc(forSession.extend({ isWithoutRecall: z.boolean() }), done),
  makePrivate: rpc(forSession, done),
  openLines: rpc(forSession, z.array(noteLineSchema)),
  /** Makes lines private. A line that is no longer there is ignored. */
  markLines: rpc(forAgent.extend({ lines: z.array(markedLineSchema).max(maxMarked) }), done),
  previewRelease: rpc(forSession, releasePreviewSchema),
  /** @throws AppError 'session_busy' while a turn is running */
  release: rpc(forSession, done),
  /** Sessions that became private with lines, and paths of notes that another program moved out of a private folder. */
  madePrivate: rpc(forAgent, { chatsAndNotes: z.array(z.string()) }),
  forgetMadePrivate: rpc(forAgent, done),
  /** To the trash. @throws AppError 'session_busy' while a turn is running */
  remove: rpc(forSession, done),
  restore: rpc(forSession, done),
  export: rpc(forSession.extend({ format: z.enum(['markdown', 'jsonl']) }), { name: z.string(), text: z.string() }),
  fork: rpc(forSession.extend({ entry: idSchema }), { session: z.string() }),
  switchTo: rpc(forSession.extend({ entry: idSchema }), done),
  deleteFrom: rpc(forSession.extend({ entry: idSchema }), done),
  undelete: rpc(forSession.extend({ entry: idSchema }), done),
  /** Without `session`, of a new chat. */
  draft: rpc(forAgent.extend({ session: sessionIdSchema.optional() }), draftSchema.nullable()),
  saveDraft: rpc(forAgent.extend({ session: sessionIdSchema.optional(), draft: draftSchema }), done),
}
