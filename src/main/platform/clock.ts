import type { Stats } from 'node:fs'

/**
 * Clock for stored, displayed and compared times; tests replace it. Durations use `performance.now()`, and file ages
 * use the file system's clock (`ageOf`). No other code reads the system clock.
 */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** @param ms offset from the system clock, which another thread has passed */
export function clockWithOffset(ms: number): Clock {
  return () => new Date(Date.now() + ms)
}

/** Milliseconds since the last modification; negative for a future one. */
export function ageOf({ mtimeMs }: Pick<Stats, 'mtimeMs'>): number {
  return Date.now() - mtimeMs
}
