import i18next from 'i18next'
import { distinguishingDigits } from '#shared/util/rounding.ts'

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(i18next.language).format(value)
}

/** Formats a rough token count: 46,120 → 46.1k. */
export function formatShort(tokens: number): string {
  if (tokens < 1000) return formatNumber(tokens)
  const thousands = tokens / 1000
  return `${new Intl.NumberFormat(i18next.language, { maximumFractionDigits: thousands < 100 ? 1 : 0 }).format(thousands)}k`
}

/** `Intl` writes the byte unit as a word, in some languages an English one. */
const byteUnits = ['B', 'kB', 'MB', 'GB'] as const

/** Formats bytes in decimal units (1 kB = 1000 bytes). */
export function formatBytes(bytes: number): string {
  const unit = Math.min(byteUnits.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1000)))
  const amount = new Intl.NumberFormat(i18next.language, { maximumFractionDigits: 1 }).format(bytes / 1000 ** unit)
  return `${amount}\u202f${byteUnits[unit] ?? 'B'}`
}

/** @param share 0 to 1 */
export function formatPercent(share: number): string {
  return new Intl.NumberFormat(i18next.language, { style: 'percent', maximumFractionDigits: 1 }).format(share)
}

/**
 * Formats a score, a probability, as a percentage without decimals.
 * @param threshold the limit that the score is compared with: enough decimals are shown to tell the two values apart
 */
export function formatScore(score: number | null | undefined, threshold?: number): string {
  if (score === null || score === undefined) return '–'
  const digits = threshold === undefined ? 0 : distinguishingDigits(score, threshold) - 2
  const format = { style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(i18next.language, format).format(score)
}

/** Formats a `YYYY-MM-DD` date in words. */
export function formatDate(date: string): string {
  return new Intl.DateTimeFormat(i18next.language, { dateStyle: 'long' }).format(new Date(`${date}T12:00:00`))
}

/** Formats the day of a note: `15 January`, with the year if it is not the current one. @param date `YYYY-MM-DD` */
export function formatNoteDay(date: string): string {
  const isThisYear = Number(date.slice(0, 4)) === new Date().getFullYear()
  const options: Intl.DateTimeFormatOptions = {
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  }
  return new Intl.DateTimeFormat(i18next.language, options).format(new Date(`${date}T12:00:00`))
}

/** Formats a `YYYY-MM` month in words. */
export function formatMonth(month: string): string {
  const format = new Intl.DateTimeFormat(i18next.language, { year: 'numeric', month: 'long' })
  return format.format(new Date(`${month}-15T12:00:00`))
}

/** Formats a timestamp (ms): the time alone if it is today, else with the day. */
export function formatMoment(at: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  const day = { month: 'short', day: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit' } as const
  return new Intl.DateTimeFormat(i18next.language, isToday ? time : { ...day, ...time }).format(date)
}

/** Formats a timestamp (ms) as a day without its year. */
export function formatShortDay(at: number): string {
  return new Intl.DateTimeFormat(i18next.language, { month: 'short', day: 'numeric' }).format(new Date(at))
}

const minShownDollars = 0.0001

/** Formats US dollars, with two more digits below one dollar. */
export function formatMoney(dollars: number): string {
  const digits = dollars >= 1 ? 2 : 4
  if (dollars > 0 && dollars < minShownDollars) return `<${formatMoney(minShownDollars)}`
  const format = { style: 'currency', currency: 'USD', maximumFractionDigits: digits } as const
  return new Intl.NumberFormat(i18next.language, format).format(dollars)
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
