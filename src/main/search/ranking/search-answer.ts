import type { Candidate, Explanation, SearchResponse, SearchResult, SearchSettings } from '#shared/contract/index.ts'
import type { MeaningTerm } from '../embeddings/embedding-provider.ts'
import type { KeywordScale, VectorScale, Weights } from './calibrate.ts'
import type { FilteredQuery } from '../query/filters.ts'
import { bestLineOf, type RankedCandidate } from './fuse.ts'
import type { KeywordPlan } from '../query/keyword-plan.ts'
import type { NoteName } from '../query/note-metadata.ts'
import { matchedWords, snippetOf } from './snippet.ts'
import type { ChunkText } from '../keyword/index-statements.ts'

export interface RankingResult {
  readonly query: string
  readonly filteredQuery: FilteredQuery
  readonly plan: KeywordPlan
  readonly scale: KeywordScale
  readonly candidates: readonly RankedCandidate[]
  readonly texts: ReadonlyMap<number, ChunkText>
  readonly options: SearchSettings
  /** The weights in use; computed if the setting is `auto`. */
  readonly weights: Weights
  readonly vectorScale: VectorScale | null
  readonly notice: SearchResponse['notice']
  readonly timings: SearchResponse['timings']
  /** Returns the question words' shares of a chunk's similarity; undefined if the model can't tell. */
  readonly meaning: (chunk: number) => MeaningTerm[] | undefined
}

export function resultsOf(ranking: RankingResult): SearchResult[] {
  const results: SearchResult[] = []
  for (const candidate of ranking.candidates) {
    if (candidate.verdict.kind !== 'returned') continue
    results.push({
      ...resultFields(candidate, ranking),
      found: foundLines(candidate),
      score: candidate.score,
      vectorScore: candidate.vector?.score ?? null,
      textScore: candidate.text?.score ?? null,
    })
  }
  return results
}

export function toScoreBreakdown(candidate: RankedCandidate, ranking: RankingResult): Candidate {
  const { vector, text, lift, modifiers, score, verdict } = candidate
  const similarityTerms = vector && ranking.meaning(candidate.input.id)
  return {
    ...resultFields(candidate, ranking),
    vector: vector && { ...vector, ...(similarityTerms ? { terms: similarityTerms } : {}) },
    text: text && { ...text, terms: [...text.terms] },
    lift,
    modifiers: [...modifiers],
    ...(candidate.input.question === undefined ? {} : { question: candidate.input.question }),
    score,
    verdict,
  }
}

/** Returns the lines of the passage found by vectors if they contain the best line, otherwise the best line alone. */
function foundLines(candidate: RankedCandidate): NonNullable<SearchResult['found']> {
  const line = bestLineOf(candidate)
  const { vector } = candidate
  const isOfPassage = vector !== null && vector.startLine <= line && line <= vector.endLine
  return { startLine: line, endLine: isOfPassage ? vector.endLine : line }
}

function resultFields(candidate: RankedCandidate, { texts, plan }: RankingResult) {
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

/** Returns the name of the note that matches the query best, or its title; undefined if it has neither. */
function titleOf(names: readonly NoteName[], plan: KeywordPlan): string | undefined {
  return names
    .map(({ name, place }) => ({ name, place, count: matchedWords(name, plan).length }))
    .filter(({ place, count }) => place === 0 || count > 0)
    .toSorted((one, other) => other.count - one.count)[0]?.name
}

/** Explains the absence of a line. @param chunkId id of the line's chunk; undefined if the line is not indexed */
export function explainMissing(
  why: { path: string; line: number },
  chunkId: number | undefined,
  ranking: RankingResult,
): NonNullable<Explanation['why']> {
  const index = ranking.candidates.findIndex((candidate) => candidate.input.id === chunkId)
  const candidate = ranking.candidates[index]
  if (!candidate) return { ...why, candidate: null, rank: null, reason: 'notIndexed' }
  const matches = candidate.score > 0 || candidate.verdict.kind === 'outsideFilter'
  const reason = matches ? candidate.verdict.kind : 'noMatch'
  return { ...why, candidate: toScoreBreakdown(candidate, ranking), rank: matches ? index + 1 : null, reason }
}
