import { systemClock } from '../clock.ts'

/** Returns the delay in `retry-after-ms` or `retry-after` (seconds or a date), ms; undefined if none is valid. */
export function parseRetryAfter(headers: Headers | undefined): number | undefined {
  const milliseconds = Number(headers?.get('retry-after-ms') || Number.NaN)
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds)
  const value = headers?.get('retry-after')
  if (value === null || value === undefined || value === '') return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - systemClock().getTime()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
