import { queryTerms, createBuiltinEmbeddings, wordRelations } from '#search'
import { anyOf, monthNames, simplify, toPlainText, weekdays } from '#search/text'
import { unlessAppError } from '#shared/util/errors.ts'

export interface LineFeatures {
  /** Content words: stem to written form, in the order of the line. */
  readonly words: ReadonlyMap<string, string>
  /** Stems of names, numbers, dates and identifiers. Lines that differ in them state different facts. */
  readonly distinctive: ReadonlySet<string>
  readonly numberCount: number
  readonly isNegated: boolean
}

/** Words that state another fact when exchanged for one of the same kind, although their vectors are similar. */
const values = new Set([
  ...weekdays,
  ...monthNames,
  ...(
    'weekday weekdays weekend spring summer autumn winter ' +
    'morning noon afternoon evening night today tomorrow yesterday daily weekly monthly yearly hourly ' +
    'zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand ' +
    'first second third last next previous once twice half double ' +
    'red blue green yellow black white brown grey gray orange purple pink ' +
    'left right top bottom north south east west upper lower front back before after above below inside outside ' +
    'am pm on off yes no true false all none always never more less most least ' +
    'enable disable enabled disabled allow forbid allowed forbidden increase decrease open close opened closed start ' +
    'stop begin end buy sell like likes dislike dislikes love loves hate hates accept reject accepted rejected with ' +
    'without add remove added removed public private old new early late husband wife mother father sister brother son ' +
    'daughter man woman boy girl cat dog tea coffee'
  ).split(' '),
])
const cjkValues = new RegExp(
  `^${anyOf(
    `(?:周|星期|礼拜)?[一二三四五六日天两七八九十百千万] [上下]午 [早晚中]上 [春夏秋冬]天? [红蓝绿黄黑白棕灰紫粉]色? [左右前后东南西北上下]边?
    喜欢 讨厌 开 关 启用 停用 允许 禁止 增加 减少 咖啡 茶 爸爸 妈妈 哥哥 弟弟 姐姐 妹妹`,
  )}$`,
)

const negationPattern = /\b(?:not|no|never|none|nobody|nothing|neither|without|cannot|stopped|no longer)\b|n['’]t\b/i
const cjkNegationPattern = /[不没無无未别勿莫]/

/** Returns the features of each text. A capitalised first word that no text has in lower case is taken as a name. */
export function featuresOf(texts: readonly string[]): LineFeatures[] {
  const common = new Set(texts.flatMap((text) => text.match(/(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}'’-]*/gu) ?? []))
  return texts.map((text) => extractFeatures(text, common))
}

function extractFeatures(text: string, commonWords: ReadonlySet<string>): LineFeatures {
  const plain = toPlainText(text)
  const capitalizedFirst = /^\p{Lu}[\p{L}\p{M}'’-]*/u.exec(plain)?.[0].toLowerCase()
  const terms: { readonly term: string; readonly shown: string; readonly start: number }[] = []
  const lower = plain.toLowerCase()
  const distinctive = new Set<string>()
  let numberCount = 0
  for (const { shown, role, readings } of queryTerms(plain)) {
    const term = readings[0]?.term
    if (term === undefined || (role === 'function' && !isValue(shown))) continue
    const isName = role === 'name' || (shown === capitalizedFirst && role !== 'function' && !commonWords.has(shown))
    if (role === 'figure' || isName || isValue(shown)) distinctive.add(term)
    if (role === 'figure') numberCount += 1
    terms.push({ term, shown, start: lower.indexOf(shown) })
  }
  const words = new Map(terms.sort((one, other) => one.start - other.start).map(({ term, shown }) => [term, shown]))
  return {
    words,
    distinctive,
    numberCount,
    isNegated: negationPattern.test(plain) || cjkNegationPattern.test(simplify(plain)),
  }
}

export function linesByWord(lines: readonly Iterable<string>[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const [index, words] of lines.entries())
    for (const word of words) {
      const indexes = found.get(word)
      if (indexes) indexes.push(index)
      else found.set(word, [index])
    }
  return found
}

/** @param word in lower case */
export function isValue(word: string): boolean {
  return values.has(word) || cjkValues.test(word)
}

export interface TextVectors {
  /** Returns unit vectors in the order of the texts; empty ones for texts without a vector. */
  vectors(texts: readonly string[]): Promise<readonly Float32Array[]>
  wordCosine(one: string, other: string): number
}

/** @returns undefined if the model cannot be loaded @param file absolute */
export async function loadSimilarityModel(file: string): Promise<TextVectors | undefined> {
  const model = createBuiltinEmbeddings(file)
  const vectors = async (texts: readonly string[]) =>
    (await model.embed(texts)).map((vector) => vector ?? new Float32Array())
  return unlessAppError(() => {
    model.prepare?.()
    return { vectors, wordCosine: wordRelations(model).cosine }
  })
}
