/**
 * Where compaction cuts (M31): what lies before the cut is summarised, what lies after it stays word for word.
 *
 *   user  assistant(call) result  assistant   user  assistant(call) result result  assistant   user
 *   ───── summarised ───────────────────────┤├──────── kept: the newest `keepTokens` ─────────────
 *
 * A result never loses its call: the kept part begins with a user message or an answer. Within one long turn that is an
 * answer, so a turn can be split. Pure.
 */
import type { Message } from '#shared/chat/messages.ts'

/** @returns the index of the first kept message, or 0 when there is nothing to cut off */
export function findCutPoint(messages: readonly Message[], tokens: readonly number[], keepTokens: number): number {
  let kept = 0
  let cut = messages.length
  while (cut > 0 && kept + (tokens[cut - 1] ?? 0) <= keepTokens) {
    cut -= 1
    kept += tokens[cut] ?? 0
  }
  while (cut < messages.length && messages[cut]?.role === 'toolResult') cut += 1
  // The last thing said is always kept, however long it is: it is what the next answer is about.
  return cut < messages.length ? cut : lastStart(messages)
}

function lastStart(messages: readonly Message[]): number {
  const start = messages.findLastIndex((message) => message.role !== 'toolResult')
  return Math.max(0, start)
}
