import { AppError } from '#shared/util/errors.ts'
import { addUsage, noUsage } from '#shared/chat/messages.ts'
import { isCoolingDown, compactionState } from './compaction-state.ts'
import { splitText } from '../context/render-messages.ts'
import { isTransient } from '#llm'
import { sourcesIn } from '#shared/markdown/provenance.ts'
import type { FlushOutcome } from './flush.ts'
import { NoteWriter, type NoteWriterOptions } from './write-notes.ts'
import { markDistilled, pendingVerbatimEntries } from './verbatim-fallback.ts'

const partsPerRun = 2
const partTitle = 'Part of an earlier conversation'
/** Limit of the runs skipped after a failure: one after a transient failure, doubling with consecutive other failures. */
const maxSkippedRuns = 16

export interface DeferredNotesOptions extends NoteWriterOptions {
  /** Provider tokens for each estimated token. */
  readonly factor: number
}

interface Progress extends FlushOutcome {
  /** Characters already read. */
  readonly charactersRead: number
}

const noProgress: Progress = { charactersRead: 0, changes: [], lines: [], usage: noUsage }

/** Distils verbatim entries after answers, a few parts at a time. */
export class DeferredNotes {
  readonly #progress = new Map<string, Progress>()
  #failureCount = 0
  #runsToSkip = 0
  #running: { readonly controller: AbortController; readonly ended: Promise<void> } | undefined

  /** Distils two parts of the oldest verbatim entry; after the last part, appends a `distilled` transcript entry. */
  async run(options: DeferredNotesOptions): Promise<void> {
    if (this.#running || isCoolingDown(compactionState(options.transcript.branch()))) return
    if (this.#runsToSkip > 0) {
      this.#runsToSkip -= 1
      return
    }
    const controller = new AbortController()
    const signal = AbortSignal.any([options.toolContext.signal, controller.signal])
    const ended = this.#attempt({ ...options, toolContext: { ...options.toolContext, signal } })
    this.#running = { controller, ended: ended.catch(() => undefined) }
    try {
      await ended
    } finally {
      this.#running = undefined
    }
  }

  /** Aborts the current run; the next one continues from its progress. */
  async stop(): Promise<void> {
    this.#running?.controller.abort()
    await this.#running?.ended
  }

  async #attempt(options: DeferredNotesOptions): Promise<void> {
    try {
      await this.#distil(options)
      this.#failureCount = 0
    } catch (error) {
      if (options.toolContext.signal.aborted) return
      if (!(error instanceof AppError)) throw error
      this.#failureCount = isTransient(error) ? 0 : this.#failureCount + 1
      this.#runsToSkip = Math.min(maxSkippedRuns, Math.max(1, 2 ** (this.#failureCount - 1)))
    }
  }

  async #distil(options: DeferredNotesOptions): Promise<void> {
    const { toolContext, transcript } = options
    // Entries of private chats wait for a private chat, those of chats with a model of this machine for such a model.
    const pendingEntries = await pendingVerbatimEntries(toolContext.workspace, (path, text) =>
      toolContext.accessPolicy.hasPrivateText(path, text),
    )
    const entry = pendingEntries.find(
      ({ isPrivate, isForLocalModels }) =>
        isPrivate === transcript.isPrivate && (options.model.isLocal || !isForLocalModels),
    )
    if (!entry) return
    const noteWriter = new NoteWriter(options)
    let progress = this.#progress.get(entry.id) ?? noProgress
    const unreadText = entry.text.slice(progress.charactersRead)
    const parts = splitText(unreadText, await noteWriter.maxPartTokens(options.factor))
    for (const part of parts.slice(0, partsPerRun)) {
      const { changes, lines, usage } = await noteWriter.saveFromPart(
        part,
        partTitle,
        sourcesIn(entry.text),
        entry.path,
      )
      progress = {
        charactersRead: progress.charactersRead + part.length,
        changes: [...progress.changes, ...changes],
        lines: [...progress.lines, ...lines],
        usage: addUsage(progress.usage, usage),
      }
      this.#progress.set(entry.id, progress)
    }
    if (progress.charactersRead < entry.text.length) return
    const origin = { ...toolContext.origin, cause: 'flush' as const }
    const notePaths = progress.changes.map(({ path }) => path)
    await markDistilled(toolContext.workspace, origin, entry, notePaths, toolContext.now())
    this.#progress.delete(entry.id)
    const throughEntryId = transcript.messages().at(-1)?.id ?? ''
    const { changes, lines, usage } = progress
    await transcript.append({
      type: 'flush',
      status: 'distilled',
      throughEntryId,
      changes: [...changes],
      lines: [...lines],
      usage,
    })
  }
}
