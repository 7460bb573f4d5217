import type { Stats } from 'node:fs'

/**
 * Clock for stored, displayed and compared times; tests replace it. Durations use `performance.now()`, and file ages
 * use the file system's clock (`ageOf`). No other code reads the system clock.
 */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/**
 * Creates a clock with an offset from the system clock, which another thread has passed.
 * @param ms offset in milliseconds
 */
export function clockWithOffset(ms: number): Clock {
  return () => new Date(Date.now() + ms)
}

/** Returns the time since the file's last modification, ms; negative for a future one. */
export function ageOf({ mtimeMs }: Pick<Stats, 'mtimeMs'>): number {
  return Date.now() - mtimeMs
}

export function currentFileTime(): Date {
  return new Date()
}
