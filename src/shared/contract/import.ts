import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { errorCodes } from '../util/errors.ts'
import { maxId, maxPath, maxPaths } from '../util/limits.ts'
import {
  base,
  changeIdSchema,
  configChangeSchema,
  done,
  forAgent,
  forFile,
  progressSchema,
  timestampSchema,
  rpc,
} from './base.ts'

export const knownMemorySchema = z.object({
  kind: z.enum(['openclaw', 'claude-code', 'codex']),
  path: z.string(),
  files: z.int(),
})
export type KnownMemory = z.infer<typeof knownMemorySchema>

export const foreignSettingsSchema = z.object({
  file: z.string(),
  /** Key and value in the file and here. Those of one group belong together. */
  taken: z.array(
    z.object({
      from: z.string(),
      was: z.string(),
      to: z.string(),
      value: z.string(),
      group: z.string(),
      newAgent: z.string().optional(),
      /** Another value that the user or a file before this one sets. */
      replaces: z.string().optional(),
      /** `remote`: sends text elsewhere; `folder`: an agent gets another one; `download`: needs a downloaded model. */
      doubts: z.array(z.enum(['remote', 'noKey', 'folder', 'download', 'replaces'])),
    }),
  ),
  left: z.array(
    z.object({
      from: z.string(),
      /**
       * `invalid`: value not accepted; `taken`: id, folder or provider in use; `noFolder`: an agent without a folder;
       * `same`: the present value; `noEffect`: a setting that it needs is missing or off; `unreadable`: the whole file.
       */
      reason: z.enum(['noCounterpart', 'secret', 'invalid', 'taken', 'noFolder', 'same', 'noEffect', 'unreadable']),
    }),
  ),
})
export type ForeignSettings = z.infer<typeof foreignSettingsSchema>

const fileCountsSchema = z.object({
  added: z.int(),
  /** Files that already exist with the same bytes; notes may differ in rewritten links. */
  same: z.int(),
  conflicts: z.int(),
})

const changedLinksSchema = z.object({
  count: z.int(),
  examples: z.array(
    z.object({
      path: z.string(),
      line: z.int(),
      target: z.string(),
      from: z.string().nullable(),
      to: z.string(),
    }),
  ),
})

export const importPlanSchema = fileCountsSchema.extend({
  kind: z.enum(['markdown', 'chatgpt', 'claude', 'deepseek', 'gemini']),
  skipped: z.int(),
  /** Parts of the memory of another program, which become suggestions. */
  memories: z.int(),
  /** `bytes`: total size of the files to copy. */
  attachments: fileCountsSchema.extend({ bytes: z.int() }),
  links: z.int(),
  lost: z.int(),
  existing: z.object({
    /** Links that would lead to an imported file instead of their current target. */
    elsewhere: changedLinksSchema,
    found: changedLinksSchema,
    /** Links that become ambiguous, because an imported file has the same name. */
    shared: changedLinksSchema,
  }),
  /** Files not imported, most frequent first. `unwanted`: attachments, without `withAttachments`. */
  left: z.array(
    z.object({
      reason: z.enum(['kind', 'large', 'unwanted', 'unused', 'unreadable', 'name', 'link']),
      ending: z.string(),
      count: z.int(),
      names: z.array(z.string()),
    }),
  ),
  /** Texts that are not in UTF-8, with the detected encoding. */
  decoded: z.array(z.object({ path: z.string(), encoding: z.string() })),
  /** Parts of chats that are not imported. `branch`: edited and regenerated messages; `chat`: chats as a whole. */
  leftParts: z.array(
    z.object({
      reason: z.enum(['hidden', 'tool', 'branch', 'file', 'unreadable', 'empty', 'chat', 'trash']),
      count: z.int(),
    }),
  ),
  names: z.array(z.string()),
  /** Files whose path differs from the source, because the name is in use or not valid on every system. */
  renamed: z.object({ count: z.int(), examples: z.array(z.object({ from: z.string(), to: z.string() })) }),
})
export type ImportPlan = z.infer<typeof importPlanSchema>

export const importStatusSchema = z.object({
  running: progressSchema.extend({ path: z.string() }).nullable(),
  ended: z.array(
    z.object({
      id: z.string(),
      change: changeIdSchema.nullable(),
      path: z.string(),
      made: z.array(z.string()),
      isCancelled: z.boolean(),
      failure: z.object({ code: z.enum(errorCodes), data: errorDataSchema }).nullable(),
    }),
  ),
})
export type ImportStatus = z.infer<typeof importStatusSchema>

export const pastImportSchema = z.object({
  change: changeIdSchema,
  at: timestampSchema,
  path: z.string(),
  files: z.int(),
  /** Paths that an undo skipped because the files were edited. */
  left: z.array(z.string()),
})
export type PastImport = z.infer<typeof pastImportSchema>

const source = forAgent.extend({
  path: z.string().trim().min(1).max(maxPath),
  into: z.string().max(maxPath),
  withAttachments: z.boolean().default(true),
})

export const importContract = {
  known: base.output(z.array(knownMemorySchema)),
  /** @param folder workspace of the first agent, before it is set up */
  settings: rpc(z.object({ folder: z.string().max(maxPath).optional() }), z.array(foreignSettingsSchema)),
  takeOver: rpc(
    z.object({ file: z.string().max(maxPath), keys: z.array(z.string().max(maxPath)).max(maxPaths) }),
    foreignSettingsSchema.extend({ change: configChangeSchema }),
  ),
  plan: rpc(source, importPlanSchema),
  /** Runs after earlier imports, and continues after the window is closed. */
  start: rpc(source, done),
  standing: rpc(forAgent, importStatusSchema),
  seen: rpc(forAgent.extend({ id: z.string().max(maxId) }), done),
  cancel: rpc(forAgent, done),
  /** Those that `history.revert` can undo, newest first; also of earlier runs. */
  past: rpc(forAgent, z.array(pastImportSchema)),
  packNote: rpc(forFile, z.instanceof(Blob)),
  /** A zip of all notes and the files that they link to. @throws AppError `git_failed` */
  pack: rpc(forAgent.extend({ withHistory: z.boolean().default(false) }), z.instanceof(Blob)),
}
