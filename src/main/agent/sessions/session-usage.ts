/** What a conversation used, every branch, flushes and summaries included. Pure. */
import { addUsage, noUsage, type Usage } from '#shared/chat/messages.ts'
import type { TranscriptEntry } from './transcript-entries.ts'

export function usageOfEntries(entries: readonly TranscriptEntry[]): Usage {
  let sum: Usage = noUsage
  for (const entry of entries) {
    if (entry.type === 'message' && entry.message.role === 'assistant') sum = addUsage(sum, entry.message.usage)
    else if ((entry.type === 'flush' || entry.type === 'compaction') && entry.usage) sum = addUsage(sum, entry.usage)
  }
  return sum
}
