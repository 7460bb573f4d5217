/** What would keep memory true: proposals, each with its reason, and what becomes of them (M60, M62). */
import { z } from 'zod'
import { maxPhrase } from '../limits.ts'
import { base, filePathSchema, forAgent, idSchema } from './base.ts'

/**
 * What speaks for a change. Without a model: `duplicate` the same is said twice; `logged` a log says what MEMORY.md says;
 * `expired` its date has passed; `large` a section is in every request and long; `rescued` words wait to be distilled;
 * `broken` a link leads nowhere; `unrecalled` no search found a note for a year. A person: `wrong`, `outdated`. With a
 * model: `promote` a log decides what MEMORY.md lacks; `supersedes` a later line says otherwise; `contradiction` two lines
 * cannot both hold.
 */
export const upkeepRules = [
  'wrong',
  'outdated',
  'contradiction',
  'supersedes',
  'promote',
  'duplicate',
  'logged',
  'expired',
  'large',
  'rescued',
  'broken',
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
  /** Who proposes: a rule of ours, a model, or the user. */
  author: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('rule') }),
    z.object({ kind: z.literal('model'), model: z.string() }),
    z.object({ kind: z.literal('user') }),
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
})
export type Proposal = z.infer<typeof proposalSchema>

const progressSchema = z.object({ done: z.number().int(), total: z.number().int() })
export type UpkeepProgress = z.infer<typeof progressSchema>

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
    }),
  ),
  count: base.input(forAgent).output(z.object({ open: z.number().int() })),
  /** Looks for what is to be done, without a model. @returns proposals that are new; null when it was stopped */
  look: base.input(forAgent).output(z.object({ added: z.number().int(), withdrawn: z.number().int() }).nullable()),
  stop: base.input(forAgent).output(z.object({})),
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
  /** Takes back what an acceptance did. Fails with `undo_conflict` where its lines were changed since; then nothing is done. */
  undo: base.input(forAgent.extend({ acceptance: idSchema })).output(z.object({})),
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
