/**
 * Joins the two legs into one ranking (M16, M18, M21) and says for every candidate what became of it (M22). Ranking and
 * explanation are the same value: there is nothing to explain that was not computed here. Pure.
 */
import type { Verdict } from '../../../shared/contract/index.ts'
import type { Source } from '../store.ts'
import { textScore, vectorScore, type KeywordMeasure } from './calibrate.ts'
import { diversify } from './mmr.ts'

export interface LegInput {
  readonly id: number
  readonly path: string
  readonly source: Source
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** The day a file is named after, if it is. */
  readonly date: string | undefined
  /** Cosine similarity; null when the leg is off or the chunk has no vector. */
  readonly cosine: number | null
  /** Null when the leg is off. */
  readonly keyword: KeywordMeasure | null
}

export interface FuseOptions {
  readonly weights: { readonly vector: number; readonly text: number }
  readonly minScore: number
  readonly maxResults: number
  readonly recencyHalfLifeDays: number | null
  readonly mmrLambda: number | null
  /** Cosine of unrelated pairs in this index. */
  readonly background: number
  /** The day that recency counts from, `YYYY-MM-DD`. */
  readonly today: string
  /** Asked only when `mmrLambda` is set, once for each. */
  readonly wordsOf: (input: LegInput) => ReadonlySet<string>
}

export interface VectorLeg {
  readonly raw: number
  readonly score: number
  readonly rank: number
  readonly contribution: number
}

export interface TextLeg extends VectorLeg {
  /** Between raw and score. */
  readonly share: number
  readonly terms: KeywordMeasure['terms']
}

export interface RankedCandidate {
  readonly input: LegInput
  readonly vector: VectorLeg | null
  readonly text: TextLeg | null
  readonly modifiers: readonly { readonly name: 'recency' | 'mmr'; readonly factor: number }[]
  readonly score: number
  readonly verdict: Verdict
}

type Scored = Omit<RankedCandidate, 'verdict'>

/** All candidates in the order of their scores; ties by path and line, so that the order never wavers. */
export function fuse(inputs: readonly LegInput[], options: FuseOptions): RankedCandidate[] {
  const vectorRanks = ranks(inputs, (input) => input.cosine)
  const textRanks = ranks(inputs, (input) => input.keyword?.raw ?? null)
  const scored = inputs.map((input) => score(input, options, vectorRanks, textRanks))
  scored.sort(byScore)
  return judge(options.mmrLambda === null ? scored : spread(scored, options, options.mmrLambda), options)
}

function score(
  input: LegInput,
  options: FuseOptions,
  vectorRanks: ReadonlyMap<number, number>,
  textRanks: ReadonlyMap<number, number>,
): Scored {
  const weights = effectiveWeights(input, options.weights)
  const vector =
    input.cosine === null
      ? null
      : leg(input.cosine, vectorScore(input.cosine, options.background), weights.vector, vectorRanks.get(input.id))
  const text =
    input.keyword === null
      ? null
      : {
          ...leg(input.keyword.raw, textScore(input.keyword.share), weights.text, textRanks.get(input.id)),
          share: input.keyword.share,
          terms: input.keyword.terms,
        }
  const recency = recencyFactor(input, options)
  const modifiers = recency === 1 ? [] : [{ name: 'recency' as const, factor: recency }]
  const sum = (vector?.contribution ?? 0) + (text?.contribution ?? 0)
  return { input, vector, text, modifiers, score: sum * recency }
}

/** Weights that sum to 1; a leg that is off leaves its weight to the other, so that the threshold keeps its meaning. */
function effectiveWeights(input: LegInput, weights: FuseOptions['weights']): FuseOptions['weights'] {
  if (input.cosine === null) return { vector: 0, text: 1 }
  if (input.keyword === null) return { vector: 1, text: 0 }
  const sum = weights.vector + weights.text
  return sum > 0 ? { vector: weights.vector / sum, text: weights.text / sum } : { vector: 0.5, text: 0.5 }
}

function leg(raw: number, legScore: number, weight: number, rank: number | undefined): VectorLeg {
  return { raw, score: legScore, rank: rank ?? 0, contribution: weight * legScore }
}

function recencyFactor({ date }: LegInput, { recencyHalfLifeDays, today }: FuseOptions): number {
  if (recencyHalfLifeDays === null || date === undefined) return 1
  const days = Math.max(0, (Date.parse(today) - Date.parse(date)) / 86_400_000)
  return 0.5 ** (days / recencyHalfLifeDays)
}

function byScore(one: Scored, other: Scored): number {
  return (
    other.score - one.score ||
    compare(one.input.path, other.input.path) ||
    one.input.startLine - other.input.startLine ||
    one.input.id - other.input.id
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function ranks(inputs: readonly LegInput[], value: (input: LegInput) => number | null): Map<number, number> {
  const sorted = inputs
    .flatMap((input) => {
      const measured = value(input)
      return measured === null ? [] : [{ id: input.id, measured }]
    })
    .sort((one, other) => other.measured - one.measured || one.id - other.id)
  return new Map(sorted.map(({ id }, index) => [id, index + 1]))
}

/** The balance of score and distance becomes a factor on the score. */
function spread(scored: readonly Scored[], { maxResults, wordsOf }: FuseOptions, lambda: number): Scored[] {
  return diversify(scored, { lambda, maxResults, wordsOf: ({ input }) => wordsOf(input) })
    .map(({ candidate, factor }) => {
      if (factor === 1) return candidate
      const modifiers = [...candidate.modifiers, { name: 'mmr' as const, factor }]
      return { ...candidate, modifiers, score: candidate.score * factor }
    })
    .sort(byScore)
}

function judge(scored: readonly Scored[], { minScore, maxResults }: FuseOptions): RankedCandidate[] {
  const standing: { candidate: Scored; rank: number }[] = []
  return scored.map((candidate) => {
    if (candidate.score <= 0 || candidate.score < minScore) return { ...candidate, verdict: { kind: 'belowMinScore' } }
    const host = standing.find((other) => covers(other.candidate.input, candidate.input))
    if (host) return { ...candidate, verdict: { kind: 'folded', into: host.rank } }
    const rank = standing.length + 1
    standing.push({ candidate, rank })
    return { ...candidate, verdict: rank <= maxResults ? { kind: 'returned', rank } : { kind: 'beyondMaxResults' } }
  })
}

/** Share of a chunk's lines that a better hit must show already for the chunk to be folded into it. */
const foldShare = 0.5

function covers(better: LegInput, other: LegInput): boolean {
  if (better.source !== other.source || better.path !== other.path) return false
  const shared = Math.min(better.endLine, other.endLine) - Math.max(better.startLine, other.startLine) + 1
  return shared >= foldShare * (other.endLine - other.startLine + 1)
}
