import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { fileChangeSchema } from '../util/file-change.ts'
import { imagePartSchema, messageSchema, usageSchema } from '../chat/message-schemas.ts'
import { maxAttachments, maxMessage, maxName, maxSearchText, maxPicture, maxTitle } from '../util/limits.ts'
import { base, done, forAgent, forSession, idSchema, sessionIdSchema, timestampSchema } from './base.ts'

export const sessionSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  messages: z.number().int(),
  pinned: z.boolean(),
  /** True if the user or a model named the session; otherwise `title` is its first words. */
  named: z.boolean(),
  /** Temporary chat: uses no memory, stores none, and is not searchable. */
  isWithoutMemory: z.boolean(),
  /** True if no notes are recalled for its messages. */
  isWithoutRecall: z.boolean(),
  /** Private chat: only models on this machine read it, and no other program. */
  isPrivate: z.boolean(),
  /** Lines that the summary and the flushes of the session keep. */
  kept: z.number().int(),
  /** True if saving notes has failed, and those of some messages are still missing. */
  areNotesMissing: z.boolean(),
})
export type SessionSummary = z.infer<typeof sessionSummarySchema>

/** A message on the active branch, with the id of its transcript entry. */
export const sessionMessageSchema = z.object({
  id: z.string(),
  message: messageSchema,
  /** Ids of all versions of this message, oldest first, and the 0-based index of this one. */
  versions: z.object({ ids: z.array(z.string()), index: z.number().int() }).optional(),
})
export type SessionMessage = z.infer<typeof sessionMessageSchema>

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

/** A transcript entry other than a message, shown at its place in the session. */
export const sessionEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('flush'),
    /** `failed`: the notes follow later; `summarized`: the session ended, and its summary was written. */
    status: z.enum(['wrote', 'nothing', 'failed', 'summarized']),
    changes: z.array(fileChangeSchema),
    tokens: z.number(),
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
    tokens: z.number(),
  }),
  z.object({ type: z.literal('prune'), results: z.number(), before: z.number(), after: z.number() }),
  z.object({
    type: z.literal('notice'),
    /**
     * `modelReplaced`: the chat's model is missing, so the offline model made the notes or the summary. `withoutTools`: the
     * model cannot call tools. `truncated`: the server has cut the request without an error.
     */
    kind: z.enum(['compactionFailed', 'modelReplaced', 'withoutTools', 'truncated']),
    /** Empty without an error. */
    code: z.string(),
    data: errorDataSchema,
  }),
  /** Private notes match the question of an open chat. The model does not learn of it. */
  z.object({ type: z.literal('privateMatches'), count: z.number().int() }),
  z.object({ type: z.literal('command'), command: z.string(), outcome: commandOutcomeSchema }),
])
export type SessionEvent = z.infer<typeof sessionEventSchema>

/** `after`: id of the message before the event; null if it precedes the first message. */
export const placedEventSchema = z.object({ id: z.string(), after: z.string().nullable(), event: sessionEventSchema })
export type PlacedEvent = z.infer<typeof placedEventSchema>

/** A search result: the title matched, or a passage of a message. */
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

/** A line of a note, 1-based. */
export const noteLineSchema = z.object({ path: z.string(), line: z.number().int(), text: z.string() })
export type NoteLine = z.infer<typeof noteLineSchema>

/** Text that becomes open when a private chat is released. */
export const releasePreviewSchema = z.object({
  messages: z.number().int(),
  /** The first messages' lines that equal private lines; `lineCount` is the number of all. */
  lines: z.array(z.string()),
  lineCount: z.number().int(),
  /** Paths of the private notes that the chat recalled or read. */
  notes: z.array(z.string()),
})
export type ReleasePreview = z.infer<typeof releasePreviewSchema>

export const sessions = {
  /** @param empty includes sessions without messages */
  list: base.input(forAgent.extend({ empty: z.boolean().optional() })).output(z.array(sessionSummarySchema)),
  get: base.input(forSession).output(
    z.object({
      summary: sessionSummarySchema,
      messages: z.array(sessionMessageSchema),
      events: z.array(placedEventSchema),
      /** 1-based lines of the transcript that could not be parsed: truncated by a crash, or of an unknown kind. */
      skippedLines: z.array(z.number().int()),
      /** True if a reset has ended the session: the next message starts a new one unless `reopen` is set. */
      over: z.boolean(),
    }),
  ),
  /** Token usage of the whole session: all branches, flushes and summaries. */
  usage: base.input(forSession).output(usageSchema),
  /** Finds sessions that contain every word of the query. */
  find: base.input(forAgent.extend({ query: z.string().max(maxSearchText) })).output(z.array(foundSessionSchema)),
  /** Ends the session: its notes and its summary are saved. A later message continues it. */
  end: base.input(forSession).output(done),
  /**
   * Saves the missing notes of a session now. @returns `isComplete`: false if it failed again
   * @throws AppError 'unknown_session', or if its model is missing
   */
  takeNotes: base.input(forSession).output(z.object({ isComplete: z.boolean() })),
  rename: base.input(forSession.extend({ name: z.string().trim().min(1).max(maxTitle) })).output(done),
  pin: base.input(forSession.extend({ pinned: z.boolean() })).output(done),
  /**
   * Turns memory off for the rest of the session, or on for all of it: it then becomes searchable and is flushed like
   * others.
   */
  setWithoutMemory: base.input(forSession.extend({ isWithoutMemory: z.boolean() })).output(done),
  /** Turns the recall of notes for each message off or on. */
  setWithoutRecall: base.input(forSession.extend({ isWithoutRecall: z.boolean() })).output(done),
  /** Stops the running turn, if any, and makes the whole session private. */
  makePrivate: base.input(forSession).output(done),
  /** Returns the open lines of notes that the session wrote. */
  openLines: base.input(forSession).output(z.array(noteLineSchema)),
  /** Marks these lines private. @returns their number */
  markLines: base.input(forSession).output(z.object({ count: z.number().int() })),
  previewRelease: base.input(forSession).output(releasePreviewSchema),
  /** Makes a private session open. @throws AppError 'session_busy' while a turn is running */
  release: base.input(forSession).output(done),
  /** Returns sessions that became private because a note was marked, until `forgetMadePrivate`. */
  madePrivate: base.input(forAgent).output(z.object({ sessions: z.array(z.string()) })),
  forgetMadePrivate: base.input(forAgent).output(done),
  /** Moves the session to the trash; `restore` reverts it. @throws AppError 'session_busy' while a turn is running */
  remove: base.input(forSession).output(done),
  restore: base.input(forSession).output(done),
  export: base
    .input(forSession.extend({ format: z.enum(['markdown', 'jsonl']) }))
    .output(z.object({ name: z.string(), text: z.string() })),
  /** Creates a session with everything up to this entry. */
  fork: base.input(forSession.extend({ entry: idSchema })).output(z.object({ session: z.string() })),
  /** Activates another version of a message and its branch. */
  switchTo: base.input(forSession.extend({ entry: idSchema })).output(done),
  /**
   * Removes a message and everything after it from the branch. The transcript file keeps the entries; `undelete`
   * restores them.
   */
  deleteFrom: base.input(forSession.extend({ entry: idSchema })).output(done),
  undelete: base.input(forSession.extend({ entry: idSchema })).output(done),
  /** Unsent message; null if there is none. Without `session`, the draft of a new chat. */
  draft: base.input(forAgent.extend({ session: sessionIdSchema.optional() })).output(draftSchema.nullable()),
  saveDraft: base.input(forAgent.extend({ session: sessionIdSchema.optional(), draft: draftSchema })).output(done),
}
