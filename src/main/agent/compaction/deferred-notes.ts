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
  readonly charactersRead: number
  readonly changes: readonly FileChange[]
  readonly usage: Usage
}

const noProgress: Progress = { charactersRead: 0, changes: [], usage: noUsage }

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
    const pendingPassages = await pendingVerbatimEntries(tools.workspace)
    const passage = pendingPassages.find((one) => options.model.isLocal || !one.isLocal)
    if (!passage) return
    const notes = new NoteWriter(options)
    let progress = this.#progress.get(passage.id) ?? noProgress
    const rest = passage.text.slice(progress.charactersRead)
    const parts = textInParts(rest, await notes.partTokens(options.factor))
    for (const part of parts.slice(0, partsPerRun)) {
      const { changes, usage } = await notes.saveFromPart(
        part,
        'Part of an earlier conversation',
        passage.isLocal,
        sourcesIn(passage.text),
      )
      progress = {
        charactersRead: progress.charactersRead + part.length,
        changes: [...progress.changes, ...changes],
        usage: addUsage(progress.usage, usage),
      }
      this.#progress.set(passage.id, progress)
    }
    if (progress.charactersRead < passage.text.length) return
    const origin = { ...tools.origin, cause: 'flush' as const }
    await markDistilled(
      tools.workspace,
      origin,
      passage,
      progress.changes.map(({ path }) => path),
      now(),
    )
    this.#progress.delete(passage.id)
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
