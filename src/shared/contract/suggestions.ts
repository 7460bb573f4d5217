import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { maxSearchText } from '../util/limits.ts'
import { changeIdSchema, done, forAgent, forFile, idSchema, progressSchema, timestampSchema, rpc } from './base.ts'
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

export const lineEditSchema = z.object({
  /** 1-based line of the first of `before`; if `before` is empty, `after` is inserted at this line. */
  line: z.int().min(1),
  before: z.array(z.string()),
  after: z.array(z.string()),
})
export type LineEdit = z.infer<typeof lineEditSchema>

/** `line` is 1-based; `text` is trimmed and may be truncated. */
export const evidenceSchema = z.object({ path: z.string(), line: z.int(), text: z.string() })
export type Evidence = z.infer<typeof evidenceSchema>

/**
 * A line that a saved note repeats, or may replace as the proposal `proposal` suggests. `hasOtherFacts`: the note changes
 * a part of the line, so there is no proposal.
 */
export const savedMatchSchema = evidenceSchema.extend({
  proposal: idSchema.optional(),
  hasOtherFacts: z.literal(true).optional(),
})
export type SavedMatch = z.infer<typeof savedMatchSchema>

export const suggestedFileSchema = z.object({
  path: z.string(),
  /** SHA-256 of the text that the edits are based on; null for a new file. */
  hash: z.string().nullable(),
  edits: z.array(lineEditSchema),
  patch: z.string(),
})
export type SuggestedFile = z.infer<typeof suggestedFileSchema>

/** A later edit in the way of an undo: its 1-based line; null if the file is gone. */
const laterEditSchema = z.object({ path: z.string(), line: z.int().nullable() })
const undoConflictSchema = laterEditSchema.extend({ proposal: idSchema })
export type UndoConflict = z.infer<typeof undoConflictSchema>

export const suggestionSchema = z.object({
  id: z.string(),
  rule: suggestionRuleSchema,
  author: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('rule') }),
    z.object({ kind: z.literal('model'), model: z.string() }),
    z.object({ kind: z.literal('user') }),
    z.object({ kind: z.literal('client'), name: z.string() }),
  ]),
  /** Share of the review request's cost, US dollars (null if the price is unknown). */
  cost: z.object({ usd: z.number().nullable(), tokens: z.int() }).optional(),
  at: timestampSchema,
  evidence: z.array(evidenceSchema),
  files: z.array(suggestedFileSchema),
  reason: z.string().optional(),
  /**
   * `expired`: `day`; `duplicate`, `logged`: `likeness` in [0, 1]; `large`: `tokens`; `broken`: `target`; `unrecalled`:
   * `day`, its last modification; `outside`: `target`, the names of the sources.
   */
  detail: z.object({
    day: z.string().optional(),
    likeness: z.number().optional(),
    tokens: z.int().optional(),
    target: z.string().optional(),
    query: z.string().optional(),
  }),
  state: z.enum(['open', 'snoozed', 'accepted', 'refused', 'withdrawn']),
  stateAt: z.number(),
  /** `snoozed`: end time, ms since the epoch. */
  until: z.number().optional(),
  /** `withdrawn`: the lines were edited, or the reason no longer applies. */
  gone: z.enum(['lines', 'reason']).optional(),
  /** `accepted`: change set of the proposals that were accepted together; `undo` reverts all of them. */
  acceptance: changeIdSchema.optional(),
  stuck: laterEditSchema.optional(),
  /** Id of the review, and 1-based number of its request. */
  review: z.string().optional(),
  request: z.int().optional(),
})
export type Suggestion = z.infer<typeof suggestionSchema>

export type SuggestionProgress = z.infer<typeof progressSchema>

export const reviewOutcomeSchema = z.object({
  id: z.string(),
  model: z.string(),
  at: z.number(),
  /** `running` without a running review: it was interrupted; the next review resumes it. */
  state: z.enum(['running', 'done', 'stopped', 'budget', 'failed']),
  code: z.string().optional(),
  data: errorDataSchema.optional(),
  requests: z.int(),
  usd: z.number().nullable(),
  proposals: z.int(),
  unread: z.int(),
  left: z.int(),
})
export type ReviewOutcome = z.infer<typeof reviewOutcomeSchema>

export const reviewEstimateSchema = z.object({
  model: z.string(),
  isOffline: z.boolean(),
  lines: z.int(),
  requests: z.int(),
  input: z.int(),
  output: z.int(),
  usd: z.number().nullable(),
  /** Limits per month; null for no limit. `tokens` applies if the price of the model is unknown. */
  budget: z.object({ usd: z.number().nullable(), tokens: z.int().nullable() }),
  spent: z.object({ usd: z.number(), tokens: z.int() }),
  /** Requests that fit into the rest of this month's budget. */
  fitting: z.int(),
})
export type ReviewEstimate = z.infer<typeof reviewEstimateSchema>

const maxIds = 5000
const idsSchema = z.array(idSchema).min(1).max(maxIds)
const forSuggestions = forAgent.extend({ ids: idsSchema })

export const suggestions = {
  /** By rule, those of users and clients first; `done` has only the latest. */
  list: rpc(forAgent, {
    open: z.array(suggestionSchema),
    done: z.array(suggestionSchema),
    progress: progressSchema.nullable(),
    lookedAt: z.number().nullable(),
    isReviewing: z.boolean(),
    review: reviewOutcomeSchema.nullable(),
    nextAt: z.number().nullable(),
  }),
  count: rpc(forAgent, { open: z.int() }),
  /** Uses no model. @returns null if stopped */
  look: rpc(forAgent, z.object({ added: z.int(), withdrawn: z.int() }).nullable()),
  stop: rpc(forAgent, done),
  /** @throws AppError 'provider_key_missing' */
  estimate: rpc(forAgent, reviewEstimateSchema),
  /** @returns null if a review is running @throws AppError 'needs_model'; errors of the provider */
  review: rpc(forAgent, reviewOutcomeSchema.nullable()),
  /** `number` is 1-based. Without keys. */
  request: rpc(forAgent.extend({ number: z.int().min(1) }), storedRequestSchema.nullable()),
  /** `left` and `gone` as in `accept`. */
  preview: rpc(forSuggestions, {
    files: z.array(z.object({ path: z.string(), patch: z.string(), isNew: z.boolean() })),
    left: z.int(),
    gone: z.int(),
  }),
  turn: rpc(forAgent.extend({ id: idSchema }), done),
  /** Atomic. Proposals whose lines were edited are `gone`; those for the same lines as another stay open (`left`). */
  accept: rpc(forSuggestions, {
    acceptance: changeIdSchema.nullable(),
    accepted: z.int(),
    left: z.int(),
    gone: z.int(),
  }),
  edit: rpc(
    forAgent.extend({ id: idSchema, after: z.array(z.array(z.string().max(100_000)).max(5000)).max(100) }),
    done,
  ),
  /** The same lines are not suggested again. */
  refuse: rpc(forSuggestions, done),
  /** @param until ms since the epoch */
  snooze: rpc(forSuggestions.extend({ until: z.number() }), done),
  reopen: rpc(forSuggestions, done),
  /** `stuck`: proposals whose lines were edited since. @throws AppError 'undo_conflict' if it is already undone */
  undo: rpc(forAgent.extend({ acceptance: changeIdSchema }), { undone: z.int(), stuck: z.array(undoConflictSchema) }),
  flag: rpc(
    forFile.extend({
      line: z.int().min(1),
      fault: z.enum(['wrong', 'outdated']),
      query: z.string().max(maxSearchText).optional(),
    }),
    { id: idSchema },
  ),
}
