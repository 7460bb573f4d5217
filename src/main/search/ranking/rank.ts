/**
 * The ranking model: a linear model over named features, fitted by `test/recall/fit-weights.ts`. A unit's logit is a
 * constant, plus the weighted features, plus a term for the distance from the best candidate. Its logistic is the
 * probability that the unit answers the query. Order, score, threshold and breakdown all come from this logit.
 */
import type { ScorePart, ScorePartName } from '#shared/contract/index.ts'
import { featureGroups, noFeatures } from './features.ts'
import type { CandidateUnit, FeatureGroup, FeatureName, Features } from './features.ts'
import { logistic } from '../text/logistic.ts'
import withoutVectors from './weights-words.json' with { type: 'json' }
import withVectors from './weights.json' with { type: 'json' }

export interface KindWeights {
  /** Factor on the sum of the ranking features. */
  readonly scale: number
  /** Weight of the distance to the best candidate; distances are at most 0. */
  readonly distance: number
  /** Weight of the best candidate's lead over the second. */
  readonly lead: number
}

/** Minimum scores of the notes that are given to a model with a message: of the best one, by its kind, and of others. */
export interface RecallThresholds {
  readonly notes: number
  readonly dialogue: number
  readonly others: number
}

export interface RankingWeights {
  readonly constant: number
  /** Weights of the features that order the candidates. */
  readonly ranking: Readonly<Partial<Record<FeatureName, number>>>
  readonly calibration: Readonly<Partial<Record<FeatureName, number>>>
  readonly notes: KindWeights
  readonly dialogue: KindWeights
  readonly recall: RecallThresholds
}

/** The shipped weights, for memories with and without vectors, fitted by `test/recall/fit-weights.ts`. */
export const rankingModels: RankingModels = { withVectors, withoutVectors }

export interface RankingModels {
  readonly withVectors: RankingWeights
  readonly withoutVectors: RankingWeights
}

export interface Adjustment {
  readonly name: 'date' | 'recency' | 'superseded' | 'successor' | 'section'
  readonly contribution: number
}

export interface RankedUnit extends CandidateUnit {
  readonly logit: number
  /** Logistic of the logit; with classic weights, the sum itself. */
  readonly score: number
  /** Parts of the logit, which add up to it, without the adjustments. */
  readonly contributions: Readonly<Partial<Record<ScorePartName, number>>>
  readonly adjustments: readonly Adjustment[]
  readonly margin: Margin
}

/** Bounds of distance and lead: beyond them, the difference says nothing more. */
const maxDistance = 4
/** Lead of a single candidate. Small, because it says nothing about the query. */
const leadOfOne = 1

export function rank(candidates: readonly CandidateUnit[], weights: RankingWeights): RankedUnit[] {
  const margins = marginsOf(candidates.map(({ features }) => rankingSum(features, weights)))
  const ranked = candidates.map((candidate, at) => score(candidate, margins[at] ?? noMargin, weights))
  return ranked.sort(byLogit)
}

export function byLogit(one: RankedUnit, other: RankedUnit): number {
  return other.logit - one.logit || one.id - other.id
}

export interface Margin {
  /** Difference to the best candidate, at most 0. */
  readonly distance: number
  /** Difference of the best candidate to the second; 0 for all others. */
  readonly lead: number
}

export const noMargin: Margin = { distance: 0, lead: 0 }

export function marginsOf(sums: readonly number[]): Margin[] {
  const [best = 0, second = best - leadOfOne] = sums.toSorted((one, other) => other - one)
  return sums.map((sum) => ({
    distance: Math.max(-maxDistance, sum - best),
    // Equal best candidates have no lead.
    lead: sum === best ? Math.min(maxDistance, best - second) : 0,
  }))
}

export function rankingSum(features: Features, { ranking }: RankingWeights): number {
  let sum = 0
  for (const name in ranking) sum += (ranking[name as FeatureName] ?? 0) * features[name as FeatureName]
  return sum
}

function weightOf(name: FeatureName, { scale }: KindWeights, { ranking, calibration }: RankingWeights): number {
  return scale * (ranking[name] ?? 0) + (calibration[name] ?? 0)
}

function kindOf({ isDialogue }: Features, { dialogue, notes }: RankingWeights): KindWeights {
  return isDialogue === 1 ? dialogue : notes
}

function score(candidate: CandidateUnit, margin: Margin, weights: RankingWeights): RankedUnit {
  const { features } = candidate
  const kind = kindOf(features, weights)
  const sumOf = (group: FeatureGroup) =>
    featureGroups[group].reduce((sum, name) => sum + weightOf(name, kind, weights) * features[name], 0)
  const contributions = {
    ownWords: sumOf('ownWords'),
    nearbyWords: sumOf('nearbyWords'),
    section: sumOf('section'),
    meaning: sumOf('meaning'),
    form: sumOf('form'),
    distance: kind.distance * margin.distance + kind.lead * margin.lead,
    constant: weights.constant + sumOf('query'),
  }
  const logit = Object.values(contributions).reduce((sum, value) => sum + value, 0)
  return { ...candidate, logit, score: logistic(logit), contributions, adjustments: [], margin }
}

export function adjust(unit: RankedUnit, adjustment: Adjustment): RankedUnit {
  const logit = unit.logit + adjustment.contribution
  return { ...unit, logit, score: logistic(logit), adjustments: [...unit.adjustments, adjustment] }
}

/** Gives units the logits of `logits`, by their ids, and sorts all again. */
export function withLogits(
  ranked: readonly RankedUnit[],
  logits: ReadonlyMap<number, number>,
  name: Adjustment['name'],
): RankedUnit[] {
  const changed = ranked.map((unit) => {
    const logit = logits.get(unit.id)
    return logit === undefined ? unit : adjust(unit, { name, contribution: logit - unit.logit })
  })
  return changed.sort(byLogit)
}

/** Returns the rows of the score breakdown. They add up to the unit's logit. @param weights null with classic weights */
export function partsOf(unit: RankedUnit, weights: RankingWeights | null): ScorePart[] {
  const added = unit.adjustments.reduce((sum, { contribution }) => sum + contribution, 0)
  return (Object.keys(unit.contributions) as ScorePartName[]).map((name) => ({
    name,
    contribution: (unit.contributions[name] ?? 0) + (name === 'form' ? added : 0),
    features: [
      ...(weights ? featuresOf(name, unit, weights) : []),
      ...(name === 'form' ? unit.adjustments.map((adjustment) => ({ ...adjustment, value: 1 })) : []),
    ],
  }))
}

function featuresOf(part: ScorePartName, { features, margin, contributions }: RankedUnit, weights: RankingWeights) {
  const kind = kindOf(features, weights)
  const group = part === 'constant' ? 'query' : part in featureGroups ? (part as FeatureGroup) : undefined
  const rows = (group ? featureGroups[group] : []).map((name) => ({
    name: name as string,
    value: features[name],
    contribution: weightOf(name, kind, weights) * features[name],
  }))
  if (part === 'distance')
    for (const name of ['distance', 'lead'] as const)
      rows.push({ name, value: margin[name], contribution: kind[name] * margin[name] })
  if (part === 'constant') {
    // Listed units have another constant than the model.
    const others = rows.reduce((sum, { contribution }) => sum + contribution, 0)
    rows.push({ name: 'constant', value: 1, contribution: (contributions.constant ?? 0) - others })
  }
  return rows.filter(({ contribution }) => contribution !== 0)
}

/** Logit of a unit that matches the conditions: its score is near 1. */
const listedLogit = 10

/** Returns a unit with a fixed score: words and meaning do not rank it. */
export function unscoredUnit(id: number, isMatch: boolean, isClassic: boolean): RankedUnit {
  const logit = isClassic ? Number(isMatch) : isMatch ? listedLogit : -listedLogit
  return {
    id,
    bm25: 0,
    wordScores: [],
    features: { ...noFeatures, noWords: Number(!isMatch) },
    logit,
    score: isClassic ? logit : logistic(logit),
    contributions: { constant: logit },
    adjustments: [],
    margin: noMargin,
  }
}
