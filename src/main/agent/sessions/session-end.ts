import type { AgentSettings } from '#platform'
import { endedEntry } from './session-events.ts'
import type { Transcript } from './transcript.ts'

type ResetRule = AgentSettings['session']['reset']

/** Returns true if the rule has ended the session: the next message starts a new one. */
export function isOver(transcript: Transcript, now: Date, rule: ResetRule): boolean {
  const last = transcript.messages().findLast(({ message }) => message.role === 'user')
  return last !== undefined && isSessionOver(new Date(last.message.timestamp), now, rule)
}

/** Returns true if the user has ended the session and has not written in it since. */
export function wasEndedByHand(transcript: Transcript): boolean {
  const last = transcript.branch().findLast((entry) => {
    const isEnd = entry.type === 'custom' && entry.customType === endedEntry
    return isEnd || (entry.type === 'message' && entry.message.role === 'user')
  })
  return last?.type === 'custom'
}

/** Returns true if a reset boundary lies between the last activity and now; false if the clock was set back. */
export function isSessionOver(lastActivity: Date, now: Date, rule: ResetRule): boolean {
  if (now <= lastActivity) return false
  if (rule.mode.includes('daily') && lastActivity < lastBoundary(now, rule.atHour)) return true
  return rule.mode.includes('idle') && now.getTime() - lastActivity.getTime() >= rule.idleMinutes * 60_000
}

/**
 * Returns the latest time up to `now` at which the local clock showed `atHour`. Handles days of 23 and 25 hours; an
 * hour that daylight saving time skips counts as the next one.
 */
function lastBoundary(now: Date, atHour: number): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), atHour)
  return today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, atHour)
}
