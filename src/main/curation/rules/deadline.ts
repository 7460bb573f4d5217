/**
 * Finds the end of validity in a line: "until Friday", "by 2026-11-01", "expires on May 3", 到周五为止, 下周之前, 截至 11 月 1 日.
 * Relative days need the day on which the line was written; a weekday or a date without a year means the next one from
 * that day.
 */
import { anyOf, calendarOf, findDates, fold, hasAnyOf, relativeTimes, spanOf, unitAfter, type Day } from '#search/text'

const states = `valid good open closed away on_leave on_holiday on_vacation out_of_office off free available booked reserved
  rented lent borrowed paused frozen blocked`
const ends = 'due expires? expiring ends? ending closes runs_out lapses'
const names = 'deadline due(?:_date)? expiry(?:_date)? expiration best_before valid_until offer_ends'
/** Phrases before a date that make it a deadline. */
const sureLead = new RegExp(
  [
    `${anyOf(states)} (?:until|till|through) (?:the )?$`,
    `${anyOf(ends)} (?:(?:on|by|at) )?(?:the )?$`,
    `${anyOf(names)} ?(?:(?:is|was) )?[:：]? ?(?:on )?$`,
    `${anyOf('no_later_than not_later_than at_the_latest_by')} (?:the )?$`,
  ].join('|'),
)
/** Phrases that can also describe the past: "by May". */
const otherLead = /\b(?:(?:up )?(?:until|till|through)|by)\s+(?:the\s+)?$/
/** The only phrase that excludes the date itself. */
const excludingLead = /\bbefore\s+(?:the\s+)?$/
const isToDo =
  hasAnyOf(`must needs? needed has_to have_to should shall will to_do todo please remember_to don['’]t_forget submit
  renew pay return send finish book call reply decide prepare file`)
const isPast =
  hasAnyOf(`was were had did used_to lived worked stayed ran went took lasted studied owned served taught kept
  finished completed done built shipped sent paid moved stopped ended expired`)

const cjkNames = '有效期 到期日? 截止日?期? 期限 最晚 最迟 截至 截止到? 持续到 延长到 延至'
const cjkLead = new RegExp(`${anyOf(cjkNames)}\\s*[是为在于到至]?\\s*[:：]?\\s*$`)
const cjkStates = `直 持续 一直 有效 有效期 请假 休假 休息 出差 开放 关闭 封闭 停用 暂停 保留 借用? 租用? 使用`
/** Requires one of these verbs: 改到周四 only moves something to another day and is no deadline. */
const cjkUntil = new RegExp(`${anyOf(cjkStates)}\\s*[到至]\\s*$`)
const cjkAfter = /^\s*(?:为止|止|到期|截止|过期|前(?!天|面|后)|之前|以前)/

const ownTimes: Parameters<typeof relativeTimes>[2] = [
  {
    pattern: /\bend of (?:(?:the|this|(next)) )?(day|week|month|year)\b|(?:这|本|(下))?个?([月年])底/g,
    read: ([next, unit, cjkNext, cjkUnit], today) => {
      const { last } = unitAfter(today, unit ?? cjkUnit, (next ?? cjkNext) ? 1 : 0)
      return { first: last, last }
    },
  },
  {
    pattern: /\bweekend\b/g,
    read: (_, today) => {
      const { last } = unitAfter(today, 'week', 0)
      return { first: last - 1, last }
    },
  },
]

/** Returns the latest certain deadline; undefined if there is none. @param writtenOn day of the line; undefined if unknown */
export function deadlineIn(line: string, writtenOn: Day | undefined): Day | undefined {
  const text = fold(line.normalize('NFKC'))
  const absolute = findDates(text).flatMap((date) => {
    const lead = leadOf(text, date.start, date.end)
    const last = lead && lastDay(date, writtenOn, lead.includesDate)
    const isClear = lead?.isSure === true || (date.day !== undefined && describesPresentState(text, date.start))
    return last !== undefined && isSure(text, isClear, last, writtenOn) ? last : []
  })
  const times = writtenOn === undefined ? [] : relativeTimes(text, writtenOn, ownTimes)
  const relative = times.map((time) => {
    const lead = leadOf(text, time.start, time.end)
    return lead && writtenOn !== undefined && time.last >= writtenOn
      ? lead.includesDate
        ? time.last
        : time.first - 1
      : -Infinity
  })
  const last = Math.max(...absolute, ...relative)
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
  const isSure = sureLead.test(before)
  const includesDate = isSure || otherLead.test(before)
  return includesDate || excludingLead.test(before) ? { includesDate, isSure } : undefined
}

/** Returns true for sentences such as "Until 2026-11-09 the sauna is shut": a present state ends on that day. */
function describesPresentState(text: string, start: number): boolean {
  return /\b(?:until|till)\s+$/.test(text.slice(0, start)) && /\b(?:is|are|am|stays?|remains?)\b/.test(text)
}

/** The deadline must not precede the day of writing; if that day is unknown, the words must refer to the future. */
function isSure(text: string, isClear: boolean, last: Day, writtenOn: Day | undefined): boolean {
  if (writtenOn !== undefined) return last >= writtenOn && !(isPast(text) && !isClear && !isToDo(text))
  if (isPast(text)) return false
  return isClear || isToDo(text) || /[\u4e00-\u9fff]/.test(text)
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
