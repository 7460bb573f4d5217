/** Notes and conversations from elsewhere into a memory, and the memory as one file. */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { errorCodes, errorDataSchema } from '../errors.ts'
import { maxId, maxPath, maxPaths } from '../limits.ts'
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

/** What an import would do, in files. */
export const importPlanSchema = placedSchema.extend({
  kind: z.enum(['markdown', 'chatgpt', 'claude']),
  /** Notes and conversations that cannot be read. */
  skipped: z.number().int(),
  /** What is shown in notes: pictures, sound, PDF. `bytes` of those that would be copied. */
  attachments: placedSchema.extend({ bytes: z.number().int() }),
  /** Links that are written anew, so that they lead to what was taken. */
  links: z.number().int(),
  /** Links to what is left. */
  lost: z.number().int(),
  /** What is left where it is, by the ending of its name, the most first. `unwanted`: attachments that nobody wants. */
  left: z.array(
    z.object({
      reason: z.enum(['kind', 'large', 'unwanted']),
      ending: z.string(),
      count: z.number().int(),
      /** The first of them. */
      names: z.array(z.string()),
    }),
  ),
  /** The first of what would be made, as it would be named. */
  names: z.array(z.string()),
})
export type ImportPlan = z.infer<typeof importPlanSchema>

export const importStepSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), done: z.number().int(), total: z.number().int() }),
  z.object({ type: z.literal('done'), made: z.array(z.string()), isCancelled: z.boolean() }),
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
  /** Puts what an import made into the trash. */
  undo: base.input(forAgent.extend({ paths: z.array(filePathSchema).max(maxPaths) })).output(done),
  /** All Markdown of the workspace as a zip; with its history as the Git repository that it is, if asked for. */
  pack: base.input(forAgent.extend({ withHistory: z.boolean().default(false) })).output(z.instanceof(Blob)),
}
