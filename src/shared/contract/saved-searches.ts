import { z } from 'zod'
import { maxSavedSearches, maxQuery } from '../util/limits.ts'
import { done, filePathSchema, forAgent, idSchema, progressSchema, timestampSchema, rpc } from './base.ts'
import { missReasons } from './search.ts'

const expectedLinesSchema = z
  .object({ path: filePathSchema, startLine: z.int().min(1), endLine: z.int().min(1) })
  .refine(({ startLine, endLine }) => startLine <= endLine, 'startLine is after endLine')

const stateSchema = z.enum(['there', 'changed', 'gone'])

export const savedSearchSchema = z.object({
  id: z.string(),
  query: z.string(),
  relevant: z.array(z.object({ ...expectedLinesSchema.shape, state: stateSchema })),
  outcome: z
    .object({
      /** 1-based rank of the first expected result. */
      rank: z.int().nullable(),
      /** Null if the query passed. */
      reason: z.enum(missReasons).nullable(),
      score: z.number().nullable(),
    })
    .nullable(),
})
export type Check = z.infer<typeof savedSearchSchema>

export const savedSearchRunSchema = z.object({
  at: timestampSchema,
  /** `asked`: started by the user; `index`, `settings`: after a change of the index or of the settings. */
  cause: z.enum(['asked', 'index', 'settings']),
  passed: z.int(),
  total: z.int(),
})
export type SavedSearchRun = z.infer<typeof savedSearchRunSchema>

const questionSchema = z.object({
  query: z.string().trim().min(1).max(maxQuery),
  relevant: z.array(expectedLinesSchema).min(1).max(100),
})
export type CheckedQuestion = z.infer<typeof questionSchema>

export const savedSearches = {
  list: rpc(forAgent, {
    checks: z.array(savedSearchSchema),
    runs: z.array(savedSearchRunSchema),
    progress: progressSchema.nullable(),
  }),
  /** Merges the expected lines into an existing query. */
  add: rpc(forAgent.extend({ question: questionSchema }), done),
  remove: rpc(forAgent.extend({ id: idSchema }), { removed: questionSchema.nullable() }),
  run: rpc(forAgent, savedSearchRunSchema.nullable()),
  stop: rpc(forAgent, done),
  /** JSON lines, as for `commonplace eval --queries`. An invalid line rejects all. */
  import: rpc(forAgent.extend({ text: z.string().max(maxSavedSearches) }), { added: z.int() }),
  export: rpc(forAgent, { text: z.string() }),
}
