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
  const state: { -readonly [Key in keyof CompactionState]: CompactionState[Key] } = {
    summary: undefined,
    digest: [],
    summarySources: [],
    liveMessages: [],
    flushedCount: 0,
    hasFlushedInCycle: false,
    turnsSinceFailure: Infinity,
    pruned: { trimmed: new Set(), cleared: new Set() },
  }
  let liveMessages: LinkedMessage[] = []
  for (const entry of branch) {
    if (entry.type === 'message') {
      if (entry.message.role === 'user') state.turnsSinceFailure += 1
      liveMessages.push({ id: entry.id, message: entry.message })
    } else if (entry.type === 'flush') {
      if (entry.status !== 'rescued') state.turnsSinceFailure = Infinity
      else if (entry.message !== undefined) state.turnsSinceFailure = 0
      if (entry.status === 'distilled') continue
      const readCount = liveMessages.findIndex(({ id }) => id === entry.throughEntryId) + 1
      state.flushedCount = Math.max(state.flushedCount, readCount)
      state.hasFlushedInCycle = true
      state.digest = [...state.digest, ...entry.lines]
    } else if (entry.type === 'compaction') {
      if (!entry.leftOut) state.turnsSinceFailure = Infinity
      const firstKeptIndex = liveMessages.findIndex(({ id }) => id === entry.firstKeptEntryId)
      const cut = firstKeptIndex < 0 ? liveMessages.length : firstKeptIndex
      liveMessages = liveMessages.slice(cut)
      state.summary = entry.summary
      state.digest = entry.lines ?? parseDigest(entry.summary, [])
      state.summarySources = entry.sources ?? []
      state.flushedCount = Math.max(0, state.flushedCount - cut)
      state.hasFlushedInCycle = false
    } else if (entry.type === 'prune') state.pruned = addDecisions(state.pruned, entry)
    else if (entry.type === 'custom' && entry.customType === compactionFailureEntry) state.turnsSinceFailure = 0
  }
  return { ...state, liveMessages }
}
