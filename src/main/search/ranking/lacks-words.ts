import { lazy } from '#shared/util/lazy.ts'
import { queryTerms } from '../query/parse-query.ts'
import { fold } from '../text/terms.ts'
import type { RankedUnit } from './rank.ts'
import type { QueryWord, QueryWords, WordRelations } from './query-words.ts'

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
/** The same for a word that the unit must have. */
const minCosineOfTopic = 0.24
/** Factor on the rarity of a name that the unit has. */
const weightOfName = 2
/** The date of a note says its weekday. */
const isWeekday = /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天])$/
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
  /** Text with the headings above. */
  readonly text: string
}

/**
 * Returns true if a unit is likely about something else than a query asks: it lacks a name of the query, or most of its
 * other words.
 */
export function lacksWords(
  { id, features, text }: RankedText,
  { words }: QueryWords,
  relations: WordRelations,
): boolean {
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

/** Returns true for names of people, and for a word in the genitive: "Tom's phone". */
function isName({ role, shown, documents }: QueryWord): boolean {
  const word = fold(shown)
  return role === 'name' || /['’]s$/.test(word) || surnameAlone.test(word) || (documents === 0 && fullName.test(word))
}
