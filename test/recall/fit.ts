/** Fits the ranking weights: softmax regression for the order, logistic regression for the probability. */
import { featureGroups, type FeatureName } from '../../src/main/search/ranking/features.ts'
import { marginsOf, rank, rankingSum, type RankingWeights } from '../../src/main/search/ranking/rank.ts'
import type { RankedQuestion } from './unit-set.ts'

/** Features that order the candidates. */
export const rankingFeatures: readonly FeatureName[] = Object.entries(featureGroups).flatMap(([group, names]) =>
  group === 'query' ? [] : [...names],
)
/** Features of the probability, besides the sum of the ranking features and the distance. */
const calibrationFeatures: readonly FeatureName[] = [
  ...featureGroups.query,
  'coverage',
  'cosine',
  'similarity',
  'ownWords',
  'noWords',
]

export interface FitQuestion extends RankedQuestion {
  /** Weight of the question in the fit. */
  readonly weight: number
}

interface Rows {
  readonly values: Float64Array
  readonly isAnswer: readonly boolean[]
  readonly weight: number
}

/** Minimizes by Adam (Kingma and Ba, 2015). @param gradient adds the gradient at the weights, and returns the total weight */
function minimize(start: Float64Array, steps: number, gradient: (at: Float64Array, sum: Float64Array) => number) {
  const weights = start.slice()
  const mean = new Float64Array(start.length)
  const square = new Float64Array(start.length)
  const sum = new Float64Array(start.length)
  for (let step = 1; step <= steps; step += 1) {
    sum.fill(0)
    const total = gradient(weights, sum)
    for (let at = 0; at < weights.length; at += 1) {
      const slope = (sum[at] as number) / total
      mean[at] = 0.9 * (mean[at] as number) + 0.1 * slope
      square[at] = 0.999 * (square[at] as number) + 0.001 * slope * slope
      const move = (mean[at] as number) / (1 - 0.9 ** step)
      weights[at] =
        (weights[at] as number) - (0.05 * move) / (Math.sqrt((square[at] as number) / (1 - 0.999 ** step)) + 1e-8)
    }
  }
  return weights
}

const decay = 1e-3

/** Returns weights under which judged units come first. */
function fitRanking(questions: readonly FitQuestion[]): Float64Array {
  const size = rankingFeatures.length
  const rows = questions.filter(({ isAnswer }) => isAnswer.includes(true) && isAnswer.length > 1).map(toRows)
  const start = new Float64Array(size)
  start[0] = 1
  return minimize(start, 250, (weights, sum) => {
    let total = 0
    for (const { values, isAnswer, weight } of rows) {
      total += weight
      const sums = isAnswer.map((_, row) => product(weights, values, row * size))
      const max = Math.max(...sums)
      const shares = sums.map((value) => Math.exp(value - max))
      const all = shares.reduce((one, other) => one + other, 0)
      const right = shares.reduce((one, other, row) => one + (isAnswer[row] === true ? other : 0), 0)
      for (const [row, share] of shares.entries()) {
        const slope = weight * (share / all - (isAnswer[row] === true ? share / right : 0))
        if (Math.abs(slope) < 1e-7) continue
        for (let at = 0; at < size; at += 1) sum[at] = (sum[at] as number) + slope * (values[row * size + at] as number)
      }
    }
    for (let at = 0; at < size; at += 1) sum[at] = (sum[at] as number) + decay * total * (weights[at] as number)
    return total
  })
}

function toRows({ candidates, isAnswer, weight }: FitQuestion): Rows {
  const values = new Float64Array(candidates.length * rankingFeatures.length)
  for (const [row, { features }] of candidates.entries())
    for (const [at, name] of rankingFeatures.entries()) values[row * rankingFeatures.length + at] = features[name]
  return { values, isAnswer, weight }
}

function product(weights: Float64Array, values: Float64Array, from: number): number {
  let sum = 0
  for (let at = 0; at < weights.length; at += 1) sum += (weights[at] as number) * (values[from + at] as number)
  return sum
}

/** Number of best candidates of a question that the probability is fitted on. */
const depth = 8

/**
 * Fits all weights.
 * @param answered questions with judged units
 * @param unanswered questions that the memory does not answer
 */
export function fitWeights(answered: readonly FitQuestion[], unanswered: readonly FitQuestion[]): RankingWeights {
  const fitted = fitRanking(answered)
  const ranking = Object.fromEntries(rankingFeatures.map((name, at) => [name, fitted[at] ?? 0]))
  const rows = [...answered, ...unanswered].flatMap((question) => probabilityRows(question, ranking))
  const size = 7 + calibrationFeatures.length
  const weights = minimize(new Float64Array(size), 400, (at, sum) => {
    let total = 0
    for (const { values, isAnswer, weight } of rows) {
      total += weight
      const error = weight * (1 / (1 + Math.exp(-product(at, values, 0))) - (isAnswer[0] === true ? 1 : 0))
      for (let index = 0; index < size; index += 1)
        sum[index] = (sum[index] as number) + error * (values[index] as number)
    }
    for (let index = 1; index < size; index += 1)
      sum[index] = (sum[index] as number) + 1e-4 * total * (at[index] as number)
    return total
  })
  const [constant = 0, scale = 0, distance = 0, lead = 0, ...rest] = weights
  const [dialogueScale = 0, dialogueDistance = 0, dialogueLead = 0, ...calibration] = rest
  const fittedWeights = {
    constant,
    ranking,
    calibration: Object.fromEntries(calibrationFeatures.map((name, at) => [name, calibration[at] ?? 0])),
    notes: { scale, distance, lead },
    dialogue: { scale: scale + dialogueScale, distance: distance + dialogueDistance, lead: lead + dialogueLead },
    recall: noThresholds,
  }
  return { ...fittedWeights, recall: fitRecall(fittedWeights, answered, unanswered) }
}

const noThresholds = { notes: 0, dialogue: 0, others: 0 }
/** Maximum share of the messages that the memory does not answer, and to which notes are given. */
const maxFalseRecalls = 0.02
/** Maximum mean number of the notes for a question. */
const maxMeanRecalled = 2.4
const maxRecalled = 5

/** Returns the lowest thresholds, in steps of 0.01, within these limits. */
function fitRecall(
  weights: RankingWeights,
  answered: readonly FitQuestion[],
  unanswered: readonly FitQuestion[],
): RankingWeights['recall'] {
  const steps = Array.from({ length: 100 }, (_, step) => step / 100)
  const best = unanswered.flatMap(({ candidates }) => rank(candidates, weights)[0] ?? [])
  const thresholdOf = (isDialogue: number) => {
    const scores = best.filter(({ features }) => features.isDialogue === isDialogue).map(({ score }) => score)
    const isRare = (step: number) => scores.filter((score) => score >= step).length <= maxFalseRecalls * scores.length
    return steps.find(isRare) ?? 1
  }
  const scores = answered.map(({ candidates }) => rank(candidates, weights).map(({ score }) => score))
  const others = steps.find((step) => {
    const counts = scores.map((all) => Math.min(maxRecalled, all.filter((score) => score >= step).length))
    return counts.reduce((sum, count) => sum + count, 0) <= maxMeanRecalled * counts.length
  })
  return { notes: thresholdOf(0), dialogue: thresholdOf(1), others: others ?? 1 }
}

function probabilityRows({ candidates, isAnswer, weight }: FitQuestion, ranking: RankingWeights['ranking']): Rows[] {
  const none = { scale: 0, distance: 0, lead: 0 }
  const only = { constant: 0, ranking, calibration: {}, notes: none, dialogue: none, recall: noThresholds }
  const sums = candidates.map(({ features }) => rankingSum(features, only))
  const margins = marginsOf(sums)
  const order = sums.map((sum, at) => ({ sum, at })).toSorted((one, other) => other.sum - one.sum)
  return order.slice(0, depth).map(({ sum, at }) => {
    const features = candidates[at]?.features
    const { distance = 0, lead = 0 } = margins[at] ?? {}
    const isDialogue = features?.isDialogue ?? 0
    const values = Float64Array.from([
      1,
      sum,
      distance,
      lead,
      isDialogue * sum,
      isDialogue * distance,
      isDialogue * lead,
      ...calibrationFeatures.map((name) => features?.[name] ?? 0),
    ])
    return { values, isAnswer: [isAnswer[at] === true], weight }
  })
}
