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

export interface HistoryOptions {
  /** The thread's entry. */
  readonly entry: URL
  /** The folder that holds the repository and its journal. */
  readonly folder: string
  readonly roots: Roots
  readonly keepDays: number | null
  readonly onRecorded: (paths: readonly string[]) => void
  readonly onFault: (error: unknown) => void
}

type HistoryClient = RouterClient<HistoryRouter>

export class History {
  readonly #options: HistoryOptions
  readonly #journal: Journal
  readonly #thread: Thread<HistoryClient>
  readonly #ready: Promise<void>
  readonly #stop = new AbortController()
  /** Changes told and not yet taken by the thread: the journal is emptied when there are none. */
  #sending = 0
  #batch: Change[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#journal = new Journal(options.folder)
    this.#thread = startThread<HistoryClient>(options.entry)
    this.#thread.onExit(options.onFault)
    this.#ready = this.#open()
    this.#ready.catch(options.onFault)
  }

  /** The folder of the Git repository. */
  get repository(): string {
    return join(this.#options.folder, 'repository.git')
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
    await this.#call((client) => client.close()).catch(this.#options.onFault)
    this.#stop.abort()
    await this.#journal.close()
    await this.#thread.terminate()
  }

  async #open(): Promise<void> {
    const { folder, roots, keepDays } = this.#options
    await this.#thread.client.open({
      gitdir: this.repository,
      workspace: roots.workspace,
      forbidden: roots.forbidden,
      keepDays,
      journalFolder: folder,
    })
    void this.#follow()
  }

  async #follow(): Promise<void> {
    try {
      const { signal } = this.#stop
      for await (const { paths, waiting } of await this.#thread.client.recorded(undefined, { signal })) {
        if (this.#sending === 0 && waiting === 0) this.#journal.clear()
        this.#options.onRecorded(paths)
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onFault(error)
    }
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
    await this.#ready
    try {
      return await work(this.#thread.client)
    } catch (error) {
      throw fromOrpcError(error)
    }
  }
}
