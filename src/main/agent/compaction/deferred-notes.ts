import { AppError } from '#shared/util/errors.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import { addUsage, noUsage, type Usage } from '#shared/chat/messages.ts'
import { isCoolingDown, compactionState } from './compaction-state.ts'
import { textInParts } from '../context/render-messages.ts'
import { isTransient } from '#llm'
import type { Transcript } from '../sessions/transcript.ts'
import { sourcesIn } from '#shared/markdown/provenance.ts'
import { NoteWriter, type NoteWriterOptions } from './write-notes.ts'
import { markDistilled, pendingVerbatimEntries } from './verbatim-fallback.ts'

const partsPerRun = 2
/** Maximum of runs skipped after a failure. A transient failure skips one; others double the number each time. */
const maxSkippedRuns = 16

export interface DeferredNotesOptions extends NoteWriterOptions {
  readonly transcript: Transcript
  /** Provider tokens for each estimated token. */
  readonly factor: number
}

interface Progress {
  /** Characters already read. */
  readonly read: number
  readonly changes: readonly FileChange[]
  readonly usage: Usage
}

const none: Progress = { read: 0, changes: [], usage: noUsage }

export class DeferredNotes {
  readonly #progress = new Map<string, Progress>()
  #failures = 0
  #runsToSkip = 0
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined

  /** Distils two parts of the oldest verbatim passage; after the last part, appends a `distilled` entry. */
  async run(options: DeferredNotesOptions): Promise<void> {
    if (this.#running || isCoolingDown(compactionState(options.transcript.branch()))) return
    if (this.#runsToSkip > 0) {
      this.#runsToSkip -= 1
      return
    }
    const stop = new AbortController()
    const signal = AbortSignal.any([options.tools.signal, stop.signal])
    const ended = this.#attempt({ ...options, tools: { ...options.tools, signal } })
    this.#running = { stop, ended: ended.catch(() => undefined) }
    try {
      await ended
    } finally {
      this.#running = undefined
    }
  }

  /** Aborts the current run; the next one continues from its progress. */
  async stop(): Promise<void> {
    this.#running?.stop.abort()
    await this.#running?.ended
  }

  async #attempt(options: DeferredNotesOptions): Promise<void> {
    try {
      await this.#distil(options)
      this.#failures = 0
    } catch (error) {
      if (options.tools.signal.aborted) return
      if (!(error instanceof AppError)) throw error
      this.#failures = isTransient(error) ? 0 : this.#failures + 1
      this.#runsToSkip = Math.min(maxSkippedRuns, Math.max(1, 2 ** (this.#failures - 1)))
    }
  }

  async #distil(options: DeferredNotesOptions): Promise<void> {
    const { tools, transcript, now } = options
    // Local passages wait for a local model.
    const waiting = await pendingVerbatimEntries(tools.workspace)
    const rescued = waiting.find((one) => options.model.isLocal || !one.isLocal)
    if (!rescued) return
    const notes = new NoteWriter(options)
    let progress = this.#progress.get(rescued.id) ?? none
    const rest = rescued.text.slice(progress.read)
    const parts = textInParts(rest, await notes.partTokens(options.factor))
    for (const part of parts.slice(0, partsPerRun)) {
      const { changes, usage } = await notes.saveFromPart(
        part,
        'Part of an earlier conversation',
        rescued.isLocal,
        sourcesIn(rescued.text),
      )
      progress = {
        read: progress.read + part.length,
        changes: [...progress.changes, ...changes],
        usage: addUsage(progress.usage, usage),
      }
      this.#progress.set(rescued.id, progress)
    }
    if (progress.read < rescued.text.length) return
    const origin = { ...tools.origin, cause: 'flush' as const }
    await markDistilled(
      tools.workspace,
      origin,
      rescued,
      progress.changes.map(({ path }) => path),
      now(),
    )
    this.#progress.delete(rescued.id)
    const throughEntryId = transcript.messages().at(-1)?.id ?? ''
    const { changes, usage } = progress
    await transcript.appendCompaction({
      type: 'flush',
      status: 'distilled',
      throughEntryId,
      changes: [...changes],
      usage,
    })
  }
}
