/**
 * Looks at notes in a thread of its own, where that is asked for often: a thousand files take a third of the time where
 * nobody else has to be let in between, and whoever searches does not wait for it. It goes when nobody has asked for a
 * while.
 */
import type { RouterClient } from '@orpc/server'
import { fromOrpcError, startThread, type Thread } from '#platform'
import type { LookRouter } from './scanner.worker.ts'
import type { Looked } from './local-note-scanner.ts'
import type { NotesFolder } from './privacy-rules.ts'

/** Whoever asks once, as a single command does, needs no thread. */
const looksInPlace = 2
const usualIdleMs = 60_000
/** Each look lists every note anew. */
const youngMb = 8

export class LookThread {
  readonly #entry: URL
  readonly #keptIn: string | undefined
  #thread: Thread<RouterClient<LookRouter>> | undefined
  #last: Looked | undefined
  #asked = 0
  #idle: NodeJS.Timeout | undefined

  constructor(entry: URL, keptIn: string | undefined) {
    this.#entry = entry
    this.#keptIn = keptIn
  }

  /** False for the first looks after a while. */
  isWorthIt(): boolean {
    this.#asked += 1
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.close(), usualIdleMs)
    this.#idle.unref()
    return this.#asked > looksInPlace
  }

  /** @returns the same as before where nothing has changed @throws where the thread ended meanwhile */
  async look(folders: readonly NotesFolder[]): Promise<Looked> {
    const thread = this.#wake()
    try {
      const looked = await thread.client.look({ folders, keptIn: this.#keptIn, known: this.#last?.version })
      if (looked) this.#last = looked
    } catch (error) {
      throw fromOrpcError(error)
    }
    if (!this.#last) throw new Error('a thread looked at no notes')
    return this.#last
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    this.#asked = 0
    const thread = this.#thread
    this.#forget(thread)
    await thread?.terminate()
  }

  #wake(): Thread<RouterClient<LookRouter>> {
    if (this.#thread) return this.#thread
    const thread = startThread<RouterClient<LookRouter>>(this.#entry, youngMb)
    thread.onExit(() => this.#forget(thread))
    this.#thread = thread
    return thread
  }

  /** Versions are the thread's own. */
  #forget(thread: Thread<RouterClient<LookRouter>> | undefined): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#last = undefined
  }
}
