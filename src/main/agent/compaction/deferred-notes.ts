import { AppError } from '#shared/util/errors.ts'
import { isCoolingDown, compactionState } from './compaction-state.ts'
import type { NoteWriterOptions } from './flush.ts'
import { distilNotes } from './write-notes.ts'
import { markDistilled, pendingVerbatimEntries } from './verbatim-fallback.ts'

/** Distils verbatim entries after answers. If the model fails, the entry waits for the next answer. */
export class DeferredNotes {
  #running: { readonly controller: AbortController; readonly ended: Promise<void> } | undefined

  /** Distils the oldest verbatim entry, and appends a `distilled` transcript entry. */
  async run(options: NoteWriterOptions): Promise<void> {
    if (this.#running || isCoolingDown(compactionState(options.transcript.branch()))) return
    const controller = new AbortController()
    const signal = AbortSignal.any([options.toolContext.signal, controller.signal])
    const ended = distil({ ...options, toolContext: { ...options.toolContext, signal } }).catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof AppError)) throw error
    })
    this.#running = { controller, ended: ended.catch(() => undefined) }
    await ended.finally(() => (this.#running = undefined))
  }

  /** Aborts the current run; the next one begins again. */
  async stop(): Promise<void> {
    this.#running?.controller.abort()
    await this.#running?.ended
  }
}

async function distil(options: NoteWriterOptions): Promise<void> {
  const { toolContext, transcript, model } = options
  const { workspace, accessPolicy, now } = toolContext
  // Entries of private chats wait for a private chat, those of chats with a model of this machine for such a model.
  const pending = await pendingVerbatimEntries(workspace, (path, text) => accessPolicy.hasPrivateText(path, text))
  const entry = pending.find(
    ({ isPrivate, isForLocalModels }) => isPrivate === transcript.isPrivate && (model.isLocal || !isForLocalModels),
  )
  if (!entry) return
  const outcome = await distilNotes(options, entry)
  const origin = { ...toolContext.origin, cause: 'flush' as const }
  const notePaths = outcome.changes.map(({ path }) => path)
  await markDistilled(workspace, origin, entry, notePaths, now())
  const throughEntryId = transcript.messages().at(-1)?.id ?? ''
  await transcript.append({ type: 'flush', status: 'distilled', throughEntryId, ...outcome })
}
