/**
 * From what a leg measures to a score in [0, 1] that means something on its own (M17). Both steps are monotone, so that
 * what a leg ranks higher scores higher. Pure.
 */
import type { KeywordScore } from './bm25.ts'

/** A share at which a passage is worth showing, and the score that says so; tuned on judged questions. */
const shareAtThreshold = 0.478
const scoreAtThreshold = 0.35
/** How steeply the score rises about there. */
const steepness = 1.5
const halfway = shareAtThreshold ** steepness * (1 / scoreAtThreshold - 1)

/** What a query's best passage has, which all of its passages are measured by. */
export interface KeywordScale {
  /** Coverage of the passage that has most of what was asked for. */
  readonly evidence: number
  /** `raw` of the passage that ranks first. */
  readonly best: number
}

export function scaleOf(scores: readonly KeywordScore[]): KeywordScale {
  let evidence = 0
  let best = 0
  for (const { raw, coverage } of scores) {
    evidence = Math.max(evidence, coverage)
    best = Math.max(best, raw)
  }
  return { evidence, best }
}

/** What one passage measures, for ranking and for the account of it. */
export interface KeywordMeasure {
  readonly raw: number
  /**
   * How much of what was asked for it stands for: all that memory has of it where it ranks first, and less by as much as
   * it stays behind. Not bounded by 1: a passage may have more than can be expected.
   */
  readonly share: number
  /** Each matched term's part of the share, largest first; they sum to it. `instead`: what memory has in its place. */
  readonly terms: readonly { readonly term: string; readonly instead?: string; readonly share: number }[]
  readonly bestLine: number
}

export function measureOf({ raw, parts, bestLine }: KeywordScore, scale: KeywordScale): KeywordMeasure {
  // A passage beyond the best was not found by the search, only asked about; its parts are cut as it is.
  const cut = raw > scale.best ? scale.best / raw : 1
  const factor = scale.best > 0 ? (cut * scale.evidence) / scale.best : 0
  const terms = parts
    .map(({ part, ...term }) => ({ ...term, share: part * factor }))
    .sort((one, other) => other.share - one.share)
  return { raw, share: raw * factor, terms, bestLine }
}

/** In [0, 1), with `textScore(0) = 0`; `shareAtThreshold` is where a passage is worth showing. */
export function textScore(share: number): number {
  const risen = Math.max(0, share) ** steepness
  return risen / (risen + halfway)
}

/**
 * Cosine similarity floored at 0 and rescaled so that `background`, the similarity of unrelated pairs in this index,
 * scores 0; 1 stays 1.
 */
export function vectorScore(cosine: number, background: number): number {
  const floor = Math.min(0.95, Math.max(0, background))
  return Math.min(1, Math.max(0, (cosine - floor) / (1 - floor)))
}
