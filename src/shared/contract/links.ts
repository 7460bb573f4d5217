import { z } from 'zod'
import { maxSearchText } from '../util/limits.ts'
import { changedSchema, changeIdSchema, done, filePathSchema, forAgent, forFile, idSchema, rpc } from './base.ts'
import { noteLineSchema } from './chats.ts'

const linkTargetShape = {
  /** Null if the link is broken. */
  path: z.string().nullable(),
  /** 1-based; null without a fragment, or if the note lacks its heading or block. */
  line: z.int().nullable(),
  /** Path of the note to create for a broken link; null if the target is not a note or is outside the workspace. */
  makes: z.string().nullable(),
}

export const outgoingLinkSchema = z.object({
  at: z.int(),
  target: z.string(),
  ...linkTargetShape,
})
export type OutgoingLink = z.infer<typeof outgoingLinkSchema>

export const brokenLinkSchema = noteLineSchema.extend({
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
  links: z.int(),
  notes: z.int(),
  moves: z.int(),
  files: z.array(z.object({ path: z.string(), count: z.int(), patch: z.string() })),
  left: z.array(
    z.object({
      path: z.string(),
      line: z.int(),
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
  done: z.int(),
  total: z.int(),
  isCancelled: z.boolean(),
})
export type Moving = z.infer<typeof movingSchema>

const forMove = forAgent.extend({ from: filePathSchema, to: filePathSchema })

export const links = {
  of: rpc(forFile, {
    outgoing: z.array(outgoingLinkSchema),
    backlinks: z.array(noteLineSchema),
    counts: z.object({ outgoing: z.int(), backlinks: z.int() }),
  }),
  resolve: rpc(
    forFile.extend({
      kind: z.enum(['wiki', 'inline']),
      target: z.string().max(maxSearchText),
      fragment: z.string().max(maxSearchText).optional(),
    }),
    linkTargetShape,
  ),
  files: rpc(forAgent, z.array(z.object({ path: z.string(), names: z.array(z.string()).optional() }))),
  /** Notes with only a file name are omitted. */
  titles: rpc(forAgent, z.array(z.object({ path: z.string(), title: z.string() }))),
  /** @param id Logseq block id */
  block: rpc(forAgent.extend({ id: z.string().max(100) }), noteLineSchema.nullable()),
  /** `count` is the total; the list is truncated. */
  broken: rpc(forAgent, { links: z.array(brokenLinkSchema), count: z.int() }),
  /** Replaces the target of a broken link by `by`. @throws AppError 'edit_no_match' if the line lacks the link */
  mend: rpc(
    forFile.extend({
      line: z.int().min(1),
      target: z.string().max(maxSearchText),
      by: z.string().max(maxSearchText),
    }),
    changedSchema,
  ),
  /** Completions, best first; after `#`, the headings and blocks of the note. */
  names: rpc(forFile.extend({ typed: z.string().max(maxSearchText) }), z.array(linkNameSchema)),
  planMove: rpc(forMove, movePlanSchema.extend({ staysPrivate: z.boolean() })),
  /** With `plan`, also updates all links, atomically. @throws AppError 'plan_outdated' */
  move: rpc(forMove.extend({ plan: idSchema.optional() }), {
    links: z.int(),
    notes: z.int(),
    staysPrivate: z.boolean(),
    /** Change set for `history.revert`; null if the history could not store it. */
    change: changeIdSchema.nullable(),
  }),
  /** Null if no move is running. */
  moving: rpc(forAgent, movingSchema.nullable()),
  /** Rolls the move back; no effect once all notes are written. */
  cancelMove: rpc(forAgent, done),
}

export const tagPlanSchema = movePlanSchema.pick({ notes: true, files: true, left: true, id: true }).extend({
  tags: z.int(),
  /** True if a tag of the new name exists; the two are merged. */
  joins: z.boolean(),
})
export type TagPlan = z.infer<typeof tagPlanSchema>

const tagName = z.string().min(1).max(maxSearchText)
const forRename = forAgent.extend({ from: tagName, to: tagName })

export const tags = {
  of: rpc(forFile, {
    properties: z.array(z.object({ name: z.string(), values: z.array(z.string()), line: z.int() })),
    tags: z.array(z.object({ name: z.string(), line: z.int() })),
  }),
  /** @throws AppError 'tag_invalid' */
  planRename: rpc(forRename, tagPlanSchema),
  /** Atomic. @throws AppError 'plan_outdated' if the plan no longer matches */
  rename: rpc(forRename.extend({ plan: idSchema }), {
    tags: z.int(),
    notes: z.int(),
    change: changeIdSchema.nullable(),
  }),
}
