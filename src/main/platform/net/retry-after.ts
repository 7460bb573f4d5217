import { systemClock } from '../clock.ts'

/** Returns the wait from `retry-after-ms` or `retry-after` (seconds or a date) in ms; undefined if none is valid. */
export function parseRetryAfter(headers: Headers | undefined): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') || Number.NaN)
  if (Number.isFinite(exact)) return Math.max(0, exact)
  const value = headers?.get('retry-after')
  if (value === null || value === undefined || value === '') return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - systemClock().getTime()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
