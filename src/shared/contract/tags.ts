/** What notes say of themselves: their tags and properties; a tag that gets another name everywhere. Lines are 1-based. */
import { z } from 'zod'
import { maxPhrase } from '../util/limits.ts'
import { base, filePathSchema, forAgent, idSchema } from './base.ts'
import { movePlanSchema } from './links.ts'

export const tagCountSchema = z.object({
  /** Without `#`, as it is written most often; also of tags above others (`a` of `a/b`). */
  name: z.string(),
  /** Notes that have it, or one below it. */
  notes: z.number().int(),
})
export type TagCount = z.infer<typeof tagCountSchema>

export const propertyCountSchema = z.object({
  name: z.string(),
  notes: z.number().int(),
  /** Most frequent first, bounded. */
  values: z.array(z.object({ value: z.string(), notes: z.number().int() })),
  /** How many different ones there are. */
  valueCount: z.number().int(),
})
export type PropertyCount = z.infer<typeof propertyCountSchema>

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
  /** Of all notes, by name. */
  list: base
    .input(forAgent)
    .output(z.object({ tags: z.array(tagCountSchema), properties: z.array(propertyCountSchema) })),
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
   * Writes every place anew, as one change: all of it, or nothing; `history.undoBatch` takes it back. Fails with `plan_outdated` when the plan is not what
   * would be done any more.
   */
  rename: base
    .input(forRename.extend({ plan: idSchema }))
    .output(z.object({ tags: z.number().int(), notes: z.number().int(), undo: idSchema })),
}
