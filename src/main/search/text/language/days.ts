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
