import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { maxPaths, maxPhrase, maxReplacement } from '../util/limits.ts'
import { base, filePathSchema, forAgent, idSchema } from './base.ts'

export const foundFileSchema = z.object({
  path: z.string(),
  /** Matches in it. */
  count: z.number().int(),
  /** Lines with a match. */
  lineCount: z.number().int(),
  /** 1-based. Fewer than there are, where there are many. */
  lines: z.array(z.object({ line: z.number().int(), text: z.string() })),
})
export type FoundFile = z.infer<typeof foundFileSchema>

/** A file that was not looked through: it is not UTF-8, holds NUL bytes, is too large, or may not be read. */
const unreadFileSchema = z.object({ path: z.string(), reason: z.enum(['encoding', 'nul', 'large', 'unreadable']) })
export type UnreadFile = z.infer<typeof unreadFileSchema>

const findEventSchema = z.discriminatedUnion('type', [
  /** Of `done` files of `total`, those with a match since the last event. */
  z.object({
    type: z.literal('found'),
    found: z.array(foundFileSchema),
    unread: z.array(unreadFileSchema),
    done: z.number().int(),
    total: z.number().int(),
  }),
  /** What `replace` names what was found by. */
  z.object({ type: z.literal('done'), search: idSchema }),
])
export type FindEvent = z.infer<typeof findEventSchema>

/** A file that was left as it is: somebody changed it meanwhile, or it may not be written. */
export const leftFileSchema = z.object({ path: z.string(), reason: z.enum(['changed', 'refused']) })
export type LeftFile = z.infer<typeof leftFileSchema>

const replaceEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), done: z.number().int(), total: z.number().int() }),
  z.object({
    type: z.literal('done'),
    /** Matches that were replaced. */
    count: z.number().int(),
    files: z.number().int(),
    left: z.array(leftFileSchema),
    isStopped: z.boolean(),
    /** For `history.undoBatch`; null where nothing was done. */
    undo: idSchema.nullable(),
  }),
])
export type ReplaceEvent = z.infer<typeof replaceEventSchema>

export const find = {
  /** Looks through all notes; ending the iteration ends the work. */
  run: base
    .input(
      forAgent.extend({
        text: z.string().min(1).max(maxPhrase),
        isPattern: z.boolean().default(false),
        matchCase: z.boolean().default(false),
      }),
    )
    .output(eventIterator(findEventSchema)),
  /**
   * Replaces exactly what a search found; a file that is another since is left, and named. Ending the iteration, or
   * `stop`, ends it after the file at hand. Fails with `search_outdated` when the search is not known any more.
   */
  replace: base
    .input(
      forAgent.extend({
        search: idSchema,
        replacement: z.string().max(maxReplacement),
        /** Of the files that were found; all of them when left out. */
        paths: z.array(filePathSchema).max(maxPaths).optional(),
      }),
    )
    .output(eventIterator(replaceEventSchema)),
  stop: base.input(forAgent.extend({ search: idSchema })).output(z.object({})),
}
