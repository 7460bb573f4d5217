/**
 * What time it is. What is stored, shown, or compared with what was stored takes the clock that the app was built with;
 * durations take `performance.now()`; ages of files take the file system's clock (files/time.ts). The system's clock is
 * asked here only.
 */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** How far a clock goes ahead of the system's, ms: so much can be told to another thread. */
export function aheadOf(clock: Clock): number {
  return clock().getTime() - Date.now()
}

/** A clock in another thread that goes ahead of the system's like the one it stands for. */
export function clockAhead(ms: number): Clock {
  return () => new Date(Date.now() + ms)
}
