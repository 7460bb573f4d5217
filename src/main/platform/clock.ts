import type { Stats } from 'node:fs'

/**
 * Clock for stored, displayed and compared times; tests replace it. Durations use `performance.now()`, and file ages
 * use the file system's clock (`ageOf`). No other code reads the system clock.
 */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** Returns the offset of a clock from the system clock in ms, to pass to another thread. */
export function clockOffset(clock: Clock): number {
  return clock().getTime() - Date.now()
}

/** Creates a clock with an offset from the system clock. @param ms offset in milliseconds */
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
