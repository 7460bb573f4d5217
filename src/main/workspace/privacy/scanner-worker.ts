/** Scans notes in a worker, which takes a third of the time and blocks no search. The worker ends after a pause. */
import type { RouterClient } from '@orpc/server'
import { fromOrpcError, startThread, type Thread } from '#platform'
import type { ScannerRouter } from './scanner.worker.ts'
import type { ScanResult } from './local-note-scanner.ts'
import type { NotesFolder } from './privacy-rules.ts'

/** Scans in this thread before a worker is started; a command needs only one. */
const looksInPlace = 2
const usualIdleMs = 60_000
/** Size of the young generation: each scan lists all notes. */
const youngMb = 8

export class ScannerWorker {
  readonly #entry: URL
  readonly #keptIn: string | undefined
  #thread: Thread<RouterClient<ScannerRouter>> | undefined
  #last: ScanResult | undefined
  #asked = 0
  #idle: NodeJS.Timeout | undefined

  constructor(entry: URL, keptIn: string | undefined) {
    this.#entry = entry
    this.#keptIn = keptIn
  }

  /** Returns false for the first scans after a pause. */
  isWorthIt(): boolean {
    this.#asked += 1
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.close(), usualIdleMs)
    this.#idle.unref()
    return this.#asked > looksInPlace
  }

  /** Returns the previous result if nothing has changed. @throws if the worker ends */
  async scan(folders: readonly NotesFolder[]): Promise<ScanResult> {
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

  #wake(): Thread<RouterClient<ScannerRouter>> {
    if (this.#thread) return this.#thread
    const thread = startThread<RouterClient<ScannerRouter>>(this.#entry, youngMb)
    thread.onExit(() => this.#forget(thread))
    this.#thread = thread
    return thread
  }

  /** Another worker counts versions anew. */
  #forget(thread: Thread<RouterClient<ScannerRouter>> | undefined): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#last = undefined
  }
}
