/** What happened to a workspace's Markdown, and who did it: recorded in a thread of its own, asked from here (M26). */
import { join } from 'node:path'
import type { RouterClient } from '@orpc/server'
import { fromOrpcError, startThread, type Thread } from '../thread/index.ts'
import { isMarkdown, type Roots, type WorkspaceWrite } from '../workspace/index.ts'
import type { HistoryRouter } from './history-thread.ts'
import { Journal, recordInJournal } from './journal.ts'
import type { Change, TimelineRequest } from './recorder.ts'

/** Changes go to the thread together, ms. */
const gatherMs = 50
const usualIdleMs = 15_000

export interface HistoryOptions {
  /** The thread's entry. */
  readonly entry: URL
  /** The folder that holds the repository and its journal. */
  readonly folder: string
  readonly roots: Roots
  readonly keepDays: number | null
  /** A thread that nobody needs for so long gives its memory back, ms. */
  readonly idleMs?: number
  /** True while another process records, and this one only reads. */
  readonly onPassive?: (isPassive: boolean) => void
  readonly onRecorded: (paths: readonly string[]) => void
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
  readonly #options: HistoryOptions
  readonly #journal: Journal
  #awake: Awake | undefined
  #hasStarted = false
  /** Asked and not answered. */
  #open = 0
  #idle: NodeJS.Timeout | undefined
  /** Changes told and not yet taken by the thread: the journal is emptied when there are none. */
  #sending = 0
  #batch: Change[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#journal = new Journal(options.folder)
    this.#wake().ready.catch(options.onFault)
    this.#restSoon()
  }

  /** The folder of the Git repository. */
  get repository(): string {
    return join(this.#options.folder, 'repository.git')
  }

  /** False while nobody needs the thread. */
  get isAwake(): boolean {
    return this.#awake !== undefined
  }

  /** Never waits and never fails: what is written is written, whatever becomes of its history. */
  record(write: WorkspaceWrite): void {
    const { path, from, before, after, origin, at } = write
    if (!isMarkdown(path)) return
    recordInJournal(this.#journal, write)
    this.#batch.push({ path, ...(from === undefined ? {} : { from }), before, after, origin, at })
    this.#sending += 1
    this.#timer ??= setTimeout(() => void this.#send(), gatherMs)
  }

  /** Files that may have been changed by somebody else. */
  look(paths: readonly string[]): void {
    const markdown = paths.filter(isMarkdown)
    if (markdown.length > 0) void this.#ask((client) => client.look(markdown)).catch(this.#options.onFault)
  }

  timeline(request: TimelineRequest) {
    return this.#ask((client) => client.timeline(request))
  }

  /** @throws AppError `file_not_found` */
  diff(commit: string, path: string) {
    return this.#ask((client) => client.diff({ commit, path }))
  }

  blame(path: string) {
    return this.#ask((client) => client.blame(path))
  }

  /** Waits until all changes so far are recorded. */
  async settle(): Promise<void> {
    await this.#ask((client) => client.settle())
  }

  async close(): Promise<void> {
    await this.#send()
    clearTimeout(this.#idle)
    await this.#call((client) => client.close()).catch(this.#options.onFault)
    clearTimeout(this.#idle)
    await this.#journal.close()
    await end(this.#awake)
    this.#awake = undefined
  }

  #wake(): Awake {
    if (this.#awake) return this.#awake
    const { entry, folder, roots, keepDays, onFault } = this.#options
    const thread = startThread<HistoryClient>(entry)
    const stop = new AbortController()
    thread.onExit((error) => {
      if (this.#awake?.thread === thread) this.#awake = undefined
      // What it had been told may be lost: the next one looks at every file.
      this.#hasStarted = false
      onFault(error)
    })
    const open = async () => {
      await thread.client.open({
        gitdir: this.repository,
        workspace: roots.workspace,
        forbidden: roots.forbidden,
        keepDays,
        isStart: !this.#hasStarted,
        journalFolder: folder,
      })
      this.#hasStarted = true
      void this.#tellPassive(thread).catch(onFault)
      void this.#follow(thread, stop.signal)
    }
    this.#awake = { thread, stop, ready: open() }
    return this.#awake
  }

  async #tellPassive(thread: Thread<HistoryClient>): Promise<void> {
    const isPassive = await Promise.race([thread.client.isPassive(), thread.gone])
    if (isPassive !== undefined) this.#options.onPassive?.(isPassive)
  }

  async #follow(thread: Thread<HistoryClient>, signal: AbortSignal): Promise<void> {
    try {
      for await (const { paths, waiting } of await thread.client.recorded(undefined, { signal })) {
        if (this.#sending === 0 && waiting === 0) this.#journal.clear()
        this.#options.onRecorded(paths)
      }
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
    if (!awake || this.#open > 0 || this.#sending > 0) return this.#restSoon()
    this.#open += 1
    try {
      await awake.ready
      await awake.thread.client.settle()
    } finally {
      this.#open -= 1
    }
    // Somebody came in the meantime.
    if (this.#open > 0 || this.#sending > 0) return this.#restSoon()
    this.#awake = undefined
    await end(awake)
  }

  async #send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const changes = this.#batch
    this.#batch = []
    if (changes.length === 0) return
    try {
      await this.#call((client) => client.record(changes))
    } catch (error) {
      this.#options.onFault(error)
    } finally {
      this.#sending -= changes.length
    }
  }

  /** Asks about all changes that were told so far. */
  async #ask<T>(work: (client: HistoryClient) => Promise<T>): Promise<T> {
    await this.#send()
    return this.#call(work)
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
  awake?.stop.abort()
  await awake?.thread.terminate()
}
