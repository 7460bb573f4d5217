import { existsSync } from 'node:fs'
import { AppError, isAbort } from '#shared/util/errors.ts'
import {
  ThreadEndedError,
  workerEntry,
  WorkerHost,
  type Clock,
  type WorkerClient,
  type WorkerJobs,
  systemClock,
} from '#platform'
import type { ProviderOutcome } from '../embeddings/provider-health.ts'
import type { IndexerEvent, IndexerSettings } from '../indexing/indexer.ts'
import type { IndexerJobs } from '../indexing/indexer.worker.ts'
import type { SearcherJobs } from '../ranking/searcher.worker.ts'

export type ThreadEntries = Readonly<ReturnType<typeof threadEntries>>

export function threadEntries(mainFolder: URL) {
  return {
    indexer: workerEntry(mainFolder, 'search/indexing/indexer.worker'),
    searcher: workerEntry(mainFolder, 'search/ranking/searcher.worker'),
  }
}

export type IndexerClient = WorkerClient<IndexerJobs>
export type SearcherClient = WorkerClient<SearcherJobs>

export interface IndexWorkersOptions {
  readonly entries: ThreadEntries
  readonly now: Clock
  readonly settings: () => IndexerSettings
  readonly onOpened: (indexer: IndexerClient) => Promise<void>
  readonly onEvent: (event: IndexerEvent) => void
  readonly onFault: (error: unknown) => void
  /** Called when both workers run again after a crash. */
  readonly onRecovered: () => void
}

const maxCrashes = 3
const crashWindowMs = 60_000
/** On Windows, a file that the searcher has open can't be replaced. */
const canBeOpenTwice = process.platform !== 'win32'
/** Without searches, the searcher gives its memory back after this time, ms. The next search starts it in 0.3 s. */
const searcherIdleMs = 60_000
/** Searches allocate many short-lived objects. */
const searcherYoungGenerationMb = 8

/** The two workers of a memory: the indexer writes the index, the searcher reads it. Both restart after a crash. */
export class IndexWorkers {
  readonly #options: IndexWorkersOptions
  readonly #indexer: WorkerHost<IndexerJobs>
  readonly #searcher: WorkerHost<SearcherJobs>
  #replacement: Promise<void> = Promise.resolve()
  readonly #readers = new Set<Promise<unknown>>()
  #crashes: readonly number[] = []
  #restarts = 0
  /** Settles when the workers that `restart` replaces have ended. */
  #stopped: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: IndexWorkersOptions) {
    this.#options = options
    const { entries } = options
    const onCrash = (error: Error) => void this.#recover(error)
    this.#indexer = new WorkerHost<IndexerJobs>({
      entry: entries.indexer,
      onStart: (client, ending) => this.#openIndexer(client, ending),
      onStop: (client) => client.close(),
      onCrash,
    })
    this.#searcher = new WorkerHost<SearcherJobs>({
      entry: entries.searcher,
      youngGenerationMb: searcherYoungGenerationMb,
      idleMs: searcherIdleMs,
      onStart: (client, ending) => this.#openSearcher(client, ending),
      onStop: (client) => client.close(),
      onCrash,
    })
  }

  async start(): Promise<void> {
    const nothing = async () => undefined
    await Promise.all([this.index(nothing), this.#call(this.#searcher, nothing)])
  }

  /** @throws AppError from the indexer, `index_unavailable` */
  index<T>(work: (indexer: IndexerClient) => Promise<T>): Promise<T> {
    return this.#call(this.#indexer, work)
  }

  /**
   * Calls the searcher. Waits while the index is being replaced; the replacement in turn waits for running reads. If the
   * index can't be opened, has it repaired once and tries again.
   * @throws AppError from the searcher, `index_unavailable`
   */
  async search<T>(work: (searcher: SearcherClient) => Promise<T>): Promise<T> {
    await this.#replacement
    const reading = this.#call(this.#searcher, work).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'index_unavailable') throw error
      await this.index((indexer) => indexer.recover(error.data['isDamaged'] === true))
      return this.#call(this.#searcher, work)
    })
    this.#readers.add(reading)
    try {
      return await reading
    } finally {
      this.#readers.delete(reading)
    }
  }

  probe(): Promise<ProviderOutcome | undefined> {
    return this.#call(this.#searcher, (searcher) => searcher.probe())
  }

  /** Replaces the workers by new ones. Unanswered calls go to the new ones. @throws as `start` */
  async restart(): Promise<void> {
    const stopped = this.#replacement.then(() => {
      this.#restarts += 1
      return (this.#stopped = this.#stop())
    })
    this.#replacement = stopped
    await stopped
    await this.start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#stop()
  }

  async #stop(): Promise<void> {
    // The last connection to close checkpoints the database, which only a writable one can do, so the indexer is closed
    // last.
    await this.#searcher.close()
    await this.#indexer.close()
  }

  /** Repeats a call whose worker ends before it answers, or was replaced meanwhile. */
  async #call<Jobs extends WorkerJobs, T>(
    host: WorkerHost<Jobs>,
    work: (client: WorkerClient<Jobs>) => Promise<T>,
  ): Promise<T> {
    await this.#stopped
    if (this.#isClosed) throw new AppError('index_unavailable', 'the search is closed')
    if (this.#hasCrashedTooOften) throw new AppError('index_unavailable', 'the search worker keeps stopping')
    const restarts = this.#restarts
    try {
      return await host.run(work)
    } catch (error) {
      // A worker that is about to end closes the index while it answers.
      const wasReplaced = restarts !== this.#restarts && !isAbort(error)
      if (!wasReplaced && !(error instanceof ThreadEndedError)) throw error
      return this.#call(host, work)
    }
  }

  async #openIndexer(client: IndexerClient, ending: AbortSignal): Promise<void> {
    // Subscribed first: events are not stored.
    const events = await client.events(undefined, { signal: ending })
    void this.#follow(events, ending, (event) => this.#handleEvent(event))
    await client.open(this.#options.settings())
    await this.#options.onOpened(client)
  }

  async #openSearcher(client: SearcherClient, ending: AbortSignal): Promise<void> {
    const { now, settings } = this.#options
    const { file, embedding, earlier = [], changeLog } = settings()
    const outcomes = await client.outcomes(undefined, { signal: ending })
    const onOutcome = (outcome: ProviderOutcome) => this.#options.onEvent({ type: 'provider', outcome })
    void this.#follow(outcomes, ending, onOutcome)
    // An existing index is opened while the indexer starts.
    if (!canBeOpenTwice || !existsSync(file)) await this.#indexer.run(async () => undefined)
    await client.open({ file, embedding, earlier, changeLog, clockAheadMs: now().getTime() - systemClock().getTime() })
  }

  async #follow<T>(
    events: AsyncIterable<T>,
    ending: AbortSignal,
    apply: (event: T) => Promise<void> | void,
  ): Promise<void> {
    try {
      for await (const event of events) await apply(event)
    } catch (error) {
      if (!ending.aborted && !isAbort(error)) this.#options.onFault(error)
    }
  }

  async #handleEvent(event: IndexerEvent): Promise<void> {
    try {
      if (event.type === 'replace' || event.type === 'reopen') await this.#replaceIndex(event.type === 'replace')
      this.#options.onEvent(event)
    } catch (error) {
      if (!(error instanceof ThreadEndedError)) this.#options.onFault(error)
    }
  }

  /** Makes the searcher close the old index while the new one replaces it. */
  async #replaceIndex(isRebuilt: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#replacement = promise
    try {
      await Promise.allSettled(this.#readers)
      const hasSearcher = this.#searcher.isRunning
      if (hasSearcher) await this.#searcher.run((searcher) => searcher.release())
      try {
        if (isRebuilt) await this.#indexer.run((indexer) => indexer.swap())
      } finally {
        if (hasSearcher) await this.#searcher.run((searcher) => searcher.resume())
      }
    } finally {
      resolve()
    }
  }

  get #hasCrashedTooOften(): boolean {
    const now = performance.now()
    this.#crashes = this.#crashes.filter((at) => now - at < crashWindowMs)
    return this.#crashes.length > maxCrashes
  }

  async #recover(error: Error): Promise<void> {
    this.#options.onFault(error)
    this.#crashes = [...this.#crashes, performance.now()]
    if (this.#isClosed || this.#hasCrashedTooOften) return
    try {
      await this.start()
      this.#options.onRecovered()
    } catch (reason) {
      this.#options.onFault(reason)
    }
  }
}
