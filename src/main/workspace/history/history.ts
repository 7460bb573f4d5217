import { existsSync } from 'node:fs'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { Changes, type Announcements, aheadOf, type Clock, type WorkerClient, WorkerHost } from '#platform'
import { isNote } from '../files/file-names.ts'
import type { Roots } from '../files/paths.ts'
import type { HistoryJobs } from './history.worker.ts'
import { repositoryIn } from './journal.ts'
import type { TimelineRequest } from './history-queries.ts'
import type { RecorderEvent } from './recorder.ts'
import type { ChangeStanding } from './change-revert-status.ts'

/** Changes go to the thread together, ms. */
const gatherMs = 50
/** The look at all files at the start takes the processor from those who wait for a window or an answer, ms. */
const startMs = 1500
const usualIdleMs = 15_000

export interface HistoryOptions {
  /** The thread's entry. */
  readonly entry: URL
  /** The folder that holds the repository and its journal. */
  readonly folder: string
  readonly roots: Roots
  readonly now: Clock
  /** A thread that nobody needs for so long gives its memory back, ms. */
  readonly idleMs?: number
  readonly onFault: (error: unknown) => void
}

type HistoryClient = WorkerClient<HistoryJobs>

/** What happened to a workspace's Markdown, and who did it. A worker records it. */
export class History {
  /** Files have a further entry, or there are other problems: why not all is recorded, or not by this process. */
  readonly changes: Announcements<RecorderEvent>
  readonly #changes = new Changes<RecorderEvent>()
  readonly #options: HistoryOptions
  /** Those that the recorder knows of, as JSON. */
  #forbidden: string
  readonly #worker: WorkerHost<HistoryJobs>
  #hasStarted = false
  #timer: NodeJS.Timeout | undefined
  readonly #first: NodeJS.Timeout | undefined

  constructor(options: HistoryOptions) {
    this.changes = this.#changes
    this.#options = options
    this.#forbidden = JSON.stringify(options.roots.forbidden)
    const { entry, idleMs = usualIdleMs, onFault } = options
    this.#worker = new WorkerHost({
      entry,
      idleMs,
      onStart: (client, ending) => this.#open(client, ending),
      settle: (client) => client.settle().catch(onFault),
      onStop: (client) => client.close(),
      onCrash: (error) => {
        // What it had been told may be lost: the next one looks at every file.
        this.#hasStarted = false
        onFault(error)
      },
    })
    const begin = () => void this.#worker.run(() => Promise.resolve()).catch(onFault)
    // What is there before anything is written is recorded first.
    if (existsSync(this.repository)) this.#first = setTimeout(begin, startMs).unref()
    else begin()
  }

  /** The folder of the Git repository. */
  get repository(): string {
    return repositoryIn(this.#options.folder)
  }

  get isAwake(): boolean {
    return this.#worker.isRunning
  }

  /** A change of the file is in the journal. */
  note(path: string): void {
    if (isNote(path)) this.#timer ??= setTimeout(() => void this.#note(), gatherMs)
  }

  /** Files that may have been changed by somebody else. */
  look(paths: readonly string[]): void {
    const notes = paths.filter(isNote)
    const { forbidden } = this.#options.roots
    if (notes.length > 0)
      void this.#worker.run((client) => client.look({ paths: notes, forbidden })).catch(this.#options.onFault)
  }

  /** Takes over whose folders are whose: files that are another agent's from now on have no further history here. */
  async applyRoots(): Promise<void> {
    const { forbidden } = this.#options.roots
    if (JSON.stringify(forbidden) === this.#forbidden) return
    this.#forbidden = JSON.stringify(forbidden)
    await this.#worker.run((client) => client.lookAgain(forbidden)).catch(this.#options.onFault)
  }

  timeline(request: TimelineRequest) {
    return this.#worker.run((client) => client.timeline(request))
  }

  /** The timeline as it is shown, without the texts; see `TimelineRequest.isBrief`. */
  async entries(request: TimelineRequest): Promise<HistoryEntry[]> {
    return (await this.timeline(request)).map(
      ({ commit, at, cause, session, turn, client, sources, isUndo = false, file, now, files }) => ({
        commit,
        at,
        cause,
        ...(session === undefined ? {} : { session }),
        ...(turn === undefined ? {} : { turn }),
        ...(client === undefined ? {} : { client }),
        ...(sources === undefined ? {} : { sources }),
        path: file.path,
        now,
        ...(file.from === undefined ? {} : { from: file.from }),
        added: file.added,
        removed: file.removed,
        exists: file.after !== null,
        isUndo,
        ...(files === undefined ? {} : { files }),
      }),
    )
  }

  /** @throws AppError `file_not_found` */
  diff(commit: string, path: string) {
    return this.#worker.run((client) => client.diff({ commit, path }))
  }

  /** What a file is called now, that had this name after a change; without one, the name that it lost last. */
  nameNow(path: string, commit?: string): Promise<string> {
    return this.#worker.run((client) => client.nameNow({ path, commit }))
  }

  /** Where a file went that is gone, whoever moved it; undefined when it was deleted. */
  movedTo(path: string): Promise<string | undefined> {
    return this.#worker.run((client) => client.movedTo(path))
  }

  /** Whether a change still stands; `path` is what its file was called then. */
  standing(path: string, patch: string): Promise<ChangeStanding> {
    return this.#worker.run((client) => client.standing({ path, patch }))
  }

  /** A recorded text by Git's id of it; undefined when there is none, or it was forgotten. */
  text(id: string) {
    return this.#worker.run((client) => client.text(id))
  }

  blame(path: string) {
    return this.#worker.run((client) => client.blame(path))
  }

  /** Waits until all changes so far are recorded. */
  async settle(): Promise<void> {
    await this.#worker.run((client) => client.settle())
  }

  async close(): Promise<void> {
    clearTimeout(this.#first)
    clearTimeout(this.#timer)
    // What is in the journal is recorded by the next process.
    if (!this.isAwake && !this.#hasStarted && this.#timer === undefined) return
    await this.#worker.run((client) => client.settle()).catch(this.#options.onFault)
    // Another process may go on with the history from now on.
    await this.#worker.close()
  }

  async #open(client: HistoryClient, ending: AbortSignal): Promise<void> {
    const { folder, roots, now } = this.#options
    void this.#follow(await client.events(undefined, { signal: ending }), ending)
    await client.open({
      folder,
      workspace: roots.workspace,
      forbidden: roots.forbidden,
      isStart: !this.#hasStarted,
      clockAheadMs: aheadOf(now),
    })
    this.#hasStarted = true
  }

  async #follow(events: AsyncIterable<RecorderEvent>, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of events) this.#changes.announce(event)
    } catch (error) {
      if (!signal.aborted) this.#options.onFault(error)
    }
  }

  async #note(): Promise<void> {
    this.#timer = undefined
    await this.#worker.run((client) => client.note()).catch(this.#options.onFault)
  }
}
