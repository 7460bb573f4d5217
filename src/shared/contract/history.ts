import { z } from 'zod'
import { maxPatch } from '../util/limits.ts'
import { base, filePathSchema, forAgent, forProgramSchema, idSchema } from './base.ts'
import { leftFileSchema } from './find.ts'

/**
 * Who changed a file. `upkeep` is a proposal that the user accepted. `client` is another program that uses this memory; `template` the app itself, at the
 * first start; `adopted` nobody: it was there before the history began; `outside` anybody but the app: another editor, Git, a sync.
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

const originShape = {
  cause: causeSchema,
  /** For agents: the conversation, and the message that was being answered. */
  session: z.string().optional(),
  turn: z.string().optional(),
  /** For another program: what it is called. */
  client: z.string().optional(),
  /** Where some of it comes from that is trusted less than the user: `web: example.org`. */
  sources: z.array(z.string()).readonly().optional(),
}

/** One change of one file. */
export const historyEntrySchema = z.object({
  ...originShape,
  commit: z.string(),
  path: z.string(),
  /** What the file is called now. */
  now: z.string(),
  /** Where the file was before, when it was moved. */
  from: z.string().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  added: z.number().int(),
  removed: z.number().int(),
  /** False for a change that removed the file. */
  exists: z.boolean(),
  /** What was there before stands again: somebody took a change back, or went back to a version. */
  isUndo: z.boolean(),
  /** For `adopted`, told of all files at once: how many there were; the path is that of one of them. */
  files: z.number().int().optional(),
})
export type HistoryEntry = z.infer<typeof historyEntrySchema>

export const blamedLineSchema = z.object({ ...originShape, commit: z.string(), at: z.number() })
export type BlamedLine = z.infer<typeof blamedLineSchema>

const commitSchema = z.string().regex(/^[0-9a-f]{40}$/)
const forChange = forAgent.extend({ commit: commitSchema, path: filePathSchema })

/** A hunk of a recorded change that somebody has looked at. */
export const acceptedHunkSchema = z.object({
  commit: commitSchema,
  /** As `hunkKey` names it. */
  key: idSchema,
})
export type AcceptedHunk = z.infer<typeof acceptedHunkSchema>

/** Commits of one file in the repository of somebody's own that the folder lies in. */
export const fileCommitsSchema = z.object({
  /** `untrusted`: Git takes the folder of a repository, `path`, for another user's. `no_git`: Git is not installed. */
  state: z.enum(['found', 'none', 'untrusted', 'no_git']),
  path: z.string().optional(),
  /** Newest first. Paths are those of the workspace; with `/` at the beginning, those of the repository elsewhere. */
  commits: z.array(
    z.object({
      commit: z.string(),
      /** Milliseconds since the epoch. */
      at: z.number(),
      author: z.string(),
      /** The first line of its message. */
      subject: z.string(),
      /** What the file was called then, and before, when it was moved. */
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

/** A change of many notes that one undo takes back. */
const pastBatchSchema = z.object({
  undo: idSchema,
  /** Milliseconds since the epoch. */
  at: z.number(),
  kind: z.enum(['move', 'tag', 'replacement']),
  from: z.string(),
  to: z.string(),
  /** Matches of a replacement. */
  count: z.number().int().optional(),
  /** Notes that it wrote. */
  notes: z.number().int(),
})
export type PastBatch = z.infer<typeof pastBatchSchema>

export const history = {
  /** Newest first: of one file, through its moves, or of all. */
  timeline: base
    .input(
      forAgent.extend({
        path: filePathSchema.optional(),
        /** Only what is older than this commit. */
        before: idSchema.optional(),
        /** Only this commit and what is older; refused where it is not known any more. */
        from: idSchema.optional(),
        /** Only what is newer than this moment, ms since the epoch. */
        since: z.number().optional(),
        causes: z.array(causeSchema).max(causes.length).optional(),
        limit: z.number().int().min(1).max(1000).default(100),
        forProgram: forProgramSchema,
      }),
    )
    .output(z.array(historyEntrySchema)),
  /** For a program elsewhere the added lines alone that stand in the note as it sees it now. */
  diff: base
    .input(forChange.extend({ forProgram: forProgramSchema }))
    .output(z.object({ patch: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  /** What the user's own Git repository tells of a file, if the workspace lies in one; it is never written. */
  commits: base
    .input(
      forAgent.extend({
        path: filePathSchema,
        skip: z.number().int().min(0).default(0),
        limit: z.number().int().min(1).max(1000).default(100),
      }),
    )
    .output(fileCommitsSchema),
  /** What one of these commits changed in the file, as `path` names it now. */
  commitDiff: base
    .input(forAgent.extend({ path: filePathSchema, commit: z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/) }))
    .output(z.object({ patch: z.string() })),
  /** For each line of the file as it was last recorded; empty when it is too large. */
  blame: base.input(forAgent.extend({ path: filePathSchema })).output(z.array(blamedLineSchema)),
  /**
   * Whether a change still stands, hunk by hunk: `there` can be taken back, `undone` was, `changed` is another since.
   * Asked by the path of then; told with the path of now.
   */
  standing: base
    .input(forAgent.extend({ path: filePathSchema, patch: z.string().max(maxPatch) }))
    .output(z.object({ path: z.string(), hunks: z.array(z.enum(['there', 'undone', 'changed'])) })),
  /** What somebody has looked at and put away, oldest first. */
  accepted: base.input(forAgent).output(z.array(acceptedHunkSchema)),
  accept: base.input(forAgent.extend({ hunk: acceptedHunkSchema })).output(z.object({})),
  /** Makes the file, by the name it has now, what it was after a change; what it is now stays in the history. */
  restore: base.input(forChange).output(z.object({ path: z.string(), hash: z.string().nullable(), patch: z.string() })),
  /** Moves, renamed tags and replacements, also of earlier runs, that `undoBatch` can take back, latest first. */
  batches: base.input(forAgent).output(z.array(pastBatchSchema)),
  /**
   * Takes all of a batch back, also where other lines were changed since. Fails with `undo_conflict` where that cannot
   * be, and nothing is done then; of a replacement, notes that cannot be restored are left, and named.
   */
  undoBatch: base
    .input(forAgent.extend({ undo: idSchema }))
    .output(z.object({ notes: z.number().int(), left: z.array(leftFileSchema) })),
}
