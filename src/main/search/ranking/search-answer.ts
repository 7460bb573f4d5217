import type { Candidate, Explanation, SearchResult } from '#shared/contract/index.ts'
import { lazy } from '#shared/util/lazy.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { textScoreOf, vectorScoreOf } from './classic-ranking.ts'
import { matchedTerm, matchedWords } from './matched-words.ts'
import type { QueryWord, QueryWords, WordRelations } from './query-words.ts'
import { partsOf, type RankedUnit } from './rank.ts'
import type { UnitCandidate, UnitRanking, UnitSearcher, UnitText } from './unit-searcher.ts'
import { queryTerms } from '../query/parse-query.ts'
import { chineseWeekday, hasAnyOf, weekdayName } from '../text/language/words.ts'
import { fold } from '../text/terms.ts'

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
  const textWithHeading = `${text.heading}\n${text.text}`
  return {
    ...resultFields(unit, text, ranking, units),
    ...(lacksWords(unit, textWithHeading, ranking.queryWords, units.relations) ? { lacksWords: true as const } : {}),
    score: unit.score,
    vectorScore: cosine === undefined ? null : vectorScoreOf(cosine),
    textScore: ranking.queryWords.list.length > 0 ? textScoreOf(unit.bm25) : null,
  }
}

function resultFields(unit: RankedUnit, text: UnitText, ranking: UnitRanking, units: UnitSearcher) {
  const { queryWords, supersessions } = ranking
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
    matched: matchedWords(text.text, queryWords),
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

/**
 * A unit must contain words with this share of the total IDF of the query's words. This and the following thresholds
 * were chosen by hand so that the results on the evaluation queries are best.
 */
const minShare = 0.5
/** Lower share that is enough for a unit with a number, if the query asks for a number. */
const minShareWithNumber = 0.45
/**
 * The feature `kind` is above 0 only if the query asks for a decision and the unit is one. It is then the share of the
 * query's words in or near the unit. From this value on, missing words do not matter.
 */
const minKind = 0.5
/** Longer queries contain background that the answer does not repeat: for them, two matching words are enough. */
const maxWordsOfShortQuery = 6
/** A Chinese query with at most this many words needs all of them. */
const maxWordsAllNeeded = 3
/** If no unit contains a query word: minimum cosine at which a word of the unit counts as its synonym. */
const minCosineOfUnknown = 0.28
/** Minimum cosine at which a word of the unit counts as related to a query word. */
const minCosineOfRelated = 0.24
const factorOfName = 2
const weekday = new RegExp(`^(?:${weekdayName}|${chineseWeekday})$`)
/** Frequent Chinese surnames that are rarely words. */
const surname =
  '[王李张刘陈杨赵黄周吴徐孙朱马胡郭林何罗郑梁谢宋唐许韩冯邓曹彭曾肖萧董潘袁蔡蒋余杜叶程魏苏吕丁沈姚卢姜崔谭陆汪范廖贾邹熊孟秦邱侯尹薛黎贺郝顾龚邵钱戴欧]'
const surnameAlone = new RegExp(`^${surname}$`)
const fullName = new RegExp(`^${surname}\\p{Script=Han}{1,2}$`, 'u')

/** Words for people, a group for each. A note about one of them does not answer a question about another. */
const people =
  '妈 母亲 mum mom mother, 爸 父亲 dad father, 哥 brother, 弟 brother, 姐 sister, 妹 sister, 爷, 奶, 外公 姥爷, 外婆 姥姥, 叔 uncle, 姨 aunt, 舅, 姑, 儿子 son, 女儿 daughter, 老公 丈夫 husband, 老婆 妻子 太太 wife, 老师 teacher, 医生 大夫 doctor dr, 师傅, 房东 landlord, 邻居 neighbou?r'
    .split(', ')
    .map((words) => hasAnyOf(words))

/** Returns true if a unit is likely about something else: it lacks a name of the query, or most of its other words. */
function lacksWords(
  { id, features }: RankedUnit,
  text: string,
  { list }: QueryWords,
  relations: WordRelations,
): boolean {
  // An answer need not repeat fillers and words such as "decision". The date of a note determines the weekday.
  const content = list.filter(({ role, shown }) => role !== 'filler' && role !== 'lineKind' && !weekday.test(shown))
  const textWords = lazy(() => queryTerms(text).flatMap(({ role, shown }) => (role === 'function' ? [] : shown)))
  const hasRelatedWord = ({ shown }: QueryWord, minCosine = minCosineOfRelated) =>
    textWords().some((other) => relations.cosine(shown, other) >= minCosine)
  const unmatched = content.filter(({ units, headUnits }) => !units.has(id) && !headUnits.has(id))
  const folded = fold(text)
  const namesAbsentPerson = ({ shown }: QueryWord) =>
    people.some((hasPerson) => hasPerson(fold(shown)) && !hasPerson(folded))
  if (unmatched.some(isName) || content.some(namesAbsentPerson)) return true
  // A note about a person does not answer every question about them.
  const topic = content.filter((word) => !isName(word))
  const lacksTopic = topic.every((word) => unmatched.includes(word) && !hasRelatedWord(word))
  if (topic.length > 0 && topic.length < content.length && lacksTopic) return true
  // A decision names the chosen thing instead of its category: Stripe, not a payment provider.
  if (features.kind >= minKind) return false
  // In Chinese, a note about the password of one card does not answer a short question about another card.
  const isNeeded = (word: QueryWord) => /\p{Script=Han}/u.test(word.shown) && !hasRelatedWord(word)
  if (content.length <= maxWordsAllNeeded && unmatched.some(isNeeded)) return true
  // A word that no unit contains is not missing if the text has a synonym.
  const withoutSynonym = unmatched.filter((word) => word.documents > 0 || !hasRelatedWord(word, minCosineOfUnknown))
  const sumIdf = (words: readonly QueryWord[]) =>
    words.reduce((sum, { idf, role }) => sum + idf * (role === 'name' ? factorOfName : 1), 0)
  const share = 1 - sumIdf(withoutSynonym) / Math.max(sumIdf(content), 1e-9)
  const enough = features.number > 0 ? minShareWithNumber : minShare
  return share < enough && (content.length <= maxWordsOfShortQuery || content.length - withoutSynonym.length < 2)
}

function isName({ role, shown, documents }: QueryWord): boolean {
  const word = fold(shown)
  // Many common words also begin with a surname: 马上, at once. A name is likely only if no unit has the word.
  const isFullName = documents === 0 && fullName.test(word)
  return role === 'name' || /['’]s$/.test(word) || surnameAlone.test(word) || isFullName
}
