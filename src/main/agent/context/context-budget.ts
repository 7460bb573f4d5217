export interface Budget {
  readonly contextWindow: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
  /** Above this, durable notes are saved before anything is summarised. */
  readonly flushAt: number
  /** Above this, older turns are summarised. */
  readonly compactAt: number
}

/** Tokens kept free for the answer, where the model's longest one is shorter; as OpenClaw's `reserveTokensFloor`. */
const minReserveTokens = 20_000
/** The reserve never takes more than this share of a window, so that small local models work. */
const maxReserveShare = 0.25
/** Tokens before compaction at which notes are saved; as OpenClaw's `softThresholdTokens`. */
const flushMarginTokens = 4000

export function budgetOf(model: { readonly contextWindow: number; readonly maxOutput: number }): Budget {
  const wanted = Math.max(minReserveTokens, model.maxOutput)
  const reserveTokens = Math.min(wanted, Math.floor(model.contextWindow * maxReserveShare))
  const compactAt = model.contextWindow - reserveTokens
  const flushAt = Math.max(0, compactAt - flushMarginTokens)
  return { contextWindow: model.contextWindow, reserveTokens, flushAt, compactAt }
}

/** A conversation has at least this share of the window, as long as prompt, tools and files leave it. */
const minRoomShare = 0.2
/** Something is always left for the answer. */
const mostUsedShare = 0.97

/**
 * The same budget beside `fixed` tokens that stand in every request: where these alone come near the thresholds, both
 * move up, or each message would be flushed and summarised for nothing. In a common window nothing moves.
 */
export function roomBeside(budget: Budget, fixed: number): Budget {
  const { contextWindow } = budget
  const wanted = Math.min(fixed + contextWindow * minRoomShare, contextWindow * mostUsedShare)
  const compactAt = Math.floor(Math.max(budget.compactAt, wanted))
  const half = Math.floor(compactAt - Math.max(0, compactAt - fixed) / 2)
  return { ...budget, compactAt, flushAt: Math.max(budget.flushAt, half) }
}

/** Of what is kept free for the answer, a request may take this share before older turns are left out of it. */
const mostReserveShare = 1 / 3

/** The most tokens of a request while no summary can be had. */
export function mostTokens({ contextWindow, compactAt }: Pick<Budget, 'contextWindow' | 'compactAt'>): number {
  return Math.floor(compactAt + (contextWindow - compactAt) * mostReserveShare)
}

/** A summary stands in every request from then on. */
const maxSummaryShare = 0.1
const minSummaryTokens = 200

/** The longest summary, in tokens. */
export function summaryTokens(compactAt: number): number {
  return Math.max(minSummaryTokens, Math.floor(compactAt * maxSummaryShare))
}

/** The newest part that stays word for word: so many tokens, and never more than this share of the window. */
const maxKeptTokens = 20_000
const maxKeptShare = 0.4
/** What it leaves for what is said next: this share of the window, or of what a conversation has where that is less. */
const nextShare = 0.2
const nextRoomShare = 0.5

/**
 * How much of a conversation a compaction leaves word for word, in tokens.
 * @param fixed what stands in every request: prompt, tools, files
 */
export function keptTokens(
  { contextWindow, compactAt }: Pick<Budget, 'contextWindow' | 'compactAt'>,
  fixed: number,
): number {
  const room = Math.max(0, compactAt - fixed - summaryTokens(compactAt))
  const next = Math.min(contextWindow * nextShare, room * nextRoomShare)
  return Math.min(maxKeptTokens, Math.floor(contextWindow * maxKeptShare), Math.floor(room - next))
}
