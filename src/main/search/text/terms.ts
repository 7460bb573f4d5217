/**
 * Cuts text into index terms. Index and query use the same rules:
 *
 * - words are found by `Intl.Segmenter`, folded (case, width, accents) and, in Latin script, stemmed;
 * - identifiers (`POSTGRES_URL`, `v2.3.0`, addresses, paths, `LazyInit`) are indexed whole and in parts;
 * - dates, numbers and quantities also have a canonical form;
 * - CJK text is indexed character by character, in simplified form, and a query's words are matched as phrases. So a
 *   word is found however the text around it is segmented, and single characters are found too. Korean words are
 *   also indexed without their endings.
 */
import { lazy } from '#shared/util/lazy.ts'
import { simplify } from '#shared/util/han.ts'
import { stem } from './stem.ts'
import { koreanEndings } from './stop-words.ts'
import { findDates, hangulNumeral, hanNumeral, parseNumeral, type DateMatch } from './language/dates.ts'

/** Part of the index's fingerprint: a change here, or another version of ICU, rebuilds the index. */
export const tokenizerVersion = `6/${process.versions.icu ?? 'none'}`

export const cjkRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー々〆]+/gu
// The lookbehind prevents quadratic time: without it, the pattern is tried again at every letter of a long run.
const letter = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}]'
export const identifier = new RegExp(`(?<!${letter})${letter}+(?:[_\\-./:@#+\\\\]${letter}+)+`, 'gu')
/** Matches an identifier with an underscore or, after a letter, a digit: `POSTGRES_URL`, `AB-812`. */
export const codePattern = /_|^\D+\d/
/** Much faster than `identifier`. */
const asciiIdentifier = /(?<![a-z0-9])[a-z0-9]+(?:[_\-./:@#+\\][a-z0-9]+)+/g

/** The locale hardly matters for words: most scripts ignore it, and Chinese and Japanese share one dictionary. */
export const wordSegmenter = lazy(() => new Intl.Segmenter('en', { granularity: 'word' }))

/** Called with each word or identifier of at least `minSpellingLength` letters, of other scripts `minForeignLength`. */
type OnSpelling = (word: string, term: string) => void

export interface LineTerms {
  /** Stems of words, whole identifiers, parts of camelCase names, and canonical forms. */
  readonly terms: readonly string[]
  /** Runs of CJK characters, folded. */
  readonly runs: readonly string[]
}

export function lineTerms(raw: string, onSpelling?: OnSpelling): LineTerms {
  const line = fold(raw)
  const terms = latinTerms(line, onSpelling)
  for (const part of camelParts(raw)) terms.push(stem(part))
  const runs = isAscii(line) ? [] : (line.match(cjkRun) ?? [])
  for (const { indexTerms } of findCanonicalForms(line)) terms.push(...indexTerms)
  for (const word of runs.flatMap((run) => run.match(/\p{Script=Hangul}+/gu) ?? []))
    terms.push(...new Set([word, withoutKoreanEnding(word)]))
  return { terms, runs }
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

export function bigramsOf(letters: readonly string[]): string[] {
  return letters.slice(0, -1).map((letter, index) => letter + (letters[index + 1] ?? ''))
}

/** Letters that Unicode does not decompose, and letters that are often typed as others. */
const otherLetters = new Map(
  'łl ıi đd ðd øo þth ßss æae œoe ςσ ёе'.split(' ').map(([letter = '', ...plain]) => [letter, plain.join('')]),
)
const otherLetter = new RegExp(`[${[...otherLetters.keys()].join('')}]`, 'g')
/** Accents, and marks for vowels that Hebrew and Arabic texts mostly omit. The breve of й is no accent. */
const accents =
  /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+|[\u0591-\u05bd\u05bf-\u05c7\u0640\u064b-\u0652]/gu

/**
 * Folds a text for comparison: NFKC, lower case, no accents, simplified characters instead of traditional ones. The
 * length can change.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  const composed = text.normalize('NFKC').toLowerCase()
  // Most text is ASCII or CJK and has no accents.
  const plain = /[\u00c0-\u052f\u1e00-\u1fff]|\p{Mn}/u.test(composed)
    ? composed
        .normalize('NFD')
        .replace(accents, '')
        .normalize('NFC')
        .replace(otherLetter, (letter) => otherLetters.get(letter) ?? letter)
    : composed
  return /[\u3400-\u9fff]/.test(plain) ? simplify(plain) : plain
}

/** Replaces spans (UTF-16 offsets) by spaces, so that offsets stay valid. */
export function blankSpans(text: string, spans: readonly { readonly start: number; readonly end: number }[]): string {
  if (spans.length === 0) return text
  const letters = text.split('')
  for (const { start, end } of spans) letters.fill(' ', start, end)
  return letters.join('')
}

export function latinTerms(text: string, onSpelling?: OnSpelling): string[] {
  const terms: string[] = []
  forEachWord(isAscii(text) ? text : text.replace(cjkRun, ' '), (word, isWhole) => {
    const term = isWhole ? word : stem(word)
    terms.push(term)
    if (word.length >= (isAscii(word) ? minSpellingLength : minForeignLength)) onSpelling?.(word, term)
  })
  return terms
}

/** In letters. Shorter words have too many similar words for spelling correction. */
export const minSpellingLength = 4
/** Words of scripts without letters for vowels are shorter. */
const minForeignLength = 3

/**
 * Calls `onWord` for each word of a folded text. An identifier is reported whole first (`isWhole`), then its parts.
 * `at` is a UTF-16 offset.
 */
export function forEachWord(text: string, onWord: (word: string, isWhole: boolean, at: number) => void): void {
  let from = 0
  for (const match of text.matchAll(isAscii(text) ? asciiIdentifier : identifier)) {
    forEachPlainWord(text.slice(from, match.index), from, onWord)
    onWord(match[0], true, match.index)
    forEachPlainWord(match[0].replace(/[_\-./:@#+\\]/g, ' '), match.index, onWord)
    from = match.index + match[0].length
  }
  forEachPlainWord(text.slice(from), from, onWord)
}

function forEachPlainWord(text: string, offset: number, onWord: Parameters<typeof forEachWord>[1]): void {
  // For ASCII, a regular expression finds the same words as the segmenter, ten times as fast.
  if (isAscii(text)) {
    for (const match of text.matchAll(/[a-z0-9]+(?:'[a-z]+)?/g)) onWord(match[0], false, offset + match.index)
    return
  }
  for (const { segment, isWordLike, index } of wordSegmenter().segment(text.replaceAll('’', "'"))) {
    if (isWordLike) onWord(segment, false, offset + index)
  }
}

/**
 * Splits camelCase words: `LazyInitException` → lazy, init, exception. Returns nothing for other words, nor for
 * `PostgreSQL`, because no part after a lower-case letter is capitalized like a word.
 */
export function camelParts(text: string): string[] {
  if (!/[a-z][A-Z][a-z]/.test(text)) return []
  return (text.match(/[A-Za-z]*[a-z][A-Z][a-z][A-Za-z]*/g) ?? []).flatMap((word) =>
    word
      .replace(/([a-z])([A-Z][a-z])/g, '$1 $2')
      .toLowerCase()
      .split(' ')
      .filter((part) => part.length > 1),
  )
}

export function termsOfWord(word: string): readonly string[] {
  return /^[a-z]+$/i.test(word) ? [stem(word.toLowerCase())] : latinTerms(fold(word))
}

const endings = koreanEndings
  .split(/\s+/)
  .filter(Boolean)
  .sort((one, other) => other.length - one.length)

/** Returns the word unchanged if it has no ending, or if nothing would remain. */
export function withoutKoreanEnding(word: string): string {
  const ending = endings.find((end) => word.length > end.length && word.endsWith(end))
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/**
 * Finds canonical forms of dates (`10月3号`, `Oct 3rd`, `2026/10/3`), numbers (`3,260`, `三千五`, `320万`), quantities (`500
 * g`, `五百公克`) and telephone numbers. The index stores their terms, and queries search for them. The input must be
 * folded (lower case, simplified Han).
 */
export interface CanonicalForm {
  /** UTF-16 offset in the text; `end` is exclusive. */
  readonly start: number
  readonly end: number
  readonly indexTerms: readonly string[]
  /** Terms that a query searches for; the first is the most exact one, the others are weaker evidence. */
  readonly searchTerms: readonly string[]
  /** True if the written words add nothing to these terms, so that a query need not search for them. */
  readonly replacesLetters: boolean
}

const units: readonly (readonly [string, string])[] = [
  ['kg', 'kg kgs kilo kilos kilogram kilograms 公斤 千克 キログラム キロ 킬로그램 킬로'],
  ['g', 'g gr gram grams 克 公克 グラム 그램'],
  ['mg', 'mg 毫克 ミリグラム 밀리그램'],
  ['ml', 'ml 毫升 ミリリットル 밀리리터'],
  ['l', 'l litre litres liter liters 升 公升 リットル 리터'],
  ['km', 'km kms kilometre kilometres kilometer kilometers 公里 千米 キロメートル 킬로미터'],
  ['m', 'm metre metres meter meters 米 公尺 メートル 미터'],
  ['cm', 'cm centimetre centimetres centimeter centimeters 厘米 公分 センチ 센티미터'],
  ['mm', 'mm 毫米 公厘 ミリ 밀리미터'],
  ['ms', 'ms millisecond milliseconds 毫秒 ミリ秒 밀리초'],
  ['sec', 'sec secs second seconds 秒 秒钟 초'],
  ['min', 'min mins minute minutes 分钟 分間 分间 분'],
  ['hour', 'h hr hrs hour hours 小时 钟头 時間 时间 시간'],
  ['gb', 'gb gigabyte gigabytes'],
  ['mb', 'mb megabyte megabytes'],
  ['tb', 'tb terabyte terabytes'],
]
const unitByName = new Map(units.flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit] as const)))
const unitNames = [...unitByName.keys()].sort((one, other) => other.length - one.length)
const unitName = `(?:(${unitNames.filter((name) => /^[a-z]/.test(name)).join('|')})(?![a-z0-9])|(${unitNames.filter((name) => !/^[a-z]/.test(name)).join('|')}))`

const decimal = String.raw`(?<![\w.,-])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)`
const mixed = `${decimal}\\s?[十百千万亿億만천백억]+(?:${hanNumeral}+|${hangulNumeral}+)?`
const hanNumber = `(?<!${hanNumeral}|第)${hanNumeral}+`
const hangulNumber = `(?<![가-힣])${hangulNumeral}+(?=$|[^가-힣]|원|명|개|킬|그램|분|시간|초|리터|미터)`
const quantity = new RegExp(`(${mixed}|${decimal}|${hanNumber}|${hangulNumber})(?:\\s?${unitName})?`, 'g')
const telephone = /(?<![\w.])\+?\(?\d{2,4}\)?(?:[-–\s]\(?\d{2,4}\)?){1,4}(?![\w-]|\.\d)/g
const maybeTelephone = /\d{2}\)?[-–\s]\(?\d{2}/
const maybeQuantity = /\d|[一二三四五六七八九十百千两〇]|[십백천만억]|[일이삼사오육칠팔구](?:원|분|시간|개|명)/

/** A group of digits with fewer digits is not a telephone or account number. */
const minDigits = 7

export function findCanonicalForms(text: string): CanonicalForm[] {
  const dates = findDates(text).map(formOfDate)
  if (!maybeQuantity.test(text)) return dates
  const forms = [...dates]
  const isFree = (start: number, end: number) => forms.every((other) => start >= other.end || other.start >= end)
  for (const match of maybeTelephone.test(text) ? text.matchAll(telephone) : []) {
    const digits = match[0].replace(/\D/g, '')
    const end = match.index + match[0].length
    if (digits.length < minDigits || !isFree(match.index, end)) continue
    forms.push({ start: match.index, end, indexTerms: [digits], searchTerms: [digits], replacesLetters: false })
  }
  for (const { 0: whole, 1: number = '', 2: latinUnit, 3: cjkUnit, index: start } of text.matchAll(quantity)) {
    const end = start + whole.length
    if (!isFree(start, end)) continue
    const form = formOfQuantity(number, latinUnit ?? cjkUnit)
    if (form) forms.push({ start, end, ...form })
  }
  return forms.sort((one, other) => one.start - other.start)
}

function formOfDate({ start, end, year, month, day }: DateMatch): CanonicalForm {
  const [mm, dd] = [month, day ?? 0].map((value) => `-${String(value).padStart(2, '0')}`)
  const dates = day === undefined ? [mm] : [`${mm}${dd}`, mm]
  const years = year === undefined ? [] : [...dates.map((date) => `${year}${date}`), String(year)]
  const full = years.slice(0, 1)
  const indexTerms = [...years, ...dates.map((date) => `-${date}`)]
  return { start, end, indexTerms, searchTerms: [...full, `-${dates[0]}`], replacesLetters: true }
}

function formOfQuantity(number: string, unit: string | undefined): Omit<CanonicalForm, 'start' | 'end'> | undefined {
  const value = parseNumeral(number)
  if (value === undefined) return undefined
  const figure = String(value)
  const measured = unit === undefined ? [] : [`${figure}${unitByName.get(unit) ?? unit}`]
  const isPlain = /^\d+$/.test(number)
  // A plain number is an ordinary word, and 一 or 三 alone is hardly ever what a text is about.
  if (measured.length === 0 && (isPlain || number.length < 2 || /^\d+\.\d+$/.test(number))) return undefined
  return {
    indexTerms: isPlain ? measured : [...measured, figure],
    searchTerms: [...measured, figure],
    replacesLetters: /^\d[\d,]*(?:\.\d+)?$/.test(number) && unit === undefined,
  }
}
