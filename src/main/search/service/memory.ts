import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmbeddingModel, Explanation, IndexStatus, EmbeddingCost, SearchResponse } from '#shared/contract/index.ts'
import { type Clock, EventEmitter, type Subscribable, type AgentSettings } from '#platform'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { builtinSource, shareEmbeddings, type EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { IndexerEvent, MemorySource } from '../indexing/indexer.ts'
import { ProviderHealth } from '../embeddings/provider-health.ts'
import type { SearchOverrides } from '../ranking/searcher.ts'
import { explainExclusion } from '../indexing/indexed-folder.ts'
import { IndexWorkers, type IndexerClient, type SearcherClient, type ThreadEntries } from './index-workers.ts'

/** Maximum time that a search waits for pending changes, ms; after that, it uses the index as it is. */
const catchUpMs = 500
/** Delay before the indexer retries an unavailable folder or index, ms. */
const retryMs = 30_000
/** Pause between two looks at the progress of embedding, ms. */
const pollMs = 50

export interface MemoryOptions {
  readonly source: MemorySource
  readonly search: () => AgentSettings['memory']['search']
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
  readonly #workers: IndexWorkers
  #status: IndexStatus | undefined
  #isSavingPower = false
  readonly #provider: ProviderHealth

  constructor(options: MemoryOptions) {
    this.#options = options
    this.#source = options.source
    this.#provider = new ProviderHealth(options.now, {
      setPaused: (isPaused) => this.#workers.index((indexer) => indexer.pauseEmbedding(isPaused)),
      probe: () => this.#workers.probe(),
      onChange: () => {
        if (this.#status) this.#changes.emit({ type: 'status', status: this.#withFailure(this.#status) })
      },
      onFault: (error) => this.#onFault(error),
    })
    shareEmbeddings(options.source.embedding)
    this.#workers = new IndexWorkers({
      entries: options.threads,
      now: options.now,
      settings: () => ({ ...this.#source, earlier: this.#usableEarlier(), watch: options.watch, retryMs }),
      onOpened: async (indexer) => {
        if (this.#provider.failure) await indexer.pauseEmbedding(true)
        if (this.#isSavingPower) await indexer.savePower(true)
      },
      onEvent: (event) => this.#onIndexerEvent(event),
      onFault: (error) => this.#onFault(error),
      onRecovered: () => this.#changes.emit({ type: 'recovered' }),
    })
    // `opened` reports the error.
    this.#workers.start().catch(() => undefined)
  }

  /** @throws AppError if the index can't be opened */
  async opened(): Promise<this> {
    await this.#workers.start()
    return this
  }

  /** Restarts the workers with another source if it differs. Calls made meanwhile wait. */
  async setSource(source: MemorySource): Promise<void> {
    if (JSON.stringify(source) === JSON.stringify(this.#source)) return
    if (JSON.stringify(source.embedding) !== JSON.stringify(this.#source.embedding))
      this.#earlier = [this.#source.embedding, ...this.#earlier]
    this.#source = source
    this.#provider.reset()
    shareEmbeddings(source.embedding)
    await this.#workers.restart()
  }

  /** Leaves out other machines after a change to a model of this machine: the user expects that nothing is sent. */
  #usableEarlier(): EmbeddingSource[] {
    const { embedding } = this.#source
    if (embedding.provider === 'none') return []
    const earlier = [...this.#earlier, builtinSource(embedding)]
    return earlier.filter(({ isLocal }) => isLocal || !embedding.isLocal)
  }

  /**
   * Returns results, best first; scores are probabilities, lines are 1-based. Waits up to `catchUpMs` for files that
   * were just saved; `stale` is true if that was not enough.
   * @throws AppError `index_unavailable` if there is no index; the signal's reason if aborted
   */
  search(query: string, options: SearchOverrides = {}, signal?: AbortSignal): Promise<SearchResponse> {
    return this.#withFailureReason(async () => {
      const request = await this.#requestFor(query, options)
      const response = await this.#workers.search((searcher) => searcher.search(request, { signal }))
      return { ...response, ...this.#staleness() }
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
    return this.#withFailureReason(async () => {
      const request = { ...(await this.#requestFor(query, options)), why }
      const explained = await this.#workers.search((searcher) => searcher.explain(request, { signal }))
      const explanation = { ...explained, ...this.#staleness() }
      if (explanation.why?.reason !== 'notIndexed') return explanation
      const { path } = explanation.why
      const isIndexed = (await this.indexedFiles()).some((file) => file.path === path)
      const problems = this.#status?.problems ?? []
      const unsearched = await explainExclusion(path, this.#source.folders, isIndexed, problems)
      return { ...explanation, why: { ...explanation.why, unsearched } }
    })
  }

  async #requestFor(query: string, options: SearchOverrides) {
    const stale = !(await this.catchUp(options.catchUpMs))
    return { query, defaults: this.#options.search(), options, stale, leave: this.#provider.queryPermit() }
  }

  /**
   * Counts the texts of this memory and those that a model would be sent.
   * @param of the model to count for; the one in use if undefined
   * @throws as `search`
   */
  embeddingCost(of?: EmbeddingModel, signal?: AbortSignal): Promise<EmbeddingCost> {
    return this.#read((searcher) => searcher.embeddingCost(of, { signal }), true)
  }

  readonly similarNotes = (path: string, limit: number) =>
    this.#read((searcher) => searcher.similarNotes({ path, limit }))

  get unreadable(): ReadonlyMap<string, string> {
    const problems = this.#status?.problems ?? []
    return new Map(problems.flatMap(({ path, message }) => (path === undefined ? [] : [[path, message] as const])))
  }

  async status(): Promise<IndexStatus> {
    return this.#withFailure(await this.#workers.index((indexer) => indexer.status()))
  }

  /** Returns the size with the write-ahead log; 0 if there is no index. */
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
      const { status, isStopped } = await this.#workers.index((indexer) => indexer.embedded(undefined, { signal }))
      signal?.throwIfAborted()
      const isDone = status.embedded >= status.units || (!isStopped && this.#provider.retryInMs === undefined)
      if ((isDone && status.state !== 'rebuilding') || this.#provider.failure) return this.#withFailure(status)
      await sleep(pollMs, undefined, signal ? { signal } : {}).catch(() => signal?.throwIfAborted())
    }
  }

  async tryProvider(): Promise<void> {
    await this.#workers.index((indexer) => indexer.retryEmbedding())
    await this.#provider.tryNow()
  }

  readonly indexedFiles = () => this.#read((searcher) => searcher.indexedFiles())
  readonly privateVersion = () => this.#read((searcher) => searcher.privateVersion())
  /** Returns which lines equal a private line. Waits as `search`. @param lines as `comparableForms` returns them */
  readonly privateLines = (lines: readonly string[]) => this.#read((searcher) => searcher.privateLines(lines), true)

  /** Waits for pending changes, unless the indexer is busy for long. @returns false if the index is not up to date */
  async catchUp(maxMs = catchUpMs): Promise<boolean> {
    const isBusyForLong = this.#status?.state === 'rebuilding' || (this.#status?.etaMs ?? 0) > catchUpMs
    return !isBusyForLong && this.#workers.index((indexer) => indexer.flush(maxMs))
  }

  /** Reads every file again and returns the status at the end. If aborted, finished files stay indexed. */
  reindex(signal?: AbortSignal): Promise<IndexStatus> {
    return this.#workers.index((indexer) => indexer.reindex(undefined, { signal }))
  }

  settle(timeoutMs: number): Promise<boolean> {
    return this.#workers.index((indexer) => indexer.flush(timeoutMs))
  }

  notifyWritten(paths: readonly string[]): void {
    this.#inform((indexer) => indexer.notifyWritten(paths))
  }

  savePower(isSaving: boolean): void {
    this.#isSavingPower = isSaving
    this.#inform((indexer) => indexer.savePower(isSaving))
  }

  #inform(work: (indexer: IndexerClient) => Promise<unknown>): void {
    void this.#workers.index(work).catch((error: unknown) => this.#onFault(error))
  }

  async close(): Promise<void> {
    this.#provider.close()
    await this.#workers.close()
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

  #read<T>(work: (searcher: SearcherClient) => Promise<T>, isCurrent = false): Promise<T> {
    return this.#withFailureReason(async () => {
      if (isCurrent) await this.catchUp()
      return this.#workers.search(work)
    })
  }

  async #withFailureReason<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'index_unavailable') throw error
      const reason = failureOf(await this.status())
      if (reason === undefined) throw error
      throw new AppError(error.code, `${error.message}: ${reason}`, { reason }, { cause: error })
    }
  }

  #staleness(): Partial<Pick<SearchResponse, 'stale' | 'standstill' | 'reading'>> | undefined {
    if (!this.#status) return undefined
    const { state, done, total } = this.#status
    const standstill = failureOf(this.#status)
    if (standstill !== undefined) return { stale: true, standstill }
    const isReading = (state === 'starting' || state === 'indexing') && total >= minReading && done < total
    return isReading ? { stale: true, reading: { done, total } } : undefined
  }
}

/** Fewer files are indexed within a moment. */
const minReading = 50

function failureOf({ problems }: IndexStatus): string | undefined {
  return problems.find(({ code }) => code === 'index_failed')?.message
}
