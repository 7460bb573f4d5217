import { z } from 'zod'
import { maxSearchText } from '../util/limits.ts'
import { base, changedSchema, changeIdSchema, done, filePathSchema, forAgent, forFile, idSchema } from './base.ts'

const placeShape = {
  path: z.string(),
  /** 1-based. */
  line: z.number().int(),
  /** Text of the line, truncated if long. */
  text: z.string(),
}

const linkTargetShape = {
  /** Null if the link is broken. */
  path: z.string().nullable(),
  /**
   * 1-based line of the heading or block in the fragment; null without a fragment, or if the note has no such heading
   * or block.
   */
  line: z.number().int().nullable(),
  /** Path of the note to create for a broken link; null if the target is not a note or is outside the workspace. */
  makes: z.string().nullable(),
}

export const outgoingLinkSchema = z.object({
  /** 1-based line of the link. */
  at: z.number().int(),
  /** Target as written, including the fragment. */
  target: z.string(),
  isEmbed: z.boolean(),
  ...linkTargetShape,
})
export type OutgoingLink = z.infer<typeof outgoingLinkSchema>

export const backlinkSchema = z.object({ ...placeShape, isEmbed: z.boolean() })
export type Backlink = z.infer<typeof backlinkSchema>

export const brokenLinkSchema = z.object({
  ...placeShape,
  target: z.string(),
  /** `note`: the target does not exist; `part`: the target exists but has no such heading or block. */
  lacks: z.enum(['note', 'part']),
  makes: z.string().nullable(),
  /** Suggested targets, closest first, in link syntax including the fragment. */
  near: z.array(z.string()),
})
export type BrokenLink = z.infer<typeof brokenLinkSchema>

export const linkNameSchema = z.object({
  path: z.string(),
  /** Text of the completion: a name, an alias, a heading or a block. */
  label: z.string(),
  kind: z.enum(['note', 'alias', 'file', 'heading', 'block']),
  /** Text between `[[` and `]]`; null if no wiki link can reach the target. */
  wiki: z.string().nullable(),
  /** Text between `](` and `)`. */
  inline: z.string(),
  link: z.string(),
})
export type LinkName = z.infer<typeof linkNameSchema>

export const movePlanSchema = z.object({
  links: z.number().int(),
  notes: z.number().int(),
  moves: z.number().int(),
  /** Some of the changed notes, by their path after the move. */
  files: z.array(z.object({ path: z.string(), count: z.number().int(), patch: z.string() })),
  /** Links that cannot be updated: no spelling reaches the target, or the note is read-only or unreadable. */
  left: z.array(
    z.object({
      path: z.string(),
      line: z.number().int(),
      /** Empty for an unreadable note that may contain links. */
      target: z.string(),
      isProtected: z.boolean().optional(),
      isUnread: z.boolean().optional(),
    }),
  ),
  /** Hash of the plan; `move` compares it with a new plan. */
  id: idSchema,
})
export type MovePlan = z.infer<typeof movePlanSchema>

export const movingSchema = z.object({
  from: z.string(),
  to: z.string(),
  /** Number of rewritten notes; `total` is the number to rewrite. */
  done: z.number().int(),
  total: z.number().int(),
  /** True if the user cancelled and the move is rolled back. */
  isCancelled: z.boolean(),
})
export type Moving = z.infer<typeof movingSchema>

/** Source and target of a move; a folder moves with its content. */
const forMove = forAgent.extend({ from: filePathSchema, to: filePathSchema })

export const links = {
  of: base.input(forFile).output(
    z.object({
      outgoing: z.array(outgoingLinkSchema),
      backlinks: z.array(backlinkSchema),
      /** Totals; the lists are truncated. */
      counts: z.object({ outgoing: z.number().int(), backlinks: z.number().int() }),
    }),
  ),
  resolve: base
    .input(
      forFile.extend({
        kind: z.enum(['wiki', 'inline']),
        /** Percent-decoded target. */
        target: z.string().max(maxSearchText),
        fragment: z.string().max(maxSearchText).optional(),
      }),
    )
    .output(z.object(linkTargetShape)),
  /** Input for a link resolver: all files, and the names that notes define in their text. */
  files: base.input(forAgent).output(z.array(z.object({ path: z.string(), names: z.array(z.string()).optional() }))),
  /** Titles from first headings or front matter; notes with only a file name are omitted. */
  titles: base.input(forAgent).output(z.array(z.object({ path: z.string(), title: z.string() }))),
  /** Finds the block with a Logseq block id; null if no note contains it. */
  block: base
    .input(forAgent.extend({ id: z.string().max(100) }))
    .output(z.object({ path: z.string(), line: z.number().int(), text: z.string() }).nullable()),
  /** Lists broken links of all notes; `count` is the total. */
  broken: base.input(forAgent).output(z.object({ links: z.array(brokenLinkSchema), count: z.number().int() })),
  /** Replaces the target of a broken link by `by`. @throws AppError 'edit_no_match' if the line lacks the link */
  mend: base
    .input(
      forFile.extend({
        line: z.number().int().min(1),
        target: z.string().max(maxSearchText),
        by: z.string().max(maxSearchText),
      }),
    )
    .output(changedSchema),
  /** Completes a link being typed, best match first; after `#`, the headings and blocks of the note. */
  names: base.input(forFile.extend({ typed: z.string().max(maxSearchText) })).output(z.array(linkNameSchema)),
  planMove: base.input(forMove).output(movePlanSchema.extend({ staysPrivate: z.boolean() })),
  /**
   * Moves a file or folder. With `plan`, also updates all links, atomically: an error rolls back everything.
   * @throws AppError 'plan_outdated' if the plan no longer matches; nothing is changed
   */
  move: base.input(forMove.extend({ plan: idSchema.optional() })).output(
    z.object({
      links: z.number().int(),
      notes: z.number().int(),
      /** True if a privacy rule for the source folder applied, and the file is now marked private. */
      staysPrivate: z.boolean(),
      /** Change set for `history.revert`; null if the history could not store it. */
      change: changeIdSchema.nullable(),
    }),
  ),
  /** Returns the move in progress; null if there is none. */
  moving: base.input(forAgent).output(movingSchema.nullable()),
  /**
   * Cancels the move in progress and rolls it back; `move` then fails with `move_cancelled`. No effect once all notes
   * are written.
   */
  cancelMove: base.input(forAgent).output(done),
}

export const tagPlanSchema = movePlanSchema.pick({ notes: true, files: true, left: true, id: true }).extend({
  tags: z.number().int(),
  /** True if a tag of the new name exists; the two are merged. */
  joins: z.boolean(),
})
export type TagPlan = z.infer<typeof tagPlanSchema>

/** Tag name without `#`. */
const tagName = z.string().min(1).max(maxSearchText)
const forRename = forAgent.extend({ from: tagName, to: tagName })

export const tags = {
  /** Properties and tags of a note, in text order. */
  of: base.input(forFile).output(
    z.object({
      properties: z.array(z.object({ name: z.string(), values: z.array(z.string()), line: z.number().int() })),
      tags: z.array(z.object({ name: z.string(), line: z.number().int() })),
    }),
  ),
  /** Previews renaming a tag and its nested tags. @throws AppError 'tag_invalid' if the new name is not a valid tag */
  planRename: base.input(forRename).output(tagPlanSchema),
  /**
   * Rewrites all occurrences atomically; `history.revert` reverts the rename.
   * @throws AppError 'plan_outdated' if the plan no longer matches
   */
  rename: base
    .input(forRename.extend({ plan: idSchema }))
    .output(z.object({ tags: z.number().int(), notes: z.number().int(), change: changeIdSchema.nullable() })),
}
