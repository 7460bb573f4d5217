/** What notes say of themselves: their tags and properties; a tag that gets another name everywhere. Lines are 1-based. */
import { z } from 'zod'
import { maxPhrase } from '../util/limits.ts'
import { base, filePathSchema, forAgent, idSchema } from './base.ts'
import { movePlanSchema } from './links.ts'

const notePropertySchema = z.object({
  name: z.string(),
  values: z.array(z.string()),
  line: z.number().int(),
})

export const tagPlanSchema = movePlanSchema
  .pick({ notes: true, files: true, left: true, id: true })
  .extend({ tags: z.number().int(), /** There is a tag of that name: the two become one. */ joins: z.boolean() })
export type TagPlan = z.infer<typeof tagPlanSchema>

/** Without `#`. */
const tagName = z.string().min(1).max(maxPhrase)
const forRename = forAgent.extend({ from: tagName, to: tagName })

export const tags = {
  /** Of one note, in the order of its text. */
  of: base.input(forAgent.extend({ path: filePathSchema })).output(
    z.object({
      properties: z.array(notePropertySchema),
      tags: z.array(z.object({ name: z.string(), line: z.number().int() })),
    }),
  ),
  /** What another name for a tag, and for all below it, would change. Fails with `tag_invalid`. */
  planRename: base.input(forRename).output(tagPlanSchema),
  /**
   * Writes every place anew, as one change: all of it, or nothing. Fails with `plan_outdated` when the plan is not what
   * would be done any more.
   */
  rename: base
    .input(forRename.extend({ plan: idSchema }))
    .output(z.object({ tags: z.number().int(), notes: z.number().int(), undo: idSchema })),
  /** Renames, also of earlier runs, that `undoRename` can still take back, latest first; `notes` were written anew with each. */
  renames: base
    .input(forAgent)
    .output(
      z.array(z.object({ undo: idSchema, at: z.number(), from: z.string(), to: z.string(), notes: z.number().int() })),
    ),
  /** Puts everything back. Fails with `undo_conflict` when that cannot be; then nothing is done. */
  undoRename: base.input(forAgent.extend({ undo: idSchema })).output(z.object({})),
}
