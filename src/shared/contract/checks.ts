import { z } from 'zod'
import { maxChecks, maxQuery } from '../util/limits.ts'
import { base, filePathSchema, forAgent, idSchema } from './base.ts'

const expectedLinesSchema = z
  .object({ path: filePathSchema, startLine: z.number().int().min(1), endLine: z.number().int().min(1) })
  .refine(({ startLine, endLine }) => startLine <= endLine, 'startLine is after endLine')

/** What became of the lines since the check was made: they are followed when they move. */
const stateSchema = z.enum(['there', 'changed', 'gone'])

export const checkSchema = z.object({
  id: z.string(),
  query: z.string(),
  relevant: z.array(z.object({ ...expectedLinesSchema.shape, state: stateSchema })),
  /** Of the last run; null before the first. */
  outcome: z
    .object({
      /** 1-based, of the first right result; null when none was returned. */
      rank: z.number().int().nullable(),
      /** What kept the first of the expected lines out; null when the check passed. */
      reason: z
        .enum(['belowMinScore', 'beyondMaxResults', 'folded', 'outsideFilter', 'notIndexed', 'noMatch'])
        .nullable(),
      score: z.number().nullable(),
    })
    .nullable(),
})
export type Check = z.infer<typeof checkSchema>

export const checkRunSchema = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  cause: z.enum(['asked', 'index', 'settings']),
  passed: z.number().int(),
  total: z.number().int(),
})
export type CheckRun = z.infer<typeof checkRunSchema>

const questionSchema = z.object({
  query: z.string().trim().min(1).max(maxQuery),
  relevant: z.array(expectedLinesSchema).min(1).max(100),
})
export type CheckedQuestion = z.infer<typeof questionSchema>

export const checks = {
  list: base.input(forAgent).output(
    z.object({
      checks: z.array(checkSchema),
      /** Oldest first. */
      runs: z.array(checkRunSchema),
      /** Of the run that is under way. */
      progress: z.object({ done: z.number().int(), total: z.number().int() }).nullable(),
    }),
  ),
  /** A question that is there already gets the lines in addition. */
  add: base.input(forAgent.extend({ question: questionSchema })).output(z.object({ id: z.string() })),
  remove: base.input(forAgent.extend({ id: idSchema })).output(z.object({ removed: questionSchema.nullable() })),
  run: base.input(forAgent).output(checkRunSchema.nullable()),
  stop: base.input(forAgent).output(z.object({})),
  /** One question a line, as `commonplace eval --queries` reads them. All are taken or, with an error, none. */
  import: base
    .input(forAgent.extend({ text: z.string().max(maxChecks) }))
    .output(z.object({ added: z.number().int() })),
  export: base.input(forAgent).output(z.object({ text: z.string() })),
}
