/**
 * What was rescued is distilled as soon as a model answers again (M30), a few parts after each answer, so that no answer
 * waits and a provider that goes on failing is not asked again and again.
 */
import { AppError } from '../../../shared/errors.ts'
import type { FileChange } from '../../../shared/file-change.ts'
import { addUsage, noUsage, type Usage } from '../../../shared/messages.ts'
import { textInParts } from '../../context/index.ts'
import type { Transcript } from '../../sessions/index.ts'
import { Notes, type NotesOptions } from './notes.ts'
import { settleRescue, waitingRescues } from './rescue.ts'

/** Parts of one run; each takes a request or two. */
const partsAtOnce = 2
/** After so many failures in a row it waits for the app's next start. */
const maxFailures = 6

interface Progress {
  /** Characters that are read. */
  readonly read: number
  readonly changes: readonly FileChange[]
  readonly usage: Usage
}

const none: Progress = { read: 0, changes: [], usage: noUsage }

export class Distiller {
  readonly #progress = new Map<string, Progress>()
  #failures = 0
  #pauses = false
  #isRunning = false

  /** Goes on with what waits longest; when one is done, the conversation is told. A failure of the model waits for the next run but one. */
  async run(options: NotesOptions & { readonly transcript: Transcript; readonly factor: number }): Promise<void> {
    if (this.#isRunning || this.#failures >= maxFailures) return
    if (this.#pauses) {
      this.#pauses = false
      return
    }
    this.#isRunning = true
    try {
      await this.#distil(options)
      this.#failures = 0
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (options.tools.signal.aborted) return
      this.#failures += 1
      this.#pauses = true
    } finally {
      this.#isRunning = false
    }
  }

  async #distil(options: NotesOptions & { readonly transcript: Transcript; readonly factor: number }): Promise<void> {
    const { tools, transcript, now } = options
    const [rescued] = await waitingRescues(tools.workspace)
    if (!rescued) return
    const notes = new Notes(options)
    let progress = this.#progress.get(rescued.id) ?? none
    const rest = rescued.text.slice(progress.read)
    const parts = textInParts(rest, await notes.partTokens(options.factor))
    for (const part of parts.slice(0, partsAtOnce)) {
      const { changes, usage } = await notes.fromPart(part, 'Part of an earlier conversation')
      progress = {
        read: progress.read + part.length,
        changes: [...progress.changes, ...changes],
        usage: addUsage(progress.usage, usage),
      }
      this.#progress.set(rescued.id, progress)
    }
    if (progress.read < rescued.text.length) return
    const origin = { ...tools.origin, cause: 'flush' as const }
    await settleRescue(
      tools.workspace,
      origin,
      rescued,
      progress.changes.map(({ path }) => path),
      now(),
    )
    this.#progress.delete(rescued.id)
    const throughEntryId = transcript.messages().at(-1)?.id ?? ''
    const { changes, usage } = progress
    await transcript.appendKept({ type: 'flush', status: 'distilled', throughEntryId, changes: [...changes], usage })
  }
}
