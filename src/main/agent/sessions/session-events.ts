import type { PlacedEvent, SessionEvent } from '#shared/contract/index.ts'
import { sessionEventSchema } from '#shared/contract/chats.ts'
import { type FileChange, fileChangeSchema } from '#shared/util/file-change.ts'
import { isRecord } from '#shared/util/json.ts'
import type { TranscriptEntry } from './transcript-entries.ts'

/**
 * Has the id of the last message that a summary covers (`through`), the number of its lines (`kept`), and, if a note was
 * written, its path, the hash of its text, and the change.
 */
export const summaryEntry = 'commonplace.left'
export const endedEntry = 'commonplace.ended'
export const commandEntry = 'commonplace.command'
/** A text of the chat that the user has saved as a note, with the `change`. */
export const keptEntry = 'commonplace.kept'
export const compactionFailureEntry = 'commonplace.notice'
/** Notice of a `kind`; the oldest kind gave it its name. */
export const noticeEntry = 'commonplace.modelReplaced'
export const privateMatchesEntry = 'commonplace.privateMatches'

const statusOf = (event: SessionEvent) => (event.type === 'flush' ? event.status : '')

/** Statuses of earlier flushes that an event makes outdated. */
const outdatedBy: Readonly<Record<string, readonly string[]>> = {
  // The summary says what was saved; its earlier versions can no longer be undone.
  summarized: ['summarized', 'nothing'],
  // A later flush began at the message where the failed one did.
  wrote: ['failed'],
  nothing: ['failed'],
  failed: ['failed'],
}

/** Returns the events of a branch; `after` is the id of the preceding message, null before the first message. */
export function sessionEvents(branch: readonly TranscriptEntry[]): PlacedEvent[] {
  let events: PlacedEvent[] = []
  let after: string | null = null
  for (const entry of branch) {
    if (entry.type === 'message') after = entry.id
    const event = eventOf(entry)
    if (!event) continue
    const outdated = outdatedBy[statusOf(event)] ?? []
    events = events.filter((earlier) => !outdated.includes(statusOf(earlier.event)))
    const last = events.at(-1)
    const joined = last?.after === after ? joinFlushes(last.event, event) : undefined
    if (joined) events.pop()
    events.push({ id: entry.id, after, event: joined ?? event })
  }
  return events
}

export function changesIn(entry: TranscriptEntry): readonly FileChange[] {
  if (entry.type === 'flush') return entry.changes
  const details = entry.type === 'message' && entry.message.role === 'toolResult' ? entry.message.details : undefined
  if (details?.kind === 'change') return [details.change]
  if (entry.type !== 'custom' || !isRecord(entry.data)) return []
  const { outcome, change } = entry.data
  return fileChangeSchema.array().safeParse([isRecord(outcome) ? outcome['change'] : change]).data ?? []
}

/** Returns one event for two parts of a flush; undefined for other events. */
export function joinFlushes(one: SessionEvent, other: SessionEvent): SessionEvent | undefined {
  if (one.type !== 'flush' || other.type !== 'flush') return undefined
  if (![one, other].every(({ status }) => status === 'wrote' || status === 'nothing')) return undefined
  const status = one.status === 'wrote' ? one.status : other.status
  return { ...other, status, changes: [...one.changes, ...other.changes] }
}

export function eventOf(entry: TranscriptEntry): SessionEvent | undefined {
  switch (entry.type) {
    case 'flush':
      return {
        type: 'flush',
        status: entry.status,
        changes: entry.changes,
        ...(entry.status === 'failed' && entry.throughEntryId !== '' && { takenThrough: entry.throughEntryId }),
      }
    case 'compaction':
      return {
        type: 'compaction',
        summary: entry.summary,
        lines: (entry.lines ?? []).map(({ text, messages }) => ({ text, messages })),
        before: entry.tokensBefore,
        after: entry.tokensAfter ?? 0,
        leftOut: entry.leftOut ?? false,
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
    default:
      return undefined
  }
}

const customEvents: Readonly<Record<string, object>> = {
  [commandEntry]: { type: 'command' },
  [compactionFailureEntry]: { type: 'notice', kind: 'compactionFailed' },
  [privateMatchesEntry]: { type: 'privateMatches' },
  [noticeEntry]: { type: 'notice' },
}

/** Returns undefined for invalid entries and those of other programs. */
function customEvent(customType: string, data: unknown): SessionEvent | undefined {
  if (!isRecord(data)) return undefined
  if (customType === summaryEntry) {
    const change = fileChangeSchema.safeParse(data['change']).data
    return change && { type: 'flush', status: 'summarized', changes: [change] }
  }
  const fields = customEvents[customType]
  return fields && sessionEventSchema.safeParse({ ...data, ...fields }).data
}
