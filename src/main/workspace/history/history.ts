import { existsSync } from 'node:fs'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { EventEmitter, type Subscribable, clockOffset, type Clock, type WorkerClient, WorkerHost } from '#platform'
import { isNote } from '../files/file-names.ts'
import type { Roots } from '../files/paths.ts'
import type { HistoryJobs } from './history.worker.ts'
import { repositoryPath } from './journal.ts'
import type { TimelineRequest } from './history-queries.ts'
import type { RecorderEvent } from './recorder.ts'
import type { ChangeRevertStatus } from './change-revert-status.ts'

const debounceMs = 50
/** Delay of the first scan of all files, so that it does not slow down the start of the app, ms. */
const scanDelayMs = 1500
const defaultIdleMs = 15_000

export interface HistoryOptions {
  readonly entry: URL
  readonly folder: string
  readonly roots: Roots
  readonly now: Clock
  readonly idleMs?: number
  readonly onFault: (error: unknown) => void
}

/** History of a workspace's Markdown files: each change with its time and cause. Runs in a worker. */
export class History {
  readonly #changes = new EventEmitter<RecorderEvent>()
  readonly changes: Subscribable<RecorderEvent> = this.#changes
  readonly #options: HistoryOptions
  /** Forbidden folders that were last sent to the recorder, as JSON. */
  #sentForbidden: string
  readonly #worker: WorkerHost<HistoryJobs>
  #hasStarted = false
  /** Later changes stay in the journal for the next process: a new worker would keep this one alive. */
  #isClosed = false
  #journalTimer: NodeJS.Timeout | undefined
  readonly #startTimer: NodeJS.Timeout | undefined

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#sentForbidden = JSON.stringify(options.roots.forbidden)
    const { entry, idleMs = defaultIdleMs, onFault } = options
    this.#worker = new WorkerHost({
      entry,
      idleMs,
      onStart: (client, stopSignal) => this.#openRecorder(client, stopSignal),
      flush: (client) => client.settle().catch(onFault),
      onStop: (client) => client.close(),
      onCrash: (error) => {
        // The crash may have lost requests, so the next worker scans all files.
        this.#hasStarted = false
        onFault(error)
      },
    })
    const startWorker = () => void this.#worker.run(() => Promise.resolve()).catch(onFault)
    // A new history must record the existing files before the first write.
    if (existsSync(this.repository)) this.#startTimer = setTimeout(startWorker, scanDelayMs).unref()
    else startWorker()
  }

  get repository(): string {
    return repositoryPath(this.#options.folder)
  }

  get isWorkerRunning(): boolean {
    return this.#worker.isRunning
  }

  /** Records the journal after a short delay. Does nothing if `path` is not a note, or the history is closed. */
  scheduleRecording(path: string): void {
    if (this.#isClosed || !isNote(path)) return
    this.#journalTimer ??= setTimeout(() => {
      this.#journalTimer = undefined
      void this.#worker.run((client) => client.notifyJournalChange()).catch(this.#options.onFault)
    }, debounceMs)
  }

  /** Records files that another program may have changed (workspace-relative paths). Ignores other files than notes. */
  recordExternalChanges(paths: readonly string[]): void {
    const notes = paths.filter(isNote)
    const { forbidden } = this.#options.roots
    if (notes.length > 0 && !this.#isClosed)
      void this.#worker.run((client) => client.recordFiles({ paths: notes, forbidden })).catch(this.#options.onFault)
  }

  /** Sends changed forbidden folders to the recorder, which records the files in them as removed. */
  async applyForbiddenFolders(): Promise<void> {
    const { forbidden } = this.#options.roots
    if (JSON.stringify(forbidden) === this.#sentForbidden) return
    this.#sentForbidden = JSON.stringify(forbidden)
    await this.#worker.run((client) => client.rescanFiles(forbidden)).catch(this.#options.onFault)
  }

  /** Returns changes, newest first, with blob ids. @throws AppError `input_invalid` if `request.from` is unknown */
  timeline(request: TimelineRequest) {
    return this.#worker.run((client) => client.timeline(request))
  }

  /** Returns the timeline for display, without blob ids. @throws AppError as `timeline` */
  async entries(request: TimelineRequest): Promise<HistoryEntry[]> {
    return (await this.timeline(request)).map(({ file, journal: _journal, isUndo = false, ...entry }) => {
      const { before: _before, after, ...lines } = file
      return { ...entry, ...lines, exists: after !== null, isUndo }
    })
  }

  /** Returns a change as a diff with both texts (null: no file). @throws AppError `file_not_found` */
  diff(commit: string, path: string) {
    return this.#worker.run((client) => client.diff({ commit, path }))
  }

  /** Returns the current path of the file that had `path` after `commit`, or of the last one moved away from it. */
  currentPath(path: string, commit?: string): Promise<string> {
    return this.#worker.run((client) => client.resolveCurrentPath({ path, commit }))
  }

  /** Returns the current path of a file that no longer exists at `path`; undefined if it was deleted. */
  movedTo(path: string): Promise<string | undefined> {
    return this.#worker.run((client) => client.movedTo(path))
  }

  /**
   * Returns for each hunk of a change whether it is still in the file.
   * @param path path of the file when the change was made
   */
  revertStatus(path: string, patch: string): Promise<ChangeRevertStatus> {
    return this.#worker.run((client) => client.revertStatus({ path, patch }))
  }

  /** Returns a recorded text by its blob id; undefined if the repository does not contain it. */
  text(id: string) {
    return this.#worker.run((client) => client.text(id))
  }

  /** Returns for each line of the newest text the change that wrote it; empty if a version is too long. */
  blame(path: string) {
    return this.#worker.run((client) => client.blame(path))
  }

  /** Resolves when all changes so far are recorded. */
  async flush(): Promise<void> {
    await this.#worker.run((client) => client.settle())
  }

  /** Records pending changes and ends the worker. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#startTimer)
    clearTimeout(this.#journalTimer)
    if (!this.isWorkerRunning && !this.#hasStarted && this.#journalTimer === undefined) return
    await this.#worker.run((client) => client.settle()).catch(this.#options.onFault)
    // Releases the lock, so that another process can record.
    await this.#worker.close()
  }

  async #openRecorder(client: WorkerClient<HistoryJobs>, stopSignal: AbortSignal): Promise<void> {
    const { folder, roots, now } = this.#options
    void this.#forwardEvents(await client.events(undefined, { signal: stopSignal }), stopSignal)
    await client.open({
      folder,
      workspace: roots.workspace,
      forbidden: roots.forbidden,
      scanAtStart: !this.#hasStarted,
      clockAheadMs: clockOffset(now),
    })
    this.#hasStarted = true
  }

  async #forwardEvents(events: AsyncIterable<RecorderEvent>, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of events) this.#changes.emit(event)
    } catch (error) {
      if (!signal.aborted) this.#options.onFault(error)
    }
  }
}
