/**
 * Finds the times that a query or a note names. In a query, a weekday or a day without a year is the coming or the latest
 * one, as its words ask for plans or for the past; else a weekday is the nearest one. It can be today.
 */
import { fold } from '../terms.ts'
import {
  calendarOf,
  findDates,
  formatDay,
  monthSpan,
  parseDay,
  spanOf,
  weekSpan,
  yearSpan,
  type DateMatch,
  type Day,
  type DaySpan,
} from './dates.ts'
import { timeRules, type TimeKind, type TimeRule } from './time-rules.ts'
import { hasAnyOf } from './words.ts'

export interface TemporalExpression extends DaySpan {
  /** True for a span between two days that are named. */
  readonly isRange?: true
  /** Set for a weekday of a query that does not tell if it is the coming or the past one. */
  readonly other?: Day
  readonly kind: TimeKind
  readonly text: string
  /** UTF-16 offset in the NFKC form of the query; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

type FoundTime = Omit<TemporalExpression, 'text'>

/** In UTF-16 units. Limits the time for a pasted page. */
const maxCharacters = 2000

/** Returns the times that a query names, sorted by position; they do not overlap. Ignores text in quotation marks. */
export function parseTemporalExpressions(query: string, today: Day): TemporalExpression[] {
  return timesIn(query, today, (time, direction) => {
    if (time.kind !== 'weekday') return time
    const isAhead = direction === undefined ? today - time.first > 3 : direction === 'ahead' && time.last < today
    const directed = isAhead ? weekLater(time) : time
    return direction === undefined ? { ...directed, other: time.first + (isAhead ? 0 : 7) } : directed
  })
}

/** Titles: "The Day After Tomorrow", "Tomorrow Never Dies". */
const titleWords = /\b(?:Day|Week|Month) (?:After|Before)\b/
const titleAfter = /^(?: \p{Lu}\p{Ll}+){2}/u

function timesIn(
  text: string,
  today: Day,
  directed: (time: FoundTime, direction: Direction | undefined) => FoundTime,
): TemporalExpression[] {
  const composed = text.normalize('NFKC').slice(0, maxCharacters)
  const folded = fold(composed)
  const plain = folded.replace(/"[^"]*"|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》/g, (quote) => ' '.repeat(quote.length))
  const direction = directionOf(plain)
  const found = findTimes(plain, today, timeRules).map((time) => directed(time, direction))
  for (const form of findDates(plain)) {
    const span = spanOfForm(form, plain, today, direction)
    const { start, end } = form
    if (span && !overlapsAny(found, start, end)) found.push({ ...span, kind: 'date', start, end })
  }
  // If folding changed the length, offsets do not fit the original text, so the folded text is shown.
  const shown = folded.length === composed.length ? composed : folded
  return joinRanges(found, plain)
    .map((time) => ({ ...time, ...withOpenEnd(time, plain), text: shown.slice(time.start, time.end).trim() }))
    .filter(({ text, end }) => !titleWords.test(text) && !(/^\p{Lu}/u.test(text) && titleAfter.test(shown.slice(end))))
}

const rangeWord = ' ?(?:to|until|through|[–—~-]|到|至|から|부터) ?'
const betweenTimes = new RegExp(`^${rangeWord}$`)
const dayNumber = '(\\d{1,2})(?:st|nd|rd|th)?'
const dayAfter = new RegExp(`^(?:${rangeWord}|( and ))${dayNumber}(?![\\w:.,/%月월-])\\s?[日号일]?`)
const dayBefore = new RegExp(`(?<![\\w:.,/-])${dayNumber}(?:${rangeWord}|( and ))$`)
const opensRange = /\bbetween (?:the )?$/
const rangeEnd = /^(?:まで|까지|为止)/

/** Joins two times with "to" between them, or with "and" after "between": "November 3 to 10", 11月3日到11月10日. */
function joinRanges(found: readonly FoundTime[], text: string): FoundTime[] {
  const joined: FoundTime[] = []
  for (const single of found.toSorted((one, other) => one.start - other.start)) {
    const before = joined.at(-1)
    const time = withOtherDay(single, text, before?.end ?? 0)
    const between = before ? text.slice(before.end, time.start) : ''
    const last = before && time.kind === 'weekday' && time.last < before.first ? time.last + 7 : time.last
    const isBetween = before && between.endsWith(' and ') && opensRange.test(text.slice(0, before.start))
    if (!before || last < before.first || !(isBetween || betweenTimes.test(between))) joined.push(time)
    else {
      const end = time.end + (rangeEnd.exec(text.slice(time.end))?.[0].length ?? 0)
      joined.splice(-1, 1, { ...before, last, end, isRange: true })
    }
  }
  return joined
}

/** Extends a day by the other day of the month beside it: "3 to 10 November", 11月3日到10日. @param from end of the time before it */
function withOtherDay(time: FoundTime, text: string, from: number): FoundTime {
  if (time.kind !== 'date' || time.first !== time.last) return time
  const { year, month } = calendarOf(time.first)
  const [beforeText, afterText] = [text.slice(0, time.start), text.slice(time.end)]
  const [later = '', andLater, lastDay] = dayAfter.exec(afterText) ?? []
  const last =
    lastDay === undefined || (andLater && !opensRange.test(beforeText))
      ? undefined
      : spanOf(year, month, Number(lastDay))
  if (last && last.last > time.first) {
    const end = time.end + later.length
    return { ...time, last: last.last, end: end + (rangeEnd.exec(text.slice(end))?.[0].length ?? 0), isRange: true }
  }
  const [earlier = '', firstDay, andEarlier] = dayBefore.exec(text.slice(from, time.start)) ?? []
  const start = time.start - earlier.length
  const isOpen = !andEarlier || opensRange.test(text.slice(0, start))
  const first = firstDay === undefined || !isOpen ? undefined : spanOf(year, month, Number(firstDay))
  return first && first.first < time.last ? { ...time, first: first.first, start, isRange: true } : time
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
  return findTimes(text, today, [...others, ...timeRules]).flatMap((time) => {
    if (time.kind === 'date') return []
    return time.kind === 'weekday' && time.first < today ? weekLater(time) : time
  })
}

function weekLater(time: FoundTime): FoundTime {
  return { ...time, first: time.first + 7, last: time.last + 7 }
}

type Direction = 'ahead' | 'past'

/** A day or month without a year is the coming one if it begins in at most so many days. */
const maxAhead = 60
const isPast = /\b(?:did|was|were|had|happened)\b|[了過过]|[しっ]た|[았었했갔왔봤샀됐]/
/** A question about past notes and events. A statement can have the same tense: "The exam was moved to December 9". */
const asksForPast = [
  /\b(?:what|who|whom|whose|which|where|how)\b.*\b(?:did|was|were|had|happened)\b/,
  /^\W*(?:did|was|were|had)\b|\b(?:notes|logs?|journal|diary|entry|entries) (?:of|from|for|on)\b/,
  /(?:什么|啥|谁|哪|怎么|多少).*[了过]|[了过].*(?:什么|啥|谁|哪|怎么|多少)/,
]
/** Plans for a day, and talk about it, come before it. */
const isGoal = /(?<!\b(?:notes|logs?|journal|diary|entry|entries) )\b(?:for|about|by|until|till)(?: the)? $/
const notesAfter = /^\s?(?:notes|logs?|journal|entries|(?:的|那天的?)?(?:[记纪]录|日志|日记|笔记))/
/** Matches a question about plans. Folded text. */
export const asksAhead =
  hasAnyOf(`^(?:(?:so|and)_)?(?:(?:when|where|who|what_time)_)?(?:am|is|are|will|shall|can)_ (?:do|does)_(?:i|we|you|they|he|she)_have have_to need_to appointments? plans? planned coming_up
  upcoming due anything_on what(?:['’]?s|_is)_(?:on|happening) schedule agenda to-?do
  安排 要[做去见交办干带买开] 有[什啥哪]么?(?!时候) 有空 日程 计划 待办 予定 あります 일정 해야 할_일 약속`)

function directionOf(text: string): Direction | undefined {
  if (isPast.test(text) || /\b(?:notes|logs?|journal|diary|entries)\b|[记纪]录|日志|日记|笔记/.test(text)) return 'past'
  return asksAhead(text) ? 'ahead' : undefined
}

const isAtDate = /\b(?:on|by|until|till|before|after|since|from|for) $/

/**
 * Without a year, returns the coming span that begins within 60 days, otherwise the latest one that has begun. A month
 * in a text about the past has begun, and a day in a question about it. In a question about plans, it is the
 * coming one. Returns undefined for 1/2 without "on", because it can be a fraction.
 */
function spanOfForm(
  { year, month, day: date, start, end }: DateMatch,
  text: string,
  today: Day,
  direction: Direction | undefined,
): DaySpan | undefined {
  if (year !== undefined) return spanOf(year, month, date)
  const [before, after] = [text.slice(0, start), text.slice(end)]
  const isFraction = !isAtDate.test(before) && ((date ?? 0) <= 12 || before.trim() !== '')
  if (isFraction && text.slice(start, end).includes('/')) return undefined
  const { year: current } = calendarOf(today)
  const coming = spanOf(current, month, date)
  if (direction === 'ahead') return coming && coming.last >= today ? coming : spanOf(current + 1, month, date)
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
function withOpenEnd({ first, last, start, end, isRange }: FoundTime, text: string): DaySpan {
  const span = { first, last }
  if (isRange) return span
  const before = text.slice(Math.max(0, start - 24), start)
  if (beforeOrAfterUnit.test(before)) return span
  const after = text.slice(end, end + 6)
  if (/\bweek (?:of|beginning|commencing)(?: the)? $/.test(before) || /^那一?(?:周|个?星期|个?礼拜)/.test(after))
    return weekSpan(first)
  if (/\bsince(?: the)? $/.test(before) || /^\s?(?:以来|从此|から|부터|이후|之后|以后|以後)/.test(after))
    return { first, last: Infinity }
  if (/\bafter(?: the)? $/.test(before)) return { first: last + 1, last: Infinity }
  if (/\bbefore(?: the)? $/.test(before) || /^\s?(?:之前|以前|이전)/.test(after))
    return { first: -Infinity, last: first - 1 }
  if (/\b(?:until|till|by)(?: the)? $|(?:截至|截止到?)$/.test(before) || /^\s?(?:まで|까지|为止)/.test(after))
    return { first: -Infinity, last }
  return span
}

/** In characters. A longer text is likely a paste, whose times are not relative to today. */
const maxDatedNote = 600

/** Words after which a weekday is the coming one: "the party is on", "Ann will come on", 聚会在. */
const comingBefore = /\b(?:is|are|due|(?:will|'ll)(?: \w+){1,3})\s+$|(?:在|是|定于)$/i
/** A note about such a day is true each year. */
const yearly = /\b(?:every|each|birthday|anniversary|born)\b|每年|生日|[纪紀]念日/i

const codeOrAddress = /^(```|~~~)[^]*?(?:^\1|(?![^]))|(`+)[^`]*?\2(?!`)|\b[a-z][\w+.-]*:\/\/\S+/gim

/**
 * Adds dates in brackets to the relative times of a note, such as "tomorrow" and 下周五, and to coming days without a
 * year. Leaves out times that the date of the log makes clear, such as "this week", and a weekday that can be past.
 * @param today `YYYY-MM-DD`
 * @param isReminder true if a weekday alone is the next such day
 */
export function datedNote(note: string, today: string, isReminder = false): string {
  // Keeps the length, so that offsets are valid in the note.
  const words = note.replace(codeOrAddress, (part) => ' '.repeat(part.length))
  const plain = words.replace(/[^\x20-\x7e]/gu, (letter) =>
    fold(letter).length === letter.length ? letter : ' '.repeat(letter.length),
  )
  if (note.length > maxDatedNote || fold(plain).length !== note.length) return note
  const now = parseDay(today)
  const times = timesIn(plain, now, (time) => time)
  const isOnlyDates = times.every(({ kind }) => kind === 'date') && !yearly.test(note)
  return times.toReversed().reduce((text, time) => {
    const isComing = isReminder || (time.first < now && comingBefore.test(text.slice(0, time.start)))
    const span = isComing && time.kind === 'weekday' ? weekLater(time) : time
    const isDay =
      isOnlyDates && !/\d{4}/.test(time.text) && time.first > now && (time.isRange ?? time.first === time.last)
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
