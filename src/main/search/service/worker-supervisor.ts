import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import type { ProviderOutcome } from '../embeddings/provider-health.ts'
import { fromOrpcError } from '#platform'
import type { IndexerEvent } from '../indexing/indexer.ts'
import { startThreads, stopThreads, rejectOnExit, type ThreadEntries, type MemoryWorkers } from './memory-workers.ts'

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
  readonly onOutcome: (outcome: ProviderOutcome) => void
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

  /** Starts the workers; `opened` waits for them. */
  constructor(options: WorkerSupervisorOptions) {
    this.#options = options
    this.#threads = this.#start()
  }

  /** @throws AppError if the index can't be opened */
  async opened(): Promise<void> {
    try {
      await this.#threads
    } catch (error) {
      throw fromOrpcError(error)
    }
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
      const threads = await threadsAtCall
      return await rejectOnExit(work(threads), threads.died.signal)
    } catch (error) {
      const isAborted = error instanceof Error && error.name === 'AbortError'
      if (threadsAtCall !== this.#threads && !isAborted) return this.call(work)
      throw fromOrpcError(error)
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
      thread.onExit((error) => {
        threads.died.abort()
        this.#options.onFault(error)
        void this.#recover(threads)
      })
    try {
      const outcomes = this.#followOutcomes(threads)
      const eventsSubscribed = this.#followEvents(threads)
      await Promise.all([outcomes, eventsSubscribed, this.#options.open(threads, eventsSubscribed)])
      return threads
    } catch (error) {
      await stopThreads(threads)
      throw error
    }
  }

  async #followEvents(threads: MemoryWorkers): Promise<void> {
    const events = await threads.indexer.client.events(undefined, { signal: threads.stop.signal })
    void this.#follow(threads, events, (event) => this.#handleEvent(threads, event))
  }

  async #followOutcomes(threads: MemoryWorkers): Promise<void> {
    const outcomes = await threads.searcher.client.outcomes(undefined, { signal: threads.stop.signal })
    void this.#follow(threads, outcomes, (outcome) => this.#options.onOutcome(outcome))
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
      await Promise.race([
        threads.indexer.exited,
        threads.searcher.exited,
        sleep(exitEventMs, undefined, { ref: false }),
      ])
      if (!threads.stop.signal.aborted && !threads.died.signal.aborted) this.#options.onFault(error)
    }
  }

  async #handleEvent(threads: MemoryWorkers, event: IndexerEvent): Promise<void> {
    if (event.type === 'pending') threads.pending.idleAt = event.isPending ? undefined : event.touches
    if (event.type === 'replace' || event.type === 'reopen') await this.#replaceIndex(threads, event.type === 'replace')
    this.#options.onEvent(event)
  }

  /** Makes the searcher close the old index while the new one replaces it. */
  async #replaceIndex({ indexer, searcher, died }: MemoryWorkers, isRebuilt: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#replacement = promise
    try {
      if (isRebuilt) await Promise.allSettled(this.#readers)
      // Rejects if the workers are replaced, because they would never answer.
      await rejectOnExit(searcher.client.release(), died.signal)
      try {
        if (isRebuilt) await rejectOnExit(indexer.client.swap(), died.signal)
      } finally {
        await rejectOnExit(searcher.client.resume(), died.signal)
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
