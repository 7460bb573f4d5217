import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  EmbeddingModel,
  Explanation,
  IndexStatus,
  EmbeddingCost,
  SimilarNote,
  SearchResponse,
  IndexExclusion,
} from '#shared/contract/index.ts'
import { type Clock, EventEmitter, type Subscribable, type MemorySettings } from '#platform'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { builtinSource, shareEmbeddings, type EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { IndexerEvent, MemorySource } from '../indexing/indexer.ts'
import { ProviderCircuitBreaker } from '../vector/provider-circuit-breaker.ts'
import type { IndexedFileFacts } from '../ranking/searcher.ts'
import { WorkerSupervisor } from './worker-supervisor.ts'
import type { SearchOverrides } from '../query/overrides.ts'
import { explainExclusion } from '../indexing/index-exclusion.ts'
import { openWorkers, type ThreadEntries, type MemoryWorkers } from './memory-workers.ts'

/** Maximum time that a search waits for pending changes, ms; after that, it uses the index as it is. */
const catchUpMs = 500
/** Pause between two looks at the progress of embedding, ms. */
const pollMs = 50

export interface MemoryOptions {
  readonly source: MemorySource
  readonly search: () => MemorySettings['search']
  readonly threads: ThreadEntries
  readonly watch: boolean
  readonly now: Clock
}

export type MemoryChange =
  | Extract<IndexerEvent, { type: 'status' | 'files' | 'indexed' }>
  | { readonly type: 'crashed'; readonly error: Error }
  | { readonly type: 'recovered' }

export class Memory {
  readonly #changes = new EventEmitter<MemoryChange>()
  readonly changes: Subscribable<MemoryChange> = this.#changes
  readonly #options: MemoryOptions
  #source: MemorySource
  /** Embedding settings that were replaced in this run, newest first. */
  #earlier: readonly EmbeddingSource[] = []
  readonly #threads: WorkerSupervisor
  #status: IndexStatus | undefined
  #isSavingPower = false
  readonly #provider: ProviderCircuitBreaker

  /** Starts the workers; `opened` waits for them. */
  constructor(options: MemoryOptions) {
    this.#options = options
    this.#source = options.source
    this.#provider = new ProviderCircuitBreaker(
      {
        setPaused: (isPaused) => this.#threads.call(({ indexer }) => indexer.client.pauseEmbedding(isPaused)),
        resume: () => this.#threads.call(({ indexer }) => indexer.client.resumeEmbedding()),
        probe: () => this.#threads.call(({ searcher }) => searcher.client.probe()),
        onChange: () => {
          if (this.#status) this.#changes.emit({ type: 'status', status: this.#withFailure(this.#status) })
        },
        onFault: (error) => this.#onFault(error),
      },
      options.now,
    )
    shareEmbeddings(options.source.embedding)
    this.#threads = new WorkerSupervisor({
      entries: options.threads,
      open: async (threads, eventsSubscribed) => {
        await openWorkers(threads, { ...this.#source, earlier: this.#usableEarlier() }, options, eventsSubscribed)
        const { client } = threads.indexer
        if (this.#provider.failure) await client.pauseEmbedding(true)
        if (this.#isSavingPower) await client.savePower(true)
      },
      onEvent: (event) => this.#onIndexerEvent(event),
      onFault: (error) => this.#onFault(error),
      onRecovered: () => this.#changes.emit({ type: 'recovered' }),
    })
  }

  /** @throws AppError if the index can't be opened */
  async opened(): Promise<this> {
    return this.#threads.call(async () => this)
  }

  /** Restarts the workers with another source if it differs. Calls made meanwhile wait. */
  async setSource(source: MemorySource): Promise<void> {
    if (JSON.stringify(source) === JSON.stringify(this.#source)) return
    if (JSON.stringify(source.embedding) !== JSON.stringify(this.#source.embedding))
      this.#earlier = [this.#source.embedding, ...this.#earlier]
    this.#source = source
    this.#provider.reset()
    shareEmbeddings(source.embedding)
    await this.#threads.restart()
  }

  /** Leaves out other machines after a change to a model of this machine: the user expects that nothing is sent. */
  #usableEarlier(): EmbeddingSource[] {
    const { embedding } = this.#source
    if (embedding.provider === 'none') return []
    const earlier = [...this.#earlier, builtinSource(embedding)]
    return earlier.filter(({ isLocal }) => isLocal || !embedding.isLocal)
  }

  /**
   * Returns results, best first; scores are probabilities, lines are 1-based. Waits up to `catchUpMs` for files that were just saved. `stale` is true if that was not enough, and
   * `notice` says why vectors were not used.
   * @throws AppError `index_unavailable` if there is no index; the signal's reason if aborted
   */
  search(query: string, options: SearchOverrides = {}, signal?: AbortSignal): Promise<SearchResponse> {
    return this.#readIndex(async (threads) => {
      const request = await this.#requestFor(threads, query, options)
      return { ...(await threads.searcher.client.search(request, signal ? { signal } : {})), ...this.#staleness() }
    })
  }

  /**
   * Runs the same search and returns the score breakdown of every candidate.
   * @param why a line (1-based) of an indexed path, whose absence from the results is to be explained
   * @throws AppError as `search`
   */
  explain(
    query: string,
    options: SearchOverrides = {},
    why?: { path: string; line: number },
    signal?: AbortSignal,
  ): Promise<Explanation> {
    return this.#readIndex(async (threads) => {
      const request = { ...(await this.#requestFor(threads, query, options)), why }
      const explained = await threads.searcher.client.explain(request, signal ? { signal } : {})
      const explanation = { ...explained, ...this.#staleness() }
      if (explanation.why?.reason !== 'notIndexed') return explanation
      const unsearched = await this.#exclusionFor(threads, explanation.why.path)
      return { ...explanation, why: { ...explanation.why, unsearched } }
    })
  }

  async #requestFor(threads: MemoryWorkers, query: string, options: SearchOverrides) {
    const stale = !(await this.#catchUp(threads, options.catchUpMs))
    return { query, defaults: this.#options.search(), options, stale, leave: this.#provider.queryPermit() }
  }

  /**
   * Counts the texts of this memory and those that a model would be sent.
   * @param of the model to count for; the one in use if undefined
   * @throws as `search`
   */
  embeddingCost(of?: EmbeddingModel, signal?: AbortSignal): Promise<EmbeddingCost> {
    return this.#readIndex(async (threads) => {
      await this.#catchUp(threads)
      return threads.searcher.client.embeddingCost(of, signal ? { signal } : {})
    })
  }

  /** Returns at most `limit` notes on the same subject, nearest first; empty without vectors. @throws as `search` */
  similarNotes(path: string, limit: number): Promise<SimilarNote[]> {
    return this.#readIndex(({ searcher }) => searcher.client.nearNotes({ path, most: limit }))
  }

  /** Returns the reason why no search finds a line of a file. @param path as in the index @throws as `search` */
  exclusionFor(path: string): Promise<IndexExclusion> {
    return this.#readIndex((threads) => this.#exclusionFor(threads, path))
  }

  async #exclusionFor({ searcher }: MemoryWorkers, path: string): Promise<IndexExclusion> {
    const files = await searcher.client.indexedFiles()
    const isIndexed = files.some((file) => file.path === path)
    return explainExclusion(path, this.#source.folders, isIndexed, this.#status?.problems ?? [])
  }

  /** Messages of the index's problems with files and folders, by path. */
  get unreadable(): ReadonlyMap<string, string> {
    const problems = this.#status?.problems ?? []
    return new Map(problems.flatMap(({ path, message }) => (path === undefined ? [] : [[path, message] as const])))
  }

  async status(): Promise<IndexStatus> {
    return this.#withFailure(await this.#threads.call(({ indexer }) => indexer.client.status()))
  }

  /** Returns the size in bytes of the index with its write-ahead log; 0 if it does not exist. */
  async indexBytes(): Promise<number> {
    const { file } = this.#source
    const sizes = await Promise.all(
      [file, `${file}-wal`].map((path) => stat(path).catch(onSystemError(undefined, 'ENOENT'))),
    )
    return sizes.reduce((sum, info) => sum + (info?.size ?? 0), 0)
  }

  /**
   * Waits until every unit has a vector, or no more can be had because the provider fails, is missing, or rejects the
   * remaining texts.
   * @throws the signal's reason if aborted
   */
  async waitForVectors(signal?: AbortSignal): Promise<IndexStatus> {
    // Callers want the current state, not that of the last attempt.
    if (this.#provider.failure) await this.#provider.tryNow()
    for (;;) {
      const { status, isStopped } = await this.#threads.call(({ indexer }) =>
        indexer.client.embedded(undefined, signal ? { signal } : {}),
      )
      signal?.throwIfAborted()
      const isDone = status.embedded >= status.units || (!isStopped && this.#provider.retryInMs === undefined)
      if ((isDone && status.state !== 'rebuilding') || this.#provider.failure) return this.#withFailure(status)
      await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
    }
  }

  /** Retries the embedding provider now. The result appears in `status`. */
  async tryProvider(): Promise<void> {
    await this.#threads.call(({ indexer }) => indexer.client.retryEmbedding())
    await this.#provider.tryNow()
  }

  indexedFiles(): Promise<IndexedFileFacts[]> {
    return this.#readIndex(({ searcher }) => searcher.client.indexedFiles())
  }

  /** Returns a value that changes with the private units of notes. */
  privateVersion(): Promise<string> {
    return this.#readIndex(({ searcher }) => searcher.client.privateVersion())
  }

  /** Returns the keys of the lines of private notes, see `lineKeys`. */
  privateKeys(): Promise<string[]> {
    return this.#readIndex(({ searcher }) => searcher.client.privateKeys())
  }

  /** Returns which lines equal a private line. Waits as `search`. @param lines as `comparableForms` returns them */
  privateLines(lines: readonly string[]): Promise<string[]> {
    return this.#readIndex(async (threads) => {
      await this.#catchUp(threads)
      return threads.searcher.client.privateLines(lines)
    })
  }

  /** Waits as `search`. Returns false if the index is not up to date. */
  catchUp(): Promise<boolean> {
    return this.#readIndex((threads) => this.#catchUp(threads))
  }

  /** Reads every file again and returns the status at the end. If aborted, finished files stay indexed. */
  reindex(signal?: AbortSignal): Promise<IndexStatus> {
    return this.#threads.call(({ indexer }) => indexer.client.reindex(undefined, signal ? { signal } : {}))
  }

  /** Waits until the index is in sync with the files. Returns false on timeout. */
  settle(timeoutMs: number): Promise<boolean> {
    return this.#threads.call(({ indexer }) => indexer.client.flush(timeoutMs))
  }

  /** Reports files that the app itself wrote, before the watcher does. @param paths as in the index */
  notifyWritten(paths: readonly string[]): void {
    this.#inform(({ indexer }) => indexer.client.notifyWritten(paths))
  }

  /** While true, changes are only indexed when a search needs them. */
  savePower(isSaving: boolean): void {
    this.#isSavingPower = isSaving
    this.#inform(({ indexer }) => indexer.client.savePower(isSaving))
  }

  #inform(work: (threads: MemoryWorkers) => Promise<unknown>): void {
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
        return this.#changes.emit({ type: 'status', status: this.#withFailure(event.status) })
      case 'provider':
        return this.#provider.record(event.outcome)
      case 'replace':
      case 'reopen':
        return this.#changes.emit({ type: 'indexed' })
      default:
        return this.#changes.emit(event)
    }
  }

  #onFault(error: unknown): void {
    this.#changes.emit({ type: 'crashed', error: error instanceof Error ? error : new Error(String(error)) })
  }

  #withFailure(status: IndexStatus): IndexStatus {
    const { failure } = this.#provider
    return failure ? { ...status, problems: [...status.problems, failure] } : status
  }

  async #readIndex<T>(work: (threads: MemoryWorkers) => Promise<T>): Promise<T> {
    try {
      return await this.#threads.read(work)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'index_unavailable') throw error
      const reason = failureOf(await this.status())
      if (reason === undefined) throw error
      throw new AppError(error.code, `${error.message}: ${reason}`, { reason }, { cause: error })
    }
  }

  #staleness(): Pick<SearchResponse, 'stale' | 'standstill'> | undefined {
    const standstill = this.#status && failureOf(this.#status)
    return standstill === undefined ? undefined : { stale: true, standstill }
  }

  /** Waits for pending changes, unless the indexer is busy for long. @returns false if the index is not up to date */
  async #catchUp({ indexer }: MemoryWorkers, maxMs = catchUpMs): Promise<boolean> {
    const isBusyForLong = this.#status?.state === 'rebuilding' || (this.#status?.etaMs ?? 0) > catchUpMs
    return !isBusyForLong && indexer.client.flush(maxMs)
  }
}

function failureOf({ problems }: IndexStatus): string | undefined {
  return problems.find(({ code }) => code === 'index_failed')?.message
}
