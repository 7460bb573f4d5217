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
  /** Weights that are added after scaling. Includes all query features: they do not change the order. */
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
  const margins = marginsOf(candidates.map(({ features }) => rankingSum(features, weights)))
  const ranked = candidates.map((candidate, at) => score(candidate, margins[at] ?? noMargin, weights))
  return ranked.sort((one, other) => other.logit - one.logit || one.id - other.id)
}

export interface Margin {
  /** Difference to the best candidate, at most 0. */
  readonly distance: number
  /** Difference of the best candidate to the second; 0 for all others. */
  readonly lead: number
}

const noMargin: Margin = { distance: 0, lead: 0 }

/** Returns the margin of each candidate. @param sums from `rankingSum` */
export function marginsOf(sums: readonly number[]): Margin[] {
  const [best = 0, second = best - leadOfOne] = sums.toSorted((one, other) => other - one)
  return sums.map((sum) => ({
    distance: Math.max(-maxDistance, sum - best),
    // Equal best candidates have no lead.
    lead: sum === best ? Math.min(maxDistance, best - second) : 0,
  }))
}

/** Returns the sum that orders the candidates of a query. */
export function rankingSum(features: Features, { ranking }: RankingWeights): number {
  let sum = 0
  for (const name in ranking) sum += (ranking[name as FeatureName] ?? 0) * features[name as FeatureName]
  return sum
}

function score(candidate: CandidateUnit, { distance, lead }: Margin, weights: RankingWeights): RankedUnit {
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
