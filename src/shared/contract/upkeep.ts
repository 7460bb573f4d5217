import { z } from 'zod'
import { errorDataSchema } from '../util/error-data.ts'
import { maxPhrase } from '../util/limits.ts'
import { base, filePathSchema, forAgent, idSchema } from './base.ts'
import { keptRequestSchema } from './context.ts'

/**
 * What speaks for a change. Without a model: `duplicate` the same is said twice; `logged` a log says what MEMORY.md says;
 * `expired` its date has passed; `large` a section is in every request and long; `rescued` words wait to be distilled;
 * `broken` a link leads nowhere; `drifted` a struck line names a line that stands elsewhere by now; `unrecalled` no search found a note for a year. A person: `wrong`, `outdated`. `outside`: a model
 * wants to write into MEMORY.md, or what steers it, with words of others before it, or another program does. With a
 * model: `promote` a log decides what MEMORY.md lacks; `supersedes` a later line says otherwise; `contradiction` two lines
 * cannot both hold.
 */
export const upkeepRules = [
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
export const upkeepRuleSchema = z.enum(upkeepRules)
export type UpkeepRule = z.infer<typeof upkeepRuleSchema>

/** Lines of a text without their ends; a change replaces `before` by `after`. */
export const lineEditSchema = z.object({
  /** Of the first of `before`, 1-based; with none of them, what is added comes to stand there. */
  line: z.number().int().min(1),
  before: z.array(z.string()),
  after: z.array(z.string()),
})
export type LineEdit = z.infer<typeof lineEditSchema>

export const evidenceSchema = z.object({ path: z.string(), line: z.number().int(), text: z.string() })
export type Evidence = z.infer<typeof evidenceSchema>

export const proposedFileSchema = z.object({
  path: z.string(),
  /** SHA-256 of the text that the lines were read from; null for a file that is to be made. */
  hash: z.string().nullable(),
  edits: z.array(lineEditSchema),
  /** The same as a unified diff, for people. */
  patch: z.string(),
})
export type ProposedFile = z.infer<typeof proposedFileSchema>

export const proposalStates = ['open', 'snoozed', 'accepted', 'refused', 'withdrawn'] as const

export const proposalSchema = z.object({
  id: z.string(),
  rule: upkeepRuleSchema,
  /** Who proposes: a rule of ours, a model, the user, or another program. */
  author: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('rule') }),
    z.object({ kind: z.literal('model'), model: z.string() }),
    z.object({ kind: z.literal('user') }),
    z.object({ kind: z.literal('client'), name: z.string() }),
  ]),
  /** What the request that it came of cost, shared out over its proposals: US dollars (null where nobody knows) and tokens. */
  cost: z.object({ usd: z.number().nullable(), tokens: z.number().int() }).optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** The lines that speak for it; the first is what it is about. */
  evidence: z.array(evidenceSchema),
  /** What it would change; nothing where it is for the user to look. */
  files: z.array(proposedFileSchema),
  /** A model's reason, in its words. */
  reason: z.string().optional(),
  /** `expired`: the day; `duplicate`, `logged`: likeness in [0, 1]; `large`: tokens; `broken`: the target; `unrecalled`: since. */
  detail: z.object({
    day: z.string().optional(),
    likeness: z.number().optional(),
    tokens: z.number().int().optional(),
    target: z.string().optional(),
    /** `wrong`, `outdated`: what the line was found for. */
    query: z.string().optional(),
  }),
  state: z.enum(proposalStates),
  /** When it came to be in that state, ms since the epoch. */
  stateAt: z.number(),
  /** `snoozed`: until then. */
  until: z.number().optional(),
  /** `withdrawn`: its lines are others, or what spoke for it does not any more. */
  gone: z.enum(['lines', 'reason']).optional(),
  /** `accepted`: with which others; one undo takes all of them back. */
  acceptance: z.string().optional(),
  /** `accepted`: it could not be taken back for what was changed there since, 1-based; null: the file is gone. */
  stuck: z.object({ path: z.string(), line: z.number().int().nullable() }).optional(),
  /** The review that it came of, and the number of the request. */
  review: z.string().optional(),
  request: z.number().int().optional(),
})
export type Proposal = z.infer<typeof proposalSchema>

const progressSchema = z.object({ done: z.number().int(), total: z.number().int() })
export type UpkeepProgress = z.infer<typeof progressSchema>

/** What a review by a model came to, or has come to so far. */
export const reviewOutcomeSchema = z.object({
  id: z.string(),
  by: z.enum(['user', 'schedule']),
  model: z.string(),
  /** When it began, ms since the epoch. */
  at: z.number(),
  /** `running` where nobody runs it: it was broken off, and goes on with the next one. */
  state: z.enum(['running', 'done', 'stopped', 'budget', 'failed']),
  /** `failed`: why. */
  code: z.string().optional(),
  data: errorDataSchema.optional(),
  requests: z.number().int(),
  tokens: z.number().int(),
  /** US dollars; null where nobody knows. */
  usd: z.number().nullable(),
  /** New ones. */
  proposals: z.number().int(),
  /** Of what the model said: not of the form, or resting on lines that no file has. */
  dropped: z.number().int(),
  /** Requests whose answers could not be read. */
  unread: z.number().int(),
  /** Requests that were not made. */
  left: z.number().int(),
})
export type ReviewOutcome = z.infer<typeof reviewOutcomeSchema>

/** What a month may come to; null for no limit. */
const budgetSchema = z.object({ usd: z.number().nullable(), tokens: z.number().int().nullable() })

export const reviewEstimateSchema = z.object({
  model: z.string(),
  /** It cannot judge what lines mean: it is of no use here. */
  isOffline: z.boolean(),
  /** Lines of the memory that say something. */
  lines: z.number().int(),
  requests: z.number().int(),
  /** Tokens that are sent, and that come back, as far as that can be told. */
  input: z.number().int(),
  output: z.number().int(),
  /** US dollars; null where the model's price is not known. */
  usd: z.number().nullable(),
  budget: budgetSchema,
  /** This month, so far. */
  spent: z.object({ usd: z.number(), tokens: z.number().int() }),
  /** Requests that the rest of the month's budget is enough for. */
  fitting: z.number().int(),
})
export type ReviewEstimate = z.infer<typeof reviewEstimateSchema>

/** Proposals that one request may name. */
const maxIds = 5000
const idsSchema = z.array(idSchema).min(1).max(maxIds)
const forProposals = forAgent.extend({ ids: idsSchema })

export const upkeep = {
  /** Those that are open, first what people said, then by rule; and the latest of the others. */
  list: base.input(forAgent).output(
    z.object({
      open: z.array(proposalSchema),
      done: z.array(proposalSchema),
      /** Of the look that is under way. */
      progress: progressSchema.nullable(),
      /** When memory was last looked through, ms since the epoch. */
      lookedAt: z.number().nullable(),
      /** A model is asked just now. */
      isReviewing: z.boolean(),
      review: reviewOutcomeSchema.nullable(),
      /** When the schedule has it done next, ms since the epoch. */
      nextAt: z.number().nullable(),
    }),
  ),
  count: base.input(forAgent).output(z.object({ open: z.number().int() })),
  /** Looks for what is to be done, without a model. @returns proposals that are new; null when it was stopped */
  look: base.input(forAgent).output(z.object({ added: z.number().int(), withdrawn: z.number().int() }).nullable()),
  stop: base.input(forAgent).output(z.object({})),
  /** What a review by the model would take. Fails with `provider_key_missing`. */
  estimate: base.input(forAgent).output(reviewEstimateSchema),
  /**
   * Has the model judge what contradicts or supersedes what, and what logs say that MEMORY.md lacks. Fails with
   * `needs_model`, and as models do. @returns null where one is under way
   */
  review: base.input(forAgent).output(reviewOutcomeSchema.nullable()),
  /** A request of a review exactly as it was sent, without keys; the last one when no number is given. 1-based. */
  request: base
    .input(forAgent.extend({ number: z.number().int().min(1).optional() }))
    .output(z.object({ count: z.number().int(), request: keptRequestSchema.nullable() })),
  /** What accepting them would change, as one diff a file; `left` and `gone` as `accept` has them. */
  preview: base.input(forProposals).output(
    z.object({
      files: z.array(z.object({ path: z.string(), patch: z.string(), isNew: z.boolean() })),
      left: z.number().int(),
      gone: z.number().int(),
    }),
  ),
  /** Of two lines that cannot both hold, the other one is struck. */
  turn: base.input(forAgent.extend({ id: idSchema })).output(z.object({})),
  /**
   * Does what the proposals say, as one change. Those whose lines are others by now are withdrawn (`gone`), those that
   * change the same lines as another stay open (`left`).
   */
  accept: base.input(forProposals).output(
    z.object({
      acceptance: idSchema.nullable(),
      accepted: z.number().int(),
      left: z.number().int(),
      gone: z.number().int(),
    }),
  ),
  /** Rewrites what an open proposal would write: the lines of each edit, in the order in which it has them. */
  edit: base
    .input(forAgent.extend({ id: idSchema, after: z.array(z.array(z.string().max(100_000)).max(5000)).max(100) }))
    .output(z.object({})),
  /** Not again for the same lines. */
  refuse: base.input(forProposals).output(z.object({})),
  /** @param until ms since the epoch */
  snooze: base.input(forProposals.extend({ until: z.number() })).output(z.object({})),
  /** Takes back that proposals were refused or put off. */
  reopen: base.input(forProposals).output(z.object({})),
  /**
   * Takes back what an acceptance did, proposal by proposal: those whose lines were changed since stay accepted, and are
   * named (`stuck`) with the place of what is in the way. Fails with `undo_conflict` where it was taken back already.
   */
  undo: base.input(forAgent.extend({ acceptance: idSchema })).output(
    z.object({
      undone: z.number().int(),
      stuck: z.array(z.object({ proposal: idSchema, path: z.string(), line: z.number().int().nullable() })),
    }),
  ),
  /** Somebody says that a line is wrong, or does not hold any more. @returns the proposal that this makes */
  flag: base
    .input(
      forAgent.extend({
        path: filePathSchema,
        line: z.number().int().min(1),
        fault: z.enum(['wrong', 'outdated']),
        /** What the line was found for. */
        query: z.string().max(maxPhrase).optional(),
      }),
    )
    .output(z.object({ id: idSchema })),
}
