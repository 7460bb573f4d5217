/**
 * An agent's memory as the rest of the app sees it: search it, ask how it is, hear when it changes. It is one file because
 * every call has to live with threads that may die, and indexes that may be exchanged, while it is under way.
 */
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  ChunkSize,
  EmbeddingModel,
  Explanation,
  IndexStatus,
  Meaning,
  Rechunk,
  SearchOptions,
  SearchResponse,
  Unsearched,
} from '../../shared/contract/index.ts'
import { aheadOf, type Clock } from '../clock.ts'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { Changes, type Announcements } from '../changes.ts'
import { shareEmbeddings, type EmbeddingSource } from '../embeddings/index.ts'
import type { MemorySettings } from '../settings/index.ts'
import type { IndexerEvent } from './indexer.ts'
import type { IndexedFolder } from './sync.ts'
import { ProviderCare } from './provider-care.ts'
import { fromOrpcError } from '../thread/index.ts'
import { sampleOf } from './sample.ts'
import { whyUnsearched } from './unsearched.ts'
import { runRechunk, startThreads, stopThreads, unlessDead, type ThreadEntries, type Threads } from './threads.ts'

/** A search waits this long for changes that are not in the index yet; then it answers from the old one (M9). */
const catchUpMs = 500
/** On Windows a file that a search has open cannot be put aside. */
const canBeOpenTwice = process.platform !== 'win32'
/** Threads that die more often than this within the time are not started again. */
const maxCrashes = 3
const crashWindowMs = 60_000
/** A thread whose events have ended has ended itself within this time, ms. */
const endMs = 1000
/** See `IndexerSettings.retryMs`. */
const retryMs = 30_000

/** What an index depends on; when it changes, the threads start anew. */
export interface MemorySource {
  readonly file: string
  readonly folders: readonly IndexedFolder[]
  readonly chunk: MemorySettings['chunk']
  readonly debounceMs: number
  readonly embedding: EmbeddingSource
}

export interface MemoryOptions {
  readonly source: MemorySource
  /** Looked up for every search. */
  readonly search: () => MemorySettings['search']
  readonly threads: ThreadEntries
  readonly watch: boolean
  readonly now: Clock
}

/** The index is another, files are others, a thread died, or threads that had died were started again. */
export type MemoryChange =
  | Extract<IndexerEvent, { type: 'status' | 'files' | 'indexed' }>
  | { readonly type: 'crashed'; readonly error: Error }
  | { readonly type: 'recovered' }

export class Memory {
  readonly changes: Announcements<MemoryChange>
  readonly #changes = new Changes<MemoryChange>()
  readonly #options: MemoryOptions
  #source: MemorySource
  #threads: Promise<Threads>
  /** As it was last told. */
  #status: IndexStatus | undefined
  #exchange: Promise<void> = Promise.resolve()
  readonly #searches = new Set<Promise<unknown>>()
  #isSavingPower = false
  /** When threads died, by `performance.now()`. */
  #crashes: readonly number[] = []
  /** Of the embedding provider; queries and the indexer's queue share it. */
  readonly #provider: ProviderCare
  /** Called whenever the status or the provider's health is another. */
  readonly #listeners = new Set<() => void>()

  /** Its threads start at once; `opened` waits for them. */
  constructor(options: MemoryOptions) {
    this.changes = this.#changes
    this.#options = options
    this.#source = options.source
    this.#provider = new ProviderCare(
      {
        hold: (isHeld) => this.#call(({ indexer }) => indexer.client.hold(isHeld)),
        goOn: () => this.#call(({ indexer }) => indexer.client.goOn()),
        probe: () => this.#call(({ searcher }) => searcher.client.probe()),
        onChange: () => this.#onProvider(),
        onFault: (error) => this.#onFault(error),
      },
      options.now,
    )
    this.#threads = this.#start()
  }

  /** @throws AppError when there is no index to be had */
  async opened(): Promise<this> {
    try {
      await this.#threads
      return this
    } catch (error) {
      throw fromOrpcError(error)
    }
  }

  /** Goes over to another source, if it is another; calls made meanwhile wait for it. */
  async use(source: MemorySource): Promise<void> {
    if (JSON.stringify(source) === JSON.stringify(this.#source)) return
    this.#source = source
    this.#provider.reset()
    this.#threads = this.#threads.then(stopThreads, () => undefined).then(() => this.#start())
    await this.#threads
  }

  /**
   * What the memory says to a query, best first: scores from 0 to 1 that mean the same for every query, none below
   * `minScore`, places as 1-based lines. Waits a moment for files that were just saved; `stale` says when that was not
   * long enough, `notice` when vectors were missing.
   * @throws AppError `index_unavailable` when there is no index to be had; the signal's reason when it was aborted
   */
  search(query: string, options: SearchOptions = {}, signal?: AbortSignal): Promise<SearchResponse> {
    return this.#search(async (threads) => {
      const { searcher } = threads
      const stale = !(await this.#catchUp(threads, options.catchUpMs))
      const request = { query, defaults: this.#options.search(), options, stale, leave: this.#provider.leave }
      return searcher.client.search(request, signal ? { signal } : {})
    })
  }

  /**
   * The same search with every candidate's account: what each leg gave, how they were joined, and the verdict.
   * @param why a place that the answer says what kept it out
   * @throws AppError as `search`
   */
  explain(
    query: string,
    options: SearchOptions = {},
    why?: { path: string; line: number },
    signal?: AbortSignal,
  ): Promise<Explanation> {
    return this.#search(async (threads) => {
      const { searcher } = threads
      const stale = !(await this.#catchUp(threads, options.catchUpMs))
      const { leave } = this.#provider
      const request = { query, defaults: this.#options.search(), options, stale, leave, why }
      const explanation = await searcher.client.explain(request, signal ? { signal } : {})
      if (explanation.why?.reason !== 'notIndexed') return explanation
      const unsearched = await this.#whyUnsearched(threads, explanation.why.path)
      return { ...explanation, why: { ...explanation.why, unsearched } }
    })
  }

  /**
   * The passages of this memory, those that a model would be sent, and what the model in use is worth here.
   * @param of the model that is asked about; the one in use when left out
   */
  meaning(of?: EmbeddingModel, signal?: AbortSignal): Promise<Meaning> {
    return this.#search(async (threads) => {
      await this.#catchUp(threads)
      return threads.searcher.client.meaning(of, signal ? { signal } : {})
    })
  }

  /** Why nothing of a file, or nothing on a line of it, is in the index. */
  whyUnsearched(path: string): Promise<Unsearched> {
    return this.#search((threads) => this.#whyUnsearched(threads, path))
  }

  async #whyUnsearched({ searcher }: Threads, path: string): Promise<Unsearched> {
    const counts = await searcher.client.fileCounts()
    const isIndexed = counts.some((file) => file.path === path)
    const { folders } = this.#source
    return whyUnsearched({ path, folders, isIndexed, problems: this.#status?.problems ?? [] })
  }

  /** Files that are to be searched and could not be read when they were last looked at, with the reason. */
  get unreadable(): ReadonlyMap<string, string> {
    const problems = this.#status?.problems ?? []
    return new Map(problems.flatMap(({ path, message }) => (path === undefined ? [] : [[path, message] as const])))
  }

  /** The size of chunks that the index is built with. */
  get chunk(): ChunkSize {
    return this.#source.chunk
  }

  /**
   * What a search would find if chunks were of another size: tried by keywords only, on the files that it finds now and
   * a sample of the others. Both outcomes are of the same files.
   */
  async rechunk(query: string, chunk: ChunkSize, options: SearchOptions = {}, signal?: AbortSignal): Promise<Rechunk> {
    const [folder] = this.#source.folders
    if (!folder) throw new AppError('index_unavailable', 'there is no memory to search')
    const { candidates } = await this.explain(query, options, undefined, signal)
    const all = (await this.fileCounts()).flatMap(({ path, source }) => (source === folder.source ? [path] : []))
    const found = candidates.flatMap(({ path, source }) => (source === folder.source ? [path] : []))
    const sizes = [this.#source.chunk, chunk]
    const { search, now, threads } = this.#options
    const paths = sampleOf(all, found)
    const request = { folder, paths, sizes, query, defaults: search(), options, clockAheadMs: aheadOf(now) }
    const [before, after] = await runRechunk(threads, request, signal)
    if (!before || !after) throw new AppError('index_unavailable', 'the memory could not be cut anew')
    return { before, after, files: paths.length, of: all.length }
  }

  async status(): Promise<IndexStatus> {
    return this.#withFailure(await this.#call(({ indexer }) => indexer.client.status()))
  }

  /** Bytes of the index on disk; 0 while there is none. */
  async indexBytes(): Promise<number> {
    const files = [this.#source.file, `${this.#source.file}-wal`]
    const sizes = await Promise.all(files.map((file) => stat(file).catch(nothingThere)))
    return sizes.reduce((sum, info) => sum + (info?.size ?? 0), 0)
  }

  /**
   * Waits until every chunk has its vector, or none can be had: the provider does not work, there is none, or it takes
   * none of the texts that are left.
   * @param onProgress hears of every step while there is something to wait for
   */
  async settleVectors(onProgress: (status: IndexStatus) => void, signal?: AbortSignal): Promise<IndexStatus> {
    // Whoever waits wants to know how it is now, not how it was when it was last asked.
    if (this.#provider.failure) await this.#provider.tryNow()
    const tell = () => this.#status && onProgress(this.#withFailure(this.#status))
    this.#listeners.add(tell)
    try {
      for (;;) {
        const { status, isStopped } = await this.#call(({ indexer }) =>
          indexer.client.embedded(undefined, signal ? { signal } : {}),
        )
        signal?.throwIfAborted()
        const isDone = status.embedded >= status.chunks || (!isStopped && !this.#provider.isWaiting)
        if ((isDone && status.state !== 'rebuilding') || this.#provider.failure) return this.#withFailure(status)
        await this.#change(signal)
      }
    } finally {
      this.#listeners.delete(tell)
    }
  }

  /** Asks the embedding provider now, however it was; whatever comes of it shows in `status`. */
  async tryProvider(): Promise<void> {
    await this.#call(({ indexer }) => indexer.client.askAgain())
    await this.#provider.tryNow()
  }

  fileCounts(): Promise<{ path: string; source: string; words: number; tokens: number }[]> {
    return this.#search(({ searcher }) => searcher.client.fileCounts())
  }

  /** Reads every file anew; aborting leaves what is done as it is. */
  reindex(signal?: AbortSignal): Promise<IndexStatus> {
    return this.#call(({ indexer }) => indexer.client.reindex(undefined, signal ? { signal } : {}))
  }

  /** Waits until the index is in step with the files, or `timeoutMs` have passed; false then. */
  settle(timeoutMs: number): Promise<boolean> {
    return this.#call(({ indexer }) => indexer.client.settle(timeoutMs))
  }

  /** Tells of files that the app itself wrote, sooner than the watcher would. */
  touch(paths: readonly string[]): void {
    void this.#call(({ indexer, pending }) => {
      pending.touches += 1
      return indexer.client.touch(paths)
    }).catch((error: unknown) => this.#onFault(error))
  }

  /** While power is short, changes are looked at when somebody searches, and not before. */
  savePower(isSaving: boolean): void {
    this.#isSavingPower = isSaving
    void this.#call(({ indexer }) => indexer.client.savePower(isSaving)).catch((error: unknown) => this.#onFault(error))
  }

  async close(): Promise<void> {
    this.#provider.close()
    await this.#threads.then(stopThreads, () => undefined)
  }

  async #start(): Promise<Threads> {
    const { threads: entries, watch } = this.#options
    shareEmbeddings(this.#source.embedding)
    const threads = startThreads(entries)
    for (const thread of [threads.indexer, threads.searcher])
      thread.onExit((error) => {
        threads.died.abort()
        this.#changes.announce({ type: 'crashed', error })
        void this.#recover(threads)
      })
    try {
      const { file, embedding } = this.#source
      const events = await threads.indexer.client.events(undefined, { signal: threads.stop.signal })
      const outcomes = await threads.searcher.client.outcomes(undefined, { signal: threads.stop.signal })
      void this.#follow(threads, events, (event) => this.#onIndexerEvent(threads, event))
      void this.#follow(threads, outcomes, (outcome) => this.#provider.note(outcome))
      const searched = { file, embedding, clockAheadMs: aheadOf(this.#options.now) }
      const before = canBeOpenTwice ? await placeOnDisk(file) : undefined
      // An index that is there is read while the indexer opens it.
      const reading = before === undefined ? Promise.resolve() : threads.searcher.client.open(searched)
      reading.catch(() => undefined)
      await threads.indexer.client.open({ ...this.#source, watch, retryMs })
      if (this.#provider.failure) await threads.indexer.client.hold(true)
      if (this.#isSavingPower) await threads.indexer.client.savePower(true)
      await reading
      // What was there may have given way to another.
      if (before === undefined || (await placeOnDisk(file)) !== before) await threads.searcher.client.open(searched)
      return threads
    } catch (error) {
      await stopThreads(threads)
      throw error
    }
  }

  async #follow<T>(
    threads: Threads,
    events: AsyncIterable<T>,
    apply: (event: T) => Promise<void> | void,
  ): Promise<void> {
    try {
      for await (const event of events) await apply(event)
    } catch (error) {
      // The end of a thread closes what it told, and is told itself.
      await Promise.race([threads.indexer.gone, threads.searcher.gone, sleep(endMs, undefined, { ref: false })])
      if (!threads.stop.signal.aborted && !threads.died.signal.aborted) this.#onFault(error)
    }
  }

  async #onIndexerEvent(threads: Threads, event: IndexerEvent): Promise<void> {
    switch (event.type) {
      case 'status':
        this.#status = event.status
        this.#tell()
        return this.#changes.announce({ type: 'status', status: this.#withFailure(event.status) })
      case 'pending':
        threads.pending.idleAt = event.isPending ? undefined : event.touches
        return
      case 'provider':
        return this.#provider.note(event.outcome)
      case 'replace':
      case 'reopen':
        await this.#exchangeIndex(threads, event.type === 'replace')
        return this.#changes.announce({ type: 'indexed' })
      default:
        return this.#changes.announce(event)
    }
  }

  #onProvider(): void {
    if (this.#status) this.#changes.announce({ type: 'status', status: this.#withFailure(this.#status) })
    this.#tell()
  }

  #onFault(error: unknown): void {
    this.#changes.announce({ type: 'crashed', error: error instanceof Error ? error : new Error(String(error)) })
  }

  #withFailure(status: IndexStatus): IndexStatus {
    const { failure } = this.#provider
    return failure ? { ...status, problems: [...status.problems, failure] } : status
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Resolves with the next change of status or health. */
  async #change(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => reject(signal?.reason)
    this.#listeners.add(resolve)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await promise
    } finally {
      this.#listeners.delete(resolve)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Starts the threads anew after one of them died; not again and again. */
  async #recover(died: Threads): Promise<void> {
    if (died.stop.signal.aborted) return
    const now = performance.now()
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindowMs), now]
    await stopThreads(died)
    if (this.#crashes.length > maxCrashes) return
    try {
      this.#threads = this.#start()
      await this.#threads
      this.#changes.announce({ type: 'recovered' })
    } catch (error) {
      this.#onFault(error)
    }
  }

  /**
   * A search takes part in the exchange of an index: none begins while one is under way, and one that has begun is
   * waited for. If the index cannot be opened, it is made sure of once, then the search is tried again.
   */
  async #search<T>(work: (threads: Threads) => Promise<T>): Promise<T> {
    await this.#exchange
    const running = this.#call(work).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'index_unavailable') throw error
      await this.#call(({ indexer }) => indexer.client.revive(error.data['isDamaged'] === true))
      return this.#call(work).catch((again: unknown) => this.#withReason(again))
    })
    this.#searches.add(running)
    try {
      return await running
    } finally {
      this.#searches.delete(running)
    }
  }

  /** Says what the indexer knows of why there is no index. */
  async #withReason(error: unknown): Promise<never> {
    if (!(error instanceof AppError) || error.code !== 'index_unavailable') throw error
    const { problems } = await this.status()
    const reason = problems.find(({ code }) => code === 'index_failed')?.message
    throw reason === undefined
      ? error
      : new AppError(error.code, `${error.message}: ${reason}`, { reason }, { cause: error })
  }

  /**
   * Waits for changes, but not for work that is known to be long: the indexer would not even answer before its current
   * transaction is through. Nor is it asked when it has said that there is nothing to do.
   * @returns false when the index lacks something
   */
  async #catchUp({ indexer, pending }: Threads, mostMs = catchUpMs): Promise<boolean> {
    const isLong = this.#status?.state === 'rebuilding' || (this.#status?.etaMs ?? 0) > catchUpMs
    if (isLong) return false
    return pending.idleAt === pending.touches || indexer.client.settle(mostMs)
  }

  /** Lets the searcher go of the old index while the new one takes its place. */
  async #exchangeIndex({ indexer, searcher, died }: Threads, isRebuilt: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#exchange = promise
    try {
      if (isRebuilt) await Promise.allSettled(this.#searches)
      // Threads that give way to others meanwhile would never answer.
      await unlessDead(searcher.client.release(), died.signal)
      try {
        if (isRebuilt) await unlessDead(indexer.client.swap(), died.signal)
      } finally {
        await unlessDead(searcher.client.resume(), died.signal)
      }
    } finally {
      resolve()
    }
  }

  async #call<T>(work: (threads: Threads) => Promise<T>): Promise<T> {
    const asked = this.#threads
    try {
      const threads = await asked
      return await unlessDead(work(threads), threads.died.signal)
    } catch (error) {
      const isAborted = error instanceof Error && error.name === 'AbortError'
      // Other threads took the place of those that were asked: they know as well.
      if (asked !== this.#threads && !isAborted) return this.#call(work)
      throw fromOrpcError(error)
    }
  }
}

function nothingThere(error: unknown): undefined {
  if (!isSystemError(error, 'ENOENT')) throw error
}

/** Tells apart files that have the same name one after the other; what is wrong with a file is the indexer's to say. */
async function placeOnDisk(file: string): Promise<string | undefined> {
  const info = await stat(file, { bigint: true }).catch(() => undefined)
  return info && `${info.dev}:${info.ino}`
}
