/**
 * The ranking model: a linear model over named features, fitted by `test/recall/fit-weights.ts`. A unit's logit is a
 * constant, plus the weighted features, plus a term for the distance from the best candidate. Its logistic is the
 * probability that the unit answers the query. Order, score, threshold and breakdown all come from this logit.
 */
import type { CandidateUnit, FeatureGroup, FeatureName, Features } from './features.ts'
import { featureGroups } from './features.ts'

/** Weights of one kind of unit: lines of a dialogue, or notes. */
export interface KindWeights {
  /** Factor on the sum of the ranking features. */
  readonly scale: number
  /** Weight of the distance to the best candidate; distances are at most 0. */
  readonly distance: number
  /** Weight of the best candidate's lead over the second. */
  readonly lead: number
}

export interface RankingWeights {
  readonly constant: number
  /** Weights of the features that order the candidates. */
  readonly ranking: Readonly<Partial<Record<FeatureName, number>>>
  /** Weights that are added after scaling; those of query features, which are the same for all candidates. */
  readonly calibration: Readonly<Partial<Record<FeatureName, number>>>
  readonly notes: KindWeights
  readonly dialogue: KindWeights
}

export type Contributions = Readonly<Record<Exclude<FeatureGroup, 'query'> | 'distance' | 'constant', number>>

export interface RankedUnit extends CandidateUnit {
  readonly logit: number
  /** Logistic of the logit. */
  readonly score: number
  /** Parts of the logit, which add up to it. */
  readonly contributions: Contributions
}

/** Bounds of distance and lead: beyond them, the difference says nothing more. */
const maxDistance = 4
/** Lead of a single candidate. */
const leadOfOne = 3

/** Returns the candidates with their scores, best first. */
export function rank(candidates: readonly CandidateUnit[], weights: RankingWeights): RankedUnit[] {
  const sums = candidates.map(({ features }) => rankingSum(features, weights))
  const [best = 0, second = best - leadOfOne] = sums.toSorted((one, other) => other - one)
  let isFirst = true
  const ranked = candidates.map((candidate, at) => {
    const sum = sums[at] ?? 0
    const isBest = sum === best && isFirst
    if (isBest) isFirst = false
    const lead = isBest ? Math.min(maxDistance, best - second) : 0
    return score(candidate, Math.max(-maxDistance, sum - best), lead, weights)
  })
  return ranked.sort((one, other) => other.logit - one.logit || one.id - other.id)
}

/** Returns the sum that orders the candidates of a query. */
export function rankingSum(features: Features, { ranking }: RankingWeights): number {
  let sum = 0
  for (const name in ranking) sum += (ranking[name as FeatureName] ?? 0) * features[name as FeatureName]
  return sum
}

function score(candidate: CandidateUnit, distance: number, lead: number, weights: RankingWeights): RankedUnit {
  const { features } = candidate
  const kind = features.isDialogue === 1 ? weights.dialogue : weights.notes
  const weightOf = (name: FeatureName) => kind.scale * (weights.ranking[name] ?? 0) + (weights.calibration[name] ?? 0)
  const sumOf = (group: FeatureGroup) =>
    featureGroups[group].reduce((sum, name) => sum + weightOf(name) * features[name], 0)
  const contributions = {
    ownWords: sumOf('ownWords'),
    nearbyWords: sumOf('nearbyWords'),
    section: sumOf('section'),
    meaning: sumOf('meaning'),
    form: sumOf('form'),
    distance: kind.distance * distance + kind.lead * lead,
    constant: weights.constant + sumOf('query'),
  }
  const logit = Object.values(contributions).reduce((sum, value) => sum + value, 0)
  return { ...candidate, logit, score: 1 / (1 + Math.exp(-logit)), contributions }
}

/** Number of results whose probabilities decide whether the memory has an answer. */
const answerDepth = 8

/** Returns the probability that one of the best units answers the query. @param ranked best first */
export function answerProbability(ranked: readonly RankedUnit[]): number {
  return 1 - ranked.slice(0, answerDepth).reduce((product, { score: one }) => product * (1 - one), 1)
}
