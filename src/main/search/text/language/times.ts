/**
 * Parses relative and absolute times: yesterday, two weeks ago, in May 2024, 上周三, 去年五月, 先週, 지난달. Weeks begin on
 * Monday (ISO 8601). A weekday is the latest one that has begun; "on Tuesday" can be today. "Two weeks ago" is that whole
 * week and "two years ago" that whole year, because such phrases are approximate. Seasons and "recently" are ignored:
 * their meaning varies.
 */
import { fold } from '../terms.ts'
import {
  findDates,
  hanNumeral,
  monthNumber,
  parseNumeral,
  type DateMatch,
  calendarOf,
  formatDay,
  monthSpan,
  parseDay,
  spanOf,
  weekSpan,
  yearSpan,
  type Day,
  type DaySpan,
} from './dates.ts'
import { anyOf, chineseWeekday, englishNumbers, monthName, valuesOf, weekdayName, weekdays } from './words.ts'

export interface TemporalExpression extends DaySpan {
  /** `weekday`: without a word such as `last`. `relative` and `weekday` depend on today; `date` does not. */
  readonly kind: 'relative' | 'weekday' | 'date'
  readonly text: string
  /** UTF-16 offset in the NFKC form of the query; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

type FoundTime = Omit<TemporalExpression, 'text'>
type Unit = 'day' | 'week' | 'month' | 'year'
type Part = string | undefined

export interface TimeRule {
  /** Default: `relative`. */
  readonly kind?: TemporalExpression['kind']
  /** Matches folded text: lower case, simplified Han. */
  readonly pattern: RegExp
  readonly read: (parts: readonly Part[], today: Day) => DaySpan | undefined
}

const day = (at: Day): DaySpan => ({ first: at, last: at })

/**
 * Returns the day, week, month or year that is `count` units after today's (before it if negative).
 * @param word for the unit: week, 周
 */
export function unitAfter(today: Day, word: string | undefined, count: number): DaySpan {
  const unit = unitOf(word)
  const { year, month } = calendarOf(today)
  if (unit === 'day') return day(today + count)
  if (unit === 'week') return weekSpan(today + 7 * count)
  return unit === 'month' ? monthSpan(year, month + count) : yearSpan(year + count)
}

/** Returns the span from `count` units ago until today, with months of 30 and years of 365 days. */
function since(today: Day, word: Part, count: number): DaySpan {
  return { first: today - { day: 1, week: 7, month: 30, year: 365 }[unitOf(word)] * count, last: today }
}

/** Returns the latest such weekday until `until`; 0 is Monday. */
function lastWeekday(until: Day, weekday: number): DaySpan {
  return day(until - ((((until + 3) % 7) - weekday + 7) % 7))
}

function weekdayOf(today: Day, weeks: number, weekday: number): DaySpan {
  return day(weekSpan(today + 7 * weeks).first + weekday)
}

/** Times of one word or phrase, with the number of units from today. An earlier row can contain the words of a later one. */
const phrases: readonly (readonly [Unit, number, string])[] = [
  ['week', -2, '(?:the_)?week_before_last'],
  ['month', -6, 'half_a_year_ago 半年[之以]?前 반년_?전'],
  ['day', 8, 'a_week_(?:from_)?tomorrow'],
  ['day', 3, '大后天'],
  ['day', 2, '(?:the_)?day_after_tomorrow 后天 明後日 あさって 모레'],
  ['day', 1, 'tomorrow 明天 明日 明晚 明早 明晨 あした 내일'],
  ['day', 0, 'today tonight this_(?:morning|afternoon|evening) 今天 今日 今晚 今早 今晨 今朝 今晩 今夜 きょう 오늘'],
  ['day', -10, '열흘_?전'],
  ['day', -5, '닷새_?전'],
  ['day', -4, '나흘_?전'],
  ['day', -3, '大前天 さきおととい 그끄저께 사흘_?전'],
  ['day', -2, '(?:the_)?day_before_yesterday 前天 前日晚上 一昨日 おととい 그저께 그제 엊그제 이틀_?전'],
  ['day', -1, 'yesterday last_night 昨天 昨日 昨晚 昨夜 昨晩 昨儿 きのう ゆうべ 어제 어저께 어젯밤 하루_?전'],
]

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
  [2, '下下 再来 다다음'],
])
const near = `(?<![가-힣])(${longestFirst(nearByWord)})(?:一)?个?\\s?`
const offsetOf = (word: Part) => nearByWord.get(word ?? '') ?? 0

const units = valuesOf<Unit>([
  ['day', 'day days 天 日 일'],
  ['week', 'week weeks 周 星期 礼拜 周间 周間 주 주일'],
  ['month', 'month months 月 个月 ヶ月 か月 カ月 ヵ月 箇月 개월 달'],
  ['year', 'year years 年 년 해'],
])
const unit = `(${anyOf([...units.keys()].join(' '))})`
const unitOf = (word: Part) => units.get(word ?? '') ?? 'day'

const wordsOfCount = valuesOf<number>([
  ...englishNumbers.map((word, index) => [index + 1, word] as const),
  [1, 'a an 한 일'],
  [2, 'a_couple_of 두'],
  [3, 'a_few several 세'],
  [4, '네'],
  [5, '다섯'],
  [6, '여섯'],
])
const count = `(\\d{1,3}|(?<!第)${hanNumeral}{1,3}|(?<![a-z가-힣]|half )(?:${longestFirst(wordsOfCount)}))\\s?个?`
const countOf = (word: Part) => wordsOfCount.get(word ?? '') ?? parseNumeral(word ?? '') ?? 0

function longestFirst(words: ReadonlyMap<string, unknown>): string {
  return [...words.keys()].sort((one, other) => other.length - one.length).join('|')
}

const which = '(last|previous|this|next)'
const direction = (word: Part) => (word === 'next' ? 1 : word === 'this' ? 0 : -1)
const numeral = `(\\d{1,2}|${hanNumeral}{1,3})`
const number = (text: Part) => (text === undefined ? undefined : parseNumeral(text))

const weekdayLetters = ['一二三四五六日天', '月火水木金土日', '월화수목금토일']
const letterOf = (letter: string) => Math.min(6, Math.max(...weekdayLetters.map((letters) => letters.indexOf(letter))))

const rules = (
  [
    {
      pattern: `\\bin (?!an? )${count}${unit}(?: time\\b)?`,
      read: ([number, unit], today) => unitAfter(today, unit, countOf(number)),
    },
    // three days ago, 三天前, 两周以前, 3ヶ月前, 2년 전
    {
      pattern: `${count}${unit}\\s?(?:ago\\b|之前|以前|前|전)`,
      read: ([number, unit], today) => unitAfter(today, unit, -countOf(number)),
    },
    // the last three days, 最近三天, 过去两周, 지난 3일
    {
      pattern: `(?:\\b(?:the )?(?:last|past|previous) |(?:最近|过去|近|ここ|최근|지난)\\s?的?)${count}${unit}(?:间|간|동안)?`,
      read: ([number, unit], today) => since(today, unit, countOf(number)),
    },
    {
      pattern: `\\b(?:on )?(${weekdayName}) (?:of )?${which} week\\b`,
      read: ([name, week], today) => weekdayOf(today, direction(week), weekdays.indexOf(name ?? '')),
    },
    {
      pattern: `\\b${monthName}(?: of)?,? ${which} year\\b|\\b${which} year in ${monthName}\\b`,
      read: ([name, year, otherYear, otherName], today) =>
        monthSpan(calendarOf(today).year + direction(year ?? otherYear), monthNumber(name ?? otherName)),
    },
    {
      pattern: `\\b${which} (weekend|week|month|year)\\b`,
      read: ([word, unit], today) => {
        const { first, last } = unitAfter(today, unit === 'weekend' ? 'week' : unit, direction(word))
        return unit === 'weekend' ? { first: last - 1, last } : { first, last }
      },
    },
    { pattern: '\\b(?:the |this )?past (week|month|year)\\b', read: ([unit], today) => since(today, unit, 1) },
    {
      pattern: `\\b(?:last|this past|past|(this|next)) (${weekdayName})\\b`,
      read: ([word, name = ''], today) =>
        word
          ? weekdayOf(today, direction(word), weekdays.indexOf(name))
          : lastWeekday(today - 1, weekdays.indexOf(name)),
    },
    {
      kind: 'weekday',
      pattern:
        `(?<!\\b(?:every|each|any|most|to|and|or|a) |\\ba week (?:on )?|day (?:until|through) |[–—-])` +
        `\\b(?:on )?(${weekdayName})\\b(?!\\s?[–—-]|s\\b| (?:to|until|through|and|or|week) )`,
      read: ([name], today) => lastWeekday(today, weekdays.indexOf(name ?? '')),
    },
    {
      pattern: `\\blast ${monthName}\\b`,
      read: ([name], today) => {
        const { year, month } = calendarOf(today)
        const asked = monthNumber(name)
        return monthSpan(asked < month ? year : year - 1, asked)
      },
    },
    {
      kind: 'date',
      pattern: '\\bq([1-4]) (?:of )?((?:19|20)\\d\\d)\\b',
      read: ([quarter, year]) => ({
        first: monthSpan(Number(year), 3 * Number(quarter) - 2).first,
        last: monthSpan(Number(year), 3 * Number(quarter)).last,
      }),
    },
    // 去年五月, 작년 5월, 昨年の5月
    {
      pattern:
        `(?<![가-힣])(${longestFirst(yearByWord)})` +
        `(?:\\s?(?:的|の)?\\s?${numeral}\\s?[月월](?:份)?(?:\\s?${numeral}\\s?[日号일])?)?`,
      read: ([word, month, date], today) =>
        spanOf(calendarOf(today).year + (yearByWord.get(word ?? '') ?? 0), number(month), number(date)),
    },
    // 上周三, 这个星期, 下礼拜, 先週の金曜日, 지난주 월요일
    {
      pattern:
        `${near}(?:周|星期|礼拜|주)(?!年|间|間|소|문)(?:\\s?(?:的|の)?\\s?` +
        `(?:([一二三四五六日天])(?![\\d一二三四五六七八九十个月号点])|(末|말)|([月火水木金土日])曜日?|([월화수목금토일])요일))?`,
      read: ([word, chinese, weekend, japanese, korean], today) => {
        const week = unitAfter(today, 'week', offsetOf(word))
        if (weekend !== undefined) return { first: week.last - 1, last: week.last }
        const letter = chinese ?? japanese ?? korean
        return letter === undefined ? week : day(week.first + letterOf(letter))
      },
    },
    // 周二, 星期二, 礼拜二; not in 每周二 and 周一到周五
    {
      kind: 'weekday',
      pattern:
        `(?<![每逢隔各和与及、一二两三四五六七八九十\\d个~-]|[一二三四五六日天][到至])` +
        `(${chineseWeekday})(?![至到和与及、次个年月天~-])`,
      read: ([name = ''], today) => lastWeekday(today, letterOf(name.slice(-1))),
    },
    // 上个月, 下个月五号, 本月, 先月, 지난달
    {
      pattern: `${near}(?:月|달)(?![球亮份曜])(?:\\s?${numeral}\\s?[日号])?`,
      read: ([word, date], today) => {
        const { first } = unitAfter(today, 'month', offsetOf(word))
        const named = calendarOf(first)
        return spanOf(named.year, named.month, number(date))
      },
    },
    // 三天后; not in the middle of a sentence, where it can follow an event
    {
      pattern: `(?<=^|[\\s,。、我在])${count}${unit}(?:之后|以后|后)`,
      read: ([number, unit], today) => unitAfter(today, unit, countOf(number)),
    },
    ...phrases.map(([unit, count, words]) => ({
      pattern: `(?<![가-힣]|\\bweek )${anyOf(words)}`,
      read: (_: readonly Part[], today: Day) => unitAfter(today, unit, count),
    })),
    // in 2024, 2024年, 2024년
    {
      kind: 'date',
      pattern:
        '(?<=\\b(?:in|during|since|from|of|throughout|before|after|until) )((?:19|20)\\d\\d)(?![\\w:/.-]*\\d)\\b|' +
        '(?<![\\d-])((?:19|20)\\d\\d)\\s?[年년](?!\\s?(?:\\d|[一二三四五六七八九十]+月))',
      read: ([year, other]) => yearSpan(Number(year ?? other)),
    },
  ] satisfies readonly (Omit<TimeRule, 'pattern'> & { readonly pattern: string })[]
).map((rule): TimeRule => ({ ...rule, pattern: new RegExp(rule.pattern, 'g') }))

/** In UTF-16 units. Limits the time for a pasted page. */
const maxCharacters = 2000

/** Returns the times that a query names, sorted by position; they do not overlap. Ignores text in quotation marks. */
export function parseTemporalExpressions(query: string, today: Day): TemporalExpression[] {
  const composed = query.normalize('NFKC').slice(0, maxCharacters)
  const folded = fold(composed)
  const text = folded.replace(/"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』/g, (quote) => ' '.repeat(quote.length))
  const times = findTimes(text, today, rules)
  for (const form of findDates(text)) {
    const span = spanOfForm(form, text, today)
    const { start, end } = form
    if (span && !overlapsAny(times, start, end)) times.push({ ...span, kind: 'date', start, end })
  }
  // If folding changed the length, offsets do not fit the original text, so the folded text is shown.
  const shown = folded.length === composed.length ? composed : folded
  return times
    .map((time) => ({ ...time, ...withOpenEnd(time, text), text: shown.slice(time.start, time.end).trim() }))
    .sort((one, other) => one.start - other.start)
}

/** Returns the times that `rules` find in a folded text. An earlier rule wins. */
function findTimes(text: string, today: Day, rules: readonly TimeRule[]): FoundTime[] {
  const found: FoundTime[] = []
  for (const { kind = 'relative', pattern, read } of rules)
    for (const match of text.matchAll(pattern)) {
      const [start, end] = [match.index, match.index + match[0].length]
      const span = read(match.slice(1), today)
      if (span && !overlapsAny(found, start, end)) found.push({ ...span, kind, start, end })
    }
  return found
}

function overlapsAny(times: readonly FoundTime[], start: number, end: number): boolean {
  return times.some((other) => start < other.end && other.start < end)
}

/**
 * Returns the times of a folded text that depend on today, and those that `others` find. A weekday is the next one from
 * today; no end is open.
 */
export function relativeTimes(text: string, today: Day, others: readonly TimeRule[]): FoundTime[] {
  return findTimes(text, today, [...others, ...rules]).flatMap((time) => {
    if (time.kind === 'date') return []
    return time.kind === 'weekday' && time.first < today ? weekLater(time) : time
  })
}

function weekLater(time: FoundTime): FoundTime {
  return { ...time, first: time.first + 7, last: time.last + 7 }
}

/** A day or month without a year is the coming one if it begins in at most so many days. */
const maxAhead = 60
const isPast = /\b(?:did|was|were|had|happened)\b|[了过過]/
/** A question about past notes and events. A statement can have the same tense: "The exam was moved to December 9". */
const asksForPast = [
  /\b(?:what|who|whom|whose|which|where|how)\b.*\b(?:did|was|were|had|happened)\b/,
  /^\W*(?:did|was|were|had)\b|\b(?:notes|logs?|journal|diary|entry|entries) (?:of|from|for|on)\b/,
  /(?:什么|啥|谁|哪|怎么|多少).*[了过]|[了过].*(?:什么|啥|谁|哪|怎么|多少)/,
]
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
      : notesAfter.test(after) ||
        (asksForPast.some((pattern) => pattern.test(text)) && !isGoal.test(before) && !after.startsWith('的'))
  const ahead = hasBegun ? 0 : maxAhead
  const { year: last } = calendarOf(today + ahead)
  const span = spanOf(last, month, date)
  return span && span.first <= today + ahead ? span : spanOf(last - 1, month, date)
}

const beforeOrAfterUnit = /\b(?:\w*day|night|morning|evening|week|weekend|month|year)s? (?:before|after)(?: the)? $/

/** "Since May" and "before 2024" leave one end open; "the week before May 3" does not. */
function withOpenEnd({ first, last, start, end }: FoundTime, text: string): DaySpan {
  const span = { first, last }
  const before = text.slice(Math.max(0, start - 24), start)
  if (beforeOrAfterUnit.test(before)) return span
  const after = text.slice(end, end + 6)
  if (/\bsince(?: the)? $/.test(before) || /^\s?(?:以来|从此|から|부터|이후|之后|以后|以後)/.test(after))
    return { first, last: Infinity }
  if (/\bafter(?: the)? $/.test(before)) return { first: last + 1, last: Infinity }
  if (/\b(?:before|until|till)(?: the)? $/.test(before) || /^\s?(?:之前|以前|まで|이전|까지)/.test(after))
    return { first: -Infinity, last: first - 1 }
  return span
}

/** In characters. A longer text is likely a paste, whose times are not relative to today. */
const maxDatedNote = 600

/** Words after which a weekday is the coming one: "the party is on", "Ann will come on", 聚会在. */
const comingBefore = /\b(?:is|are|due|(?:will|'ll)(?: \w+){1,3})\s+$|(?:在|是|定于)$/i
/** A note about such a day is true each year. */
const yearly = /\b(?:every|each|birthday|anniversary|born)\b|每年|生日|[纪紀]念日/i

/**
 * Adds dates in brackets to the relative times of a note, such as "tomorrow" and 下周五, and to coming days without a
 * year. Leaves out times that the date of the log makes clear, such as "this week", and a weekday that can be past.
 * @param today `YYYY-MM-DD`
 * @param isReminder true if a weekday alone is the next such day
 */
export function datedNote(note: string, today: string, isReminder = false): string {
  // Keeps the length, so that offsets are valid in the note.
  const plain = note.replace(/[^\x20-\x7e]/gu, (letter) =>
    fold(letter).length === letter.length ? letter : ' '.repeat(letter.length),
  )
  if (note.length > maxDatedNote || fold(plain).length !== note.length) return note
  const now = parseDay(today)
  const times = parseTemporalExpressions(plain, now)
  const isOnlyDates = times.every(({ kind }) => kind === 'date') && !yearly.test(note)
  return times.toReversed().reduce((text, time) => {
    const isComing = isReminder || (time.first < now && comingBefore.test(text.slice(0, time.start)))
    const span = isComing && time.kind === 'weekday' ? weekLater(time) : time
    const isDay = isOnlyDates && !/\d{4}/.test(time.text) && time.first > now && time.first === time.last
    const isDated = time.kind === 'relative' || span !== time || isDay
    const isNow = span.first <= now && now <= span.last
    const end = time.end + (/^['’]s\b/.exec(text.slice(time.end))?.[0].length ?? 0)
    const hasDate = /^(?:\s?[(（]\d|, \d{1,2} [A-Z])/.test(text.slice(end))
    if (!isDated || isNow || hasDate || !Number.isFinite(span.first + span.last)) return text
    const isHan = /[\p{Script=Han}\p{Script=Hiragana}]$/u.test(time.text)
    const date = isHan ? `（${formatSpan(span)}）` : ` (${formatSpan(span)})`
    return text.slice(0, end) + date + text.slice(end)
  }, note)
}

function formatSpan({ first, last }: DaySpan): string {
  const { year, month } = calendarOf(first)
  const day = formatDay(first)
  if (first === last) return day
  const isWhole = (span: DaySpan) => span.first === first && span.last === last
  if (isWhole(monthSpan(year, month))) return day.slice(0, 7)
  return isWhole(yearSpan(year)) ? String(year) : `${day} – ${formatDay(last)}`
}
