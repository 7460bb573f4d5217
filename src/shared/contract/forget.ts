import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { forgetKinds } from '../util/forget-kinds.ts'
import { maxPhrase } from '../util/limits.ts'
import { base, filePathSchema, forAgent } from './base.ts'

const forgetPlaceSchema = z.object({
  kind: z.enum(forgetKinds),
  path: z.string(),
  /** Lines with it; of a history, versions. */
  count: z.number().int(),
  /** Some of them. */
  lines: z.array(z.object({ line: z.number().int().optional(), text: z.string() })),
  /** The file is named after it, and goes as a whole. */
  isNamed: z.boolean().optional(),
  /** A mark goes that keeps what stays on this machine: that gets one of its own. */
  keepsLocal: z.boolean().optional(),
})
export type ForgetPlace = z.infer<typeof forgetPlaceSchema>

const outcomeSchema = z.object({
  removed: z.array(forgetPlaceSchema),
  /** Where it still stands, by a look at the bytes of everything afterwards. */
  left: z.array(forgetPlaceSchema),
  isStopped: z.boolean(),
})
export type ForgetOutcome = z.infer<typeof outcomeSchema>

const stepSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), done: z.number().int(), total: z.number().int() }),
  z.object({ type: z.literal('done'), outcome: outcomeSchema }),
])
export type ForgetStep = z.infer<typeof stepSchema>

const textSchema = z.string().trim().min(1).max(maxPhrase)

export const forget = {
  /** Where it stands, word for word; and lines that are about it in other words. Fails with `input_invalid` for what is too short. */
  find: base.input(forAgent.extend({ words: textSchema, lines: z.array(textSchema).max(50).default([]) })).output(
    z.object({
      places: z.array(forgetPlaceSchema),
      /** By meaning: to be chosen one by one. */
      near: z.array(z.object({ path: z.string(), line: z.number().int(), text: z.string() })),
      /** Another program's Git that has the notes; null where there is none. */
      git: z.string().nullable(),
      /** Models of others that were sent something so far. */
      models: z.array(z.string()),
    }),
  ),
  /**
   * Takes it out everywhere, for good. What is gone stays gone; where whoever asked for it goes away, it is
   * carried out to its end. Fails with `input_invalid`, `session_busy` while a conversation is answering.
   */
  run: base
    .input(
      forAgent.extend({
        words: textSchema,
        lines: z.array(textSchema).max(50).default([]),
        /** Notes that stay as they are. */
        keep: z.array(filePathSchema).max(5000).default([]),
      }),
    )
    .output(eventIterator(stepSchema)),
  /** Ends it after the file at hand. */
  stop: base.input(forAgent).output(z.object({})),
}
