/** What happened to a conversation besides messages, in order and with its place. Pure. */
import type { CommandOutcome, PlacedEvent, SessionEvent } from '../../shared/contract/index.ts'
import type { ErrorData } from '../../shared/errors.ts'
import type { TranscriptEntry } from './entries.ts'

export const commandEntry = 'commonplace.command'
export const noticeEntry = 'commonplace.notice'

export function sessionEvents(branch: readonly TranscriptEntry[]): PlacedEvent[] {
  const events: PlacedEvent[] = []
  let after: string | null = null
  for (const entry of branch) {
    if (entry.type === 'message') {
      after = entry.id
      continue
    }
    const event = eventOf(entry)
    if (event) events.push({ id: entry.id, after, event })
  }
  return events
}

function eventOf(entry: TranscriptEntry): SessionEvent | undefined {
  switch (entry.type) {
    case 'flush':
      return { type: 'flush', status: entry.status, changes: entry.changes, tokens: entry.usage?.totalTokens ?? 0 }
    case 'compaction':
      return {
        type: 'compaction',
        summary: entry.summary,
        before: entry.tokensBefore,
        after: entry.tokensAfter ?? 0,
        tokens: entry.usage?.totalTokens ?? 0,
      }
    case 'prune':
      return {
        type: 'prune',
        results: entry.trimmed.length + entry.cleared.length,
        before: entry.charactersBefore,
        after: entry.charactersAfter,
      }
    case 'custom':
      return customEvent(entry.customType, entry.data)
    case 'model_change':
    case 'session_info':
    case 'message':
      return undefined
  }
}

/** Entries that this app wrote; those of others are theirs. */
function customEvent(customType: string, data: unknown): SessionEvent | undefined {
  if (customType === commandEntry) {
    const { command, outcome } = data as { command: string; outcome: CommandOutcome }
    return { type: 'command', command, outcome }
  }
  if (customType === noticeEntry) {
    const { code, data: details } = data as { code: string; data: ErrorData }
    return { type: 'notice', kind: 'compactionFailed', code, data: details }
  }
  return undefined
}
