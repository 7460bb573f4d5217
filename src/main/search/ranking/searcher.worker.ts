import { EventPublisher } from '@orpc/server'
import { existsSync } from 'node:fs'
import type { EmbeddingModel, SearchResponse, SearchSettings } from '#shared/contract/index.ts'
import { clockWithOffset, systemClock, type Clock, serveWorker } from '#platform'
import { AppError } from '#shared/util/errors.ts'
import { WrittenDays } from '#workspace'
import { createEmbeddings, type EmbeddingSource } from '../embeddings/create-embeddings.ts'
import { ProviderHealth, type ProviderOutcome, type QueryPermit } from '../embeddings/provider-health.ts'
import { describeIncompleteSettings } from '../vector/embed-queue.ts'
import { hasCurrentSchema, hasModel, isCorruption, openForReading, type Db } from '../indexing/index-schema.ts'
import { type SearchOverrides, Searcher } from './searcher.ts'
import { QueryEmbedder } from '../vector/query-embedder.ts'

export interface SearchRequest {
  readonly query: string
  readonly defaults: SearchSettings
  readonly options: SearchOverrides
  readonly stale: boolean
  readonly leave: QueryPermit
}

interface ExplainRequest extends SearchRequest {
  readonly why?: { readonly path: string; readonly line: number } | undefined
}

interface SearcherSettings {
  readonly file: string
  readonly embedding: EmbeddingSource
  readonly earlier: readonly EmbeddingSource[]
  readonly changeLog: string | undefined
  readonly clockAheadMs: number
}

/** Time that a search waits for a model of earlier settings, ms, at first and after a pause. */
const earlierWaitMs = 1000

function createJobs() {
  const outcomes = new EventPublisher<{ outcome: ProviderOutcome }>({ maxBufferedEvents: 1000 })
  let file = ''
  let now: Clock | undefined
  let writtenDays: WrittenDays | undefined
  let embeddings: QueryEmbedder | undefined
  /** Models of earlier settings, newest first. One is used while the index still has its vectors. */
  let earlier: readonly QueryEmbedder[] = []
  /** Notice for results if a provider is configured but can't be created. */
  let setupNotice: SearchResponse['notice'] = null
  let open: { readonly db: Db; readonly embedder: QueryEmbedder | undefined; readonly searcher: Searcher } | undefined

  let isReleased = false

  /** True once the worker is about to end: an open database could crash the process then. */
  let isClosed = false

  /** @throws AppError `index_unavailable` if the file can't be opened, or is from a version with other tables */
  function searcher(): Searcher {
    if (isReleased) throw new AppError('index_unavailable', 'the index is being replaced')
    if (isClosed) throw new AppError('index_unavailable', 'the search is closed')
    if (!open) {
      const db = openFile()
      try {
        if (!hasCurrentSchema(db))
          throw new AppError('index_unavailable', 'the index is being rebuilt for this version')
        const embedder = [embeddings, ...earlier].find((one) => one && hasModel(db, one.source)) ?? embeddings
        open = { db, embedder, searcher: new Searcher(db, embedder, now, writtenDays) }
      } catch (error) {
        db.close()
        throw error
      }
    }
    return open.searcher
  }

  async function openEarlier(sources: readonly EmbeddingSource[]): Promise<QueryEmbedder[]> {
    const embedders: QueryEmbedder[] = []
    for (const source of sources) {
      const made = await createEmbeddings(source)
      if (typeof made !== 'object') continue
      const health = new ProviderHealth(now ?? systemClock)
      const embedder = new QueryEmbedder(made, !source.isLocal, (outcome) => {
        health.record(outcome)
        embedder.permit = health.queryPermit()
        const { failure, retryInMs } = health
        if (failure) setTimeout(() => (embedder.permit = { waitMs: earlierWaitMs }), retryInMs).unref()
      })
      embedder.permit = { waitMs: earlierWaitMs }
      embedders.push(embedder)
    }
    return embedders
  }

  function openFile(): Db {
    try {
      return openForReading(file)
    } catch (error) {
      throw new AppError('index_unavailable', 'the index cannot be opened', {}, { cause: error })
    }
  }

  async function answer<T extends Pick<SearchResponse, 'notice'>>(
    permit: QueryPermit,
    work: (reader: Searcher) => Promise<T>,
  ): Promise<T> {
    if (embeddings) embeddings.permit = permit
    const answered = await read(work)
    return { ...answered, notice: answered.notice ?? (open?.embedder === embeddings ? setupNotice : null) }
  }

  /** Opens and preloads the index. Ignores database errors: the indexer replaces a damaged file for the next search. */
  function openIfReadable(): void {
    ignoringDatabaseErrors(() => {
      const reader = searcher()
      setImmediate(() => {
        if (reader === open?.searcher) ignoringDatabaseErrors(() => reader.preload())
      })
    })
  }

  function ignoringDatabaseErrors(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof AppError) && !isDatabaseError(error)) throw error
    }
  }

  function release(): void {
    open?.db.close()
    open = undefined
  }

  function isDatabaseError(error: unknown): error is Error {
    return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')
  }

  /**
   * Reads the index. If the file can't be read, closes it; the next search opens it again.
   * @throws AppError `index_unavailable`; `isDamaged` is true if the file is corrupt
   */
  async function read<T>(work: (reader: Searcher) => T | Promise<T>): Promise<T> {
    try {
      return await work(searcher())
    } catch (error) {
      if (!isDatabaseError(error)) throw error
      release()
      const data = { isDamaged: isCorruption(error) }
      throw new AppError('index_unavailable', `the index cannot be read: ${error.message}`, data, { cause: error })
    }
  }

  return {
    async open({ file: indexFile, embedding, earlier: sources, changeLog, clockAheadMs }: SearcherSettings) {
      release()
      writtenDays?.close()
      writtenDays = changeLog === undefined ? undefined : new WrittenDays(changeLog)
      file = indexFile
      now = clockWithOffset(clockAheadMs)
      const made = await createEmbeddings(embedding)
      embeddings =
        typeof made === 'object'
          ? new QueryEmbedder(made, !embedding.isLocal, (outcome) => outcomes.publish('outcome', outcome))
          : undefined
      setupNotice =
        typeof made === 'string' ? { code: 'vectors_off', message: describeIncompleteSettings(made, embedding) } : null
      earlier = await openEarlier(sources)
      // Opened at once, so that searches work even if the file is deleted meanwhile.
      if (existsSync(file)) openIfReadable()
      if (open && open.searcher.dimensions > 0) setImmediate(() => open?.embedder?.prepare())
    },
    search: ({ query, defaults, options, stale, leave }: SearchRequest, signal?: AbortSignal) =>
      answer(leave, (reader) => reader.search(query, defaults, options, stale, signal)),
    explain: ({ query, defaults, options, why, stale, leave }: ExplainRequest, signal?: AbortSignal) =>
      answer(leave, (reader) => reader.explain(query, defaults, options, why, stale, signal)),
    outcomes: (_: undefined, signal?: AbortSignal) => outcomes.subscribe('outcome', signal ? { signal } : {}),
    async probe() {
      openIfReadable()
      return embeddings?.probe(open && open.embedder === embeddings ? open.searcher.dimensions : 0)
    },
    embeddingCost: (model: EmbeddingModel | undefined, signal?: AbortSignal) =>
      read((reader) => reader.embeddingCost(model, signal, embeddings)),
    similarNotes: ({ path, limit }: { readonly path: string; readonly limit: number }) =>
      read((reader) => reader.similarNotes(path, limit)),
    indexedFiles: () => read((reader) => reader.indexedFiles()),
    privateVersion: () => read((reader) => reader.privateVersion()),
    privateLines: (lines: readonly string[]) => read((reader) => reader.privateLines(lines)),
    /** Closes the file until `resume`, so that it can be replaced. */
    async release() {
      isReleased = true
      release()
    },
    async resume() {
      isReleased = false
      if (existsSync(file)) openIfReadable()
    },
    async close() {
      isClosed = true
      release()
      writtenDays?.close()
    },
  }
}

export type SearcherJobs = ReturnType<typeof createJobs>

serveWorker(createJobs)
