import { z } from 'zod'
import { changeIdSchema, done, forAgent, idSchema, timestampSchema, rpc } from './base.ts'
import { batchSchema } from './history.ts'

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

export const remedySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tryAgain') }),
  z.object({ kind: z.literal('reindex') }),
  z.object({ kind: z.literal('settings'), section: z.enum(['models', 'shortcuts', 'all', 'data', 'log']) }),
  z.object({ kind: z.literal('configFile') }),
  z.object({ kind: z.literal('file'), path: z.string() }),
])
export type Remedy = z.infer<typeof remedySchema>

export const problemSchema = z.object({
  part: appPartSchema,
  /** With `part`, the key of the localized sentence. */
  code: z.string(),
  /** `note` requires no action. */
  level: z.enum(['note', 'warning', 'bad']),
  /** Undefined for a problem of all agents. */
  agent: z.string().optional(),
  since: timestampSchema,
  message: z.string(),
  path: z.string().optional(),
  files: z.array(z.string()).optional(),
  remedy: remedySchema.optional(),
})
export type Problem = z.infer<typeof problemSchema>

/** A change that a crash interrupted and that this start completed. */
const recoveredChangeSchema = batchSchema.extend({
  id: idSchema,
  /** Notes left unchanged, because they were edited since the crash. */
  left: z.int(),
  change: changeIdSchema.nullable(),
})
export type RecoveredChange = z.infer<typeof recoveredChangeSchema>

export const health = {
  problems: rpc(forAgent, z.array(problemSchema)),
  ended: rpc(forAgent, z.array(recoveredChangeSchema)),
  endedSeen: rpc(forAgent.extend({ id: idSchema }), done),
  tryAgain: rpc(forAgent, done),
}
