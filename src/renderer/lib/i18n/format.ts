import i18next from 'i18next'
import { decidingDigits } from '#shared/util/figures.ts'

export function formatNumber(value: number): string {
  return new Intl.NumberFormat(i18next.language).format(value)
}

/** 46,120 → 46.1k; for places where a rough figure is enough. */
export function formatShort(tokens: number): string {
  if (tokens < 1000) return formatNumber(tokens)
  const thousands = tokens / 1000
  return `${new Intl.NumberFormat(i18next.language, { maximumFractionDigits: thousands < 100 ? 1 : 0 }).format(thousands)}k`
}

/** The signs themselves: what `Intl` writes for a byte is a word, and in some languages an English one. */
const byteUnits = ['B', 'kB', 'MB', 'GB'] as const

export function formatBytes(bytes: number): string {
  const step = Math.min(byteUnits.length - 1, Math.floor(Math.log(Math.max(1, bytes)) / Math.log(1000)))
  const amount = new Intl.NumberFormat(i18next.language, { maximumFractionDigits: 1 }).format(bytes / 1000 ** step)
  return `${amount}\u202f${byteUnits[step] ?? 'B'}`
}

export function formatPercent(share: number): string {
  return new Intl.NumberFormat(i18next.language, { style: 'percent', maximumFractionDigits: 1 }).format(share)
}

/** @param threshold what the score is held against: as many digits are shown as tell the two apart */
export function formatScore(score: number | null | undefined, threshold?: number): string {
  if (score === null || score === undefined) return '–'
  return score.toFixed(threshold === undefined ? 2 : decidingDigits(score, threshold))
}

/** A day (`YYYY-MM-DD`) in words. */
export function formatDay(date: string): string {
  return new Intl.DateTimeFormat(i18next.language, { dateStyle: 'long' }).format(new Date(`${date}T12:00:00`))
}

/** A month (`YYYY-MM`) in words. */
export function formatMonth(month: string): string {
  const format = new Intl.DateTimeFormat(i18next.language, { year: 'numeric', month: 'long' })
  return format.format(new Date(`${month}-15T12:00:00`))
}

/** A moment as short as it can be told: the time today, else the day with it. */
export function formatMoment(at: number): string {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  const day = { month: 'short', day: 'numeric' } as const
  const time = { hour: '2-digit', minute: '2-digit' } as const
  return new Intl.DateTimeFormat(i18next.language, isToday ? time : { ...day, ...time }).format(date)
}

/** A day without its year. */
export function formatShortDay(at: number): string {
  return new Intl.DateTimeFormat(i18next.language, { month: 'short', day: 'numeric' }).format(new Date(at))
}

/** Less is not told apart. */
const leastMoney = 0.0001

/** US dollars; small sums keep the digits that say something. */
export function formatMoney(dollars: number): string {
  const digits = dollars >= 1 ? 2 : 4
  if (dollars > 0 && dollars < leastMoney) return `<${formatMoney(leastMoney)}`
  return new Intl.NumberFormat(i18next.language, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: digits,
  }).format(dollars)
}
