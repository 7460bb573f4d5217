/**
 * Finds the words of a query that a result lacks and that decide what the query asks for: "tent" in "What did the tent
 * cost?", for a note about the price of a coffee grinder. A logistic regression over a few properties of the word and of
 * the query, fitted on the questions of `test/recall/changes-en` and `changes-zh` and of other judged sets.
 */
import { cached } from '#shared/util/lazy.ts'
import { indexTermsOf, queryTerms, type QueryTerm } from '../query/parse-query.ts'
import { isRequest } from '../text/language/sentences.ts'
import { hasOtherSide } from '../text/language/contrasts.ts'
import { tableEntries } from '../text/language/words.ts'
import { roleOfCjk } from '../text/stop-words.ts'
import { stem } from '../text/stem.ts'
import { probabilityOf } from '../text/logistic.ts'
import { codePattern, fold, wordSegmenter } from '../text/terms.ts'
import type { Lexicon, QueryWord, QueryWords, WordRelations } from './query-words.ts'

export interface MissingWord {
  /** The user's spelling, without the ending 's. */
  readonly word: string
  /** Probability that the query is about this word. */
  readonly probability: number
  /** True if no searched note has the word. */
  readonly isNowhere: boolean
}

/** Minimum probability of a missing word that results name. */
export const minMissing = 0.46

const constant = -2.6
/**
 * Added for an identifier, such as `AB-812`, for a Chinese name, and for a word for a person that the result does not name,
 * such as "aunt". Chosen by hand: the questions of the fit have few of them.
 */
const nameBonus = 6
/** A frequent surname that is rarely a word, and one or two characters. 马上 is no name, but a word that the model knows. */
const fullName =
  /^[王李张刘陈杨赵黄周吴徐孙朱马胡郭林何罗郑梁谢宋唐许韩冯邓曹彭曾肖萧董潘袁蔡蒋余杜叶程魏苏吕丁沈姚卢姜崔谭陆汪范廖贾邹熊孟秦邱侯尹薛黎贺郝顾龚邵钱戴欧]\p{Script=Han}{1,2}$/u
const weights = {
  /** Largest cosine with a word of the result, above 0.3. */
  similar: -6.71,
  /** Rarity of the word in its language. */
  rarity: 4.97,
  /** 1 if the word tells the kind of the answer: "address", "cost". */
  frame: -1.65,
  isCjk: 0.75,
  isCharacter: -2.03,
  length: 1.37,
  /** Number of words of the query that say something, at most 8, divided by 8. */
  queryLength: -6.42,
  isOnlyOne: -1.45,
  isKeyword: -3,
  isDialogue: -3.88,
}
/** Rarity of a word if no model knows it, by its frequency in the notes. */
const rarityByIdf = 0.16
const minCosine = 0.3

const frameWords = new Set(
  tableEntries(`address afternoon age amount annual app appoint appointment begin big bought brand building busy buy call called charge choose chose city close color
    colour cook cost country daily date day decide dial doctor due email end evening far fee feel framework free get give go hour hourly height held
    hide hold large last length live love made mail meet method middle minute miss mobile model money month monthly morning name need next night
    number old open own paid pay pick plan price program rate reach recipe ring room run second service size software spend spent stand start still
    street telephone phone tool total town type wear weekend weekly weight year yearly
    一天 一晚 上班 下面 买 交 价 价格 价钱 住 借 做 做好 元 关 写 卖 去 取 叫 号 吃 名字 喝 在 地址 块 多少 姓 安排 工作 座位 开 拿 换 放 教 日期 时间 星期 来 样 每 每个月 炖 牌子 用 电话 目标 看 码 腌 花 花了
    解决 谁家 调 重量 钱 项目 颜色`),
)
const countOfThings = /^[一二三四五六七八九十两几半每]\p{Script=Han}$/u

export interface SearchedResult {
  readonly id: number
  readonly text: string
  readonly isDialogue: boolean
  /** The words of the text, if the caller knows them. */
  readonly words?: readonly QueryTerm[] | undefined
}

/** Returns the missing words of a result, the most likely subject of the query first. */
export function missingWordsIn(
  query: string,
  { list }: QueryWords,
  lexicon: Lexicon,
  relations: WordRelations,
): (result: SearchedResult) => MissingWord[] {
  const words = subjectsOf(query, list, lexicon, relations)
  const isKeyword = !isRequest(query) && !/[?？\p{Script=Han}]/u.test(query)
  return ({ id, text, isDialogue, words: known }) => {
    const folded = fold(text)
    const missing = words.filter((word) => !word.isIn(id, folded))
    const own = missing.length === 0 ? [] : (known ?? queryTerms(text))
    const inText = own.filter(({ role }) => role !== 'function' && role !== 'figure')
    return missing
      .map(({ shown, typed, rarity, isFrame, isNowhere }): MissingWord => {
        const cosine = Math.max(0, ...inText.map((other) => relations.cosine(shown, other.shown)))
        const isCjk = /\p{Script=Han}/u.test(shown)
        const isOther = hasOtherSide(fold(shown), folded)
        const isName = isOther || codePattern.test(shown) || isFullName(shown, relations)
        const properties: typeof weights = {
          similar: Math.max(0, cosine - minCosine),
          rarity,
          frame: Number(isFrame),
          isCjk: Number(isCjk),
          isCharacter: Number(isCjk && shown.length === 1),
          length: shown.length / 10,
          queryLength: Math.min(words.length, 8) / 8,
          isOnlyOne: Number(missing.length === 1),
          isKeyword: Number(isKeyword),
          isDialogue: Number(isDialogue),
        }
        const probability = probabilityOf(constant + (isName ? nameBonus : 0), weights, properties)
        return { word: typed.replace(/['’]s$/, ''), probability, isNowhere }
      })
      .sort((one, other) => other.probability - one.probability)
  }
}

function isFullName(word: string, { knows }: WordRelations): boolean {
  return fullName.test(word) && knows?.(word) === false
}

interface Subject {
  /** Folded if it is Chinese. */
  readonly shown: string
  readonly typed: string
  readonly rarity: number
  readonly isFrame: boolean
  readonly isNowhere: boolean
  isIn(id: number, folded: string): boolean
}

/**
 * Returns the words of a query that can be its subject. Divides Han characters again: the terms of the query
 * join single characters, which often belong to two words. Japanese and Korean words are left out, because their forms differ.
 */
function subjectsOf(query: string, list: readonly QueryWord[], lexicon: Lexicon, relations: WordRelations): Subject[] {
  const latin = list
    .filter(
      ({ shown, role }) =>
        !['filler', 'lineKind'].includes(role) && !/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(shown),
    )
    .map((word): Subject => {
      const units = unitsOf(word, relations)
      const isFrame = frameWords.has(word.shown) || frameWords.has(stem(word.shown))
      return {
        shown: word.shown,
        typed: word.shown,
        rarity: relations.rarity?.(word.shown) ?? word.idf * rarityByIdf,
        isFrame,
        isNowhere: units.size === 0 && word.headUnits.size === 0,
        isIn: (id, folded) => units.has(id) || word.headUnits.has(id) || folded.includes(fold(word.shown)),
      }
    })
  if (/[\u3040-\u30ff\uac00-\ud7af]/.test(query)) return latin
  const alike = list.map(({ shown, matches }) => ({ text: fold(shown), units: new Set(unitsAlike(matches)) }))
  const foldedQuery = fold(query)
  const isSameLength = foldedQuery.length === query.length
  // The segmenter separates many surnames.
  const parts = list.map(({ shown }) => fold(shown))
  const names = parts
    .flatMap((part, at) => [part + (parts[at + 1] ?? ''), part])
    .filter((word) => foldedQuery.includes(word) && isFullName(word, relations))
  const runs = names.reduce((rest, name) => rest.replaceAll(name, ' '), foldedQuery).match(/\p{Script=Han}+/gu) ?? []
  const chinese = [...names, ...runs.flatMap((run) => cutWords(run, lexicon, relations))].map((shown): Subject => {
    const at = foldedQuery.indexOf(shown)
    const terms = indexTermsOf({ kind: 'cjk', term: [...shown].join(' ') })
    const heard = alike.filter(({ text, units }) => units.size > 0 && text.includes(shown))
    const pairs = shown.length > 2 ? Array.from({ length: shown.length - 1 }, (_, at) => shown.slice(at, at + 2)) : []
    return {
      shown,
      typed: isSameLength && at >= 0 ? query.slice(at, at + shown.length) : shown,
      rarity: relations.rarity?.(shown) ?? rarityByIdf * 5,
      isFrame: frameWords.has(shown) || countOfThings.test(shown),
      isNowhere:
        heard.length === 0 &&
        terms.some((term) => lexicon.unitsWith(term).length + lexicon.unitsUnder(term).length === 0),
      isIn: (id, folded) =>
        folded.includes(shown) ||
        pairs.some((pair) => folded.includes(pair)) ||
        heard.some(({ units }) => units.has(id)),
    }
  })
  return [...latin, ...chinese]
}

/** Minimum weight of a related word that means the same, such as 打印机 for 印表機. */
const minAlike = 0.5

function unitsAlike(matches: QueryWord['matches']): readonly number[] {
  const isAlike = ({ kind, weight }: (typeof matches)[number]) =>
    kind === 'sound' || (kind === 'related' && weight >= minAlike)
  return matches.filter(isAlike).flatMap(({ units }) => units)
}

/** Returns the units with the word or another form of it. A word that the model knows is not a typing error of another. */
function unitsOf({ shown, matches }: QueryWord, relations: WordRelations): ReadonlySet<number> {
  const isSame = cached((kind: QueryWord['matches'][number]['kind']) => {
    if (kind === 'spelling') return shown.length >= 8 || relations.related(shown).length === 0
    return ['exact', 'derived', 'prefix', 'compound', 'sound'].includes(kind)
  })
  return new Set(matches.filter(({ kind }) => isSame(kind)).flatMap(({ units, headUnits }) => [...units, ...headUnits]))
}

/** Costs of the ways to cut a run of Han characters; the cheapest cut wins. */
const costs = { stopWord: 0.7, stopCharacter: 0.9, word: 1, pairInNotes: 1.2, character: 1.3 }
const maxLetters = 5

/**
 * Cuts a run of Han characters into words, and leaves out function words and fillers. A word is one of the segmenter, of
 * the embedding model, or a pair of characters that several notes have, such as a name. Characters between words join.
 */
function cutWords(run: string, lexicon: Lexicon, relations: WordRelations): string[] {
  const segments = new Set(Array.from(wordSegmenter().segment(run), ({ segment, index }) => `${index} ${segment}`))
  const costOf = (word: string, from: number) => {
    if (roleOfCjk(word) === 'function') return word.length > 1 ? costs.stopWord : costs.stopCharacter
    if (word.length === 1) return costs.character
    if (segments.has(`${from} ${word}`) || relations.knows?.(word) === true) return costs.word
    return word.length === 2 && lexicon.unitsWith(word).length > 1 ? costs.pairInNotes : Infinity
  }
  const best: { readonly cost: number; readonly from: number }[] = [{ cost: 0, from: 0 }]
  for (let end = 1; end <= run.length; end += 1) {
    const cuts = Array.from({ length: Math.min(maxLetters, end) }, (_, at) => {
      const from = end - at - 1
      return { from, cost: (best[from]?.cost ?? 0) + costOf(run.slice(from, end), from) }
    })
    best.push(cuts.reduce((one, other) => (other.cost < one.cost ? other : one)))
  }
  const parts: string[] = []
  for (let end = run.length; end > 0; end = best[end]?.from ?? 0) parts.unshift(run.slice(best[end]?.from ?? 0, end))
  const words: string[] = []
  let [joined, isJoining] = ['', false]
  for (const part of [...parts, '']) {
    const isCharacter = part.length === 1 && roleOfCjk(part) !== 'function'
    if (isCharacter) joined += part
    else {
      if (isJoining) words.push(joined)
      joined = ''
      if (part.length > 1) words.push(part)
    }
    isJoining = isCharacter
  }
  return words.filter((word) => roleOfCjk(word) === 'content')
}
