import i18next from 'i18next'
import { distinguishingDigits } from '#shared/util/rounding.ts'

export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return new Intl.NumberFormat(i18next.language, options).format(value)
}

function formatTime(date: Date | number, options: Intl.DateTimeFormatOptions): string {
  // Otherwise 03:38 is 上午03:38 in Taiwan.
  const hours = options.hour && i18next.language.startsWith('zh') ? ({ hourCycle: 'h23' } as const) : {}
  return new Intl.DateTimeFormat(i18next.language, { ...options, ...hours }).format(date)
}

/** Formats a rough token count: 46,120 → 46.1k. */
export function formatShort(tokens: number): string {
  if (tokens < 1000) return formatNumber(tokens)
  const thousands = tokens / 1000
  return `${formatNumber(thousands, { maximumFractionDigits: thousands < 100 ? 1 : 0 })}k`
}

/** `Intl` writes the byte unit as a word, in some languages an English one. */
const byteUnits = ['B', 'kB', 'MB', 'GB'] as const

/** Formats bytes in decimal units (1 kB = 1000 bytes). */
export function formatBytes(bytes: number): string {
  const unit = Math.min(byteUnits.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1000)))
  return `${formatNumber(bytes / 1000 ** unit, { maximumFractionDigits: 1 })}\u202f${byteUnits[unit] ?? 'B'}`
}

/** @param share 0 to 1 */
export function formatPercent(share: number): string {
  return formatNumber(share, { style: 'percent', maximumFractionDigits: 1 })
}

/**
 * Formats a score, a probability, as a percentage without decimals.
 * @param threshold the limit that the score is compared with: enough decimals are shown to tell the two values apart
 */
export function formatScore(score: number | null | undefined, threshold?: number): string {
  if (score === null || score === undefined) return '–'
  const digits = threshold === undefined ? 0 : distinguishingDigits(score, threshold) - 2
  return formatNumber(score, { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** @param date `YYYY-MM-DD` */
export function formatDate(date: string): string {
  return formatTime(new Date(`${date}T12:00:00`), { dateStyle: 'long' })
}

/** Formats the day of a note: `15 January`, with the year if it is not the current one. @param date `YYYY-MM-DD` */
export function formatNoteDay(date: string): string {
  const isThisYear = Number(date.slice(0, 4)) === new Date().getFullYear()
  const year = isThisYear ? undefined : 'numeric'
  return formatTime(new Date(`${date}T12:00:00`), { day: 'numeric', month: 'long', year })
}

/** @param month `YYYY-MM` */
export function formatMonth(month: string): string {
  return formatTime(new Date(`${month}-15T12:00:00`), { year: 'numeric', month: 'long' })
}

/** Formats a timestamp (ms): the time alone if it is today, else with the day. */
export function formatMoment(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  const time = { hour: '2-digit', minute: '2-digit' } as const
  return formatTime(at, isToday ? time : { month: 'short', day: 'numeric', ...time })
}

/** Formats a timestamp (ms) as a day without its year. */
export function formatShortDay(at: number): string {
  return formatTime(at, { month: 'short', day: 'numeric' })
}

const minShownDollars = 0.0001

export function formatMoney(dollars: number): string {
  if (dollars > 0 && dollars < minShownDollars) return `<${formatMoney(minShownDollars)}`
  const digits = { maximumFractionDigits: dollars >= 1 ? 2 : 4 }
  return formatNumber(dollars, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits })
}

/** Formats a date in local time as `YYYY-MM-DD`, the Swedish format. */
export function isoDate(date: Date): string {
  return date.toLocaleDateString('sv')
}

/** Formats a time in local time as `HH:MM:SS`. */
export function isoTime(date: Date): string {
  return date.toLocaleTimeString('sv')
}

/** Returns the start of the local day `daysAgo` days ago, ms since the epoch. */
export function startOfDay(daysAgo: number, now = new Date()): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime()
}
