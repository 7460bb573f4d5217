import type { Candidate, Explanation, SearchResponse, SearchResult, SearchSettings } from '#shared/contract/index.ts'
import type { MeaningTerm } from '../embeddings/embedding-provider.ts'
import type { KeywordScale, VectorScale, Weights } from './calibrate.ts'
import type { ReadQuery } from '../query/filters.ts'
import { bestLineOf, type RankedCandidate } from './fuse.ts'
import type { KeywordPlan } from '../query/search-plan.ts'
import type { NoteName } from '../query/note-facts.ts'
import { matchedWords, snippetOf } from './snippet.ts'
import type { ChunkText } from '../keyword/index-statements.ts'

/** Everything that one search computed; the response and the explanation are two views of it. */
export interface Ranking {
  readonly query: string
  readonly read: ReadQuery
  readonly plan: KeywordPlan
  readonly scale: KeywordScale
  readonly candidates: readonly RankedCandidate[]
  /** Of the candidates that are shown. */
  readonly texts: ReadonlyMap<number, ChunkText>
  readonly options: SearchSettings
  /** The ones that were used, where the settings leave it to the measure. */
  readonly weights: Weights
  readonly vectorScale: VectorScale | null
  readonly notice: SearchResponse['notice']
  readonly timings: SearchResponse['timings']
  /** What each word of the question gives to the cosine of a chunk's nearest passage, where the model can tell. */
  readonly meaning: (chunk: number) => MeaningTerm[] | undefined
}

export function resultsOf(ranking: Ranking): SearchResult[] {
  const results: SearchResult[] = []
  for (const candidate of ranking.candidates) {
    if (candidate.verdict.kind !== 'returned') continue
    results.push({
      ...shownChunk(candidate, ranking),
      found: foundLines(candidate),
      score: candidate.score,
      vectorScore: candidate.vector?.score ?? null,
      textScore: candidate.text?.score ?? null,
    })
  }
  return results
}

export function toCandidate(candidate: RankedCandidate, ranking: Ranking): Candidate {
  const { vector, text, lift, modifiers, score, verdict } = candidate
  const meant = vector && ranking.meaning(candidate.input.id)
  return {
    ...shownChunk(candidate, ranking),
    vector: vector && { ...vector, ...(meant ? { terms: meant } : {}) },
    text: text && { ...text, terms: [...text.terms] },
    lift,
    modifiers: [...modifiers],
    ...(candidate.input.question === undefined ? {} : { question: candidate.input.question }),
    score,
    verdict,
  }
}

/** The lines of the passage that meaning matched, or the one line that words found. */
function foundLines(candidate: RankedCandidate): NonNullable<SearchResult['found']> {
  const line = bestLineOf(candidate)
  const { vector } = candidate
  const isOfPassage = vector !== null && vector.startLine <= line && line <= vector.endLine
  return { startLine: line, endLine: isOfPassage ? vector.endLine : line }
}

/** What is shown of a chunk is around where it was found, or around what took that place. */
function shownChunk(candidate: RankedCandidate, { texts, plan }: Ranking) {
  const { input, succession } = candidate
  const { heading = '', text = '', names = [] } = texts.get(input.id) ?? {}
  const title = titleOf(names, plan)
  const { snippet, first } = snippetOf(text, bestLineOf(candidate) - input.startLine, plan)
  return {
    path: input.path,
    startLine: input.startLine,
    endLine: input.endLine,
    heading,
    ...(title === undefined ? {} : { title }),
    snippet,
    snippetLine: input.startLine + first,
    matched: matchedWords(snippet, plan),
    source: input.source,
    ...(succession && {
      superseded: { until: succession.until, ...(succession.by === undefined ? {} : { by: succession.by }) },
    }),
  }
}

/** Of what a note calls itself, what the question names; else its title. */
function titleOf(names: readonly NoteName[], plan: KeywordPlan): string | undefined {
  return names
    .map(({ name, place }) => ({ name, place, count: matchedWords(name, plan).length }))
    .filter(({ place, count }) => place === 0 || count > 0)
    .toSorted((one, other) => other.count - one.count)[0]?.name
}

export function whyNot(
  why: { path: string; line: number },
  asked: number | undefined,
  ranking: Ranking,
): NonNullable<Explanation['why']> {
  const index = ranking.candidates.findIndex((candidate) => candidate.input.id === asked)
  const candidate = ranking.candidates[index]
  if (!candidate) return { ...why, candidate: null, rank: null, reason: 'notIndexed' }
  const matches = candidate.score > 0 || candidate.verdict.kind === 'outsideFilter'
  const reason = matches ? candidate.verdict.kind : 'noMatch'
  return { ...why, candidate: toCandidate(candidate, ranking), rank: matches ? index + 1 : null, reason }
}
