/** An agent's memory as the rest of the app sees it: search it, ask how it is, hear when it changes. */
import type { RouterClient } from '@orpc/server'
import type { Explanation, IndexStatus, SearchOptions, SearchResponse } from '../../shared/contract/index.ts'
import type { EmbeddingSource } from '../embeddings/index.ts'
import type { MemorySettings } from '../settings/index.ts'
import type { IndexerRouter } from './indexer-thread.ts'
import type { IndexerEvent } from './indexer.ts'
import type { SearcherRouter } from './searcher-thread.ts'
import type { IndexedFolder } from './sync.ts'
import { fromOrpcError } from './thread-errors.ts'
import { startIndexer, startSearcher, type Thread, type ThreadEntries } from './threads.ts'

/** A search waits this long for changes that are not in the index yet; then it answers from the old one (M9). */
const catchUpMs = 500

export interface MemoryOptions {
  readonly file: string
  readonly folders: readonly IndexedFolder[]
  readonly settings: MemorySettings
  readonly embedding: EmbeddingSource
  readonly threads: ThreadEntries
  readonly watch: boolean
  readonly onEvent: (event: Exclude<IndexerEvent, { type: 'replace' }>) => void
  readonly onCrash: (error: Error) => void
}

export class Memory {
  readonly #options: MemoryOptions
  readonly #indexer: Thread<RouterClient<IndexerRouter>>
  readonly #searcher: Thread<RouterClient<SearcherRouter>>
  readonly #stop = new AbortController()

  private constructor(options: MemoryOptions) {
    this.#options = options
    this.#indexer = startIndexer(options.threads)
    this.#searcher = startSearcher(options.threads)
    for (const thread of [this.#indexer, this.#searcher]) thread.onExit(options.onCrash)
  }

  static async open(options: MemoryOptions): Promise<Memory> {
    const memory = new Memory(options)
    try {
      await memory.#open()
      return memory
    } catch (error) {
      await memory.close()
      throw fromOrpcError(error)
    }
  }

  async search(query: string, options: SearchOptions = {}, signal?: AbortSignal): Promise<SearchResponse> {
    const stale = !(await this.#call(() => this.#indexer.client.settle(catchUpMs)))
    const request = { query, defaults: this.#options.settings.search, options, stale }
    return this.#call(() => this.#searcher.client.search(request, signal ? { signal } : {}))
  }

  async explain(
    query: string,
    options: SearchOptions = {},
    why?: { path: string; line: number },
    signal?: AbortSignal,
  ): Promise<Explanation> {
    const stale = !(await this.#call(() => this.#indexer.client.settle(catchUpMs)))
    const request = { query, defaults: this.#options.settings.search, options, stale, why }
    return this.#call(() => this.#searcher.client.explain(request, signal ? { signal } : {}))
  }

  status(): Promise<IndexStatus> {
    return this.#call(() => this.#indexer.client.status())
  }

  fileCounts(): Promise<{ path: string; source: string; words: number; tokens: number }[]> {
    return this.#call(() => this.#searcher.client.fileCounts())
  }

  async reindex(): Promise<IndexStatus> {
    return this.#call(() => this.#indexer.client.reindex())
  }

  /** Waits until the index is in step with the files, or `timeoutMs` have passed; false then. */
  settle(timeoutMs: number): Promise<boolean> {
    return this.#call(() => this.#indexer.client.settle(timeoutMs))
  }

  /** Tells of files that the app itself wrote, sooner than the watcher would. */
  touch(paths: readonly string[]): void {
    void this.#call(() => this.#indexer.client.touch(paths)).catch(this.#options.onCrash)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    // The last connection to close tidies the database up, and only a writing one can.
    await this.#searcher.client.release().catch(() => undefined)
    await this.#indexer.client.close().catch(() => undefined)
    await Promise.all([this.#indexer.terminate(), this.#searcher.terminate()])
  }

  async #open(): Promise<void> {
    const { file, folders, settings, embedding, watch } = this.#options
    const events = await this.#indexer.client.events(undefined, { signal: this.#stop.signal })
    void this.#follow(events)
    await this.#indexer.client.open({
      file,
      folders,
      chunk: settings.chunk,
      embedding,
      debounceMs: settings.sync.debounceMs,
      watch,
    })
    await this.#searcher.client.open({ file, embedding })
  }

  async #follow(events: AsyncIterable<IndexerEvent>): Promise<void> {
    try {
      for await (const event of events) {
        if (event.type === 'replace') await this.#replaceIndex()
        else this.#options.onEvent(event)
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onCrash(error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #replaceIndex(): Promise<void> {
    await this.#searcher.client.release()
    await this.#indexer.client.swap()
    this.#options.onEvent({ type: 'indexed' })
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw fromOrpcError(error)
    }
  }
}
