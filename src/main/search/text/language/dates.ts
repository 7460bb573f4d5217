/** Dates in folded texts, and numerals in Chinese, Japanese and Korean, with or without digits: 320万, 二〇二六, 만오천. */
import { monthName, monthNames } from './words.ts'

/** Days since 1970-01-01. */
export type Day = number

/** Both days are inclusive; an open end is infinite. */
export interface DaySpan {
  readonly first: Day
  readonly last: Day
}

const dayMs = 86_400_000

/** Returns `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** Parses `YYYY-MM-DD`. Returns NaN for other text. */
export function parseDay(date: string): Day {
  return Date.parse(date) / dayMs
}

/** @param month 1 to 12; other values continue into the next or the previous years */
export function monthSpan(year: number, month: number): DaySpan {
  return { first: Date.UTC(year, month - 1, 1) / dayMs, last: Date.UTC(year, month, 0) / dayMs }
}

export function yearSpan(year: number): DaySpan {
  return { first: monthSpan(year, 1).first, last: monthSpan(year, 12).last }
}

export function weekSpan(day: Day): DaySpan {
  const monday = day - ((day + 3) % 7)
  return { first: monday, last: monday + 6 }
}

/** @param week ISO week, 1 to 53 */
export function isoWeekSpan(year: number, week: number): DaySpan {
  const { first } = weekSpan(monthSpan(year, 1).first + 3)
  return { first: first + (week - 1) * 7, last: first + week * 7 - 1 }
}

export function calendarOf(day: Day): { readonly year: number; readonly month: number } {
  const date = new Date(day * dayMs)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 }
}

/**
 * Returns the span of a year, a month or a day, depending on the arguments. Returns undefined if the calendar has no
 * such month or day.
 */
export function spanOf(year: number, month?: number, day?: number): DaySpan | undefined {
  if (month === undefined) return yearSpan(year)
  if (!(month >= 1 && month <= 12)) return undefined
  if (day === undefined) return monthSpan(year, month)
  const only = Date.UTC(year, month - 1, day) / dayMs
  const { first, last } = monthSpan(year, month)
  return first <= only && only <= last ? { first: only, last: only } : undefined
}

export function overlaps(one: DaySpan, other: DaySpan): boolean {
  return one.first <= other.last && other.first <= one.last
}

const digitLetters = ['〇一二三四五六七八九', '零壹贰叁肆伍陆柒捌玖', '영일이삼사오육칠팔구', '  两']
const digits = new Map(digitLetters.flatMap((letters) => Array.from(letters, (letter, digit) => [letter, digit])))
const unitLetters = { 10: '十拾십', 100: '百佰백', 1000: '千仟천', 1e4: '万萬만', 1e8: '億亿억' }
const units = new Map(
  Object.entries(unitLetters).flatMap(([unit, letters]) => Array.from(letters, (letter) => [letter, Number(unit)])),
)

/** Pattern for one Han numeral, without a group, for use in larger patterns. Digits can precede 万 and 亿. */
export const hanNumeral = '[〇零一二三四五六七八九十百千万亿億两壹贰叁肆伍陆柒捌玖拾佰仟]'
export const hangulNumeral = '[영일이삼사오육칠팔구십백천만억]'

/**
 * Returns the value of a numeral such as 三千五 (3500: a last digit counts in the next lower unit), 320万, 二〇二六 or 4.5万.
 * Returns undefined if the text is not a numeral.
 */
export function parseNumeral(numeral: string): number | undefined {
  const letters = numeral.replace(/[,\s]/g, '')
  if (/^\d+(?:\.\d+)?$/.test(letters)) return Number(letters)
  const figures = Array.from(letters, (letter) => digits.get(letter))
  if (!figures.includes(undefined)) return Number(figures.join(''))
  let total = 0
  let section = 0
  let pending: number | undefined
  let lastUnit = 0
  for (const [token] of letters.matchAll(/\d+(?:\.\d+)?|./gu)) {
    const unit = units.get(token)
    const digit = /^\d/.test(token) ? Number(token) : digits.get(token)
    if (digit !== undefined) {
      if (pending !== undefined && pending !== 0) return undefined
      if (digit === 0) lastUnit = 0
      pending = digit
      continue
    }
    if (unit === undefined) return undefined
    if (unit < 1e4) section += (pending ?? 1) * unit
    else {
      total = (total + section + (pending ?? (section === 0 ? 1 : 0))) * unit
      section = 0
    }
    pending = undefined
    lastUnit = unit
  }
  // 三千五 is 3500 and 一万八 is 18,000, but 三千零五 is 3005 and 二十五 is 25.
  if (pending !== undefined) section += lastUnit > 10 && pending < 10 ? (pending * lastUnit) / 10 : pending
  const value = Math.round((total + section) * 1e6) / 1e6
  return Number.isFinite(value) ? value : undefined
}

export interface DateMatch {
  /** UTF-16 offset in the text; `end` is exclusive. */
  readonly start: number
  readonly end: number
  readonly year: number | undefined
  /** 1 to 12. */
  readonly month: number
  /** 1 to 31; undefined for a whole month. */
  readonly day: number | undefined
}

const ordinal = '(?<day>\\d{1,2})(?:st|nd|rd|th|\\.)?'
const han = `(?<month>\\d{1,2}|${hanNumeral}{1,3})`
const hanYear = '(?<year>\\d{4}|[〇零一二三四五六七八九]{4})\\s*年\\s*'
const hangul = '(?<month>\\d{1,2}|십일|십이|일|이|삼|사|오|육|유|칠|팔|구|십|시)월'
const hangulYear = '(?<year>\\d{4})\\s*년\\s*'
const englishMonth = `(?<month>${monthName})`
const englishYear = '(?:,?\\s+(?<year>\\d{4})\\b)?'
const outside = '(?<![\\w./-])'
const beyond = '(?![\\w/-]|\\.\\d)'
/** The time of an ISO date can follow: 2026-10-03T10:30. */
const beyondIso = '(?!(?!t\\d\\d:?\\d\\d)[\\w/-]|\\.\\d)'

/** Patterns with a cheap precondition, which excludes most lines. A later pattern can't match text of an earlier match. */
const patternGroups = (
  [
    [
      /\d[-/.]\d/,
      // 2026-10-03, 2026/10/3, 2026.10.3; not within a longer identifier
      `${outside}(?<year>\\d{4})([-/.])(?<month>\\d{1,2})\\2(?<day>\\d{1,2})${beyondIso}`,
      `${outside}(?<year>\\d{4})-(?<month>0[1-9]|1[0-2])${beyond}`,
      // 18.12.2026, 12/18/2026: with slashes the month is first, unless the first number is greater than 12
      `${outside}(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.(?<year>\\d{4})${beyond}`,
      `${outside}(?<month>0?\\d|1[0-2])/(?<day>\\d{1,2})/(?<year>\\d{4})${beyond}`,
      `${outside}(?<day>\\d{2})/(?<month>\\d{1,2})/(?<year>\\d{4})${beyond}`,
      // 12/18, and 18/12 because there is no month 18
      `${outside}(?<month>0?\\d|1[0-2])/(?<day>\\d{1,2})(?![\\w/%-]|\\.\\d)`,
      `${outside}(?<day>\\d{2})/(?<month>\\d{1,2})(?![\\w/%-]|\\.\\d)`,
    ],
    [
      /[月월]/,
      // 2026年10月3日, 十月三号, 三月十七
      `(?<!${hanNumeral}|\\d)(?:${hanYear})?${han}\\s*月\\s*(?<day>\\d{1,2}(?=\\s*[日号])|${hanNumeral}{1,3}(?!${hanNumeral}|[个周年天]))\\s*[日号]?`,
      // 2026년 10월 3일
      `(?<!\\d|${hangulNumeral})(?:${hangulYear})?${hangul}\\s*(?<day>\\d{1,2}|${hangulNumeral}{1,3})\\s*일`,
      // 2026年10月, 2026년 10월
      `(?<!${hanNumeral}|\\d)${hanYear}${han}\\s*月`,
      `(?<!\\d)${hangulYear}${hangul}`,
      // 十月, 10月; not 一个月 or 三月租
      `(?<!${hanNumeral}|\\d)${han}\\s?月(?![租薪亮经])`,
      `(?<![\\d가-힣])${hangul}(?=$|[^가-힣]|[말초중에의은는이가까부])`,
    ],
    [
      new RegExp(`\\b${monthName}\\b`),
      // 3 June, 2023; 3rd of June
      `(?<![\\w.:$])${ordinal}\\s+(?:of\\s+)?${englishMonth}\\b\\.?${englishYear}`,
      // June 3rd, 2023
      `\\b${englishMonth}\\.?\\s+${ordinal}\\b(?!:\\d|%|\\.\\d)${englishYear}`,
      // June 2023
      `\\b${englishMonth}\\.?,?\\s+(?:of\\s+)?(?<year>\\d{4})\\b`,
      // October; "may" and "march" are months only after words such as "in" or "last"
      `\\b(?<month>${monthNames.filter((name) => !/^ma[ry]/.test(name)).join('|')})\\b`,
      '(?<=\\b(?:in|last|this|next|since|during|by|until|early|late|mid) )(?<month>may|march)\\b',
    ],
  ] as const
).map(([precondition, ...patterns]) => ({
  precondition,
  patterns: patterns.map((pattern) => new RegExp(pattern, 'g')),
}))

/**
 * Returns the dates of a folded text, sorted by position. They do not overlap. Days are checked against 1 to 31 only,
 * not against the length of the month.
 */
export function findDates(text: string): DateMatch[] {
  const found: DateMatch[] = []
  for (const pattern of patternGroups.flatMap(({ precondition, patterns }) =>
    precondition.test(text) ? patterns : [],
  ))
    for (const { 0: whole, index: start, groups = {} } of text.matchAll(pattern)) {
      const end = start + whole.length
      if (found.some((other) => start < other.end && other.start < end)) continue
      const [year, day] = [groups['year'], groups['day']].map((part) =>
        part === undefined ? part : (parseNumeral(part) ?? NaN),
      )
      const month = monthOf(groups['month'] ?? '')
      const isDate = isBetween(month, 1, 12) && isBetween(year ?? 2000, 1000, 2999) && isBetween(day ?? 1, 1, 31)
      if (isDate) found.push({ start, end, year, month, day })
    }
  return found.sort((one, other) => one.start - other.start)
}

function isBetween(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}

/** 유월 (June) and 시월 (October) drop the last consonant of the numeral. */
function monthOf(name: string): number {
  if (/^[a-z]/.test(name)) return monthNumber(name)
  return parseNumeral(name === '유' ? '육' : name === '시' ? '십' : name) ?? 0
}

export function monthNumber(name: string | undefined): number {
  return monthNames.findIndex((month) => name !== undefined && month.startsWith(name.slice(0, 3))) + 1
}
