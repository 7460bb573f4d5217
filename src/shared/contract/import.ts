import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { errorCodes } from '../util/errors.ts'
import { maxId, maxPath } from '../util/limits.ts'
import { base, filePathSchema, forAgent } from './base.ts'

export const knownMemorySchema = z.object({
  kind: z.enum(['openclaw', 'claude-code', 'codex']),
  path: z.string(),
  files: z.number().int(),
})
export type KnownMemory = z.infer<typeof knownMemorySchema>

/** Settings of another program, and what they come to here. */
export const foreignSettingsSchema = z.object({
  /** The file that was read; it stays as it is. */
  file: z.string(),
  /** By their names there and here. */
  taken: z.array(z.object({ from: z.string(), to: z.string(), value: z.string() })),
  left: z.array(
    z.object({
      from: z.string(),
      /** `taken`: the place is somebody's already; `noFolder`: an agent without a folder of its own. */
      reason: z.enum(['noCounterpart', 'secret', 'invalid', 'taken', 'noFolder']),
    }),
  ),
})
export type ForeignSettings = z.infer<typeof foreignSettingsSchema>

const placedSchema = z.object({
  added: z.number().int(),
  /** Here already, to the byte; of notes, but for links that had to be written anew. */
  same: z.number().int(),
  /** The name is taken by something else: they go beside it. */
  conflicts: z.number().int(),
})

const changedLinksSchema = z.object({
  count: z.number().int(),
  /** The first of them. Lines are 1-based. */
  examples: z.array(
    z.object({
      path: z.string(),
      line: z.number().int(),
      target: z.string(),
      from: z.string().nullable(),
      to: z.string(),
    }),
  ),
})

/** What an import would do, in files. */
export const importPlanSchema = placedSchema.extend({
  kind: z.enum(['markdown', 'chatgpt', 'claude']),
  /** Notes and conversations that cannot be read. */
  skipped: z.number().int(),
  /** What is shown in notes: pictures, sound, PDF, canvases. `bytes` of those that would be copied. */
  attachments: placedSchema.extend({ bytes: z.number().int() }),
  /** Links that are written anew, so that they lead to what was taken. */
  links: z.number().int(),
  /** Links to what is left. */
  lost: z.number().int(),
  /** Links of notes that are here already, by what becomes of them. */
  existing: z.object({
    /** They lead to something that is imported instead. */
    elsewhere: changedLinksSchema,
    /** They led nowhere, and lead to something that is imported. */
    found: changedLinksSchema,
    /** They lead where they did, by a name that another file has from then on. */
    shared: changedLinksSchema,
  }),
  /** What is left where it is, by the ending of its name, the most first. `unwanted`: attachments that nobody wants. */
  left: z.array(
    z.object({
      reason: z.enum(['kind', 'large', 'unwanted', 'unreadable', 'name', 'link']),
      ending: z.string(),
      count: z.number().int(),
      /** The first of them. */
      names: z.array(z.string()),
    }),
  ),
  /** The first of what would be made, as it would be named. */
  names: z.array(z.string()),
  /** Of these, what is called otherwise where it comes from: its name is taken, or no name on every system. */
  renamed: z.object({ count: z.number().int(), examples: z.array(z.object({ from: z.string(), to: z.string() })) }),
})
export type ImportPlan = z.infer<typeof importPlanSchema>

export const importStepSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), done: z.number().int(), total: z.number().int() }),
  /** `id` is what `undo` takes it back by. */
  z.object({ type: z.literal('done'), id: z.string(), made: z.array(z.string()), isCancelled: z.boolean() }),
])
export type ImportStep = z.infer<typeof importStepSchema>

export const importStandingSchema = z.object({
  running: z.object({ path: z.string(), done: z.number().int(), total: z.number().int() }).nullable(),
  /** What nobody was told of yet. */
  ended: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      made: z.array(z.string()),
      isCancelled: z.boolean(),
      failure: z.object({ code: z.enum(errorCodes), data: errorDataSchema }).nullable(),
    }),
  ),
})
export type ImportStanding = z.infer<typeof importStandingSchema>

/** An import that can be taken back. */
export const pastImportSchema = z.object({
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** What was imported. */
  path: z.string(),
  /** How many files it made that are not taken back. */
  files: z.number().int(),
  /** Of these, the ones that an undo left: somebody had changed them. */
  left: z.array(z.string()),
})
export type PastImport = z.infer<typeof pastImportSchema>

const source = forAgent.extend({
  path: z.string().trim().min(1).max(maxPath),
  into: z.string().max(maxPath),
  /** False leaves pictures and the like where they are. */
  withAttachments: z.boolean().default(true),
})
const done = z.object({})

export const importContract = {
  /** Memories of other programs on this machine. */
  known: base.output(z.array(knownMemorySchema)),
  /** Settings of other programs that were found, and what would be taken over of each. */
  settings: base.output(z.array(foreignSettingsSchema)),
  /** Takes them over. */
  takeOver: base.input(z.object({ file: z.string().max(maxPath) })).output(foreignSettingsSchema),
  plan: base.input(source).output(importPlanSchema),
  run: base.input(source).output(eventIterator(importStepSchema)),
  /** The same without anybody who follows it: it goes on when the window is closed. */
  start: base.input(source).output(done),
  standing: base.input(forAgent).output(importStandingSchema),
  seen: base.input(forAgent.extend({ id: z.string().max(maxId) })).output(done),
  cancel: base.input(forAgent).output(done),
  /** Imports that can be taken back, the latest first; also those of earlier runs. */
  past: base.input(forAgent).output(z.array(pastImportSchema)),
  /**
   * Puts what an import made into the trash, and folders away that it made and nobody uses. What was changed since is left,
   * and named. Fails with `import_unknown` for one that is not known any more.
   */
  undo: base
    .input(forAgent.extend({ id: z.string().max(maxId) }))
    .output(z.object({ removed: z.number().int(), left: z.array(z.string()) })),
  /** A note as a zip, with the notes that it embeds and the files that they show or link to, at their paths. */
  packNote: base.input(forAgent.extend({ path: filePathSchema })).output(z.instanceof(Blob)),
  /** All Markdown of the workspace as a zip, with the files that it shows or links to; with its history as the Git repository that it is, if asked for. */
  pack: base.input(forAgent.extend({ withHistory: z.boolean().default(false) })).output(z.instanceof(Blob)),
}
