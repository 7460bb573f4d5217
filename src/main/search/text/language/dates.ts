/** Dates in folded texts, and numerals in Chinese, Japanese and Korean, with or without digits: 320万, 二〇二六, 만오천. */
import { monthName, monthNames } from './words.ts'

const digits: Readonly<Record<string, number>> = {
  ...byIndex('〇一二三四五六七八九'),
  ...byIndex('零壹贰叁肆伍陆柒捌玖'),
  两: 2,
  ...byIndex('영일이삼사오육칠팔구'),
}
const units: Readonly<Record<string, number>> = {
  十: 10,
  百: 100,
  千: 1000,
  拾: 10,
  佰: 100,
  仟: 1000,
  십: 10,
  백: 100,
  천: 1000,
}
const largeUnits: Readonly<Record<string, number>> = { 万: 1e4, 億: 1e8, 亿: 1e8, 萬: 1e4, 만: 1e4, 억: 1e8 }

function byIndex(letters: string): Record<string, number> {
  return Object.fromEntries([...letters].map((letter, index) => [letter, index]))
}

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
  if ([...letters].every((letter) => letter in digits)) {
    return Number([...letters].map((letter) => digits[letter]).join(''))
  }
  let total = 0
  let section = 0
  let pending: number | undefined
  let lastUnit = 0
  for (const [token] of letters.matchAll(/\d+(?:\.\d+)?|./gu)) {
    const unit = units[token]
    const large = largeUnits[token]
    const digit = /^\d/.test(token) ? Number(token) : digits[token]
    if (digit !== undefined) {
      if (pending !== undefined && pending !== 0) return undefined
      if (digit === 0) lastUnit = 0
      pending = digit
    } else if (unit !== undefined) {
      section += (pending ?? 1) * unit
      pending = undefined
      lastUnit = unit
    } else if (large !== undefined) {
      total = (total + (section + (pending ?? (section === 0 ? 1 : 0)))) * large
      section = 0
      pending = undefined
      lastUnit = large
    } else return undefined
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

type Part = string | undefined

interface Rule {
  readonly pattern: RegExp
  readonly read: (parts: readonly Part[]) => Omit<DateMatch, 'start' | 'end'> | undefined
}

const ordinal = '(\\d{1,2})(?:st|nd|rd|th)?'
const han = `(\\d{1,2}|${hanNumeral}{1,3})`
const hangul = '(\\d{1,2}|십일|십이|일|이|삼|사|오|육|유|칠|팔|구|십|시)'

/** Rules with a cheap precondition: `precondition` excludes most lines, so that the rules need not be tried. */
interface RuleGroup {
  readonly precondition: RegExp
  /** Earlier rules win: a later rule can't match text that overlaps an earlier match. */
  readonly rules: readonly Rule[]
}

const ruleGroups: readonly RuleGroup[] = [
  {
    precondition: /\d[-/.]\d/,
    rules: [
      // 2026-10-03, 2026/10/3, 2026.10.3; not within a longer identifier
      {
        pattern: /(?<![\w./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\w/-]|\.\d)/g,
        read: ([year, , month, day]) => date(year, month, day),
      },
      {
        pattern: /(?<![\w./-])(\d{4})-(0[1-9]|1[0-2])(?![\w/-]|\.\d)/g,
        read: ([year, month]) => date(year, month, undefined),
      },
      // 12/18/2026, 18.12.2026: with slashes the month is first, unless the first number is greater than 12
      {
        pattern: /(?<![\w./-])(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?![\w/-]|\.\d)/g,
        read: ([one, sign, other, year]) =>
          sign === '.' || Number(one) > 12 ? date(year, other, one) : date(year, one, other),
      },
      // 12/18, and 18/12 because there is no month 18
      {
        pattern: /(?<![\w./-])(\d{1,2})\/(\d{1,2})(?![\w/%-]|\.\d)/g,
        read: ([one, other]) => (Number(one) > 12 ? date(undefined, other, one) : date(undefined, one, other)),
      },
    ],
  },
  {
    precondition: /[月월]/,
    rules: [
      // 2026年10月3日, 十月三号, 三月十七
      {
        pattern: new RegExp(
          `(?<!${hanNumeral}|\\d)(?:(\\d{4}|[〇零一二三四五六七八九]{4})\\s*年\\s*)?${han}\\s*月\\s*(?:(\\d{1,2})\\s*[日号]|(${hanNumeral}{1,3})\\s*[日号]?(?!${hanNumeral}|[个周年天]))`,
          'g',
        ),
        read: ([year, month, day, numeral]) => date(year, month, day ?? numeral),
      },
      // 2026년 10월 3일
      {
        pattern: new RegExp(
          `(?<!\\d|${hangulNumeral})(?:(\\d{4})\\s*년\\s*)?${hangul}월\\s*(\\d{1,2}|${hangulNumeral}{1,3})\\s*일`,
          'g',
        ),
        read: ([year, month, day]) => date(year, koreanMonth(month), day),
      },
      // 2026年10月, 2026년 10월
      {
        pattern: new RegExp(`(?<!${hanNumeral}|\\d)(\\d{4}|[〇零一二三四五六七八九]{4})\\s*年\\s*${han}\\s*月`, 'g'),
        read: ([year, month]) => date(year, month, undefined),
      },
      {
        pattern: new RegExp(`(?<!\\d)(\\d{4})\\s*년\\s*${hangul}월`, 'g'),
        read: ([year, month]) => date(year, koreanMonth(month), undefined),
      },
      // 十月, 10月; not 一个月 or 三月租
      {
        pattern: new RegExp(`(?<!${hanNumeral}|\\d)${han}\\s?月(?![租薪亮经])`, 'g'),
        read: ([month]) => date(undefined, month, undefined),
      },
      {
        pattern: new RegExp(`(?<![\\d가-힣])${hangul}월(?=$|[^가-힣]|[말초중에의은는이가까부])`, 'g'),
        read: ([month]) => date(undefined, koreanMonth(month), undefined),
      },
    ],
  },
  {
    precondition: new RegExp(`\\b${monthName}\\b`),
    rules: [
      // 3 June, 2023; 3rd of June
      {
        pattern: new RegExp(`(?<![\\w.:$])${ordinal}\\s+(?:of\\s+)?${monthName}\\b\\.?(?:,?\\s+(\\d{4})\\b)?`, 'g'),
        read: ([day, month, year]) => date(year, monthNumber(month), day),
      },
      // June 3rd, 2023
      {
        pattern: new RegExp(`\\b${monthName}\\.?\\s+${ordinal}\\b(?!:\\d|%|\\.\\d)(?:,?\\s+(\\d{4})\\b)?`, 'g'),
        read: ([month, day, year]) => date(year, monthNumber(month), day),
      },
      // June 2023
      {
        pattern: new RegExp(`\\b${monthName}\\.?,?\\s+(?:of\\s+)?(\\d{4})\\b`, 'g'),
        read: ([month, year]) => date(year, monthNumber(month), undefined),
      },
      // October; "may" and "march" are months only after words such as "in" or "last"
      {
        pattern: new RegExp(`\\b(${monthNames.filter((name) => !/^ma[ry]/.test(name)).join('|')})\\b`, 'g'),
        read: ([month]) => date(undefined, monthNumber(month), undefined),
      },
      {
        pattern: /(?<=\b(?:in|last|this|next|since|during|by|until|early|late|mid) )(may|march)\b/g,
        read: ([month]) => date(undefined, monthNumber(month), undefined),
      },
    ],
  },
]

/**
 * Returns the dates of a folded text, sorted by position. They do not overlap. Days are checked against 1 to 31 only,
 * not against the length of the month.
 */
export function findDates(text: string): DateMatch[] {
  const found: DateMatch[] = []
  for (const { pattern, read } of ruleGroups.flatMap(({ precondition, rules }) =>
    precondition.test(text) ? rules : [],
  )) {
    for (const match of text.matchAll(pattern)) {
      const start = match.index
      const end = start + match[0].length
      if (found.some((other) => start < other.end && other.start < end)) continue
      const form = read(match.slice(1))
      if (form) found.push({ start, end, ...form })
    }
  }
  return found.sort((one, other) => one.start - other.start)
}

function date(yearPart: Part, monthPart: Part | number, dayPart: Part): Omit<DateMatch, 'start' | 'end'> | undefined {
  const year = yearPart === undefined ? undefined : parseNumeral(yearPart)
  const month = typeof monthPart === 'number' ? monthPart : (parseNumeral(monthPart ?? '') ?? 0)
  const day = dayPart === undefined ? undefined : parseNumeral(dayPart)
  if (!(month >= 1 && month <= 12)) return undefined
  if (year !== undefined && !(year >= 1000 && year <= 2999)) return undefined
  if (dayPart !== undefined && !(day !== undefined && day >= 1 && day <= 31)) return undefined
  return { year, month, day }
}

/** Returns the number of an English month, 1 to 12. */
export function monthNumber(name: string | undefined): number {
  return monthNames.findIndex((month) => name !== undefined && month.startsWith(name.slice(0, 3))) + 1
}

/** 유월 (June) and 시월 (October) drop the last consonant of the numeral. */
function koreanMonth(month: Part): Part {
  return month === '유' ? '육' : month === '시' ? '십' : month
}
