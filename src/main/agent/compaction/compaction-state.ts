/**
 * Derives the compaction state from a transcript's branch: live messages, the summary of the others, the progress of
 * flushes, and pruned results. Only the entries determine it, so it survives a restart.
 *
 *   entries   m m m m F m m C m m m     F flush (has read up to here)
 *                       └──┬──┘         C compaction (its summary replaces the messages before its first kept entry)
 *   live messages: from C's first kept entry on
 *
 * Invariant: a message is only summarised after a flush has read it.
 */
import type { Source } from '#shared/markdown/provenance.ts'
import type { Message } from '#shared/chat/messages.ts'
import { compactionFailureEvent } from '../sessions/session-events.ts'
import type { TranscriptEntry } from '../sessions/transcript-entries.ts'
import type { PruneDecisions } from './prune.ts'

export interface LiveMessage {
  readonly id: string
  readonly message: Message
}

export interface CompactionState {
  readonly summary: string | undefined
  /** True if the summary contains text of local notes. */
  readonly isSummaryLocal: boolean
  /** Sources of the summarised messages that are less trusted than the user. */
  readonly summarySources: readonly Source[]
  /** Messages that no summary replaces, oldest first. */
  readonly live: readonly LiveMessage[]
  /** Number of live messages that a flush has read, counted from the oldest. */
  readonly flushed: number
  /** True if a flush has run since the last compaction; the next one waits for a compaction. */
  readonly hasFlushedInCycle: boolean
  /** User messages since the last request for notes or a summary, if that failed; otherwise Infinity. */
  readonly turnsSinceFailure: number
  readonly pruned: PruneDecisions
}

/** User messages after a failure until compaction asks a model again. */
const cooldownTurns = 2

/** Returns true while compaction asks no model because a request failed recently. */
export function isCoolingDown({ turnsSinceFailure }: Pick<CompactionState, 'turnsSinceFailure'>): boolean {
  return turnsSinceFailure < cooldownTurns
}

export function compactionState(branch: readonly TranscriptEntry[]): CompactionState {
  let summary: string | undefined
  let isSummaryLocal = false
  let summarySources: readonly Source[] = []
  let live: LiveMessage[] = []
  let flushed = 0
  let hasFlushedInCycle = false
  let turnsSinceFailure = Infinity
  const trimmed = new Set<string>()
  const cleared = new Set<string>()
  for (const entry of branch) {
    if (isUserMessage(entry)) turnsSinceFailure += 1
    turnsSinceFailure = turnsAfterOutcome(entry) ?? turnsSinceFailure
    if (entry.type === 'message') live.push({ id: entry.id, message: entry.message })
    else if (entry.type === 'flush' && entry.status !== 'failed' && entry.status !== 'distilled') {
      flushed = Math.max(flushed, live.findIndex(({ id }) => id === entry.throughEntryId) + 1)
      hasFlushedInCycle = true
    } else if (entry.type === 'compaction') {
      const first = live.findIndex(({ id }) => id === entry.firstKeptEntryId)
      const cut = first < 0 ? live.length : first
      summary = entry.summary
      isSummaryLocal = entry.local === true
      summarySources = entry.sources ?? []
      live = live.slice(cut)
      flushed = Math.max(0, flushed - cut)
      hasFlushedInCycle = false
    } else if (entry.type === 'prune') {
      for (const id of entry.trimmed) trimmed.add(id)
      for (const id of entry.cleared) cleared.add(id)
    }
  }
  return {
    summary,
    isSummaryLocal,
    summarySources,
    live,
    flushed,
    hasFlushedInCycle,
    turnsSinceFailure,
    pruned: { trimmed, cleared },
  }
}

function isUserMessage(entry: TranscriptEntry): boolean {
  return entry.type === 'message' && entry.message.role === 'user'
}

/** Returns 0 after a failed request for notes or a summary, Infinity after success, undefined for other entries. */
function turnsAfterOutcome(entry: TranscriptEntry): number | undefined {
  if (entry.type === 'flush') {
    if (entry.status === 'rescued') return entry.message === undefined ? undefined : 0
    return entry.status === 'failed' ? 0 : Infinity
  }
  if (entry.type === 'compaction') return entry.leftOut ? undefined : Infinity
  return entry.type === 'custom' && entry.customType === compactionFailureEvent ? 0 : undefined
}

/** @throws Error if no flush has read one of the first `cut` live messages; a bug in the caller */
export function assertFlushed(state: CompactionState, cut: number): void {
  if (cut > state.flushed)
    throw new Error(`compaction up to message ${cut} of ${state.live.length}, but a flush has read ${state.flushed}`)
}
