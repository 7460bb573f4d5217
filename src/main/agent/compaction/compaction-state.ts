/**
 * What a transcript's branch says about keeping: which messages still count, what summary stands for the
 * rest, how far a flush has read, what was pruned. Everything follows from the entries, so a restart changes nothing.
 *
 *   entries   m m m m F m m C m m m        F flush (read up to here)   C compaction (its summary stands for what is before
 *                       └──┬──┘              its first kept entry)
 *   live messages:  from C's first kept entry on
 *
 * The invariant: no message is summarised that no flush has read.
 */
import type { Source } from '#shared/markdown/provenance.ts'
import type { Message } from '#shared/chat/messages.ts'
import { noticeEntry } from '../sessions/session-events.ts'
import type { TranscriptEntry } from '../sessions/transcript-entries.ts'
import type { PruneDecisions } from './prune.ts'

export interface LiveMessage {
  readonly id: string
  readonly message: Message
}

export interface KeepingState {
  readonly summary: string | undefined
  /** A local model made it of local notes. */
  readonly isSummaryLocal: boolean
  /** Where some of what the summary stands for comes from. */
  readonly summarySources: readonly Source[]
  /** Messages that no summary stands for, oldest first. */
  readonly live: readonly LiveMessage[]
  /** How many of the live messages a flush has read, from the first on. */
  readonly flushed: number
  /** A flush has run since the last compaction: the next one waits for it. */
  readonly hasFlushedInCycle: boolean
  /** Messages of the user since a model that was asked for notes or a summary failed; Infinity when it did not, or has since. */
  readonly turnsSinceFailure: number
  readonly pruned: PruneDecisions
}

/** After a failure one turn goes by before keeping asks again: a turn never waits for what has just failed. */
const restTurns = 2

/** True while keeping asks for nothing, for it has failed a moment ago. */
export function isResting({ turnsSinceFailure }: Pick<KeepingState, 'turnsSinceFailure'>): boolean {
  return turnsSinceFailure < restTurns
}

export function keepingState(branch: readonly TranscriptEntry[]): KeepingState {
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
    if (isTurn(entry)) turnsSinceFailure += 1
    turnsSinceFailure = outcomeOf(entry) ?? turnsSinceFailure
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

function isTurn(entry: TranscriptEntry): boolean {
  return entry.type === 'message' && entry.message.role === 'user'
}

/** Of a request of keeping: 0 where it failed, Infinity where it did not; undefined for what asked for nothing. */
function outcomeOf(entry: TranscriptEntry): number | undefined {
  if (entry.type === 'flush') {
    if (entry.status === 'rescued') return entry.message === undefined ? undefined : 0
    return entry.status === 'failed' ? 0 : Infinity
  }
  if (entry.type === 'compaction') return entry.leftOut ? undefined : Infinity
  return entry.type === 'custom' && entry.customType === noticeEntry ? 0 : undefined
}

/** @throws Error when messages up to `cut` would be summarised that no flush has read: a fault of ours, never of the user's */
export function assertFlushed(state: KeepingState, cut: number): void {
  if (cut > state.flushed)
    throw new Error(`compaction up to message ${cut} of ${state.live.length}, but a flush has read ${state.flushed}`)
}
