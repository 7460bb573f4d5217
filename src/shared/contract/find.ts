import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { maxPaths, maxSearchText, maxReplacement } from '../util/limits.ts'
import { changeIdSchema, done, filePathSchema, forAgent, idSchema, progressSchema, rpc } from './base.ts'

export const foundFileSchema = z.object({
  path: z.string(),
  count: z.int(),
  lineCount: z.int(),
  /** 1-based; only the first lines if there are many. */
  lines: z.array(z.object({ line: z.int(), text: z.string() })),
})
export type FoundFile = z.infer<typeof foundFileSchema>

const unreadFileSchema = z.object({ path: z.string(), reason: z.enum(['encoding', 'nul', 'large', 'unreadable']) })
export type UnreadFile = z.infer<typeof unreadFileSchema>

const findEventSchema = z.discriminatedUnion('type', [
  progressSchema.extend({
    type: z.literal('found'),
    found: z.array(foundFileSchema),
    unread: z.array(unreadFileSchema),
  }),
  /** `search` is the id that `replace` takes. */
  z.object({ type: z.literal('done'), search: idSchema }),
])
export type FindEvent = z.infer<typeof findEventSchema>

export const leftFileSchema = z.object({
  path: z.string(),
  reason: z.enum(['changed', 'refused']),
  /** First line that prevents an undo, 1-based. */
  line: z.int().optional(),
})
export type LeftFile = z.infer<typeof leftFileSchema>

const replaceEventSchema = z.discriminatedUnion('type', [
  progressSchema.extend({ type: z.literal('progress') }),
  z.object({
    type: z.literal('done'),
    count: z.int(),
    files: z.int(),
    left: z.array(leftFileSchema),
    isStopped: z.boolean(),
    /** Null if nothing was replaced, or the history could not store it. */
    change: changeIdSchema.nullable(),
  }),
])
export type ReplaceEvent = z.infer<typeof replaceEventSchema>

export const find = {
  run: rpc(
    forAgent.extend({
      text: z.string().min(1).max(maxSearchText),
      isPattern: z.boolean().default(false),
      matchCase: z.boolean().default(false),
    }),
    eventIterator(findEventSchema),
  ),
  /**
   * Replaces exactly the matches of a search. Files modified since then are skipped and listed in `left`. Ending the
   * iteration, or `stop`, stops after the current file.
   * @throws AppError 'search_outdated' if the search is no longer cached
   */
  replace: rpc(
    forAgent.extend({
      search: idSchema,
      replacement: z.string().max(maxReplacement),
      paths: z.array(filePathSchema).max(maxPaths).optional(),
    }),
    eventIterator(replaceEventSchema),
  ),
  stop: rpc(forAgent.extend({ search: idSchema }), done),
}
