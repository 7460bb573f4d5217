import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { maxSearchText } from '../util/limits.ts'
import { base, changeIdSchema, done, forAgent, forFile, idSchema, progressSchema, timestampSchema } from './base.ts'
import { storedRequestSchema } from './context.ts'

/**
 * Reason for a proposal. Rules without a model: `duplicate`: two lines say the same · `logged`: a log repeats a line
 * of MEMORY.md · `expired`: the date of the line has passed · `large`: a long section is part of every request ·
 * `rescued`: verbatim notes wait for a summary · `broken`: a broken link · `drifted`: a superseded line refers to a
 * replacement that has moved · `unrecalled`: no search returned the note for a year. From the user: `wrong`,
 * `outdated`. `outside`: a client wants to write to MEMORY.md, or a model wants a change that the user must approve
 * (docs/guide/sources.md). From a model's review: `promote`: a log contains a decision missing from MEMORY.md ·
 * `supersedes`: a later line replaces this one · `contradiction`: two lines contradict each other.
 */
export const suggestionRules = [
  'wrong',
  'outdated',
  'outside',
  'contradiction',
  'supersedes',
  'promote',
  'duplicate',
  'logged',
  'expired',
  'large',
  'rescued',
  'broken',
  'drifted',
  'unrecalled',
] as const
export const suggestionRuleSchema = z.enum(suggestionRules)

/** Replaces the lines `before` by `after`. Lines have no line ends. */
export const lineEditSchema = z.object({
  /** 1-based line of the first of `before`; if `before` is empty, `after` is inserted at this line. */
  line: z.number().int().min(1),
  before: z.array(z.string()),
  after: z.array(z.string()),
})
export type LineEdit = z.infer<typeof lineEditSchema>

/** `line` is 1-based; `text` is trimmed and may be truncated. */
export const evidenceSchema = z.object({ path: z.string(), line: z.number().int(), text: z.string() })
export type Evidence = z.infer<typeof evidenceSchema>

/** The line that a saved note repeats, or replaces as the proposal `proposal` suggests. */
export const savedMatchSchema = evidenceSchema.extend({ proposal: idSchema.optional() })
export type SavedMatch = z.infer<typeof savedMatchSchema>

export const suggestedFileSchema = z.object({
  path: z.string(),
  /** SHA-256 of the text that the edits are based on; null for a new file. */
  hash: z.string().nullable(),
  edits: z.array(lineEditSchema),
  /** The same edits as a unified diff for display. */
  patch: z.string(),
})
export type SuggestedFile = z.infer<typeof suggestedFileSchema>

/** A later edit in the way of an undo: its 1-based line; null if the file is gone. */
const laterEditSchema = z.object({ path: z.string(), line: z.number().int().nullable() })
const undoConflictSchema = laterEditSchema.extend({ proposal: idSchema })
export type UndoConflict = z.infer<typeof undoConflictSchema>

export const suggestionSchema = z.object({
  id: z.string(),
  rule: suggestionRuleSchema,
  /** Author of the proposal: a built-in rule, a model, the user or a client. */
  author: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('rule') }),
    z.object({ kind: z.literal('model'), model: z.string() }),
    z.object({ kind: z.literal('user') }),
    z.object({ kind: z.literal('client'), name: z.string() }),
  ]),
  /** Share of the review request's cost: US dollars (null if the price is unknown) and tokens. */
  cost: z.object({ usd: z.number().nullable(), tokens: z.number().int() }).optional(),
  at: timestampSchema,
  /** Lines that support the proposal; the first one is its subject. */
  evidence: z.array(evidenceSchema),
  /** Edits to apply; empty if the user has to decide. */
  files: z.array(suggestedFileSchema),
  reason: z.string().optional(),
  /**
   * `expired`: `day`; `duplicate`, `logged`: `likeness` in [0, 1]; `large`: `tokens`; `broken`: `target`; `unrecalled`:
   * `day`, its last modification; `outside`: `target`, the names of the sources.
   */
  detail: z.object({
    day: z.string().optional(),
    likeness: z.number().optional(),
    tokens: z.number().int().optional(),
    target: z.string().optional(),
    /** `wrong`, `outdated`: the search query that returned the line. */
    query: z.string().optional(),
  }),
  state: z.enum(['open', 'snoozed', 'accepted', 'refused', 'withdrawn']),
  /** Time of the last state change, ms since the epoch. */
  stateAt: z.number(),
  /** `snoozed`: end time, ms since the epoch. */
  until: z.number().optional(),
  /** `withdrawn`: the lines were edited, or the reason no longer applies. */
  gone: z.enum(['lines', 'reason']).optional(),
  /** `accepted`: change set of the proposals that were accepted together; `undo` reverts all of them. */
  acceptance: changeIdSchema.optional(),
  /** `accepted`, but not undoable. */
  stuck: laterEditSchema.optional(),
  /** Id of the review, and 1-based number of its request. */
  review: z.string().optional(),
  request: z.number().int().optional(),
})
export type Suggestion = z.infer<typeof suggestionSchema>

export type SuggestionProgress = z.infer<typeof progressSchema>

/** Result of a review by a model, final or so far. */
export const reviewOutcomeSchema = z.object({
  id: z.string(),
  model: z.string(),
  /** Start time, ms since the epoch. */
  at: z.number(),
  /** `running` without a running review: it was interrupted; the next review resumes it. */
  state: z.enum(['running', 'done', 'stopped', 'budget', 'failed']),
  /** `failed`: error code. */
  code: z.string().optional(),
  data: errorDataSchema.optional(),
  requests: z.number().int(),
  /** US dollars; null if the price is unknown. */
  usd: z.number().nullable(),
  proposals: z.number().int(),
  /** Number of findings that are malformed or quote lines that no file contains. */
  dropped: z.number().int(),
  unread: z.number().int(),
  /** Number of requests not made. */
  left: z.number().int(),
})
export type ReviewOutcome = z.infer<typeof reviewOutcomeSchema>

export const reviewEstimateSchema = z.object({
  model: z.string(),
  /** True for the offline model; it cannot review. */
  isOffline: z.boolean(),
  lines: z.number().int(),
  requests: z.number().int(),
  /** Estimated tokens sent and received. */
  input: z.number().int(),
  output: z.number().int(),
  /** US dollars; null if the model's price is unknown. */
  usd: z.number().nullable(),
  /** Limits per month; null for no limit. `tokens` applies if the price of the model is unknown. */
  budget: z.object({ usd: z.number().nullable(), tokens: z.number().int().nullable() }),
  spent: z.object({ usd: z.number(), tokens: z.number().int() }),
  /** Number of requests that fit into the rest of this month's budget. */
  fitting: z.number().int(),
})
export type ReviewEstimate = z.infer<typeof reviewEstimateSchema>

const maxIds = 5000
const idsSchema = z.array(idSchema).min(1).max(maxIds)
const forSuggestions = forAgent.extend({ ids: idsSchema })

export const suggestions = {
  /** Lists open proposals by rule, those of users and clients first, and the most recent closed ones. */
  list: base.input(forAgent).output(
    z.object({
      open: z.array(suggestionSchema),
      done: z.array(suggestionSchema),
      /** Progress of the running scan; null if none is running. */
      progress: progressSchema.nullable(),
      /** End of the last scan, ms since the epoch; null before the first. */
      lookedAt: z.number().nullable(),
      isReviewing: z.boolean(),
      review: reviewOutcomeSchema.nullable(),
      /** Next scheduled review, ms since the epoch; null if none is scheduled. */
      nextAt: z.number().nullable(),
    }),
  ),
  count: base.input(forAgent).output(z.object({ open: z.number().int() })),
  /**
   * Scans the memory with the built-in rules, without a model.
   * @returns numbers of new and withdrawn proposals; null if stopped
   */
  look: base.input(forAgent).output(z.object({ added: z.number().int(), withdrawn: z.number().int() }).nullable()),
  stop: base.input(forAgent).output(done),
  /** Estimates the cost of a review. @throws AppError 'provider_key_missing' if the model's provider has no key */
  estimate: base.input(forAgent).output(reviewEstimateSchema),
  /**
   * Lets the model look for contradictions, superseded lines and facts missing from MEMORY.md.
   * @returns null if a review is already running
   * @throws AppError 'needs_model' for the offline model; errors of the provider
   */
  review: base.input(forAgent).output(reviewOutcomeSchema.nullable()),
  /** Returns a stored review request without keys, by 1-based number; the last one by default. */
  request: base
    .input(forAgent.extend({ number: z.number().int().min(1).optional() }))
    .output(z.object({ count: z.number().int(), request: storedRequestSchema.nullable() })),
  /** Previews `accept` as one diff per file; `left` and `gone` as in `accept`. */
  preview: base.input(forSuggestions).output(
    z.object({
      files: z.array(z.object({ path: z.string(), patch: z.string(), isNew: z.boolean() })),
      left: z.number().int(),
      gone: z.number().int(),
    }),
  ),
  /** For a contradiction: changes the proposal so that it strikes the other line. */
  turn: base.input(forAgent.extend({ id: idSchema })).output(done),
  /**
   * Applies proposals atomically. Withdraws those whose lines were edited (`gone`); those that change the same lines
   * as another stay open (`left`).
   */
  accept: base.input(forSuggestions).output(
    z.object({
      acceptance: changeIdSchema.nullable(),
      accepted: z.number().int(),
      left: z.number().int(),
      gone: z.number().int(),
    }),
  ),
  /** Replaces the text an open proposal would write: the new lines of each edit, in the order of the edits. */
  edit: base
    .input(forAgent.extend({ id: idSchema, after: z.array(z.array(z.string().max(100_000)).max(5000)).max(100) }))
    .output(done),
  /** Rejects proposals; the same lines are not suggested again. */
  refuse: base.input(forSuggestions).output(done),
  /** @param until ms since the epoch */
  snooze: base.input(forSuggestions.extend({ until: z.number() })).output(done),
  reopen: base.input(forSuggestions).output(done),
  /**
   * Reverts an acceptance. Proposals whose lines were edited since stay accepted and are returned in `stuck` with the
   * place of the edit.
   * @throws AppError 'undo_conflict' if it is already undone
   */
  undo: base
    .input(forAgent.extend({ acceptance: changeIdSchema }))
    .output(z.object({ undone: z.number().int(), stuck: z.array(undoConflictSchema) })),
  /** Marks a line as wrong or outdated. @returns the id of the created proposal */
  flag: base
    .input(
      forFile.extend({
        line: z.number().int().min(1),
        fault: z.enum(['wrong', 'outdated']),
        query: z.string().max(maxSearchText).optional(),
      }),
    )
    .output(z.object({ id: idSchema })),
}
