import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { forgetKinds } from '../util/forget-kinds.ts'
import { maxSearchText } from '../util/limits.ts'
import { base, done, filePathSchema, forAgent, progressSchema } from './base.ts'

const erasurePlaceSchema = z.object({
  kind: z.enum(forgetKinds),
  path: z.string(),
  /** Number of lines with the text; for a history, number of versions. */
  count: z.number().int(),
  /** Some of these lines, 1-based. */
  lines: z.array(z.object({ line: z.number().int().optional(), text: z.string() })),
  /** True if the path of a note contains the text, so the whole note is deleted. */
  isNamed: z.boolean().optional(),
  /** True if the removal deletes a privacy mark of lines that stay; they get a mark of their own. */
  keepsPrivate: z.boolean().optional(),
})
export type ErasurePlace = z.infer<typeof erasurePlaceSchema>

const matchesSchema = z.object({
  places: z.array(erasurePlaceSchema),
  /** Lines with a similar meaning; the user selects them one by one. */
  near: z.array(z.object({ path: z.string(), line: z.number().int(), text: z.string() })),
  /** Root of the user's own Git repository that contains the notes; null if there is none. */
  git: z.string().nullable(),
  /** Remote models that have received any text so far. */
  models: z.array(z.string()),
})
export type ErasureMatches = z.infer<typeof matchesSchema>

const outcomeSchema = z.object({
  removed: z.array(erasurePlaceSchema),
  /** Places that still contain the text, found by a byte search afterwards. */
  left: z.array(erasurePlaceSchema),
  isStopped: z.boolean(),
})
export type ErasureOutcome = z.infer<typeof outcomeSchema>

const stepSchema = z.discriminatedUnion('type', [
  progressSchema.extend({ type: z.literal('progress') }),
  z.object({ type: z.literal('done'), outcome: outcomeSchema }),
])
export type ErasureStep = z.infer<typeof stepSchema>

const textSchema = z.string().trim().min(1).max(maxSearchText)
const searchInput = forAgent.extend({ words: textSchema, lines: z.array(textSchema).max(50).default([]) })

export const forget = {
  /**
   * Finds exact occurrences of the words, and lines with a similar meaning.
   * @throws AppError 'input_invalid' if the text is too short
   */
  find: base.input(searchInput).output(matchesSchema),
  /**
   * Permanently removes the words and lines everywhere. Cannot be undone, and runs to its end if the caller
   * disconnects.
   * @throws AppError 'input_invalid' for a text that is too short; 'session_busy' while a turn is running
   */
  run: base
    .input(searchInput.extend({ keep: z.array(filePathSchema).max(5000).default([]) }))
    .output(eventIterator(stepSchema)),
  /** Stops after the current file. */
  stop: base.input(forAgent).output(done),
}
