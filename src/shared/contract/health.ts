import { z } from 'zod'
import { base, changeIdSchema, done, forAgent, idSchema, timestampSchema } from './base.ts'
import { batchSchema } from './history.ts'

/** Parts that can fail independently of each other. */
export const appPartSchema = z.enum([
  'embeddings',
  'model',
  'watcher',
  'history',
  'index',
  'files',
  'disk',
  'settings',
  'keys',
  'log',
  'locks',
  'app',
  'owner',
  'tools',
])
export type AppPart = z.infer<typeof appPartSchema>

/** Fix that the user can start with one click. */
export const remedySchema = z.discriminatedUnion('kind', [
  /** Retry the embedding provider. */
  z.object({ kind: z.literal('tryAgain') }),
  z.object({ kind: z.literal('reindex') }),
  z.object({ kind: z.literal('settings'), section: z.enum(['models', 'all', 'data', 'log']) }),
  z.object({ kind: z.literal('configFile') }),
  z.object({ kind: z.literal('file'), path: z.string() }),
])
export type Remedy = z.infer<typeof remedySchema>

export const problemSchema = z.object({
  part: appPartSchema,
  /** Problem code; with `part`, the key of the localized sentence. */
  code: z.string(),
  /** `bad`: an error; `note`: information that requires no action. */
  level: z.enum(['note', 'warning', 'bad']),
  /** Agent id; undefined for a problem that concerns all agents. */
  agent: z.string().optional(),
  since: timestampSchema,
  message: z.string(),
  path: z.string().optional(),
  files: z.array(z.string()).optional(),
  remedy: remedySchema.optional(),
})
export type Problem = z.infer<typeof problemSchema>

/** A change of several notes that a crash interrupted and that the app completed at this start. */
const recoveredChangeSchema = batchSchema.extend({
  id: idSchema,
  /** Number of notes left unchanged, because they were edited since the crash. */
  left: z.number().int(),
  /** Change set for `history.revert`; null if nothing was changed. */
  change: changeIdSchema.nullable(),
})
export type RecoveredChange = z.infer<typeof recoveredChangeSchema>

export const health = {
  /** Problems of this agent, most severe first. */
  problems: base.input(forAgent).output(z.array(problemSchema)),
  /** Completed changes that the user has not dismissed. */
  ended: base.input(forAgent).output(z.array(recoveredChangeSchema)),
  endedSeen: base.input(forAgent.extend({ id: idSchema })).output(done),
  tryAgain: base.input(forAgent).output(done),
}
