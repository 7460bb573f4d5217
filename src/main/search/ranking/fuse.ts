/**
 * Joins the two legs into one ranking (M16, M18, M21) and says for every candidate what became of it (M22). Ranking and
 * explanation are the same value: there is nothing to explain that was not computed here. Pure.
 */
import type { Candidate, SearchSettings, Verdict } from '#shared/contract/index.ts'
import type { Source } from '../indexing/indexed-file.ts'
import { textScore, vectorScore, type KeywordMeasure, type VectorScale, type Weights } from './calibrate.ts'
import { pairEchoes } from './echo.ts'
import { replaceSuperseded, type Supersession } from './supersession.ts'
import type { PassageMatch } from '../vector/vector-retriever.ts'

export interface LegInput {
  readonly id: number
  readonly path: string
  readonly source: Source
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** The day a file is named after, if it is. */
  readonly date: string | undefined
  /** The passage nearest to the question; null when the leg is off or the chunk has no vector. */
  readonly passage: PassageMatch | null
  /** Null when the leg is off. */
  readonly keyword: KeywordMeasure | null
  /** The phrase of the query whose days it is of, and what part of the lift it deserves, in [0, 1]. */
  readonly lift?: { readonly text: string; readonly part: number } | undefined
  /** What of it was the question itself, and left out of its scores. */
  readonly question?: string | undefined
  /** Filters that it fails. */
  readonly refusedBy?: readonly string[]
}

/** How much the odds of a passage rise that is of the days that the question names, and has all of its topic. */
const timeOdds = 2.5

export interface FuseOptions extends Omit<SearchSettings, 'weights'> {
  readonly weights: Weights
  /** What cosines mean for this question; null when the leg is off. */
  readonly vectorScale: VectorScale | null
  /** The day that recency counts from, `YYYY-MM-DD`. */
  readonly today: string
  /** Whether a passage is old at the line by which it was found (1-based, of the file). */
  readonly successionOf?: (input: LegInput, line: number) => Supersession | undefined
  /** Whether a file says what a conversation says at its best place. */
  readonly echoes?: (conversation: LegInput, file: LegInput) => boolean
}

interface Leg {
  readonly raw: number
  readonly score: number
  readonly rank: number
  readonly contribution: number
}

export interface VectorLeg extends Leg {
  /** Lines of the passage that was nearest, 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

export interface TextLeg extends Leg {
  /** Between raw and score. */
  readonly share: number
  readonly terms: KeywordMeasure['terms']
}

export interface RankedCandidate {
  readonly input: LegInput
  readonly vector: VectorLeg | null
  readonly text: TextLeg | null
  /** What is added to the contributions so that neither leg silences the other. */
  readonly lift: number
  readonly modifiers: Candidate['modifiers']
  readonly score: number
  readonly verdict: Verdict
  /** It does not hold any more. */
  readonly succession?: Supersession | undefined
  /** 1-based, in the file: what is shown is around it, rather than around what was found best. */
  readonly shownLine?: number | undefined
}

type Scored = Omit<RankedCandidate, 'verdict'>

/**
 * All candidates in the order of their scores; ties by path and line, so that the order never wavers. `missing`: passages
 * that took the place of found ones and are not among them.
 */
export function fuse(
  inputs: readonly LegInput[],
  options: FuseOptions,
): { readonly candidates: RankedCandidate[]; readonly missing: ReadonlySet<number> } {
  const vectorRanks = ranks(inputs, (input) => input.passage?.similarity ?? null)
  const textRanks = ranks(inputs, (input) => input.keyword?.raw ?? null)
  const scored = inputs.map((input) => score(input, options, vectorRanks, textRanks))
  scored.sort(byScore)
  const echoes = echoesAmong(scored, options)
  const { scored: standing, missing } = replaceSuperseded(withEchoes(scored, echoes), options.minScore, (candidate) =>
    candidate.input.refusedBy ? undefined : options.successionOf?.(candidate.input, bestLineOf(candidate)),
  )
  const folded = new Map([...echoes].map(([id, { input }]) => [id, input.id]))
  return { candidates: judge(standing.sort(byScore), options, folded), missing }
}

/** Where a passage was found: around what meaning matched, or its best line where words tell more. */
export function bestLineOf({ input, vector, text, shownLine }: Omit<RankedCandidate, 'verdict'>): number {
  if (shownLine !== undefined) return shownLine
  const isMeant = vector !== null && vector.score > (text?.score ?? 0)
  return isMeant ? vector.startLine : input.startLine + (input.keyword?.bestLine ?? 0)
}

/** Files' passages that conversations repeat, by the conversations' ids. */
function echoesAmong(scored: readonly Scored[], { echoes, minScore }: FuseOptions): Map<number, Scored> {
  if (!echoes) return new Map()
  const open = scored.filter(({ input }) => !input.refusedBy)
  return pairEchoes(open, minScore, (conversation, file) => echoes(conversation.input, file.input))
}

/** What was found as a conversation is the file's: it takes the higher of the two scores. */
function withEchoes(scored: readonly Scored[], echoes: ReadonlyMap<number, Scored>): Scored[] {
  if (echoes.size === 0) return [...scored]
  const best = new Map<number, Scored>()
  for (const candidate of scored) {
    const file = echoes.get(candidate.input.id)
    if (!file) continue
    const other = best.get(file.input.id)
    if (candidate.score > (other?.score ?? file.score)) best.set(file.input.id, candidate)
  }
  return scored
    .map((candidate) => {
      const echo = best.get(candidate.input.id)
      if (!echo) return candidate
      const { path, startLine, endLine } = echo.input
      const modifier = {
        name: 'echo' as const,
        factor: echo.score / candidate.score,
        of: `${path}:${startLine}-${endLine}`,
      }
      return { ...candidate, modifiers: [...candidate.modifiers, modifier], score: echo.score }
    })
    .sort(byScore)
}

function score(
  input: LegInput,
  options: FuseOptions,
  vectorRanks: ReadonlyMap<number, number>,
  textRanks: ReadonlyMap<number, number>,
): Scored {
  const { vectorScale } = options
  const passage = vectorScale && input.passage
  const weights = effectiveWeights(passage !== null, input.keyword !== null, options.weights)
  const vector = passage && {
    ...leg(passage.similarity, vectorScore(passage.similarity, vectorScale), weights.vector, vectorRanks.get(input.id)),
    startLine: passage.startLine,
    endLine: passage.endLine,
  }
  const text = input.keyword && {
    ...leg(input.keyword.raw, textScore(input.keyword.share), weights.text, textRanks.get(input.id)),
    share: input.keyword.share,
    terms: input.keyword.terms,
  }
  const recency = recencyFactor(input, options)
  const sum = (vector?.contribution ?? 0) + (text?.contribution ?? 0)
  const lift = liftOf(sum, Math.max(vector?.score ?? 0, text?.score ?? 0), options.minScore)
  const plain = (sum + lift) * recency
  const timely = input.lift === undefined ? 1 : liftFactor(plain, input.lift.part)
  const modifiers: Candidate['modifiers'] = [
    ...(recency === 1 ? [] : [{ name: 'recency' as const, factor: recency }]),
    ...(timely === 1 ? [] : [{ name: 'time' as const, factor: timely, of: input.lift?.text }]),
  ]
  return { input, vector, text, lift, modifiers, score: plain * timely }
}

/** What lifted candidates keep of the distances between them. */
const liftedShare = 0.02

/**
 * What one leg alone would return stays above the threshold, whatever the other says: it comes to stand just there, above
 * it by a little of its own sum, so that a higher score of either leg never lowers the outcome; and never above what
 * that leg says itself, so that a leg without the other is taken as it is.
 */
function liftOf(sum: number, best: number, minScore: number): number {
  if (best < minScore) return 0
  return Math.max(0, Math.min(best, minScore + liftedShare * sum) - sum)
}

/** A factor that multiplies the odds: what is likely stays below 1, and what nothing speaks for gains nothing. */
function liftFactor(likelihood: number, part: number): number {
  const at = Math.min(1, Math.max(0, likelihood))
  const odds = 1 + (timeOdds - 1) * part
  return odds / (1 + at * (odds - 1))
}

/** Weights that sum to 1; a leg that is off leaves its weight to the other, so that the threshold keeps its meaning. */
function effectiveWeights(hasVector: boolean, hasText: boolean, weights: Weights): Weights {
  if (!hasVector) return { vector: 0, text: 1 }
  if (!hasText) return { vector: 1, text: 0 }
  const sum = weights.vector + weights.text
  return sum > 0 ? { vector: weights.vector / sum, text: weights.text / sum } : { vector: 0.5, text: 0.5 }
}

function leg(raw: number, legScore: number, weight: number, rank: number | undefined): Leg {
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
    Number(one.input.source === 'sessions') - Number(other.input.source === 'sessions') ||
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

/** @param echoes files' passages that conversations repeat, by id */
function judge(
  scored: readonly Scored[],
  { minScore, maxResults }: FuseOptions,
  echoes: ReadonlyMap<number, number>,
): RankedCandidate[] {
  const standing: { candidate: Scored; rank: number }[] = []
  const shownAs = new Map<number, number>()
  return scored.map((candidate) => {
    const { refusedBy, id } = candidate.input
    if (refusedBy) return { ...candidate, verdict: { kind: 'outsideFilter', by: [...refusedBy] } }
    if (candidate.score <= 0 || candidate.score < minScore) return { ...candidate, verdict: { kind: 'belowMinScore' } }
    const file = shownAs.get(echoes.get(id) ?? Number.NaN)
    if (file !== undefined) return { ...candidate, verdict: { kind: 'folded', into: file, isEcho: true } }
    const host = standing.find((other) => covers(other.candidate.input, candidate.input))
    shownAs.set(id, host?.rank ?? standing.length + 1)
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
