import type { AgentSettings } from '#platform'
import { isRecord } from '#shared/util/json.ts'
import { endedEntry, summaryEntry } from './session-events.ts'
import type { Transcript } from './transcript.ts'

type ResetRule = AgentSettings['session']['reset']

/** Returns true if the rule has ended the session: the next message starts a new one. */
export function isOver(transcript: Transcript, now: Date, rule: ResetRule): boolean {
  const last = transcript.messages().findLast(({ message }) => message.role === 'user')
  return last !== undefined && isSessionOver(new Date(last.message.timestamp), now, rule)
}

/** Returns true if the user has ended the session and has not written in it since. */
export function wasEndedByHand(transcript: Transcript): boolean {
  const branch = transcript.branch()
  const isUserMessage = (entry: (typeof branch)[number]) => entry.type === 'message' && entry.message.role === 'user'
  const endIndex = branch.findLastIndex((entry) => entry.type === 'custom' && entry.customType === endedEntry)
  return endIndex > branch.findLastIndex(isUserMessage)
}

/** Returns true if a reset boundary lies between the last activity and now; false if the clock was set back. */
export function isSessionOver(lastActivity: Date, now: Date, rule: ResetRule): boolean {
  if (now <= lastActivity) return false
  const isDaily = rule.mode === 'daily' || rule.mode === 'daily+idle'
  const isIdle = rule.mode === 'idle' || rule.mode === 'daily+idle'
  if (isDaily && lastActivity < lastBoundary(now, rule.atHour)) return true
  return isIdle && now.getTime() - lastActivity.getTime() >= rule.idleMinutes * 60_000
}

/**
 * Returns the latest time up to `now` at which the local clock showed `atHour`. Handles days of 23 and 25 hours; an
 * hour that daylight saving time skips counts as the next one.
 */
function lastBoundary(now: Date, atHour: number): Date {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate(), atHour)
  return today <= now ? today : new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, atHour)
}

/** Returns the id of the last message that the session's summary covers; undefined without one. */
export function summarizedThrough(transcript: Transcript): string | undefined {
  const data = transcript.lastCustom(summaryEntry)
  return isRecord(data) && typeof data['through'] === 'string' ? data['through'] : undefined
}
