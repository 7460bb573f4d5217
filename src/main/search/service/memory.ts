import type {
  ChunkSize,
  EmbeddingModel,
  Explanation,
  IndexStatus,
  Meaning,
  NearNote,
  Rechunk,
  SearchOptions,
  SearchResponse,
  Unsearched,
} from '#shared/contract/index.ts'
import { aheadOf, type Clock, Changes, type Announcements, type MemorySettings } from '#platform'
import { AppError } from '#shared/util/errors.ts'
import { shareEmbeddings } from '../embeddings/create-embeddings.ts'
import { bytesOfIndex } from '../indexing/index-bytes.ts'
import type { IndexerEvent } from '../indexing/indexer.ts'
import { openThreads, type MemorySource } from './open-threads.ts'
import { ProviderCare } from '../vector/provider-circuit-breaker.ts'
import { RunningThreads } from './running-threads.ts'
import { sampleOf } from '../evaluation/sample.ts'
import type { Overrides } from '../ranking/searcher.ts'
import { whyUnsearched } from '../indexing/index-exclusion.ts'
import { runRechunk, type ThreadEntries, type Threads } from './memory-threads.ts'

/** A search waits this long for changes that are not in the index yet; then it answers from the old one. */
const catchUpMs = 500
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
  readonly #threads: RunningThreads
  /** As it was last told. */
  #status: IndexStatus | undefined
  #isSavingPower = false
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
        hold: (isHeld) => this.#threads.call(({ indexer }) => indexer.client.hold(isHeld)),
        goOn: () => this.#threads.call(({ indexer }) => indexer.client.goOn()),
        probe: () => this.#threads.call(({ searcher }) => searcher.client.probe()),
        onChange: () => this.#onProvider(),
        onFault: (error) => this.#onFault(error),
      },
      options.now,
    )
    shareEmbeddings(options.source.embedding)
    this.#threads = new RunningThreads({
      entries: options.threads,
      open: (threads, heard) => {
        const standing = { isHeld: this.#provider.failure !== undefined, isSavingPower: this.#isSavingPower }
        return openThreads(threads, this.#source, options, standing, heard)
      },
      onEvent: (event) => this.#onIndexerEvent(event),
      onOutcome: (outcome) => this.#provider.note(outcome),
      onFault: (error) => this.#onFault(error),
      onRecovered: () => this.#changes.announce({ type: 'recovered' }),
    })
  }

  /** @throws AppError when there is no index to be had */
  async opened(): Promise<this> {
    await this.#threads.opened()
    return this
  }

  /** Goes over to another source, if it is another; calls made meanwhile wait for it. */
  async use(source: MemorySource): Promise<void> {
    if (JSON.stringify(source) === JSON.stringify(this.#source)) return
    this.#source = source
    this.#provider.reset()
    shareEmbeddings(source.embedding)
    await this.#threads.restart()
  }

  /**
   * What the memory says to a query, best first: scores from 0 to 1 that mean the same for every query, none below
   * `minScore`, places as 1-based lines. Waits a moment for files that were just saved; `stale` says when that was not
   * long enough, `notice` when vectors were missing.
   * @throws AppError `index_unavailable` when there is no index to be had; the signal's reason when it was aborted
   */
  search(query: string, options: Overrides = {}, signal?: AbortSignal): Promise<SearchResponse> {
    return this.#read(async (threads) => {
      const { searcher } = threads
      const stale = !(await this.#catchUp(threads, options.catchUpMs))
      const request = { query, defaults: this.#options.search(), options, stale, leave: this.#provider.leave }
      return { ...(await searcher.client.search(request, signal ? { signal } : {})), ...this.#standstill() }
    })
  }

  /**
   * The same search with every candidate's account: what each leg gave, how they were joined, and the verdict.
   * @param why a place that the answer says what kept it out
   * @throws AppError as `search`
   */
  explain(
    query: string,
    options: Overrides = {},
    why?: { path: string; line: number },
    signal?: AbortSignal,
  ): Promise<Explanation> {
    return this.#read(async (threads) => {
      const { searcher } = threads
      const stale = !(await this.#catchUp(threads, options.catchUpMs))
      const { leave } = this.#provider
      const request = { query, defaults: this.#options.search(), options, stale, leave, why }
      const explained = await searcher.client.explain(request, signal ? { signal } : {})
      const explanation = { ...explained, ...this.#standstill() }
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
    return this.#read(async (threads) => {
      await this.#catchUp(threads)
      return threads.searcher.client.meaning(of, signal ? { signal } : {})
    })
  }

  /** Notes that are about what a note is about, the nearest first. */
  nearNotes(path: string, most: number): Promise<NearNote[]> {
    return this.#read(({ searcher }) => searcher.client.nearNotes({ path, most }))
  }

  /** Why nothing of a file, or nothing on a line of it, is in the index. */
  whyUnsearched(path: string): Promise<Unsearched> {
    return this.#read((threads) => this.#whyUnsearched(threads, path))
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

  /** Whether questions are sent to another machine. */
  get isSent(): boolean {
    return !this.#source.embedding.isLocal
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
    return this.#withFailure(await this.#threads.call(({ indexer }) => indexer.client.status()))
  }

  /** Bytes of the index on disk; 0 while there is none. */
  indexBytes(): Promise<number> {
    return bytesOfIndex(this.#source.file)
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
        const { status, isStopped } = await this.#threads.call(({ indexer }) =>
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
    await this.#threads.call(({ indexer }) => indexer.client.askAgain())
    await this.#provider.tryNow()
  }

  fileCounts(): Promise<{ path: string; source: string; words: number; tokens: number }[]> {
    return this.#read(({ searcher }) => searcher.client.fileCounts())
  }

  /** Reads every file anew; aborting leaves what is done as it is. */
  reindex(signal?: AbortSignal): Promise<IndexStatus> {
    return this.#threads.call(({ indexer }) => indexer.client.reindex(undefined, signal ? { signal } : {}))
  }

  /** Waits until the index is in step with the files, or `timeoutMs` have passed; false then. */
  settle(timeoutMs: number): Promise<boolean> {
    return this.#threads.call(({ indexer }) => indexer.client.settle(timeoutMs))
  }

  /** Tells of files that the app itself wrote, sooner than the watcher would. */
  touch(paths: readonly string[]): void {
    this.#inform(({ indexer, pending }) => {
      pending.touches += 1
      return indexer.client.touch(paths)
    })
  }

  /** While power is short, changes are looked at when somebody searches, and not before. */
  savePower(isSaving: boolean): void {
    this.#isSavingPower = isSaving
    this.#inform(({ indexer }) => indexer.client.savePower(isSaving))
  }

  #inform(work: (threads: Threads) => Promise<unknown>): void {
    void this.#threads.call(work).catch((error: unknown) => this.#onFault(error))
  }

  async close(): Promise<void> {
    this.#provider.close()
    await this.#threads.close()
  }

  #onIndexerEvent(event: IndexerEvent): void {
    switch (event.type) {
      case 'status':
        this.#status = event.status
        this.#tell()
        return this.#changes.announce({ type: 'status', status: this.#withFailure(event.status) })
      case 'pending':
        return
      case 'provider':
        return this.#provider.note(event.outcome)
      case 'replace':
      case 'reopen':
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

  /** Reads the index, and says why there is none where that is so. */
  #read<T>(work: (threads: Threads) => Promise<T>): Promise<T> {
    return this.#threads.read(work).catch((error: unknown) => this.#withReason(error))
  }

  /** Says what the indexer knows of why there is no index. */
  async #withReason(error: unknown): Promise<never> {
    if (!(error instanceof AppError) || error.code !== 'index_unavailable') throw error
    const reason = failureOf(await this.status())
    throw reason === undefined
      ? error
      : new AppError(error.code, `${error.message}: ${reason}`, { reason }, { cause: error })
  }

  /** What an answer has to say when the index is as it was and takes nothing in. */
  #standstill(): Pick<SearchResponse, 'stale' | 'standstill'> | undefined {
    const standstill = this.#status && failureOf(this.#status)
    return standstill === undefined ? undefined : { stale: true, standstill }
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
}

/** Why nothing can be written to the index; the indexer tries again by itself. */
function failureOf({ problems }: IndexStatus): string | undefined {
  return problems.find(({ code }) => code === 'index_failed')?.message
}
