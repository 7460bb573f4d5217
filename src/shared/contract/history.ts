import { z } from 'zod'
import { maxPatch } from '../util/limits.ts'
import { base, done, filePathSchema, forAgent, forFile, forProgramSchema, idSchema, timestampSchema } from './base.ts'
import { leftFileSchema } from './find.ts'

/**
 * Author of a change. `client`: another program that uses this memory · `upkeep`: a proposal that the user accepted ·
 * `template`: the app at the first start · `adopted`: existed before the history began · `outside`: any change not made
 * by the app, such as by another editor, Git or file sync.
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
] as const
export const causeSchema = z.enum(causes)
export type Cause = z.infer<typeof causeSchema>

export const originShape = {
  cause: causeSchema,
  /** For agents: the session, and the user message being answered. */
  session: z.string().optional(),
  turn: z.string().optional(),
  client: z.string().optional(),
  /** Untrusted origins of the content, such as `web: example.org`. */
  sources: z.array(z.string()).readonly().optional(),
}

export const historyEntrySchema = z.object({
  ...originShape,
  commit: z.string(),
  path: z.string(),
  /** Current path of the file. */
  now: z.string(),
  /** Previous path, if the change moved the file. */
  from: z.string().optional(),
  at: timestampSchema,
  added: z.number().int(),
  removed: z.number().int(),
  /** False if the change deleted the file. */
  exists: z.boolean(),
  /** True if the change restored earlier content: an undo or a restored version. */
  isUndo: z.boolean(),
  /** For `adopted`, one entry for all files: their number; `path` is one of them. */
  files: z.number().int().optional(),
})
export type HistoryEntry = z.infer<typeof historyEntrySchema>

export const blamedLineSchema = z.object({ ...originShape, commit: z.string(), at: z.number() })
export type BlamedLine = z.infer<typeof blamedLineSchema>

const commitSchema = z.string().regex(/^[0-9a-f]{40}$/)
const forChange = forFile.extend({ commit: commitSchema })

/** A hunk of a recorded change that the user marked as reviewed. */
export const acceptedHunkSchema = z.object({
  commit: commitSchema,
  /** Hash returned by `hunkKey`. */
  key: idSchema,
})
export type AcceptedHunk = z.infer<typeof acceptedHunkSchema>

export const fileCommitsSchema = z.object({
  /**
   * `none`: not in a repository; `untrusted`: Git rejects the repository at `path` because another user
   * owns it; `no_git`: Git is not installed.
   */
  state: z.enum(['found', 'none', 'untrusted', 'no_git']),
  path: z.string().optional(),
  /** Newest first. Paths are relative to the workspace, or to the repository if they start with `/`. */
  commits: z.array(
    z.object({
      commit: z.string(),
      at: timestampSchema,
      author: z.string(),
      subject: z.string(),
      /** Path at that commit, and the previous path if the commit moved the file. */
      path: z.string(),
      from: z.string().optional(),
      added: z.number().int(),
      removed: z.number().int(),
    }),
  ),
  isMore: z.boolean(),
})
export type FileCommits = z.infer<typeof fileCommitsSchema>
export type FileCommit = FileCommits['commits'][number]

/** A change of many notes. */
export const batchSchema = z.object({
  kind: z.enum(['move', 'tag', 'replacement']),
  /** Empty if unknown. */
  from: z.string(),
  to: z.string(),
  /** Number of notes written. */
  notes: z.number().int(),
})

/** A change of many notes that one undo reverts. */
const pastBatchSchema = batchSchema.extend({
  undo: idSchema,
  at: timestampSchema,
  count: z.number().int().optional(),
})
export type PastBatch = z.infer<typeof pastBatchSchema>

export const history = {
  /** Newest first. With `path`, the history of one file across its moves. */
  timeline: base
    .input(
      forAgent.extend({
        path: filePathSchema.optional(),
        /** Returns only entries older than this commit. */
        before: idSchema.optional(),
        /** Returns this commit and older entries. @throws AppError 'input_invalid' if the commit is unknown */
        from: idSchema.optional(),
        /** Returns only entries newer than this time, ms since the epoch. */
        since: z.number().optional(),
        causes: z.array(causeSchema).max(causes.length).optional(),
        limit: z.number().int().min(1).max(1000).default(100),
        forProgram: forProgramSchema,
      }),
    )
    .output(z.array(historyEntrySchema)),
  /** For a client, the patch contains only added lines that are still in the note and visible to it. */
  diff: base
    .input(forChange.extend({ forProgram: forProgramSchema }))
    .output(z.object({ patch: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  /** Reads the user's own Git repository, if the workspace is in one. Never writes to it. */
  commits: base
    .input(
      forFile.extend({
        skip: z.number().int().min(0).default(0),
        limit: z.number().int().min(1).max(1000).default(100),
      }),
    )
    .output(fileCommitsSchema),
  /** Diff of one of these commits; `path` is the current path. */
  commitDiff: base
    .input(forFile.extend({ commit: z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/) }))
    .output(z.object({ patch: z.string() })),
  /** One entry for each line of the last recorded version; empty if the file is too large. */
  blame: base.input(forFile).output(z.array(blamedLineSchema)),
  /**
   * Checks whether each hunk of a patch can be undone: `there`: yes; `undone`: already undone; `changed`: edited since.
   * Takes the path at the time of the change; returns the current path.
   */
  standing: base
    .input(forFile.extend({ patch: z.string().max(maxPatch) }))
    .output(z.object({ path: z.string(), hunks: z.array(z.enum(['there', 'undone', 'changed'])) })),
  /** Reviewed hunks, oldest first. */
  accepted: base.input(forAgent).output(z.array(acceptedHunkSchema)),
  accept: base.input(forAgent.extend({ hunk: acceptedHunkSchema })).output(done),
  /**
   * Restores the file, at its current path, to its content after the change. The replaced content stays in the history.
   */
  restore: base.input(forChange).output(z.object({ path: z.string(), hash: z.string().nullable(), patch: z.string() })),
  /** Moves, tag renames and replacements that `undoBatch` can revert, also of earlier runs; newest first. */
  batches: base.input(forAgent).output(z.array(pastBatchSchema)),
  /**
   * Reverts a batch; edits of other lines stay. For a replacement, notes that cannot be restored are skipped and listed
   * in `left`.
   * @throws AppError 'undo_conflict' if the batch cannot be reverted; nothing is changed
   */
  undoBatch: base
    .input(forAgent.extend({ undo: idSchema }))
    .output(z.object({ notes: z.number().int(), left: z.array(leftFileSchema) })),
}
