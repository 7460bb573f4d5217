import { z } from 'zod'
import { maxSavedSearches, maxQuery } from '../util/limits.ts'
import { base, done, filePathSchema, forAgent, idSchema, progressSchema, timestampSchema } from './base.ts'

const expectedLinesSchema = z
  .object({ path: filePathSchema, startLine: z.number().int().min(1), endLine: z.number().int().min(1) })
  .refine(({ startLine, endLine }) => startLine <= endLine, 'startLine is after endLine')

/** State of the expected lines since the saved query was created; lines that move are tracked. */
const stateSchema = z.enum(['there', 'changed', 'gone'])

export const savedSearchSchema = z.object({
  id: z.string(),
  query: z.string(),
  relevant: z.array(z.object({ ...expectedLinesSchema.shape, state: stateSchema })),
  /** Result of the last run; null before the first run. */
  outcome: z
    .object({
      /** 1-based rank of the first expected result; null if none was returned. */
      rank: z.number().int().nullable(),
      /** Reason why the first of the expected lines was not returned; null if the query passed. */
      reason: z.enum(['joined', 'duplicate', 'weak', 'overLimit', 'outsideFilter', 'notIndexed', 'noMatch']).nullable(),
      score: z.number().nullable(),
    })
    .nullable(),
})
export type Check = z.infer<typeof savedSearchSchema>

export const savedSearchRunSchema = z.object({
  at: timestampSchema,
  /** `asked`: started by the user; `index`, `settings`: after a change of the index or of the settings. */
  cause: z.enum(['asked', 'index', 'settings']),
  passed: z.number().int(),
  total: z.number().int(),
})
export type SavedSearchRun = z.infer<typeof savedSearchRunSchema>

const questionSchema = z.object({
  query: z.string().trim().min(1).max(maxQuery),
  relevant: z.array(expectedLinesSchema).min(1).max(100),
})
export type CheckedQuestion = z.infer<typeof questionSchema>

export const savedSearches = {
  list: base.input(forAgent).output(
    z.object({
      checks: z.array(savedSearchSchema),
      /** Oldest first. */
      runs: z.array(savedSearchRunSchema),
      /** Progress of the current run; null if none is running. */
      progress: progressSchema.nullable(),
    }),
  ),
  /** Adds a saved query. If the query already exists, its expected lines are merged. */
  add: base.input(forAgent.extend({ question: questionSchema })).output(z.object({ id: z.string() })),
  remove: base.input(forAgent.extend({ id: idSchema })).output(z.object({ removed: questionSchema.nullable() })),
  run: base.input(forAgent).output(savedSearchRunSchema.nullable()),
  stop: base.input(forAgent).output(done),
  /**
   * Imports saved queries, one JSON object per line, in the format of `commonplace eval --queries`. Atomic: an invalid
   * line rejects all of them.
   */
  import: base
    .input(forAgent.extend({ text: z.string().max(maxSavedSearches) }))
    .output(z.object({ added: z.number().int() })),
  export: base.input(forAgent).output(z.object({ text: z.string() })),
}
