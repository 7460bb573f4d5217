/**
 * Finds the end of validity in a line: "until Friday", "by 2026-11-01", "expires on May 3", 到周五为止, 下周之前, 截至 11 月 1 日.
 * Relative days need the day on which the line was written; a weekday or a date without a year means the next one from
 * that day.
 */
import { calendarOf, monthSpan, spanOf, weekSpan, type Day, type DaySpan, findDates, fold } from '#search/text'

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const weekday = `(?:(?:this|next|coming)\\s+)?(?:${weekdays.join('|')})`
const relativeDate = new RegExp(
  `\\b(?:today|tonight|tomorrow|the end of (?:the|this|next) (?:day|week|month|year)|end of (?:day|week|month|year)|(?:this|next) (?:week|weekend|month|year)|the weekend|${weekday})\\b`,
  'g',
)

/** Phrases before a date that make it a deadline. */
const sureLeads: readonly RegExp[] = [
  /\b(?:valid|good|open|closed|away|on leave|on holiday|on vacation|out of office|off|free|available|booked|reserved|rented|lent|borrowed|paused|frozen|blocked)\s+(?:until|till|through)\s+(?:the\s+)?$/,
  /\b(?:due|expires?|expiring|ends?|ending|closes|runs out|lapses)\s+(?:on\s+|by\s+|at\s+)?(?:the\s+)?$/,
  /\b(?:deadline|due(?: date)?|expiry(?: date)?|expiration|best before|valid until|offer ends)\s*(?:is\s+|was\s+)?[:：]?\s*(?:on\s+)?$/,
  /\b(?:no later than|not later than|at the latest by)\s+(?:the\s+)?$/,
]
/** Phrases that can also describe the past: "by May". */
const otherLead = /\b(?:(?:up )?(?:until|till|through)|by)\s+(?:the\s+)?$/
/** The only phrase that excludes the date itself. */
const excludingLead = /\bbefore\s+(?:the\s+)?$/
const toDoWords =
  /\b(?:must|need(?:s|ed)?(?: to)?|have to|has to|should|shall|will|to do|todo|please|remember to|don['’]t forget|submit|renew|pay|return|send|finish|book|call|reply|decide|prepare|file)\b/
const pastWords =
  /\b(?:was|were|had|did|used to|lived|worked|stayed|ran|went|took|lasted|studied|owned|served|taught|kept|finished|completed|done|built|shipped|sent|paid|moved|stopped|ended|expired)\b/

const cjkLead =
  /(?:有效期|到期日?|截止日?期?|期限|最晚|最迟|截至|截止到?|持续到|延长到|延至)\s*(?:是|为|在|于|到|至)?\s*[:：]?\s*$/
/** Requires one of these verbs: 改到周四 only moves something to another day and is no deadline. */
const cjkUntil =
  /(?:直|持续|一直|有效|有效期|请假|休假|休息|出差|开放|关闭|封闭|停用|暂停|保留|借用?|租用?|使用)\s*[到至]\s*$/
const cjkAfter = /^\s*(?:为止|止|到期|截止|过期|前(?!天|面|后)|之前|以前)/
const cjkRelative =
  /(下下|下|这|本)个?(?:周|星期|礼拜)([一二三四五六日天])?|(?:周|星期|礼拜)([一二三四五六日天])|(下|这|本)个?月底?|月底|年底|今天|今晚|明天|后天/g

/**
 * Returns the last valid day of the latest certain deadline in a line; undefined if there is none.
 * @param writtenOn day on which the line was written; undefined if unknown
 */
export function deadlineIn(line: string, writtenOn: Day | undefined): Day | undefined {
  const text = fold(line.normalize('NFKC'))
  const absolute = findDates(text).flatMap((date) => {
    const lead = leadOf(text, date.start, date.end)
    const last = lead && lastDay(date, writtenOn, lead.includesDate)
    const isClear = lead?.isSure === true || (date.day !== undefined && describesPresentState(text, date.start))
    return last !== undefined && isSure(text, isClear, last, writtenOn) ? last : []
  })
  const relativeDays = (pattern: RegExp, spanOfMatch: (match: RegExpMatchArray, writtenOn: Day) => DaySpan) =>
    Array.from(writtenOn === undefined ? [] : text.matchAll(pattern), (match) => {
      const lead = leadOf(text, match.index, match.index + match[0].length)
      if (!lead || writtenOn === undefined) return -Infinity
      const span = spanOfMatch(match, writtenOn)
      return lead.includesDate ? span.last : span.first - 1
    })
  const last = Math.max(...absolute, ...relativeDays(relativeDate, relativeSpan), ...relativeDays(cjkRelative, cjkSpan))
  return Number.isFinite(last) ? last : undefined
}

function leadOf(text: string, start: number, end: number): { includesDate: boolean; isSure: boolean } | undefined {
  const before = text.slice(Math.max(0, start - 40), start)
  const after = text.slice(end, end + 8)
  if (cjkAfter.test(after)) {
    const isBefore = /^\s*(?:前|之前|以前)/.test(after)
    return { includesDate: !isBefore, isSure: true }
  }
  if (cjkLead.test(before)) return { includesDate: true, isSure: true }
  if (cjkUntil.test(before)) return { includesDate: true, isSure: false }
  const isSure = sureLeads.some((words) => words.test(before))
  const includesDate = isSure || otherLead.test(before)
  return includesDate || excludingLead.test(before) ? { includesDate, isSure } : undefined
}

/** True for sentences such as "Until 2026-11-09 the sauna is shut": a present state ends on that day. */
function describesPresentState(text: string, start: number): boolean {
  return /\b(?:until|till)\s+$/.test(text.slice(0, start)) && /\b(?:is|are|am|stays?|remains?)\b/.test(text)
}

/** The deadline must not precede the day of writing; if that day is unknown, the words must refer to the future. */
function isSure(text: string, isClear: boolean, last: Day, writtenOn: Day | undefined): boolean {
  if (writtenOn !== undefined) return last >= writtenOn && !(pastWords.test(text) && !isClear && !toDoWords.test(text))
  if (pastWords.test(text)) return false
  return isClear || toDoWords.test(text) || /[\u4e00-\u9fff]/.test(text)
}

/** Returns the last valid day. A month without a day means its last day or, if excluded, the day before its first. */
function lastDay(
  { year, month, day }: ReturnType<typeof findDates>[number],
  writtenOn: Day | undefined,
  includesDate: boolean,
): Day | undefined {
  const lastDayIn = (inYear: number) => {
    const span = spanOf(inYear, month, day)
    return span && (includesDate ? span.last : span.first - 1)
  }
  if (year !== undefined) return lastDayIn(year)
  if (writtenOn === undefined) return undefined
  const thisYear = calendarOf(writtenOn).year
  const dayThisYear = lastDayIn(thisYear)
  // A date without a year means the next one. A date at most 180 days ago is more likely one of the same year.
  return dayThisYear !== undefined && dayThisYear < writtenOn - 180 ? lastDayIn(thisYear + 1) : dayThisYear
}

function relativeSpan([phrase]: RegExpMatchArray, writtenOn: Day): DaySpan {
  const { year, month } = calendarOf(writtenOn)
  const offset = /\bnext\b/.test(phrase) ? 1 : 0
  const dayOfWeek = weekdays.findIndex((name) => phrase.includes(name))
  if (dayOfWeek >= 0)
    return singleDay(offset === 1 ? weekSpan(writtenOn + 7).first + dayOfWeek : weekdayFrom(writtenOn, dayOfWeek))
  if (/today|tonight|end of (?:the )?day/.test(phrase)) return singleDay(writtenOn)
  if (phrase === 'tomorrow') return singleDay(writtenOn + 1)
  const span = /week/.test(phrase)
    ? weekSpan(writtenOn + 7 * offset)
    : /month/.test(phrase)
      ? monthSpan(year, month + offset)
      : { first: monthSpan(year + offset, 1).first, last: monthSpan(year + offset, 12).last }
  if (/weekend/.test(phrase)) return { first: span.last - 1, last: span.last }
  return /\bend of\b/.test(phrase) ? singleDay(span.last) : span
}

function cjkSpan(match: RegExpMatchArray, writtenOn: Day): DaySpan {
  const [phrase, weekPrefix, prefixedWeekday, bareWeekday, monthPrefix] = match
  const { year, month } = calendarOf(writtenOn)
  const weekdayIndex = (name: string) => (name === '天' ? 6 : '一二三四五六日'.indexOf(name))
  if (bareWeekday !== undefined) return singleDay(weekdayFrom(writtenOn, weekdayIndex(bareWeekday)))
  if (weekPrefix !== undefined) {
    const week = weekSpan(writtenOn + 7 * (weekPrefix === '下下' ? 2 : weekPrefix === '下' ? 1 : 0))
    return prefixedWeekday === undefined ? week : singleDay(week.first + weekdayIndex(prefixedWeekday))
  }
  if (monthPrefix !== undefined) {
    const span = monthSpan(year, month + (monthPrefix === '下' ? 1 : 0))
    return phrase.endsWith('底') ? singleDay(span.last) : span
  }
  if (phrase === '月底') return singleDay(monthSpan(year, month).last)
  if (phrase === '年底') return singleDay(monthSpan(year, 12).last)
  return singleDay(writtenOn + ({ 今天: 0, 今晚: 0, 明天: 1, 后天: 2 }[phrase] ?? 0))
}

/** Returns the first day from `writtenOn` on, inclusive, that is a `weekday` (0 is Monday). */
function weekdayFrom(writtenOn: Day, weekday: number): Day {
  return writtenOn + ((weekday - ((writtenOn + 3) % 7) + 7) % 7)
}

function singleDay(day: Day): DaySpan {
  return { first: day, last: day }
}
