/**
 * Parses relative and absolute times in a question: yesterday, two weeks ago, in May 2024, 上周三, 去年五月, 先週, 지난달. Each
 * expression becomes a span of days, counted from today. Weeks begin on Monday (ISO 8601). A weekday is the
 * latest one that has begun; "on Tuesday" can be today. A day or month without a year can begin in up to 60 days, but
 * not in a question about the past.
 * "Two weeks ago" is that whole week and "two years ago" that whole year, because such phrases are approximate. Seasons and "recently" are ignored: their meaning varies.
 */
import { findDates, monthName, monthNumber, type DateMatch } from './dates.ts'
import { calendarOf, monthSpan, spanOf, weekSpan, yearSpan, type Day, type DaySpan } from './days.ts'
import { hanNumeral, parseNumeral } from './numerals.ts'
import { fold } from './terms.ts'

export interface TemporalExpression extends DaySpan {
  /** `weekday`: without a word such as `last`. `relative` and `weekday` depend on today; `date` does not. */
  readonly kind: 'relative' | 'weekday' | 'date'
  readonly text: string
  /** UTF-16 offset in the NFKC form of the query; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

type Unit = 'day' | 'week' | 'month' | 'year'
type Part = string | undefined

interface Rule {
  /** Default: `relative`. */
  readonly kind?: TemporalExpression['kind']
  /** Matches folded text: lower case, simplified Han. */
  readonly pattern: RegExp
  readonly read: (parts: readonly Part[], today: Day) => DaySpan | undefined
}

const day = (at: Day): DaySpan => ({ first: at, last: at })

/** Returns the day, week, month or year that is `count` units after today's (before it if negative). */
function unitAfter(today: Day, unit: Unit, count: number): DaySpan {
  const { year, month } = calendarOf(today)
  if (unit === 'day') return day(today + count)
  if (unit === 'week') return weekSpan(today + 7 * count)
  return unit === 'month' ? monthSpan(year, month + count) : yearSpan(year + count)
}

/** Returns the span from `count` units ago until today, with months of 30 and years of 365 days. */
function since(today: Day, unit: Unit, count: number): DaySpan {
  const days = { day: 1, week: 7, month: 30, year: 365 }[unit]
  return { first: today - days * count, last: today }
}

/** Returns the latest such weekday until `until`; 0 is Monday. */
function lastWeekday(until: Day, weekday: number): DaySpan {
  return day(until - ((((until + 3) % 7) - weekday + 7) % 7))
}

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const english = `(\\d{1,3}|an?|${numbers.join('|')}|a couple of|a few|several)`
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const weekdayName = `(${weekdays.join('|')})`
/** `天` is Sunday after 星期, but 周天 is a name. */
const chineseWeekday = '周[一二三四五六日]|(?:星期|礼拜)[一二三四五六日天]'
const han = `(\\d{1,3}|${hanNumeral}{1,3})`

/** Returns the value of each word. @param rows values, each with its words, separated by spaces */
function valuesOf<T>(rows: readonly (readonly [value: T, words: string])[]): ReadonlyMap<string, T> {
  return new Map(
    rows.flatMap(([value, words]) =>
      fold(words)
        .split(' ')
        .map((word) => [word, value] as const),
    ),
  )
}

const longestFirst = (words: ReadonlyMap<string, unknown>) =>
  [...words.keys()].sort((one, other) => other.length - one.length).join('|')

const dayByWord = valuesOf([
  [-3, '大前天 さきおととい 그끄저께'],
  [-2, '前天 前日晚上 一昨日 おととい 그저께 그제 엊그제'],
  [-1, '昨天 昨日 昨晚 昨夜 昨晩 昨儿 きのう ゆうべ 어제 어저께 어젯밤'],
  [0, '今天 今日 今晚 今早 今晨 今朝 今晩 今夜 きょう 오늘'],
  [1, '明天 明日 明晚 明早 明晨 あした 내일'],
  [2, '后天 明後日 あさって 모레'],
  [3, '大后天'],
])

/** Offset in years from this year. A month can follow. */
const yearByWord = valuesOf([
  [-3, '大前年'],
  [-2, '前年 一昨年 おととし 재작년'],
  [-1, '去年 昨年 작년 지난해'],
  [0, '今年 本年 올해 금년'],
  [1, '明年 来年 내년'],
])

/** Offset in weeks or months from the current one. */
const nearByWord = valuesOf([
  [-2, '上上 先々 先先 지지난'],
  [-1, '上 先 지난 저번'],
  [0, '这 本 今 이번'],
  [1, '下 来 다음'],
])
const relativePattern = longestFirst(nearByWord)
const offsetOf = (word: Part) => nearByWord.get(word ?? '') ?? 0

const cjkUnits = valuesOf<Unit>([
  ['day', '天 日 일'],
  ['week', '周 星期 礼拜 周间 周間 주 주일'],
  ['month', '月 个月 ヶ月 か月 カ月 ヵ月 箇月 개월 달'],
  ['year', '年 년 해'],
])
const cjkUnit = longestFirst(cjkUnits)
const korean: Readonly<Record<string, number>> = { 한: 1, 두: 2, 세: 3, 네: 4, 다섯: 5, 여섯: 6, 일: 1 }
const koreanDays = new Map(Object.entries({ 하루: 1, 이틀: 2, 사흘: 3, 나흘: 4, 닷새: 5, 열흘: 10 }))

const rules: readonly Rule[] = [
  { pattern: /\b(?:the )?day before yesterday\b/g, read: (_, today) => day(today - 2) },
  { pattern: /\b(?:yesterday|last night)\b/g, read: (_, today) => day(today - 1) },
  { pattern: /\b(?:today|tonight|this (?:morning|afternoon|evening))\b/g, read: (_, today) => day(today) },
  { pattern: /\b(?:the )?day after tomorrow\b/g, read: (_, today) => day(today + 2) },
  { pattern: /\btomorrow\b/g, read: (_, today) => day(today + 1) },
  {
    pattern: new RegExp(`\\bin ${english.replace('an?|', '')} (day|week|month|year)s?(?: time)?\\b`, 'g'),
    read: ([count, unit], today) => unitAfter(today, unit as Unit, englishNumber(count)),
  },
  {
    pattern: new RegExp(`\\b${english} (day|week|month|year)s? ago\\b`, 'g'),
    read: ([count, unit], today) => unitAfter(today, unit as Unit, -englishNumber(count)),
  },
  {
    pattern: new RegExp(`\\b(?:the )?(?:last|past|previous) ${english} (day|week|month|year)s\\b`, 'g'),
    read: ([count, unit], today) => since(today, unit as Unit, englishNumber(count)),
  },
  { pattern: /\b(?:the )?week before last\b/g, read: (_, today) => unitAfter(today, 'week', -2) },
  {
    pattern: new RegExp(`\\b(?:on )?${weekdayName} (?:of )?(last|this|next) week\\b`, 'g'),
    read: ([name, which], today) => day(weekSpan(today + 7 * direction(which)).first + weekdays.indexOf(name ?? '')),
  },
  {
    pattern: /\b(last|previous|this|next) weekend\b/g,
    read: ([which], today) => {
      const { last } = weekSpan(today + 7 * direction(which))
      return { first: last - 1, last }
    },
  },
  {
    pattern: new RegExp(`\\b${monthName}(?: of)?,? (last|this|next) year\\b`, 'g'),
    read: ([name, which], today) => monthSpan(calendarOf(today).year + direction(which), monthNumber(name)),
  },
  {
    pattern: new RegExp(`\\b(last|this|next) year in ${monthName}\\b`, 'g'),
    read: ([which, name], today) => monthSpan(calendarOf(today).year + direction(which), monthNumber(name)),
  },
  {
    pattern: /\b(last|previous|this|next) (week|month|year)\b/g,
    read: ([which, unit], today) => unitAfter(today, unit as Unit, direction(which)),
  },
  {
    pattern: /\b(?:the |this )?past (week|month|year)\b/g,
    read: ([unit], today) => since(today, unit as Unit, 1),
  },
  {
    pattern: new RegExp(`\\b(?:last|this past|past) ${weekdayName}\\b`, 'g'),
    read: ([name], today) => lastWeekday(today - 1, weekdays.indexOf(name ?? '')),
  },
  {
    pattern: new RegExp(`\\b(this|next) ${weekdayName}\\b`, 'g'),
    read: ([which, name], today) => day(weekSpan(today + 7 * direction(which)).first + weekdays.indexOf(name ?? '')),
  },
  {
    kind: 'weekday',
    pattern: new RegExp(
      `(?<!\\b(?:every|each|any|most|to|until|through|and|or|a) |[–—-])\\b(?:on )?${weekdayName}\\b(?!\\s?[–—-]|s\\b| (?:to|until|through|and|or) )`,
      'g',
    ),
    read: ([name], today) => lastWeekday(today, weekdays.indexOf(name ?? '')),
  },
  {
    pattern: new RegExp(`\\blast ${monthName}\\b`, 'g'),
    read: ([name], today) => {
      const { year, month } = calendarOf(today)
      const asked = monthNumber(name)
      return monthSpan(asked < month ? year : year - 1, asked)
    },
  },
  {
    kind: 'date',
    pattern: /\bq([1-4]) (?:of )?((?:19|20)\d\d)\b/g,
    read: ([quarter, year]) => ({
      first: monthSpan(Number(year), 3 * Number(quarter) - 2).first,
      last: monthSpan(Number(year), 3 * Number(quarter)).last,
    }),
  },
  {
    kind: 'date',
    pattern: /(?<=\b(?:in|during|since|from|of|throughout|before|after|until) )((?:19|20)\d\d)(?![\w:/.-]*\d)\b/g,
    read: ([year]) => yearSpan(Number(year)),
  },
  // 去年五月, 작년 5월, 昨年の5月
  {
    pattern: new RegExp(
      `(?<![가-힣])(${longestFirst(yearByWord)})(?:\\s?(?:的|の)?\\s?(\\d{1,2}|${hanNumeral}{1,3})\\s?[月월](?:份)?(?:\\s?(\\d{1,2}|${hanNumeral}{1,3})\\s?[日号일])?)?`,
      'g',
    ),
    read: ([word, month, date], today) =>
      spanOf(
        calendarOf(today).year + (yearByWord.get(word ?? '') ?? 0),
        month === undefined ? undefined : parseNumeral(month),
        date === undefined ? undefined : parseNumeral(date),
      ),
  },
  // 上周三, 这个星期, 下礼拜, 先週の金曜日, 지난주 월요일
  {
    pattern: new RegExp(
      `(?<![가-힣])(${relativePattern})(?:一)?个?\\s?(?:周|星期|礼拜|주)(?!年|间|間|소|문)(?:\\s?(?:的|の)?\\s?(?:([一二三四五六日天])(?![\\d一二三四五六七八九十个月号点])|(末|말)|([月火水木金土日])曜日?|([월화수목금토일])요일))?`,
      'g',
    ),
    read: ([word, chinese, weekend, japanese, koreanDay], today) => {
      const week = unitAfter(today, 'week', offsetOf(word))
      if (weekend !== undefined) return { first: week.last - 1, last: week.last }
      const at = chinese
        ? '一二三四五六日天'.indexOf(chinese)
        : japanese
          ? '月火水木金土日'.indexOf(japanese)
          : koreanDay
            ? '월화수목금토일'.indexOf(koreanDay)
            : undefined
      return at === undefined ? week : day(week.first + Math.min(6, at))
    },
  },
  // 周二, 星期二, 礼拜二
  {
    kind: 'weekday',
    pattern: new RegExp(
      `(?<![每逢隔各到至和与及、一二两三四五六七八九十\\d个~-])(${chineseWeekday})(?![至到和与及、次个年月天~-])`,
      'g',
    ),
    read: ([name = ''], today) => lastWeekday(today, Math.min(6, '一二三四五六日天'.indexOf(name.slice(-1)))),
  },
  // 上个月, 下个月五号, 本月, 先月, 지난달
  {
    pattern: new RegExp(
      `(?<![가-힣])(${relativePattern})(?:一)?个?\\s?(?:月|달)(?![球亮份曜])(?:\\s?${han}\\s?[日号])?`,
      'g',
    ),
    read: ([word, date], today) => {
      const { year, month } = calendarOf(today)
      const { first } = monthSpan(year, month + offsetOf(word))
      const named = calendarOf(first)
      return spanOf(named.year, named.month, date === undefined ? undefined : parseNumeral(date))
    },
  },
  // 三天前, 两周以前, 3ヶ月前, 2년 전
  {
    pattern: new RegExp(
      `(?<!第)(?:${han}|(?<![가-힣])(${Object.keys(korean).join('|')}))\\s?个?(${cjkUnit})\\s?(?:之前|以前|前|전)`,
      'g',
    ),
    read: ([count, native, unit], today) => {
      const number = count === undefined ? korean[native ?? ''] : parseNumeral(count)
      return number === undefined ? undefined : unitAfter(today, cjkUnits.get(unit ?? '') ?? 'day', -number)
    },
  },
  // 三天后; not in the middle of a sentence, where it can follow an event
  {
    pattern: new RegExp(`(?<=^|[\\s,。、我在])${han}\\s?个?(天|日|周|星期|礼拜|月|年)(?:之后|以后|后)`, 'g'),
    read: ([count, unit], today) => unitAfter(today, cjkUnits.get(unit ?? '') ?? 'day', parseNumeral(count ?? '') ?? 0),
  },
  { pattern: /(?:半年(?:之|以)?前|반년\s?전|\bhalf a year ago\b)/g, read: (_, today) => unitAfter(today, 'month', -6) },
  {
    pattern: new RegExp(`(?<![가-힣])(${longestFirst(koreanDays)})\\s?전`, 'g'),
    read: ([word], today) => day(today - (koreanDays.get(word ?? '') ?? 0)),
  },
  // 最近三天, 过去两周, 지난 3일
  {
    pattern: new RegExp(`(?:最近|过去|近|ここ|최근|지난)\\s?(?:的)?${han}\\s?个?(${cjkUnit})(?:间|간|동안)?`, 'g'),
    read: ([count, unit], today) => {
      const number = parseNumeral(count ?? '')
      return number === undefined ? undefined : since(today, cjkUnits.get(unit ?? '') ?? 'day', number)
    },
  },
  {
    pattern: new RegExp(`(?<![가-힣])(${longestFirst(dayByWord)})`, 'g'),
    read: ([word], today) => day(today + (dayByWord.get(word ?? '') ?? 0)),
  },
  // 2024年, 2024년
  {
    kind: 'date',
    pattern: /(?<![\d-])((?:19|20)\d\d)\s?[年년](?!\s?(?:\d|[一二三四五六七八九十]+月))/g,
    read: ([year]) => yearSpan(Number(year)),
  },
]

/** In UTF-16 units. Limits the time for a pasted page. */
const maxCharacters = 2000

/** Returns the times that a query names, sorted by position; they do not overlap. Ignores text in quotation marks. */
export function parseTemporalExpressions(query: string, today: Day): TemporalExpression[] {
  const composed = query.normalize('NFKC').slice(0, maxCharacters)
  const folded = fold(composed)
  const text = folded.replace(/"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』/g, (quote) => ' '.repeat(quote.length))
  const found: TemporalExpression[] = []
  const add = (kind: TemporalExpression['kind'], start: number, end: number, span: DaySpan | undefined) => {
    if (!span || found.some((other) => start < other.end && other.start < end)) return
    // If folding changed the length, offsets do not fit the original text, so the folded text is shown.
    const shown = (folded.length === composed.length ? composed : folded).slice(start, end).trim()
    found.push({ ...withOpenEnd(span, text, start, end), kind, text: shown, start, end })
  }
  for (const { kind = 'relative', pattern, read } of rules)
    for (const match of text.matchAll(pattern))
      add(kind, match.index, match.index + match[0].length, read(match.slice(1), today))
  for (const form of findDates(text)) add('date', form.start, form.end, spanOfForm(form, text, today))
  return found.sort((one, other) => one.start - other.start)
}

/** A day or month without a year is the coming one if it begins in at most so many days. */
const maxAhead = 60
const isPast = /\b(?:did|was|were|had|happened)\b|[了过過]/
/** A question about past notes and events. A statement can have the same tense: "The exam was moved to December 9". */
const asksForPast =
  /\b(?:what|who|whom|whose|which|where|how)\b.*\b(?:did|was|were|had|happened)\b|^\W*(?:did|was|were|had)\b|\b(?:notes|logs?|journal|diary|entry|entries) (?:of|from|for|on)\b|(?:什么|啥|谁|哪|怎么|多少).*[了过]|[了过].*(?:什么|啥|谁|哪|怎么|多少)/
/** Plans for a day, and talk about it, come before it. */
const isGoal = /(?<!\b(?:notes|logs?|journal|diary|entry|entries) )\b(?:for|about|by|until|till)(?: the)? $/
const notesAfter = /^\s?(?:notes|logs?|journal|entries|(?:的|那天的?)?(?:[记纪]录|日志|日记|笔记))/

/**
 * Without a year, returns the coming span that begins within 60 days, otherwise the latest one that has begun. A month
 * in a text about the past has begun, and a day in a question about it. Returns undefined for 1/2, because it can be a
 * fraction.
 */
function spanOfForm({ year, month, day: date, start, end }: DateMatch, text: string, today: Day): DaySpan | undefined {
  if (year !== undefined) return spanOf(year, month, date)
  if (text.slice(start, end).includes('/')) return undefined
  const [before, after] = [text.slice(0, start), text.slice(end)]
  const hasBegun =
    date === undefined
      ? isPast.test(text)
      : notesAfter.test(after) || (asksForPast.test(text) && !isGoal.test(before) && !after.startsWith('的'))
  const ahead = hasBegun ? 0 : maxAhead
  const { year: last } = calendarOf(today + ahead)
  const span = spanOf(last, month, date)
  return span && span.first <= today + ahead ? span : spanOf(last - 1, month, date)
}

/** "Since May" and "before 2024" leave one end open; "the week before May 3" does not. */
function withOpenEnd(span: DaySpan, text: string, start: number, end: number): DaySpan {
  const before = text.slice(Math.max(0, start - 24), start)
  if (
    /\b(?:day|night|morning|evening|week|weekend|month|year|(?:sun|mon|tues|wednes|thurs|fri|satur)day)s? (?:before|after)(?: the)? $/.test(
      before,
    )
  )
    return span
  const after = text.slice(end, end + 6)
  if (/\bsince(?: the)? $/.test(before) || /^\s?(?:以来|从此|から|부터|이후|之后|以后|以後)/.test(after))
    return { first: span.first, last: Infinity }
  if (/\bafter(?: the)? $/.test(before)) return { first: span.last + 1, last: Infinity }
  if (/\b(?:before|until|till)(?: the)? $/.test(before) || /^\s?(?:之前|以前|まで|이전|까지)/.test(after))
    return { first: -Infinity, last: span.first - 1 }
  return span
}

function direction(which: Part): number {
  return which === 'next' ? 1 : which === 'this' ? 0 : -1
}

function englishNumber(text: Part): number {
  if (text === 'a' || text === 'an') return 1
  if (text === 'a couple of') return 2
  if (text === 'a few' || text === 'several') return 3
  const at = numbers.indexOf(text ?? '')
  return at < 0 ? Number(text) : at + 1
}
