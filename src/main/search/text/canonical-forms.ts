/**
 * Finds canonical forms of dates (`10月3号`, `Oct 3rd`, `2026/10/3`), numbers (`3,260`, `三千五`, `320万`), quantities (`500
 * g`, `五百公克`) and telephone numbers. The index stores their terms, and queries search for them. The input must be
 * folded (lower case, simplified Han).
 */
import { findDates, hangulNumeral, hanNumeral, parseNumeral, type DateMatch } from './language/dates.ts'

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
