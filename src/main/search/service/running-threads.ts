import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import type { ProviderOutcome } from '../embeddings/provider-health.ts'
import { fromOrpcError } from '#platform'
import type { IndexerEvent } from '../indexing/indexer.ts'
import { startThreads, stopThreads, unlessDead, type ThreadEntries, type Threads } from './memory-threads.ts'

/** Threads that die more often than this within the time are not started again. */
const maxCrashes = 3
const crashWindowMs = 60_000
/** A thread whose events have ended has ended itself within this time, ms. */
const endMs = 1000

export interface ThreadsOptions {
  readonly entries: ThreadEntries
  /** Tells threads that were just started what to open; before the indexer opens anything, it is heard. */
  readonly open: (threads: Threads, heard: Promise<void>) => Promise<void>
  readonly onEvent: (event: IndexerEvent) => void
  /** What became of a request to the embedding provider. */
  readonly onOutcome: (outcome: ProviderOutcome) => void
  readonly onFault: (error: unknown) => void
  readonly onRecovered: () => void
}

export class RunningThreads {
  readonly #options: ThreadsOptions
  #threads: Promise<Threads>
  #exchange: Promise<void> = Promise.resolve()
  readonly #readers = new Set<Promise<unknown>>()
  /** When threads died, by `performance.now()`. */
  #crashes: readonly number[] = []

  /** They start at once; `opened` waits for them. */
  constructor(options: ThreadsOptions) {
    this.#options = options
    this.#threads = this.#start()
  }

  /** @throws AppError when there is no index to be had */
  async opened(): Promise<void> {
    try {
      await this.#threads
    } catch (error) {
      throw fromOrpcError(error)
    }
  }

  /** Others take their place, opened anew; calls made meanwhile wait for them. */
  async restart(): Promise<void> {
    this.#threads = this.#threads.then(stopThreads, () => undefined).then(() => this.#start())
    await this.#threads
  }

  async close(): Promise<void> {
    await this.#threads.then(stopThreads, () => undefined)
  }

  /** Asks the threads something; those that took the place of dead ones know as well. */
  async call<T>(work: (threads: Threads) => Promise<T>): Promise<T> {
    const asked = this.#threads
    try {
      const threads = await asked
      return await unlessDead(work(threads), threads.died.signal)
    } catch (error) {
      const isAborted = error instanceof Error && error.name === 'AbortError'
      if (asked !== this.#threads && !isAborted) return this.call(work)
      throw fromOrpcError(error)
    }
  }

  /**
   * Reads the index. Reading takes part in its exchange: none begins while one is under way, and one that has begun is
   * waited for. If the index cannot be opened, it is made sure of once, then the same is tried again.
   */
  async read<T>(work: (threads: Threads) => Promise<T>): Promise<T> {
    await this.#exchange
    const reading = this.call(work).catch(async (error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'index_unavailable') throw error
      await this.call(({ indexer }) => indexer.client.revive(error.data['isDamaged'] === true))
      return this.call(work)
    })
    this.#readers.add(reading)
    try {
      return await reading
    } finally {
      this.#readers.delete(reading)
    }
  }

  async #start(): Promise<Threads> {
    const threads = startThreads(this.#options.entries)
    for (const thread of [threads.indexer, threads.searcher])
      thread.onExit((error) => {
        threads.died.abort()
        this.#options.onFault(error)
        void this.#recover(threads)
      })
    try {
      const outcomes = this.#followOutcomes(threads)
      const heard = this.#followEvents(threads)
      await Promise.all([outcomes, heard, this.#options.open(threads, heard)])
      return threads
    } catch (error) {
      await stopThreads(threads)
      throw error
    }
  }

  async #followEvents(threads: Threads): Promise<void> {
    const events = await threads.indexer.client.events(undefined, { signal: threads.stop.signal })
    void this.#follow(threads, events, (event) => this.#hear(threads, event))
  }

  async #followOutcomes(threads: Threads): Promise<void> {
    const outcomes = await threads.searcher.client.outcomes(undefined, { signal: threads.stop.signal })
    void this.#follow(threads, outcomes, (outcome) => this.#options.onOutcome(outcome))
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
      if (!threads.stop.signal.aborted && !threads.died.signal.aborted) this.#options.onFault(error)
    }
  }

  async #hear(threads: Threads, event: IndexerEvent): Promise<void> {
    if (event.type === 'pending') threads.pending.idleAt = event.isPending ? undefined : event.touches
    if (event.type === 'replace' || event.type === 'reopen')
      await this.#exchangeIndex(threads, event.type === 'replace')
    this.#options.onEvent(event)
  }

  /** Lets the searcher go of the old index while the new one takes its place. */
  async #exchangeIndex({ indexer, searcher, died }: Threads, isRebuilt: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#exchange = promise
    try {
      if (isRebuilt) await Promise.allSettled(this.#readers)
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
      this.#options.onRecovered()
    } catch (error) {
      this.#options.onFault(error)
    }
  }
}
