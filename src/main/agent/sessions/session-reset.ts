/** When a session is over (M35): at an hour of the local day, after a time of silence, or whichever comes first. Pure. */

export interface ResetRule {
  readonly mode: 'daily' | 'idle' | 'daily+idle' | 'off'
  /** Local hour, 0 to 23. */
  readonly atHour: number
  readonly idleMinutes: number
}

/** True when a boundary lies between the last activity and now. A clock that was set back ends nothing. */
export function isSessionOver(lastActivity: Date, now: Date, rule: ResetRule): boolean {
  if (now <= lastActivity) return false
  const isDaily = rule.mode === 'daily' || rule.mode === 'daily+idle'
  const isIdle = rule.mode === 'idle' || rule.mode === 'daily+idle'
  if (isDaily && lastActivity < lastBoundary(now, rule.atHour)) return true
  return isIdle && now.getTime() - lastActivity.getTime() >= rule.idleMinutes * 60_000
}

/**
 * The latest moment not after `now` at which the local clock showed `atHour`. Days are counted on the calendar, so that
 * one of 23 or 25 hours has its boundary where the clock has it; an hour that a change of clocks skips falls on the next.
 */
function lastBoundary(now: Date, atHour: number): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), atHour)
  return today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, atHour)
}
