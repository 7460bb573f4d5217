/** Limits of a request, by the context window of the model: one row for each range of windows. */
export interface WindowProfile {
  /** Windows of at least this many tokens. */
  readonly fromTokens: number
  /** True if requests name the project files that do not exist. */
  readonly namesMissing: boolean
  /** Short prompt, and only the tools `memory_search` and `remember`. */
  readonly isSmall: boolean
  /** Maximum share of the window that is reserved for the answer. */
  readonly reserveShare: number
  /** Most tokens between the flush and the compaction threshold. With 0, notes are saved just before each compaction. */
  readonly maxFlushMargin: number
  /** Share of the compaction threshold that prompt, tools and files may use together. */
  readonly fixedShare: number
  /** Share of the window that a compaction keeps verbatim at most. */
  readonly keptShare: number
  /** Tokens of the notes that are recalled for a message. */
  readonly recallTokens: number
}

const large: WindowProfile = {
  fromTokens: 32_000,
  namesMissing: true,
  isSmall: false,
  reserveShare: 0.25,
  maxFlushMargin: Infinity,
  fixedShare: 0.5,
  keptShare: 0.4,
  recallTokens: 400,
}
const medium: WindowProfile = { ...large, fromTokens: 8000, namesMissing: false, maxFlushMargin: 1000, keptShare: 0.3 }
const small: WindowProfile = {
  fromTokens: 4000,
  namesMissing: false,
  isSmall: true,
  reserveShare: 0.15,
  maxFlushMargin: 0,
  fixedShare: 0.35,
  keptShare: 0.12,
  recallTokens: 250,
}
const smallest: WindowProfile = { ...small, fromTokens: 0, fixedShare: 0.4, recallTokens: 120 }

/** @param contextWindow tokens */
export function windowProfile(contextWindow: number): WindowProfile {
  return [large, medium, small].find(({ fromTokens }) => contextWindow >= fromTokens) ?? smallest
}
