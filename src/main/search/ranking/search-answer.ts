import type { Candidate, Explanation, SearchResult } from '#shared/contract/index.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { textScoreOf, vectorScoreOf } from './classic-ranking.ts'
import { matchedTerm, matchedWords } from './matched-words.ts'
import { minMissing } from './missing-words.ts'
import type { QueryWords } from './query-words.ts'
import { partsOf, type RankedUnit } from './rank.ts'
import type { UnitText } from './unit-filters.ts'
import type { UnitCandidate, UnitRanking, UnitSearcher } from './unit-searcher.ts'

const maxWeakResults = 10
const minWeakScore = 0.02

export function resultsOf(ranking: UnitRanking, units: UnitSearcher): SearchResult[] {
  const shown = ranking.candidates.flatMap(({ unit, verdict }) =>
    verdict.kind === 'returned' || verdict.kind === 'joined' ? { unit, rank: verdict.rank } : [],
  )
  // The parts of a divided entry have the same rank and become one result.
  const byRank = Map.groupBy(shown, ({ rank }) => rank)
  return [...byRank.values()].flatMap(([first, ...joined]) => {
    const texts = joined.map(({ unit }) => units.textOf(unit.id))
    return first ? resultOf(first.unit, joinTexts(units.textOf(first.unit.id), texts), ranking, units) : []
  })
}

/** Returns results below the minimum score, best first. Of a divided entry, only the best part is returned. */
export function weakResults(ranking: UnitRanking, units: UnitSearcher): SearchResult[] {
  const weak = ranking.candidates.filter(({ unit, verdict }) => verdict.kind === 'weak' && unit.score >= minWeakScore)
  const seenEntries = new Set<string>()
  const results: SearchResult[] = []
  for (const { unit } of weak) {
    const text = units.textOf(unit.id)
    if (seenEntries.has(text.entry)) continue
    seenEntries.add(text.entry)
    results.push(resultOf(unit, text, ranking, units))
    if (results.length === maxWeakResults) break
  }
  return results
}

function resultOf(unit: RankedUnit, text: UnitText, ranking: UnitRanking, units: UnitSearcher): SearchResult {
  const cosine = ranking.cosineOf?.(unit.id)
  return {
    ...resultFields(unit, text, ranking, units),
    ...missingField(unit, ranking),
    score: unit.score,
    vectorScore: cosine === undefined ? null : vectorScoreOf(cosine),
    textScore: ranking.queryWords.list.length > 0 ? textScoreOf(unit.bm25) : null,
  }
}

/** The second line of a pair can name its subject differently: it lacks only what the first lacks too. */
function missingField(unit: RankedUnit, { candidates, newer, missingIn, weights }: UnitRanking) {
  if (!weights) return {}
  // A section answers as a whole.
  if (unit.adjustments.some(({ name }) => name === 'section')) return { isOfSection: true as const }
  const first = newer?.other === newer?.newer ? newer?.older : newer?.newer
  const partner = newer?.other === unit.id ? candidates.find((other) => other.unit.id === first) : undefined
  const decisive = (one: RankedUnit) => missingIn(one).filter(({ probability }) => probability >= minMissing)
  const ofPartner = partner && new Set(decisive(partner.unit).map(({ word }) => word))
  const missing = decisive(unit).flatMap(({ word }) => (ofPartner?.has(word) === false ? [] : [word]))
  return missing.length > 0 ? { missing } : {}
}

/** Returns the words that decide the query and that no note has. */
export function absentWords({ candidates: [best], missingIn, weights }: UnitRanking): string[] {
  const missing = best && weights ? missingIn(best.unit) : []
  return missing.flatMap(({ word, probability, isNowhere }) => (isNowhere && probability >= minMissing ? [word] : []))
}

function resultFields(unit: RankedUnit, text: UnitText, ranking: UnitRanking, units: UnitSearcher) {
  const { queryWords, supersessions, newer } = ranking
  const { path, startLine, endLine, heading, source, snippet, isPrivate, fileHash } = text
  const isOfPair = newer?.older === unit.id || newer?.newer === unit.id
  const { date } = isOfPair ? units.datedTextOf(unit.id) : text
  const title = units.titleOf(source, path, ranking)
  const supersession = supersessions.get(unit.id)
  const newerText = newer?.older === unit.id ? units.textOf(newer.newer) : undefined
  return {
    path,
    startLine,
    endLine,
    heading,
    ...(title === undefined ? {} : { title }),
    ...(date === undefined ? {} : { date }),
    snippet,
    matched: matchedWords(text.text, queryWords),
    source,
    ...(isPrivate ? { isPrivate } : {}),
    fileHash,
    ...(newer && newerText && { newer: { at: `${newerText.path}:${newerText.startLine}`, isSure: newer.isSure } }),
    ...(supersession && {
      superseded: {
        until: supersession.until,
        ...(supersession.by === undefined ? {} : { by: supersession.by }),
      },
    }),
  }
}

/** Joins parts of one entry in their order. "…" stands for parts between them that are not returned. */
function joinTexts(best: UnitText, joined: readonly UnitText[]): UnitText {
  if (joined.length === 0) return best
  const [first = best, ...others] = [best, ...joined].sort((one, other) => one.seq - other.seq)
  let { text, endLine, seq } = first
  for (const other of others) {
    const separator = other.startLine > endLine ? '\n' : ' '
    text += (other.seq > seq + 1 ? ' … ' : separator) + other.text
    endLine = Math.max(endLine, other.endLine)
    seq = other.seq
  }
  return { ...first, text, snippet: text, endLine }
}

export function explainerOf(
  ranking: UnitRanking,
  units: UnitSearcher,
  provider: EmbeddingProvider | undefined,
): (candidate: UnitCandidate) => Candidate {
  const { candidates, weights, queryWords, cosineOf, query } = ranking
  const wordRankOf = rankerBy(candidates, ({ bm25 }) => bm25)
  const vectorRankOf = rankerBy(candidates, ({ id }) => cosineOf?.(id) ?? -1)
  return ({ unit, verdict }) => {
    const text = units.textOf(unit.id)
    const cosine = cosineOf?.(unit.id)
    const terms = cosine === undefined ? undefined : provider?.explain?.(query.words, units.embeddedTextOf(unit.id))
    return {
      ...resultFields(unit, text, ranking, units),
      ...(verdict.kind === 'returned' ? missingField(unit, ranking) : {}),
      vector:
        cosine === undefined
          ? null
          : { raw: cosine, score: vectorScoreOf(cosine), rank: vectorRankOf(unit), ...(terms ? { terms } : {}) },
      text:
        queryWords.list.length === 0
          ? null
          : {
              raw: unit.bm25,
              score: textScoreOf(unit.bm25),
              rank: wordRankOf(unit),
              terms: termsOfUnit(unit, queryWords),
            },
      logit: weights ? unit.logit : null,
      parts: partsOf(unit, weights),
      score: unit.score,
      verdict,
    }
  }
}

function rankerBy(candidates: UnitRanking['candidates'], value: (unit: RankedUnit) => number) {
  const ranked = candidates.map(({ unit }) => unit).sort((one, other) => value(other) - value(one))
  const ranks = new Map(ranked.map(({ id }, at) => [id, at + 1]))
  // `alsoRanked` is not among the candidates.
  return (unit: RankedUnit): number =>
    ranks.get(unit.id) ?? 1 + ranked.filter((other) => value(other) >= value(unit)).length
}

function termsOfUnit({ id, wordScores }: RankedUnit, { list }: QueryWords) {
  return list
    .map((word, at) => ({ ...matchedTerm(word, id), share: wordScores[at] ?? 0 }))
    .filter(({ share }) => share > 0)
    .sort((one, other) => other.share - one.share)
}

export function explainedTerms({ list }: QueryWords): Explanation['terms'] {
  return list.map((word) => {
    const { idf, weight, documents } = word
    return { ...matchedTerm(word), idf, weight, documents }
  })
}

/** Explains why a line was returned or not. @param ids of the line's units; empty if the line is not indexed */
export function explainLine(
  why: { path: string; line: number },
  ids: readonly number[],
  explained: readonly { readonly ranking: UnitRanking; readonly explain: ReturnType<typeof explainerOf> }[],
): NonNullable<Explanation['why']> {
  const all = explained.flatMap(({ ranking }) => ranking.candidates)
  const rank = all.findIndex(({ unit }) => ids.includes(unit.id)) + 1
  for (const { ranking, explain } of explained) {
    const found = ranking.candidates.find(({ unit }) => ids.includes(unit.id)) ?? ranking.alsoRanked
    if (!found) continue
    const { unit, verdict } = found
    // No query word occurs in the unit, its neighbours or headings, and its meaning is not similar.
    const isUnrelated = verdict.kind === 'weak' && unit.features.noWords === 1 && unit.features.cosine <= 0
    const reason = isUnrelated ? 'noMatch' : verdict.kind
    const shownRank = verdict.kind === 'returned' ? verdict.rank : rank
    return { ...why, candidate: explain(found), rank: shownRank === 0 || isUnrelated ? null : shownRank, reason }
  }
  return { ...why, candidate: null, rank: null, reason: 'notIndexed' }
}
