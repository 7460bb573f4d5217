import { setTimeout as sleep } from 'node:timers/promises'
import { isAbort, AppError } from '#shared/util/errors.ts'
import { fromOrpcError, ThreadEndedError } from '#platform'
import type { IndexerEvent } from '../indexing/indexer.ts'
import { startThreads, stopThreads, type ThreadEntries, type MemoryWorkers } from './memory-workers.ts'

const maxCrashes = 3
const crashWindowMs = 60_000
/** Time for a worker's exit event to follow the end of its event stream, ms. */
const exitEventMs = 1000

export interface WorkerSupervisorOptions {
  readonly entries: ThreadEntries
  /**
   * Opens the index in new workers. `eventsSubscribed` resolves when the indexer's events are subscribed: `indexer.open` must not
   * be called before.
   */
  readonly open: (threads: MemoryWorkers, eventsSubscribed: Promise<void>) => Promise<void>
  readonly onEvent: (event: IndexerEvent) => void
  readonly onFault: (error: unknown) => void
  readonly onRecovered: () => void
}

export class WorkerSupervisor {
  readonly #options: WorkerSupervisorOptions
  #threads: Promise<MemoryWorkers>
  #replacement: Promise<void> = Promise.resolve()
  readonly #readers = new Set<Promise<unknown>>()
  /** Times of worker deaths, by `performance.now()`. */
  #crashes: readonly number[] = []

  constructor(options: WorkerSupervisorOptions) {
    this.#options = options
    this.#threads = this.#start()
  }

  /** Replaces the workers by new ones. Calls made meanwhile wait. @throws the error if the index can't be opened */
  async restart(): Promise<void> {
    this.#threads = this.#threads.then(stopThreads, () => undefined).then(() => this.#start())
    await this.#threads
  }

  async close(): Promise<void> {
    await this.#threads.then(stopThreads, () => undefined)
  }

  /** Calls the workers, or the new ones if they die or are replaced meanwhile. @throws AppError from the workers */
  async call<T>(work: (threads: MemoryWorkers) => Promise<T>): Promise<T> {
    const threadsAtCall = this.#threads
    try {
      return await work(await threadsAtCall)
    } catch (error) {
      if (threadsAtCall !== this.#threads && !isAbort(error)) return this.call(work)
      if (!(error instanceof ThreadEndedError)) throw fromOrpcError(error)
      throw new AppError('index_unavailable', 'the search worker stopped and is being restarted')
    }
  }

  /**
   * Reads the index. Waits while the index is being replaced; the replacement in turn waits for running reads. If the
   * index can't be opened, has it repaired once and tries again.
   */
  async read<T>(work: (threads: MemoryWorkers) => Promise<T>): Promise<T> {
    await this.#replacement
    const reading = this.call(work).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'index_unavailable') throw error
      await this.call(({ indexer }) => indexer.client.recover(error.data['isDamaged'] === true))
      return this.call(work)
    })
    this.#readers.add(reading)
    try {
      return await reading
    } finally {
      this.#readers.delete(reading)
    }
  }

  async #start(): Promise<MemoryWorkers> {
    const threads = startThreads(this.#options.entries)
    for (const thread of [threads.indexer, threads.searcher])
      void thread.exited.then((crash) => {
        if (!crash) return
        this.#options.onFault(crash)
        void this.#recover(threads)
      })
    try {
      const { indexer, searcher, stop } = threads
      const outcomes = searcher.client
        .outcomes(undefined, { signal: stop.signal })
        .then(
          (stream) =>
            void this.#follow(threads, stream, (outcome) => this.#options.onEvent({ type: 'provider', outcome })),
        )
      const eventsSubscribed = indexer.client
        .events(undefined, { signal: stop.signal })
        .then((stream) => void this.#follow(threads, stream, (event) => this.#handleEvent(threads, event)))
      await Promise.all([outcomes, eventsSubscribed, this.#options.open(threads, eventsSubscribed)])
      return threads
    } catch (error) {
      await stopThreads(threads)
      throw error
    }
  }

  async #follow<T>(
    threads: MemoryWorkers,
    events: AsyncIterable<T>,
    apply: (event: T) => Promise<void> | void,
  ): Promise<void> {
    try {
      for await (const event of events) await apply(event)
    } catch (error) {
      // A dying worker ends its event stream; its exit handler reports the error.
      const { indexer, searcher, stop } = threads
      await Promise.race([indexer.exited, searcher.exited, sleep(exitEventMs, undefined, { ref: false })])
      if (!stop.signal.aborted && indexer.isOpen && searcher.isOpen) this.#options.onFault(error)
    }
  }

  async #handleEvent(threads: MemoryWorkers, event: IndexerEvent): Promise<void> {
    if (event.type === 'replace' || event.type === 'reopen') await this.#replaceIndex(threads, event.type === 'replace')
    this.#options.onEvent(event)
  }

  /** Makes the searcher close the old index while the new one replaces it. */
  async #replaceIndex({ indexer, searcher }: MemoryWorkers, isRebuilt: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#replacement = promise
    try {
      if (isRebuilt) await Promise.allSettled(this.#readers)
      await searcher.client.release()
      try {
        if (isRebuilt) await indexer.client.swap()
      } finally {
        await searcher.client.resume()
      }
    } finally {
      resolve()
    }
  }

  async #recover(died: MemoryWorkers): Promise<void> {
    if (died.stop.signal.aborted) return
    const now = performance.now()
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindowMs), now]
    await stopThreads(died)
    if (this.#crashes.length > maxCrashes) return
    try {
      this.#threads = this.#start()
      await this.#threads
      this.#options.onRecovered()
    } catch (error) {
      this.#options.onFault(error)
    }
  }
}
