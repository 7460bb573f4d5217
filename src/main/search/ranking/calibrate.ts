/**
 * From what a leg measures to a score in [0, 1] that means something on its own (M17). Both steps are monotone, so that
 * what a leg ranks higher scores higher. Pure.
 */
import type { ThresholdMargin } from '../embeddings/embedding-provider.ts'
import type { ScriptCalibration } from './calibrated.ts'
import type { KeywordScore } from '../keyword/bm25.ts'

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
  /** Each matched term's part of the share, largest first; they sum to it. `instead`, `alike`: see `KnownTerm`. */
  readonly terms: readonly {
    readonly term: string
    readonly instead?: string
    readonly alike?: string
    readonly share: number
  }[]
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

/** How a cosine becomes a score, for one question (M17). */
export interface VectorScale {
  /** Cosine of a question and any passage; scores 0. */
  readonly background: number
  /** Cosine at which a passage is worth showing; scores 0.35. */
  readonly threshold: number
  /** How steeply the score rises about there. */
  readonly power: number
  /** What the model is worth in this memory, in [0, 1]. */
  readonly worth: number
}

/** What the passage scores that is nearest to a question which memory does not answer, on average. */
const unansweredScore = 0.06
/** The threshold's distance from there, tuned with four models. */
const usualMargin: ThresholdMargin = { surest: 1.6, leastSure: 4 }

export function vectorScaleOf({ worth, background, unanswered, spread, margin }: ScriptCalibration): VectorScale {
  const { surest, leastSure } = margin ?? usualMargin
  const sureness = Math.min(1, worth / fullWorth)
  const middle = Math.max(unanswered, background + 1e-4)
  const threshold = middle + Math.max(1e-4, spread) * (leastSure - (leastSure - surest) * sureness)
  const share = (middle - background) / (threshold - background)
  const ratio = (unansweredScore / (1 - unansweredScore)) * (1 / scoreAtThreshold - 1)
  return { background, threshold, power: Math.min(12, Math.max(1, Math.log(ratio) / Math.log(share))), worth }
}

/** In [0, 1): 0 up to the background, 0.35 at the threshold. */
export function vectorScore(cosine: number, { background, threshold, power }: VectorScale): number {
  const risen = (Math.max(0, cosine - background) / (threshold - background)) ** power
  return risen / (risen + 1 / scoreAtThreshold - 1)
}

/** At this worth a model is as good as they come; below the other it tells nothing in this script, and takes no part. */
const fullWorth = 0.4
export const leastWorth = 0.05

/** Where no cosine would tell an answer from what is near without being one, small differences are noise. */
export function isOfUse(calibration: ScriptCalibration): boolean {
  return calibration.worth >= leastWorth && vectorScaleOf(calibration).threshold < 1
}

/**
 * The legs' weights: as they are set, or by what the model is worth (M16): a weak one orders what words find alike, a strong
 * one speaks too.
 */
export function weightsFor(set: 'auto' | Weights, scale: Pick<VectorScale, 'worth'> | null): Weights {
  if (set !== 'auto') return set
  if (!scale) return { vector: 0, text: 1 }
  const vector = Math.round(Math.min(mostWeight, Math.max(leastWeight, weightPerWorth * scale.worth)) * 100) / 100
  return { vector, text: Math.round((1 - vector) * 100) / 100 }
}

export interface Weights {
  readonly vector: number
  readonly text: number
}

/** Tuned with four models on judged conversations (docs/guide/recall.md). */
const weightPerWorth = 0.85
const leastWeight = 0.05
const mostWeight = 0.4
