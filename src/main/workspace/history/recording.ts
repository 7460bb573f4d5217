/**
 * Keeps the history going as the settings have it, from one moment to the next. The journal is there all the time, so
 * that what is written while the thread ends or begins is noted; what was written while the history was off is found by
 * the look at all files that it begins with. A process that does not stay notes only, and the next one records.
 */
import { Changes, type Announcements } from '#platform'
import type { WorkspaceWrite } from '../files/workspace-edits.ts'
import { History, type HistoryOptions } from './history.ts'
import { Journal } from './journal.ts'
import type { RecorderEvent } from './recorder.ts'

export interface RecordingOptions extends HistoryOptions {
  /** Looked up whenever it matters. */
  readonly settings: () => { readonly enabled: boolean }
  /** False where nobody stays to record. */
  readonly stays: boolean
}

export class Recording {
  /** Files have a further entry, or there are other problems: why not all is recorded, or not by this process. */
  readonly changes: Announcements<RecorderEvent>
  readonly #changes = new Changes<RecorderEvent>()
  readonly #options: RecordingOptions
  readonly #journal: Journal
  #history: History | undefined
  /** Changes of the settings are taken over one after another. */
  #changing: Promise<void> = Promise.resolve()

  constructor(options: RecordingOptions) {
    this.changes = this.#changes
    this.#options = options
    this.#journal = new Journal(options.folder, options.onFault)
    this.#history = this.#begin()
  }

  /** Undefined while it is turned off, and where nobody stays to record. */
  get history(): History | undefined {
    return this.#history
  }

  /** Resolves when the change is noted where it outlives a crash. Never fails: what is written is written. */
  async record(write: WorkspaceWrite): Promise<void> {
    if (!this.#options.settings().enabled) return
    await this.#journal.add(write)
    this.#history?.note(write.path)
  }

  /** Takes over what changed in the settings, and whose folders are whose. Never fails. */
  applySettings(): Promise<void> {
    this.#changing = this.#changing.then(() => this.#apply()).catch(this.#options.onFault)
    return this.#changing
  }

  async close(): Promise<void> {
    await this.#changing
    await this.#journal.close()
    await this.#history?.close()
  }

  async #apply(): Promise<void> {
    const history = this.#history
    if (!this.#options.settings().enabled) {
      this.#history = undefined
      await history?.close()
      // What was wrong with it is no longer of interest.
      if (history) this.#changes.announce({ type: 'problems', problems: [] })
      return
    }
    this.#history ??= this.#begin()
    await this.#history?.applyRoots()
  }

  #begin(): History | undefined {
    const { settings, stays, ...options } = this.#options
    if (!settings().enabled || !stays) return undefined
    const history = new History(options)
    history.changes.subscribe((change) => this.#changes.announce(change))
    return history
  }
}
