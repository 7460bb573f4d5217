import type { Candidate, Explanation, SearchResult } from '#shared/contract/index.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { textScoreOf, vectorScoreOf } from './classic-ranking.ts'
import { lacksWords } from './lacks-words.ts'
import { matchedTerm, matchedWords } from './matched-words.ts'
import type { QueryWords } from './query-words.ts'
import { partsOf, type RankedUnit } from './rank.ts'
import type { UnitCandidate, UnitRanking, UnitSearcher, UnitText } from './unit-searcher.ts'

/** Weak results that are shown, and their minimum score. */
const maxWeak = 10
const minWeakScore = 0.02

export function resultsOf(ranking: UnitRanking, units: UnitSearcher): SearchResult[] {
  const results: { readonly unit: RankedUnit; readonly texts: UnitText[] }[] = []
  const byRank = new Map<number, UnitText[]>()
  for (const { unit, verdict } of ranking.candidates) {
    if (verdict.kind === 'returned') {
      const texts = [units.textOf(unit.id)]
      byRank.set(verdict.rank, texts)
      results.push({ unit, texts })
    } else if (verdict.kind === 'joined') byRank.get(verdict.rank)?.push(units.textOf(unit.id))
  }
  return results.map(({ unit, texts }) => resultOf(unit, joinTexts(texts), ranking, units))
}

/** Returns unlikely results, one for each entry. */
export function weakResults(ranking: UnitRanking, units: UnitSearcher): SearchResult[] {
  const weak = ranking.candidates.filter(({ unit, verdict }) => verdict.kind === 'weak' && unit.score >= minWeakScore)
  const entries = new Set<string>()
  const results: SearchResult[] = []
  for (const { unit } of weak) {
    const text = units.textOf(unit.id)
    if (entries.has(text.entry)) continue
    entries.add(text.entry)
    results.push(resultOf(unit, text, ranking, units))
    if (results.length === maxWeak) break
  }
  return results
}

function resultOf(unit: RankedUnit, text: UnitText, ranking: UnitRanking, units: UnitSearcher): SearchResult {
  const cosine = ranking.cosineOf?.(unit.id)
  const own = { ...unit, text: `${text.heading}\n${text.text}` }
  return {
    ...resultFields(unit, text, ranking, units),
    ...(lacksWords(own, ranking.words, units.relations) ? { lacksWords: true as const } : {}),
    score: unit.score,
    vectorScore: cosine === undefined ? null : vectorScoreOf(cosine),
    textScore: ranking.words.words.length > 0 ? textScoreOf(unit.bm25) : null,
  }
}

function resultFields(unit: RankedUnit, text: UnitText, ranking: UnitRanking, units: UnitSearcher) {
  const { words, supersessions } = ranking
  const { path, startLine, endLine, heading, source, date, snippet, isPrivate, fileHash } = text
  const title = units.titleOf(source, path, ranking)
  const supersession = supersessions.get(unit.id)
  return {
    path,
    startLine,
    endLine,
    heading,
    ...(title === undefined ? {} : { title }),
    ...(date === undefined ? {} : { date }),
    snippet,
    matched: matchedWords(text.text, words),
    source,
    ...(isPrivate ? { isPrivate } : {}),
    fileHash,
    ...(supersession && {
      superseded: {
        until: supersession.until,
        ...(supersession.by === undefined ? {} : { by: supersession.by }),
      },
    }),
  }
}

/** Joins the parts of a divided entry in the order of the note, and marks gaps. */
function joinTexts(texts: readonly UnitText[]): UnitText {
  const [first, ...others] = texts.toSorted((one, other) => one.seq - other.seq)
  if (!first) throw new Error('a result has no text')
  let { text, endLine, seq } = first
  for (const other of others) {
    text += other.seq > seq + 1 ? ' … ' : other.startLine > endLine ? '\n' : ' '
    text += other.text
    endLine = Math.max(endLine, other.endLine)
    seq = other.seq
  }
  return { ...first, text, snippet: others.length > 0 ? text : first.snippet, endLine }
}

/** Returns a function from a candidate to its score breakdown. @param provider explains cosines by words, if it can */
export function explainerOf(
  ranking: UnitRanking,
  units: UnitSearcher,
  provider: EmbeddingProvider | undefined,
): (candidate: UnitCandidate) => Candidate {
  const { candidates, weights, words, cosineOf, query } = ranking
  const wordRankOf = rankerBy(candidates, ({ bm25 }) => bm25)
  const vectorRankOf = rankerBy(candidates, ({ id }) => cosineOf?.(id) ?? -1)
  return ({ unit, verdict }) => {
    const text = units.textOf(unit.id)
    const cosine = cosineOf?.(unit.id)
    const terms = cosine === undefined ? undefined : provider?.explain?.(query.words, units.embeddedTextOf(unit.id))
    return {
      ...resultFields(unit, text, ranking, units),
      vector:
        cosine === undefined
          ? null
          : { raw: cosine, score: vectorScoreOf(cosine), rank: vectorRankOf(unit), ...(terms ? { terms } : {}) },
      text:
        words.words.length === 0
          ? null
          : {
              raw: unit.bm25,
              score: textScoreOf(unit.bm25),
              rank: wordRankOf(unit),
              terms: termsOfUnit(unit, words),
            },
      logit: weights ? unit.logit : null,
      parts: partsOf(unit, weights),
      score: unit.score,
      verdict,
    }
  }
}

/** Returns a function from a unit to its 1-based rank among the candidates. */
function rankerBy(candidates: UnitRanking['candidates'], value: (unit: RankedUnit) => number) {
  const values = candidates.map(({ unit }) => ({ id: unit.id, value: value(unit) }))
  values.sort((one, other) => other.value - one.value)
  const ranks = new Map(values.map(({ id }, at) => [id, at + 1]))
  return (unit: RankedUnit): number =>
    ranks.get(unit.id) ?? 1 + values.filter((other) => other.value >= value(unit)).length
}

function termsOfUnit({ id, wordScores }: RankedUnit, { words }: QueryWords) {
  return words
    .map((word, at) => ({ ...matchedTerm(word, id), share: wordScores[at] ?? 0 }))
    .filter(({ share }) => share > 0)
    .sort((one, other) => other.share - one.share)
}

export function explainedTerms({ words }: QueryWords): Explanation['terms'] {
  return words.map((word) => ({
    ...matchedTerm(word),
    idf: word.rarity,
    weight: word.weight,
    documents: word.documents,
  }))
}

/** A ranking of notes or chats, with the function that explains its candidates. */
export interface ExplainedRanking {
  readonly ranking: UnitRanking
  readonly explain: (candidate: UnitCandidate) => Candidate
}

/** Explains the absence of a line. @param ids of the line's units; empty if the line is not indexed */
export function explainMissing(
  why: { path: string; line: number },
  ids: readonly number[],
  explained: readonly ExplainedRanking[],
): NonNullable<Explanation['why']> {
  const all = explained.flatMap(({ ranking }) => ranking.candidates)
  const rank = all.findIndex(({ unit }) => ids.includes(unit.id)) + 1
  for (const { ranking, explain } of explained) {
    const found = ranking.candidates.find(({ unit }) => ids.includes(unit.id)) ?? ranking.asked
    if (!found) continue
    const { unit, verdict } = found
    const isUnrelated = verdict.kind === 'weak' && unit.features.noWords === 1 && unit.features.cosine <= 0
    const reason = isUnrelated ? 'noMatch' : verdict.kind
    const shownRank = verdict.kind === 'returned' ? verdict.rank : rank
    return { ...why, candidate: explain(found), rank: shownRank === 0 || isUnrelated ? null : shownRank, reason }
  }
  return { ...why, candidate: null, rank: null, reason: 'notIndexed' }
}
