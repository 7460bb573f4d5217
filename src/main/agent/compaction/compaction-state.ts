/**
 * Derives the compaction state from a transcript's branch. Only its entries determine the state, so it survives a restart.
 *
 *   entries   m m m m F m m C m m m     F flush: notes are taken from the messages before it
 *                       └──┬──┘         C compaction: its summary replaces the messages before its first kept entry
 *   live messages: from C's first kept entry on
 *
 * Invariant: a message is only summarised after notes were taken from it. If that fails, requests leave out the oldest
 * messages, and the flush reads them later from the transcript.
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
  /** Messages that requests contain, oldest first. */
  readonly liveMessages: readonly LinkedMessage[]
  /** Messages from which no notes were taken, oldest first. Requests may no longer contain the first ones. */
  readonly untaken: readonly LinkedMessage[]
  /** Id of the last message before `untaken`; '' if there is none. */
  readonly takenThrough: string
  /** True if a flush has failed, and notes are still missing from the messages that it should have read. */
  readonly isBehind: boolean
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
  const messages: LinkedMessage[] = []
  const countThrough = (entry: string | undefined) => messages.findIndex(({ id }) => id === entry) + 1
  // Numbers of messages: `missing` is behind the last one whose notes a flush should have taken.
  let [firstLive, taken, missing] = [0, 0, 0]
  let summary: string | undefined
  let digest: DigestLine[] = []
  let summarySources: readonly Source[] = []
  let hasFlushedInCycle = false
  let turnsSinceFailure = Infinity
  let pruned: PruneDecisions = { trimmed: new Set(), cleared: new Set() }
  for (const entry of branch) {
    if (entry.type === 'message') {
      if (entry.message.role === 'user') turnsSinceFailure += 1
      messages.push({ id: entry.id, message: entry.message })
    } else if (entry.type === 'flush') {
      taken = Math.max(taken, countThrough(entry.throughEntryId))
      missing = Math.max(missing, countThrough(entry.missingEntryId))
      digest.push(...entry.lines)
      if (entry.status === 'failed') turnsSinceFailure = 0
      else [hasFlushedInCycle, turnsSinceFailure] = [true, Infinity]
    } else if (entry.type === 'compaction') {
      const kept = countThrough(entry.firstKeptEntryId)
      firstLive = Math.max(firstLive, kept === 0 ? messages.length : kept - 1)
      if (!entry.leftOut) [taken, turnsSinceFailure] = [Math.max(taken, firstLive), Infinity]
      else if (missing > taken) missing = Math.max(missing, firstLive)
      summary = entry.summary
      digest = [...(entry.lines ?? parseDigest(entry.summary, []))]
      summarySources = entry.sources ?? []
      hasFlushedInCycle = false
    } else if (entry.type === 'prune') pruned = addDecisions(pruned, entry)
    else if (entry.type === 'custom' && entry.customType === compactionFailureEntry) turnsSinceFailure = 0
  }
  return {
    summary,
    digest,
    summarySources,
    liveMessages: messages.slice(firstLive),
    untaken: messages.slice(taken),
    takenThrough: messages[taken - 1]?.id ?? '',
    isBehind: missing > taken,
    hasFlushedInCycle,
    turnsSinceFailure,
    pruned,
  }
}
