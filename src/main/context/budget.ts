/** How much of a model's window may be used, and from where on something is done about it. All in tokens. Pure. */

export interface Budget {
  readonly contextWindow: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
  /** Above this, durable notes are saved before anything is summarised (M29). */
  readonly flushAt: number
  /** Above this, older turns are summarised (M31). */
  readonly compactAt: number
}

/** The reserve never takes more than this share of a window, so that small local models work. */
const maxReserveShare = 0.25

export function budgetOf(
  model: { readonly contextWindow: number; readonly maxOutput: number },
  settings: { readonly reserveTokensFloor: number; readonly softThresholdTokens: number },
): Budget {
  const wanted = Math.max(settings.reserveTokensFloor, model.maxOutput)
  const reserveTokens = Math.min(wanted, Math.floor(model.contextWindow * maxReserveShare))
  const compactAt = model.contextWindow - reserveTokens
  const flushAt = Math.max(0, compactAt - settings.softThresholdTokens)
  return { contextWindow: model.contextWindow, reserveTokens, flushAt, compactAt }
}

/** The newest part that stays word for word is never more than this share of the window. */
const maxKeptShare = 0.4

/** How much of a conversation a compaction leaves word for word, in tokens. */
export function keptTokens(budget: Pick<Budget, 'contextWindow'>, keepRecentTokens: number): number {
  return Math.min(keepRecentTokens, Math.floor(budget.contextWindow * maxKeptShare))
}
