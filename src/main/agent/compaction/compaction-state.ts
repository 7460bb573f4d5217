/**
 * Derives the compaction state from a transcript's branch: live messages, the summary of the others, the progress of
 * flushes, and pruned results. Only the entries determine it, so it survives a restart.
 *
 *   entries   m m m m F m m C m m m     F flush (has read the messages before it)
 *                       └──┬──┘         C compaction (its summary replaces the messages before its first kept entry)
 *   live messages: from C's first kept entry on
 *
 * Invariant: a message is only summarised after a flush has read it.
 */
import type { Source } from '#shared/markdown/provenance.ts'
import { parseDigest, type DigestLine, type LinkedMessage } from '../sessions/digest.ts'
import { compactionFailureEntry } from '../sessions/session-events.ts'
import type { TranscriptEntry } from '../sessions/transcript-entries.ts'
import { addDecisions, type PruneDecisions } from './prune.ts'

export interface CompactionState {
  readonly summary: string | undefined
  /** The summary's lines, and the notes that flushes saved since. */
  readonly digest: readonly DigestLine[]
  /** Sources of the summarised messages that are less trusted than the user. */
  readonly summarySources: readonly Source[]
  /** Messages that no summary replaces, oldest first. */
  readonly liveMessages: readonly LinkedMessage[]
  /** Number of live messages that a flush has read, counted from the oldest. */
  readonly flushedCount: number
  /** True if a flush has run since the last compaction. Only one runs before each compaction. */
  readonly hasFlushedInCycle: boolean
  /** Number of user messages since the last request for notes or a summary if it failed; otherwise Infinity. */
  readonly turnsSinceFailure: number
  readonly pruned: PruneDecisions
}

/** Number of user messages after a failure before compaction calls a model again. */
const cooldownTurns = 2

/** Returns true if compaction must not call a model because a request failed recently. */
export function isCoolingDown({ turnsSinceFailure }: Pick<CompactionState, 'turnsSinceFailure'>): boolean {
  return turnsSinceFailure < cooldownTurns
}

export function compactionState(branch: readonly TranscriptEntry[]): CompactionState {
  let summary: string | undefined
  let summarySources: readonly Source[] = []
  let liveMessages: LinkedMessage[] = []
  let digest: DigestLine[] = []
  let flushedCount = 0
  let hasFlushedInCycle = false
  let turnsSinceFailure = Infinity
  let pruned: PruneDecisions = { trimmed: new Set(), cleared: new Set() }
  for (const entry of branch) {
    if (entry.type === 'message' && entry.message.role === 'user') turnsSinceFailure += 1
    turnsSinceFailure = turnsAfterOutcome(entry) ?? turnsSinceFailure
    if (entry.type === 'message') liveMessages.push({ id: entry.id, message: entry.message })
    else if (entry.type === 'flush' && entry.status !== 'failed' && entry.status !== 'distilled') {
      flushedCount = Math.max(flushedCount, liveMessages.findIndex(({ id }) => id === entry.throughEntryId) + 1)
      hasFlushedInCycle = true
      digest.push(...entry.lines)
    } else if (entry.type === 'compaction') {
      const firstKeptIndex = liveMessages.findIndex(({ id }) => id === entry.firstKeptEntryId)
      const cut = firstKeptIndex < 0 ? liveMessages.length : firstKeptIndex
      summary = entry.summary
      digest = entry.lines ? [...entry.lines] : parseDigest(entry.summary, [])
      summarySources = entry.sources ?? []
      liveMessages = liveMessages.slice(cut)
      flushedCount = Math.max(0, flushedCount - cut)
      hasFlushedInCycle = false
    } else if (entry.type === 'prune') pruned = addDecisions(pruned, entry)
  }
  return {
    summary,
    digest,
    summarySources,
    liveMessages,
    flushedCount,
    hasFlushedInCycle,
    turnsSinceFailure,
    pruned,
  }
}

/** Returns 0 after a failed request for notes or a summary, Infinity after success, undefined for other entries. */
function turnsAfterOutcome(entry: TranscriptEntry): number | undefined {
  if (entry.type === 'flush') {
    if (entry.status === 'rescued') return entry.message === undefined ? undefined : 0
    return entry.status === 'failed' ? 0 : Infinity
  }
  if (entry.type === 'compaction') return entry.leftOut ? undefined : Infinity
  return entry.type === 'custom' && entry.customType === compactionFailureEntry ? 0 : undefined
}

/** @throws Error if the first `cut` live messages have not all been read by a flush; this is a bug in the caller */
export function assertFlushed({ liveMessages, flushedCount }: CompactionState, cut: number): void {
  if (cut > flushedCount)
    throw new Error(`compaction up to message ${cut} of ${liveMessages.length}, but a flush has read ${flushedCount}`)
}
