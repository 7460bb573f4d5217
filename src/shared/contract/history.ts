import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { maxPath } from '../util/limits.ts'
import {
  changedSchema,
  changeIdSchema,
  done,
  filePathSchema,
  forAgent,
  forFile,
  forProgramSchema,
  idSchema,
  progressSchema,
  sessionIdSchema,
  timestampSchema,
  rpc,
} from './base.ts'
import { leftFileSchema } from './find.ts'

/** Hunks in one request; a change with more lines is one hunk. */
const maxHunks = 2000

/**
 * Author of a change. `client`: another program that uses this memory · `upkeep`: a proposal that the user accepted ·
 * `template`: the app at the first start · `adopted`: existed before the history began · `outside`: any change not made
 * by the app, such as by another editor, Git or file sync · `unrecorded`: changed while the history could not be written.
 */
export const causes = [
  'user',
  'agent',
  'flush',
  'capture',
  'import',
  'client',
  'upkeep',
  'template',
  'adopted',
  'outside',
  'unrecorded',
] as const
export const causeSchema = z.enum(causes)
export type Cause = z.infer<typeof causeSchema>

export const originShape = {
  cause: causeSchema,
  /** `turn`: the user message being answered. */
  session: z.string().optional(),
  turn: z.string().optional(),
  client: z.string().optional(),
  /** Untrusted origins, such as `web: example.org`. */
  sources: z.array(z.string()).readonly().optional(),
}

export const historyEntrySchema = z.object({
  ...originShape,
  /** A change set can have several entries. */
  id: z.int(),
  change: changeIdSchema,
  path: z.string(),
  now: z.string(),
  from: z.string().optional(),
  at: timestampSchema,
  added: z.int(),
  removed: z.int(),
  exists: z.boolean(),
  /** Also true for a restored version. */
  isUndo: z.boolean(),
  /** One entry stands for all `adopted` files; `path` is one of them. */
  files: z.int().optional(),
  /** Keys (`hunkKey`) of the reviewed hunks. */
  reviewed: z.array(z.string()).optional(),
})
export type HistoryEntry = z.infer<typeof historyEntrySchema>

export const blamedLineSchema = z.object({ ...originShape, change: changeIdSchema, at: z.number() })
export type BlamedLine = z.infer<typeof blamedLineSchema>

const forChange = forFile.extend({ change: changeIdSchema })

export const fileCommitsSchema = z.object({
  /** `untrusted`: Git rejects the repository at `path` because another user owns it. */
  state: z.enum(['found', 'none', 'untrusted', 'no_git']),
  path: z.string().optional(),
  /** Newest first. Paths are relative to the workspace, or to the repository if they start with `/`. */
  commits: z.array(
    z.object({
      commit: z.string(),
      at: timestampSchema,
      author: z.string(),
      subject: z.string(),
      /** At that commit; `from` if the commit moved the file. */
      path: z.string(),
      from: z.string().optional(),
      added: z.int(),
      removed: z.int(),
    }),
  ),
  isMore: z.boolean(),
})
export type FileCommits = z.infer<typeof fileCommitsSchema>
export type FileCommit = FileCommits['commits'][number]

/** Numbers. `removedVersions`: without text, because it was deleted permanently. */
const gitExportSchema = z.object({
  commits: z.int(),
  privateVersions: z.int(),
  removedVersions: z.int(),
})
export type GitExport = z.infer<typeof gitExportSchema>

const gitImportSchema = z.object({
  changes: z.int(),
  notes: z.int(),
  /** Versions that are no text or too large. */
  skipped: z.int(),
  /** Commits since the log began, whose changes it has already. */
  later: z.int(),
  isKnown: z.boolean(),
})
export type GitImport = z.infer<typeof gitImportSchema>

const forGit = forAgent.extend({ folder: z.string().min(1).max(maxPath) })

export const batchSchema = z.object({
  kind: z.enum(['move', 'tag', 'replacement']),
  from: z.string(),
  to: z.string(),
  notes: z.int(),
})

const pastBatchSchema = batchSchema.extend({
  change: changeIdSchema,
  at: timestampSchema,
  count: z.int().optional(),
})
export type PastBatch = z.infer<typeof pastBatchSchema>

export const history = {
  /** Newest first. A path is followed across its moves. */
  timeline: rpc(
    forAgent.extend({
      path: filePathSchema.optional(),
      /** Id of an entry, exclusive. */
      before: z.int().optional(),
      /** Ms since the epoch, exclusive. */
      since: z.number().optional(),
      causes: z.array(causeSchema).max(causes.length).optional(),
      session: sessionIdSchema.optional(),
      limit: z.int().min(1).max(1000).default(100),
      forProgram: forProgramSchema,
    }),
    z.array(historyEntrySchema),
  ),
  /** For a client, the patch contains only added lines that are still in the note and visible to it. */
  diff: rpc(forChange.extend({ forProgram: forProgramSchema }), { patch: z.string() }),
  /** Commits of the user's own Git repository. The app only reads it. */
  commits: rpc(
    forFile.extend({
      skip: z.int().min(0).default(0),
      limit: z.int().min(1).max(1000).default(100),
    }),
    fileCommitsSchema,
  ),
  /** `path` is the current path. */
  commitDiff: rpc(forFile.extend({ commit: z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/) }), { patch: z.string() }),
  /** Null if the note did not exist then, was removed from the history, or is private. */
  textAt: rpc(forFile.extend({ at: timestampSchema, includesPrivate: z.boolean() }), { text: z.string().nullable() }),
  /** `folder`: empty or new, absolute. @throws AppError as `exportToGit` */
  exportGit: rpc(
    forGit.extend({ includesPrivate: z.boolean() }),
    eventIterator(z.union([progressSchema, gitExportSchema])),
  ),
  /** Adds the history before the oldest change. @throws AppError as `importFromGit` */
  importGit: rpc(forGit, eventIterator(z.union([progressSchema, gitImportSchema]))),
  /** One entry for each line of the last recorded version; empty if the file is too large. */
  blame: rpc(forFile, z.array(blamedLineSchema)),
  /** `there`: can be undone; `undone`: already; `changed`: edited since. `path`: after the change. */
  standing: rpc(forChange, { path: z.string(), hunks: z.array(z.enum(['there', 'undone', 'changed'])) }),
  /** Marks a hunk as reviewed. `key`: its `hunkKey`. */
  accept: rpc(forChange.extend({ key: idSchema }), done),
  /** At its current path. The replaced content stays in the history. */
  restore: rpc(forChange, changedSchema),
  /** Also of earlier runs, newest first. */
  batches: rpc(forAgent, z.array(pastBatchSchema)),
  /**
   * Reverts a change; edits of other lines stay. A file that the change created goes to the trash. With `path`, reverts
   * only this file; with `hunks` (0-based), only these parts of it. `isRedo` applies the change again. Files of a
   * replacement or an import that were edited since are skipped and listed in `left`.
   * @returns `change`: the change set of the undo, which can be reverted, too; null if nothing had to be changed
   * @throws AppError 'undo_conflict' if lines of the change were edited, with the line; nothing is changed
   */
  revert: rpc(
    forAgent.extend({
      change: changeIdSchema,
      path: filePathSchema.optional(),
      hunks: z.array(z.int().min(0)).max(maxHunks).optional(),
      isRedo: z.boolean().optional(),
    }),
    {
      change: changeIdSchema.nullable(),
      notes: z.int(),
      left: z.array(leftFileSchema),
      trashed: z.string().optional(),
    },
  ),
}
