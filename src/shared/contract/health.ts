import { z } from 'zod'
import { base, forAgent, idSchema } from './base.ts'

/** What can fail on its own while the rest goes on. */
export const partSchema = z.enum([
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
export type Part = z.infer<typeof partSchema>

/** What the user can do about it with one click. */
export const remedySchema = z.discriminatedUnion('kind', [
  /** Ask the provider of embeddings again. */
  z.object({ kind: z.literal('tryAgain') }),
  z.object({ kind: z.literal('reindex') }),
  z.object({ kind: z.literal('settings'), section: z.enum(['models', 'all', 'data', 'log']) }),
  z.object({ kind: z.literal('configFile') }),
  z.object({ kind: z.literal('file'), path: z.string() }),
])
export type Remedy = z.infer<typeof remedySchema>

export const problemSchema = z.object({
  part: partSchema,
  /** What is wrong; with the part, it has a sentence in the interface's language. */
  code: z.string(),
  /** `note` for what somebody may want to know and nobody has to mend. */
  level: z.enum(['note', 'warning', 'bad']),
  /** Whose; undefined for what concerns everybody. */
  agent: z.string().optional(),
  /** Milliseconds since the epoch. */
  since: z.number(),
  /** In the words of whoever failed. */
  message: z.string(),
  path: z.string().optional(),
  /** Notes that somebody may want to look at. */
  files: z.array(z.string()).optional(),
  remedy: remedySchema.optional(),
})
export type Problem = z.infer<typeof problemSchema>

/** A change of several notes that a crash had interrupted, and that this start has completed. */
const endedChangeSchema = z.object({
  id: idSchema,
  kind: z.enum(['move', 'tag', 'replacement']),
  /** Empty where that is not known. */
  from: z.string(),
  to: z.string(),
  /** Notes that it wrote anew. */
  notes: z.number().int(),
  /** Notes that somebody had changed since: they are as they were. */
  left: z.number().int(),
  /** For `history.undoBatch`; null where nothing takes it back at once. */
  undo: idSchema.nullable(),
})
export type EndedChange = z.infer<typeof endedChangeSchema>

export const health = {
  /** What does not work for this agent, the worst first. */
  problems: base.input(forAgent).output(z.array(problemSchema)),
  /** What was completed and nobody has dismissed yet. */
  ended: base.input(forAgent).output(z.array(endedChangeSchema)),
  endedSeen: base.input(forAgent.extend({ id: idSchema })).output(z.object({})),
  /** Asks whatever was left alone, now. */
  tryAgain: base.input(forAgent).output(z.object({})),
}
