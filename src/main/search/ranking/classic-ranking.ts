import type { CandidateUnit } from './features.ts'
import { byLogit, noMargin, type RankedUnit } from './rank.ts'

export interface ClassicWeights {
  readonly vector: number
  readonly text: number
}

/** Maps BM25, a number without upper bound, to [0, 1). */
export function textScoreOf(bm25: number): number {
  return bm25 / (1 + bm25)
}

export function vectorScoreOf(cosine: number): number {
  return Math.min(1, Math.max(0, cosine))
}

/**
 * Ranks by the weighted sum of the two scores, as OpenClaw does. Without vectors, the score of the words alone.
 * @param cosineOf returns the cosine of a unit; undefined without vectors
 */
export function rankClassic(
  candidates: readonly CandidateUnit[],
  weights: ClassicWeights,
  cosineOf: ((id: number) => number | undefined) | undefined,
): RankedUnit[] {
  const ranked = candidates.map((candidate): RankedUnit => {
    const text = (cosineOf ? weights.text : 1) * textScoreOf(candidate.bm25)
    const vector = cosineOf ? weights.vector * vectorScoreOf(cosineOf(candidate.id) ?? 0) : 0
    const contributions = cosineOf ? { text, vector } : { text }
    const score = text + vector
    return { ...candidate, logit: score, score, contributions, adjustments: [], margin: noMargin }
  })
  return ranked.sort(byLogit)
}
