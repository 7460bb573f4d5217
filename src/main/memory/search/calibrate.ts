/** From what a leg measures to a score in [0, 1] that means something on its own (M17). Pure. */

/** A keyword share at which a question is more likely answered by the memory than not, and the score it maps to. */
const shareAtThreshold = 0.25
const scoreAtThreshold = 0.35
const exponent = Math.log(scoreAtThreshold) / Math.log(shareAtThreshold)

/** Monotone, fixed, with `textScore(0) = 0`, `textScore(0.25) = 0.35` and `textScore(1) = 1`. */
export function textScore(share: number): number {
  return Math.min(1, Math.max(0, share)) ** exponent
}

/**
 * Cosine similarity floored at 0 and rescaled so that `background`, the similarity of unrelated pairs in this index,
 * scores 0; 1 stays 1.
 */
export function vectorScore(cosine: number, background: number): number {
  const floor = Math.min(0.95, Math.max(0, background))
  return Math.min(1, Math.max(0, (cosine - floor) / (1 - floor)))
}
