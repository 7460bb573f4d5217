import { z } from 'zod'
import { maxPhrase } from '../util/limits.ts'
import { base, filePathSchema, forAgent, idSchema } from './base.ts'

const placeShape = {
  path: z.string(),
  line: z.number().int(),
  /** The line, cut where it is long. */
  text: z.string(),
}

/** Where a link leads. */
const leadsShape = {
  /** Null for nowhere. */
  path: z.string().nullable(),
  /** Of the heading or block that it names; null without one, or where the note has none of that name. */
  line: z.number().int().nullable(),
  /** The note that would be made of it; null where the link names a file of another kind, or one outside. */
  makes: z.string().nullable(),
}

export const outgoingLinkSchema = z.object({
  /** Where it stands. */
  at: z.number().int(),
  /** As it is written, with its fragment. */
  target: z.string(),
  isEmbed: z.boolean(),
  ...leadsShape,
})
export type OutgoingLink = z.infer<typeof outgoingLinkSchema>

export const backlinkSchema = z.object({ ...placeShape, isEmbed: z.boolean() })
export type Backlink = z.infer<typeof backlinkSchema>

export const brokenLinkSchema = z.object({
  ...placeShape,
  target: z.string(),
  /** `part`: the note is there, and has no such heading or block. */
  lacks: z.enum(['note', 'part']),
  makes: z.string().nullable(),
  /** What may have been meant, nearest first, as the link would have to be written, with its fragment. */
  near: z.array(z.string()),
})
export type BrokenLink = z.infer<typeof brokenLinkSchema>

export const linkNameSchema = z.object({
  path: z.string(),
  /** What it is offered as: a name, an alias, a heading, a block. */
  label: z.string(),
  kind: z.enum(['note', 'alias', 'file', 'heading', 'block']),
  /** What stands between `[[` and `]]`; null where no such link leads there. */
  wiki: z.string().nullable(),
  /** What stands between `](` and `)`. */
  inline: z.string(),
  /** The whole link, as the vault writes its own. */
  link: z.string(),
})
export type LinkName = z.infer<typeof linkNameSchema>

export const movePlanSchema = z.object({
  links: z.number().int(),
  notes: z.number().int(),
  /** How many files move. */
  moves: z.number().int(),
  /** Some of those that change, by the path that they have after the move. */
  files: z.array(z.object({ path: z.string(), count: z.number().int(), patch: z.string() })),
  /** Links that no writing leads to their note any more, and those in notes that may not be written or cannot be read. */
  left: z.array(
    z.object({
      path: z.string(),
      line: z.number().int(),
      /** Empty for a note that may have links, and cannot be opened. */
      target: z.string(),
      isProtected: z.boolean().optional(),
      isUnread: z.boolean().optional(),
    }),
  ),
  /** Names exactly this plan. */
  id: idSchema,
})
export type MovePlan = z.infer<typeof movePlanSchema>

/** A move under way, or one that is being taken back. */
export const movingSchema = z.object({
  from: z.string(),
  to: z.string(),
  /** Notes that are written anew, of all that are. */
  done: z.number().int(),
  total: z.number().int(),
  /** Somebody has cancelled it: it is being taken back. */
  isCancelled: z.boolean(),
})
export type Moving = z.infer<typeof movingSchema>

const forNote = forAgent.extend({ path: filePathSchema })
/** A file, or a folder with all that lies in it. */
const forMove = forAgent.extend({ from: filePathSchema, to: filePathSchema })

export const links = {
  /** What a note links to, and what links to it. */
  of: base.input(forNote).output(
    z.object({
      outgoing: z.array(outgoingLinkSchema),
      backlinks: z.array(backlinkSchema),
      /** How many there are, listed or not. */
      counts: z.object({ outgoing: z.number().int(), backlinks: z.number().int() }),
    }),
  ),
  /** Where a link of a note leads. */
  resolve: base
    .input(
      forNote.extend({
        kind: z.enum(['wiki', 'inline']),
        /** Decoded. */
        target: z.string().max(maxPhrase),
        fragment: z.string().max(maxPhrase).optional(),
      }),
    )
    .output(z.object(leadsShape)),
  /** What a resolver has to know: every file, and the names that texts give their notes. */
  files: base.input(forAgent).output(z.array(z.object({ path: z.string(), names: z.array(z.string()).optional() }))),
  /** What notes are called by their first heading or their front matter; none of those that only have a file name. */
  titles: base.input(forAgent).output(z.array(z.object({ path: z.string(), title: z.string() }))),
  /** The block of a note that has an id, as Logseq gives them; null where no note has it. */
  block: base
    .input(forAgent.extend({ id: z.string().max(100) }))
    .output(z.object({ path: z.string(), line: z.number().int(), text: z.string() }).nullable()),
  /** Links of all notes that lead nowhere. */
  broken: base.input(forAgent).output(z.object({ links: z.array(brokenLinkSchema), count: z.number().int() })),
  /** Writes another target into a broken link. Fails with `edit_no_match` when it does not stand there any more. */
  mend: base
    .input(
      forNote.extend({
        line: z.number().int().min(1),
        target: z.string().max(maxPhrase),
        by: z.string().max(maxPhrase),
      }),
    )
    .output(z.object({ patch: z.string() })),
  /** What a link that is being typed in a note may mean, best first; behind a `#` the headings and blocks of a note. */
  names: base.input(forNote.extend({ typed: z.string().max(maxPhrase) })).output(z.array(linkNameSchema)),
  /** What moving would change in notes. */
  planMove: base.input(forMove).output(movePlanSchema.extend({ staysLocal: z.boolean() })),
  /**
   * Moves, and with a plan updates every link, as one change: where one part fails, what was done is taken back. Fails
   * with `plan_outdated` when the plan is not what would be done any more; then nothing was done.
   */
  move: base.input(forMove.extend({ plan: idSchema.optional() })).output(
    z.object({
      links: z.number().int(),
      notes: z.number().int(),
      /** The settings keep it on this machine by its place, and it is kept there. */
      staysLocal: z.boolean(),
      /** For `history.undoBatch`. */
      undo: idSchema,
    }),
  ),
  /** A move that is under way; null for none. */
  moving: base.input(forAgent).output(movingSchema.nullable()),
  /** Takes back the move that is under way, where its notes are not all written: it fails with `move_cancelled` then. */
  cancelMove: base.input(forAgent).output(z.object({})),
}

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
   * Writes every place anew, as one change: all of it, or nothing; `history.undoBatch` takes it back. Fails with `plan_outdated`
   * when the plan is not what would be done any more.
   */
  rename: base
    .input(forRename.extend({ plan: idSchema }))
    .output(z.object({ tags: z.number().int(), notes: z.number().int(), undo: idSchema })),
}
