/** What happened to a workspace's Markdown, and who did it: recorded in a thread of its own, asked from here (M26). */
import { existsSync } from 'node:fs'
import type { RouterClient } from '@orpc/server'
import type { HistoryEntry } from '#shared/contract/index.ts'
import { Changes, type Announcements, fromOrpcError, startThread, type Thread, aheadOf, type Clock } from '#platform'
import { isNote } from '../files/file-names.ts'
import type { Roots } from '../files/paths.ts'
import type { HistoryRouter } from './history.worker.ts'
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
  readonly keepDays: number | null
  readonly now: Clock
  /** A thread that nobody needs for so long gives its memory back, ms. */
  readonly idleMs?: number
  readonly onFault: (error: unknown) => void
}

type HistoryClient = RouterClient<HistoryRouter>

/** The thread while there is one. */
interface Awake {
  readonly thread: Thread<HistoryClient>
  readonly ready: Promise<void>
  readonly stop: AbortController
}

export class History {
  /** Files have a further entry, or there are other problems: why not all is recorded, or not by this process. */
  readonly changes: Announcements<RecorderEvent>
  readonly #changes = new Changes<RecorderEvent>()
  readonly #options: HistoryOptions
  #keepDays: number | null
  /** Those that the recorder knows of, as JSON. */
  #forbidden: string
  #awake: Awake | undefined
  #hasStarted = false
  /** The thread before: it holds what the next one needs until it is gone. */
  #ending: Promise<void> = Promise.resolve()
  /** Asked and not answered. */
  #open = 0
  #idle: NodeJS.Timeout | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #first: NodeJS.Timeout | undefined

  constructor(options: HistoryOptions) {
    this.changes = this.#changes
    this.#options = options
    this.#keepDays = options.keepDays
    this.#forbidden = JSON.stringify(options.roots.forbidden)
    const begin = () => {
      this.#wake().ready.catch(options.onFault)
      this.#restSoon()
    }
    // What is there before anything is written is recorded first.
    if (existsSync(this.repository)) this.#first = setTimeout(begin, startMs).unref()
    else begin()
  }

  /** The folder of the Git repository. */
  get repository(): string {
    return repositoryIn(this.#options.folder)
  }

  /** False while nobody needs the thread. */
  get isAwake(): boolean {
    return this.#awake !== undefined
  }

  /** A change of the file is in the journal. */
  note(path: string): void {
    if (isNote(path)) this.#timer ??= setTimeout(() => void this.#note(), gatherMs)
  }

  /** From now on changes are kept for so many days; null for all. */
  async keep(days: number | null): Promise<void> {
    if (days === this.#keepDays) return
    this.#keepDays = days
    await this.#call((client) => client.keep(days)).catch(this.#options.onFault)
  }

  /** Files that may have been changed by somebody else. */
  look(paths: readonly string[]): void {
    const notes = paths.filter(isNote)
    const { forbidden } = this.#options.roots
    if (notes.length > 0)
      void this.#call((client) => client.look({ paths: notes, forbidden })).catch(this.#options.onFault)
  }

  /** Takes over whose folders are whose: files that are another agent's from now on have no further history here. */
  async applyRoots(): Promise<void> {
    const { forbidden } = this.#options.roots
    if (JSON.stringify(forbidden) === this.#forbidden) return
    this.#forbidden = JSON.stringify(forbidden)
    await this.#call((client) => client.lookAgain(forbidden)).catch(this.#options.onFault)
  }

  timeline(request: TimelineRequest) {
    return this.#call((client) => client.timeline(request))
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
    return this.#call((client) => client.diff({ commit, path }))
  }

  /** What a file is called now, that had this name after a change; without one, the name that it lost last. */
  nameNow(path: string, commit?: string): Promise<string> {
    return this.#call((client) => client.nameNow({ path, commit }))
  }

  /** Where a file went that is gone, whoever moved it; undefined when it was deleted. */
  movedTo(path: string): Promise<string | undefined> {
    return this.#call((client) => client.movedTo(path))
  }

  /** Whether a change still stands; `path` is what its file was called then. */
  standing(path: string, patch: string): Promise<ChangeStanding> {
    return this.#call((client) => client.standing({ path, patch }))
  }

  /** A recorded text by Git's id of it; undefined when there is none, or it was forgotten. */
  text(id: string) {
    return this.#call((client) => client.text(id))
  }

  blame(path: string) {
    return this.#call((client) => client.blame(path))
  }

  /** Waits until all changes so far are recorded. */
  async settle(): Promise<void> {
    await this.#call((client) => client.settle())
  }

  async close(): Promise<void> {
    clearTimeout(this.#first)
    clearTimeout(this.#timer)
    // What is in the journal is recorded by the next process.
    if (!this.#awake && !this.#hasStarted && this.#timer === undefined) return
    await this.#call((client) => client.settle()).catch(this.#options.onFault)
    clearTimeout(this.#idle)
    await end(this.#awake)
    this.#awake = undefined
  }

  #wake(): Awake {
    if (this.#awake) return this.#awake
    const { entry, folder, roots, now, onFault } = this.#options
    const thread = startThread<HistoryClient>(entry)
    const stop = new AbortController()
    thread.onExit((error) => {
      if (this.#awake?.thread === thread) this.#awake = undefined
      // What it had been told may be lost: the next one looks at every file.
      this.#hasStarted = false
      onFault(error)
    })
    const open = async () => {
      await this.#ending
      void this.#follow(await thread.client.events(undefined, { signal: stop.signal }), stop.signal)
      await thread.client.open({
        folder,
        workspace: roots.workspace,
        forbidden: roots.forbidden,
        keepDays: this.#keepDays,
        isStart: !this.#hasStarted,
        clockAheadMs: aheadOf(now),
      })
      this.#hasStarted = true
    }
    this.#awake = { thread, stop, ready: open() }
    return this.#awake
  }

  async #follow(events: AsyncIterable<RecorderEvent>, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of events) this.#changes.announce(event)
    } catch (error) {
      if (!signal.aborted) this.#options.onFault(error)
    }
  }

  /** What was told is recorded first; what comes meanwhile wakes it again. */
  #restSoon(): void {
    const { idleMs = usualIdleMs, onFault } = this.#options
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#rest().catch(onFault), idleMs)
    this.#idle.unref()
  }

  async #rest(): Promise<void> {
    const awake = this.#awake
    if (!awake || this.#open > 0) return this.#restSoon()
    this.#open += 1
    try {
      await awake.ready
      await awake.thread.client.settle()
    } finally {
      this.#open -= 1
    }
    // Somebody came in the meantime.
    if (this.#open > 0) return this.#restSoon()
    this.#awake = undefined
    this.#ending = end(awake)
    await this.#ending
  }

  async #note(): Promise<void> {
    this.#timer = undefined
    await this.#call((client) => client.note()).catch(this.#options.onFault)
  }

  async #call<T>(work: (client: HistoryClient) => Promise<T>): Promise<T> {
    const { thread, ready } = this.#wake()
    this.#open += 1
    try {
      await ready
      return await work(thread.client)
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      this.#open -= 1
      this.#restSoon()
    }
  }
}

async function end(awake: Awake | undefined): Promise<void> {
  // Another process may go on with the history from now on.
  if (!awake) return
  await Promise.race([awake.thread.client.close().catch(() => undefined), awake.thread.gone])
  awake.stop.abort()
  await awake.thread.terminate()
}
