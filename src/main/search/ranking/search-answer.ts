import type { Candidate, Explanation, SearchResult } from '#shared/contract/index.ts'
import { lazy } from '#shared/util/lazy.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { textScoreOf, vectorScoreOf } from './classic-ranking.ts'
import { matchedTerm, matchedWords } from './matched-words.ts'
import type { QueryWord, QueryWords, WordRelations } from './query-words.ts'
import { partsOf, type RankedUnit } from './rank.ts'
import type { UnitCandidate, UnitRanking, UnitSearcher, UnitText } from './unit-searcher.ts'
import { queryTerms } from '../query/parse-query.ts'
import { chineseWeekday, weekdayName } from '../text/language/words.ts'
import { fold } from '../text/terms.ts'

const maxWeak = 10
const minWeakScore = 0.02

export function resultsOf(ranking: UnitRanking, units: UnitSearcher): SearchResult[] {
  const shown = ranking.candidates.filter(({ verdict: { kind } }) => kind === 'returned' || kind === 'joined')
  const byRank = Map.groupBy(shown, ({ verdict }) => ('rank' in verdict ? verdict.rank : 0))
  return [...byRank.values()].flatMap(([first, ...joined]) => {
    const texts = joined.map(({ unit }) => units.textOf(unit.id))
    return first ? resultOf(first.unit, joinTexts(units.textOf(first.unit.id), texts), ranking, units) : []
  })
}

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

function joinTexts(best: UnitText, joined: readonly UnitText[]): UnitText {
  const [first = best, ...others] = [best, ...joined].sort((one, other) => one.seq - other.seq)
  let { text, endLine, seq } = first
  for (const other of others) {
    text += other.seq > seq + 1 ? ' … ' : other.startLine > endLine ? '\n' : ' '
    text += other.text
    endLine = Math.max(endLine, other.endLine)
    seq = other.seq
  }
  return { ...first, text, snippet: others.length > 0 ? text : first.snippet, endLine }
}

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

function rankerBy(candidates: UnitRanking['candidates'], value: (unit: RankedUnit) => number) {
  const ranked = candidates.map(({ unit }) => unit).sort((one, other) => value(other) - value(one))
  const ranks = new Map(ranked.map(({ id }, at) => [id, at + 1]))
  return (unit: RankedUnit): number =>
    ranks.get(unit.id) ?? 1 + ranked.filter((other) => value(other) >= value(unit)).length
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

/** Share of the rarity of a query's words that a unit must have. Fitted by hand on the judged sets, as those below. */
const minShare = 0.5
/** The same for a unit with a number, if the query asks for one. */
const minShareWithNumber = 0.45
/** A longer question tells much that is no part of the answer; two of its words are enough. */
const maxShortQuery = 6
/** A Chinese query with at most so many words needs all of them. */
const maxWordsAllNeeded = 3
/** Minimum cosine of a word that no unit has and a word of the unit that stands for it. */
const minCosineOfUnknown = 0.28
const minCosineOfTopic = 0.24
/** Factor on the rarity of a name that the unit has. */
const weightOfName = 2
/** The date of a note says its weekday. */
const isWeekday = new RegExp(`^(?:${weekdayName}|${chineseWeekday})$`)
/** Frequent Chinese surnames that are rarely words. */
const surname =
  '[王李张刘陈杨赵黄周吴徐孙朱马胡郭林何罗郑梁谢宋唐许韩冯邓曹彭曾肖萧董潘袁蔡蒋余杜叶程魏苏吕丁沈姚卢姜崔谭陆汪范廖贾邹熊孟秦邱侯尹薛黎贺郝顾龚邵钱戴欧]'
const surnameAlone = new RegExp(`^${surname}$`)
const fullName = new RegExp(`^${surname}\\p{Script=Han}{1,2}$`, 'u')

/** Words for people, one group for each. A note about one of them does not answer a question about another. */
const people =
  '妈|母亲|mum|mom|mother 爸|父亲|dad|father 哥|brother 弟|brother 姐|sister 妹|sister 爷 奶 外公|姥爷 外婆|姥姥 叔|uncle 姨|aunt 舅 姑 儿子|son 女儿|daughter 老公|丈夫|husband 老婆|妻子|太太|wife 老师|teacher 医生|大夫|doctor|dr 师傅 房东|landlord 邻居|neighbou?r'
    .split(' ')
    .map((names) => new RegExp(names.replaceAll(/[a-z?]+/g, '\\b$&\\b'), 'i'))

interface RankedText extends Pick<RankedUnit, 'id' | 'features'> {
  readonly text: string
}

/**
 * Returns true if a unit is likely about something else than a query asks: it lacks a name of the query, or most of its
 * other words.
 */
function lacksWords({ id, features, text }: RankedText, { words }: QueryWords, relations: WordRelations): boolean {
  const content = words.filter(({ role, shown }) => role !== 'filler' && role !== 'kind' && !isWeekday.test(shown))
  const ownWords = lazy(() => queryTerms(text).flatMap(({ role, shown }) => (role === 'function' ? [] : shown)))
  const isAlike = ({ shown }: QueryWord, least = minCosineOfTopic) =>
    ownWords().some((other) => relations.cosine(shown, other) >= least)
  const missing = content.filter(({ units, headUnits }) => !units.has(id) && !headUnits.has(id))
  const folded = fold(text)
  const isAbsent = ({ shown }: QueryWord) => people.some((person) => person.test(fold(shown)) && !person.test(folded))
  if (missing.some(isName) || content.some(isAbsent)) return true
  // A note about a person does not answer every question about them.
  const topic = content.filter((word) => !isName(word))
  const isElsewhere = topic.every((word) => missing.includes(word) && !isAlike(word))
  if (topic.length > 0 && topic.length < content.length && isElsewhere) return true
  // A decision names the chosen thing instead of its kind: Stripe, not a payment provider.
  if (features.kind >= minShare) return false
  // A note about the password of one card does not answer a question about another card.
  const isNeeded = (word: QueryWord) => /\p{Script=Han}/u.test(word.shown) && !isAlike(word)
  if (content.length <= maxWordsAllNeeded && missing.some(isNeeded)) return true
  const lacking = missing.filter((word) => word.documents > 0 || !isAlike(word, minCosineOfUnknown))
  const rarityOf = (list: readonly QueryWord[]) =>
    list.reduce((sum, { rarity, role }) => sum + rarity * (role === 'name' ? weightOfName : 1), 0)
  const share = 1 - rarityOf(lacking) / Math.max(rarityOf(content), 1e-9)
  const enough = features.number > 0 ? minShareWithNumber : minShare
  return share < enough && (content.length <= maxShortQuery || content.length - lacking.length < 2)
}

function isName({ role, shown, documents }: QueryWord): boolean {
  const word = fold(shown)
  return role === 'name' || /['’]s$/.test(word) || surnameAlone.test(word) || (documents === 0 && fullName.test(word))
}
