/**
 * Applies the history settings while the app runs. The journal stays open while the `History` starts or stops, so no
 * change is lost in between. Each start of the history scans all files and finds the changes made while it was off.
 */
import { EventEmitter, type Subscribable } from '#platform'
import type { WorkspaceWrite } from '../files/workspace-writer.ts'
import { History, type HistoryOptions } from './history.ts'
import { Journal } from './journal.ts'
import type { RecorderEvent } from './recorder.ts'

export interface HistoryControllerOptions extends HistoryOptions {
  readonly settings: () => { readonly enabled: boolean }
  /** False in a process that ends soon, such as a command: it writes the journal but commits nothing. */
  readonly isLongRunning: boolean
}

export class HistoryController {
  readonly #changes = new EventEmitter<RecorderEvent>()
  readonly changes: Subscribable<RecorderEvent> = this.#changes
  readonly #options: HistoryControllerOptions
  readonly #journal: Journal
  #history: History | undefined
  #settingsQueue: Promise<void> = Promise.resolve()

  constructor(options: HistoryControllerOptions) {
    this.#options = options
    this.#journal = new Journal(options.folder, options.onFault)
    this.#history = this.#startHistory()
  }

  /** Undefined while the history is off, and in a short-lived process. */
  get history(): History | undefined {
    return this.#history
  }

  /** Resolves when the change is in the journal. Never rejects: the file itself is already written. */
  async record(write: WorkspaceWrite): Promise<void> {
    if (!this.#options.settings().enabled) return
    await this.#journal.add(write)
    this.#history?.scheduleRecording(write.path)
  }

  /** Applies changed settings and forbidden folders. Never rejects. */
  applySettings(): Promise<void> {
    this.#settingsQueue = this.#settingsQueue.then(() => this.#apply()).catch(this.#options.onFault)
    return this.#settingsQueue
  }

  async close(): Promise<void> {
    await this.#settingsQueue
    await this.#journal.close()
    await this.#history?.close()
  }

  async #apply(): Promise<void> {
    const history = this.#history
    if (!this.#options.settings().enabled) {
      this.#history = undefined
      await history?.close()
      // Problems of a disabled history are no longer shown.
      if (history) this.#changes.emit({ type: 'problems', problems: [] })
      return
    }
    this.#history ??= this.#startHistory()
    await this.#history?.applyForbiddenFolders()
  }

  #startHistory(): History | undefined {
    const { settings, isLongRunning, ...options } = this.#options
    if (!settings().enabled || !isLongRunning) return undefined
    const history = new History(options)
    history.changes.subscribe((event) => this.#changes.emit(event))
    return history
  }
}
