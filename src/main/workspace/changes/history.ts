import { existsSync } from 'node:fs'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { AppError, unlessAppError } from '#shared/util/errors.ts'
import { type Clock, type WorkerClient, WorkerHost, systemClock } from '#platform'
import { isNote } from '../files/file-names.ts'
import type { Roots } from '../files/paths.ts'
import { ChangeLog, type ChangeLogEvent } from './change-log.ts'
import type { ChangesJobs, GitExportRequest } from './changes.worker.ts'
import { currentPathOf, movedPathOf, queryTimeline, textsOf, versionAt, type TimelineRequest } from './queries.ts'

/** Limit of `versionsSince`. */
const maxVersions = 100

/** Delay of the first scan of all files, so that it does not slow down the start of the app, ms. */
const scanDelayMs = 1500
/** Time without changes after which the WAL is emptied, ms. */
const checkpointDelayMs = 5000
/** Interval of attempts to record again while the log is paused, ms. */
const retryMs = 5000
const idleMs = 15_000
const dayMs = 86_400_000
const expiryIntervalMs = 3_600_000

export interface HistoryOptions {
  readonly entry: URL
  readonly file: string
  readonly roots: Roots
  readonly now: Clock
  readonly settings: () => { readonly enabled: boolean }
  /** False in a process that ends soon, such as a command: it stores its changes, but starts no worker. */
  readonly isLongRunning: boolean
  readonly onFault: (error: unknown) => void
}

export class History {
  readonly log: ChangeLog
  readonly #options: HistoryOptions
  readonly #worker: WorkerHost<ChangesJobs>
  readonly #timers: NodeJS.Timeout[] = []
  #needsScan: boolean
  #lastScan: Promise<void> = Promise.resolve()
  #checkpointTimer: NodeJS.Timeout | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: HistoryOptions) {
    const { entry, file, roots, isLongRunning, onFault } = options
    this.#options = options
    this.#needsScan = isLongRunning
    this.log = new ChangeLog(file, roots.workspace)
    this.#worker = new WorkerHost({
      entry,
      idleMs,
      onStart: (client) => {
        const clockAheadMs = options.now().getTime() - systemClock().getTime()
        return client.open({ file, workspace: roots.workspace, clockAheadMs })
      },
      onStop: (client) => client.close(),
      onCrash: onFault,
    })
    if (!isLongRunning) return
    this.log.changes.subscribe((event) => this.#handleEvent(event))
    // A new history records the existing files before the first change.
    this.#timers.push(
      setTimeout(
        () => {
          if (this.#needsScan) void this.#scan()
        },
        existsSync(file) ? scanDelayMs : 0,
      ).unref(),
      setInterval(() => void this.#expire(), expiryIntervalMs).unref(),
    )
  }

  /** Changes are stored for their undo even if the history is off. */
  get isEnabled(): boolean {
    return this.#options.settings().enabled
  }

  /** Records files that another program may have changed (workspace-relative paths). Ignores other files than notes. */
  recordExternalChanges(paths: readonly string[]): void {
    const notes = paths.filter(isNote)
    if (notes.length === 0 || this.#isClosed) return
    this.#runInBackground(async (client) =>
      this.log.emitRecorded(await client.recordFiles({ paths: notes, forbidden: this.#options.roots.forbidden })),
    )
  }

  /** Applies changed settings and forbidden folders, whose files count as removed. Never rejects. */
  async applySettings(): Promise<void> {
    if (!this.#options.isLongRunning) return
    await this.#scan()
    await this.#expire()
  }

  /** Returns changes of notes, newest first. @throws AppError `history_off`, `history_unavailable` */
  timeline(request: TimelineRequest): HistoryEntry[] {
    return this.#enabled.read(({ db }) => queryTimeline(db, request))
  }

  /** Returns a change as a diff with both texts (null: no file). @throws AppError as `textsOf`, `history_off` */
  async diff(change: number, path: string) {
    void this.#enabled
    return this.#worker.run((client) => client.diff({ change, path }))
  }

  /** Returns the texts of a change. @throws AppError as `textsOf` */
  texts(change: number, path: string) {
    return this.log.read((log) => textsOf(log, change, path))
  }

  /** Returns the text of a note at a time; undefined if there is none. @param at milliseconds since the epoch */
  textAt(path: string, at: number): string | undefined {
    return this.#enabled.read((log) => versionAt(log, path, at))
  }

  /** Returns the replaced texts of a note since a time (ms since the epoch); undefined if they are not stored or too many. */
  versionsSince(path: string, since: number): string[] | undefined {
    return unlessAppError(() => {
      const entries = this.timeline({ path, since, limit: maxVersions })
      const texts = entries.map((entry) => this.texts(entry.change, entry.path).before ?? '')
      return entries.length === maxVersions ? undefined : texts
    })
  }

  /** Returns the current path of the file that had `path` after a change, or of the last one moved away from it. */
  currentPath(path: string, change?: number): string {
    return this.log.read(({ db }) => (change === undefined ? movedPathOf(db, path) : currentPathOf(db, change, path)))
  }

  /** Returns the same as `revertStatusOf`. @param path path after the change @param text current text */
  revertStatus(change: number, path: string, text: string) {
    return this.#worker.run((client) => client.revertStatus({ change, path, text }))
  }

  /** Returns for each line of the newest text the change that wrote it. @throws AppError `history_off` */
  async blame(path: string) {
    void this.#enabled
    return this.#worker.run((client) => client.blame(path))
  }

  /** Returns the same as `originsOf` in `queries.ts`. @throws AppError `history_unavailable` */
  originsOf(path: string, lines: readonly string[]) {
    return this.#worker.run((client) => client.origins({ path, lines }))
  }

  /** Records what other programs have changed. @throws AppError `history_unavailable` */
  async recordAll(): Promise<void> {
    this.log.emitRecorded(await this.#worker.run((client) => client.recordAll(this.#options.roots.forbidden)))
  }

  /** Yields the progress, then the result. @throws AppError as `exportToGit`, `history_unavailable` */
  async *exportGit(request: Omit<GitExportRequest, 'forbidden'>, signal?: AbortSignal) {
    await this.flush()
    const { forbidden } = this.#options.roots
    yield* this.#worker.stream((client) => client.exportGit({ ...request, forbidden }, { signal }), signal)
  }

  /** Adds the history of a Git repository. Yields as `exportGit`. @param folder absolute @throws AppError as `importFromGit`, `history_unavailable` */
  async *importGit(folder: string, signal?: AbortSignal) {
    for await (const step of this.#worker.stream((client) => client.importGit(folder, { signal }), signal))
      if ('paths' in step) {
        const { paths, ...result } = step
        this.log.emitRecorded(paths)
        yield result
      } else yield step
  }

  /** Resolves when all files that differed from the log at the start and all reported changes are recorded. */
  async flush(): Promise<void> {
    await (this.#needsScan ? this.#scan() : this.#lastScan)
    await this.#worker.run((client) => client.settle())
  }

  /** Ends the worker. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of [...this.#timers, this.#checkpointTimer, this.#retryTimer]) clearTimeout(timer)
    await this.#worker.close().catch(this.#options.onFault)
    this.log.close()
  }

  get #enabled(): ChangeLog {
    if (this.isEnabled) return this.log
    throw new AppError('history_off', 'the history is turned off (agents.defaults.history.enabled)', {})
  }

  #handleEvent(event: ChangeLogEvent): void {
    if (event.type === 'recorded') {
      clearTimeout(this.#checkpointTimer)
      const checkpoint = () => this.#runInBackground((client) => client.checkpoint())
      this.#checkpointTimer = setTimeout(checkpoint, checkpointDelayMs).unref()
    } else if (this.log.isPaused) this.#scheduleScan()
    // A new log records the existing files.
    else if (event.problems.some(({ code }) => code === 'history_damaged')) void this.#scan()
  }

  #scan(): Promise<void> {
    this.#needsScan = false
    return (this.#lastScan = this.#lastScan.then(() => this.#scanNow()))
  }

  async #scanNow(): Promise<void> {
    if (this.#isClosed) return
    const { failures } = this.log
    try {
      // This thread replaces a damaged file; the worker only reports it.
      this.log.read(({ db }) => db.prepare('SELECT 1 FROM change_sets LIMIT 1').get())
      const fault = await this.#worker.run((client) => client.check())
      // After `close`, a call would start a new worker, which writes to the log.
      if (this.#isClosed) return
      if (fault !== 'ok') this.log.log.setAside(fault)
      await this.recordAll()
      // The scan may have passed a note whose change could not be stored meanwhile.
      if (this.log.failures === failures) return this.log.clearProblems('history_failed', 'history_newer')
    } catch (error) {
      if (this.#isClosed) return
      if (!isBusy(error)) this.log.pause(error)
    }
    this.#needsScan = true
    this.#scheduleScan()
  }

  #scheduleScan(): void {
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => void this.#scan(), retryMs).unref()
  }

  async #expire(): Promise<void> {
    const before = this.#options.now().getTime() - dayMs
    if (!this.isEnabled) this.#runInBackground((client) => client.removeOldTexts(before))
  }

  #runInBackground(work: (client: WorkerClient<ChangesJobs>) => Promise<void>): void {
    if (this.#isClosed) return
    void this.#worker.run(work).catch((error: unknown) => {
      // An undo or replacement in many notes holds the lock for longer than a scan waits.
      if (!isBusy(error)) this.#options.onFault(error)
      this.#needsScan = true
      this.#scheduleScan()
    })
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof AppError && error.code === 'file_busy'
}
