import { systemClock } from '../clock.ts'

/** `retry-after-ms`, or `retry-after` in seconds or as a date: milliseconds that a server asks to wait. */
export function retryAfterOf(headers: Headers | undefined): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (Number.isFinite(exact)) return exact
  const value = headers?.get('retry-after')
  if (value === null || value === undefined || value === '') return undefined
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - systemClock().getTime()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
