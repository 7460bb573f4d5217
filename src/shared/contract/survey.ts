/** What a memory is made of, and what of it is ever recalled (M44). */
import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { base, forAgent } from './base.ts'
import { unsearchedSchema } from './search.ts'

export const surveyedLineSchema = z.object({
  path: z.string(),
  /** 1-based. */
  line: z.number().int(),
  text: z.string(),
})
export type SurveyedLine = z.infer<typeof surveyedLineSchema>

export const surveyedFileSchema = z.object({
  path: z.string(),
  /** Bytes. */
  size: z.number().int(),
  lines: z.number().int(),
  /** Searches of the agent that showed something of it. */
  recalls: z.number().int(),
  /** Milliseconds since the epoch. */
  recalledAt: z.number().nullable(),
  modifiedAt: z.number(),
  /** Part of every request, recalled or not. */
  isInContext: z.boolean(),
  /** Why no search finds it; left out where searches do. */
  unsearched: unsearchedSchema.optional(),
})
export type SurveyedFile = z.infer<typeof surveyedFileSchema>

const countedSchema = z.object({
  /** Searches that the counts rest on. */
  searches: z.number().int(),
  files: z.array(surveyedFileSchema),
  mostRecalled: z.array(surveyedLineSchema.extend({ recalls: z.number().int() })),
  /** Lines with text that no search ever showed, in files that are searched and not part of every request; the longest ones. */
  neverRecalled: z.object({ count: z.number().int(), of: z.number().int(), longest: z.array(surveyedLineSchema) }),
  /** Never recalled and not changed for `staleDays`; oldest first. */
  stale: z.array(surveyedFileSchema),
  staleDays: z.number().int(),
})
/** All but what is there twice, which takes longest to find. */
export type CountedSurvey = z.infer<typeof countedSchema>

export const surveySchema = countedSchema.extend({
  /** Lines that say nearly the same; `similarity` in [0, 1] is of the least alike one to the first. */
  duplicates: z.array(
    z.object({
      similarity: z.number(),
      count: z.number().int(),
      /** Alike in meaning; `similarity` is a cosine then. */
      isInOtherWords: z.boolean(),
      lines: z.array(surveyedLineSchema),
    }),
  ),
})
export type Survey = z.infer<typeof surveySchema>

export const surveyStepSchema = z.discriminatedUnion('type', [
  /** Files read. */
  z.object({ type: z.literal('progress'), done: z.number().int(), total: z.number().int() }),
  z.object({ type: z.literal('counted'), survey: countedSchema }),
  z.object({ type: z.literal('done'), survey: surveySchema }),
])
export type SurveyStep = z.infer<typeof surveyStepSchema>

export const survey = {
  /** Reads all memory; ending the iteration ends the work. */
  run: base.input(forAgent).output(eventIterator(surveyStepSchema)),
}
