import { EventPublisher, type } from '@orpc/server'
import { existsSync } from 'node:fs'
import type { EmbeddingModel, SearchResponse, SearchSettings } from '#shared/contract/index.ts'
import { clockWithOffset, type Clock, serveThread, threadBase } from '#platform'
import { AppError } from '#shared/util/errors.ts'
import { createEmbeddings, type EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { ProviderOutcome, QueryPermit } from '../embeddings/provider-health.ts'
import { describeIncompleteSettings } from '../vector/embed-queue.ts'
import { hasCurrentSchema, isCorruption, openForReading, type Db } from '../indexing/index-schema.ts'
import type { SearchOverrides } from '../query/overrides.ts'
import { QueryEmbedder } from '../vector/query-embedder.ts'
import { Searcher } from './searcher.ts'

export interface SearchRequest {
  readonly query: string
  readonly defaults: SearchSettings
  readonly options: SearchOverrides
  readonly stale: boolean
  readonly leave: QueryPermit
}

const outcomes = new EventPublisher<{ outcome: ProviderOutcome }>({ maxBufferedEvents: 1000 })
let file = ''
let now: Clock | undefined
let embeddings: QueryEmbedder | undefined
/** Notice for results if a provider is configured but can't be created. */
let setupNotice: SearchResponse['notice'] = null
let open: { readonly db: Db; readonly searcher: Searcher } | undefined

let isReleased = false

/** True once the worker is about to end: an open database could crash the process then. */
let isClosed = false

function searcher(): Searcher {
  if (isReleased) throw new AppError('index_unavailable', 'the index is being replaced')
  if (isClosed) throw new AppError('index_unavailable', 'the search is closed')
  if (!open) {
    const db = openIndex()
    try {
      open = { db, searcher: new Searcher(db, embeddings, now) }
    } catch (error) {
      db.close()
      throw error
    }
  }
  return open.searcher
}

/** @throws AppError `index_unavailable` if the file can't be opened, or is from a version with other tables */
function openIndex(): Db {
  let db: Db
  try {
    db = openForReading(file)
  } catch (error) {
    throw new AppError('index_unavailable', 'the index cannot be opened', {}, { cause: error })
  }
  if (hasCurrentSchema(db)) return db
  db.close()
  throw new AppError('index_unavailable', 'the index is being rebuilt for this version')
}

function searcherFor({ leave }: SearchRequest): Searcher {
  if (embeddings) embeddings.permit = leave
  return searcher()
}

function withNotice<T extends Pick<SearchResponse, 'notice'>>(answer: T): T {
  return { ...answer, notice: answer.notice ?? setupNotice }
}

/**
 * Opens the index and preloads it. Ignores database errors: the indexer replaces a damaged file, and the next search
 * tries again.
 */
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

const base = threadBase.use(async ({ next }) => {
  try {
    return await next()
  } catch (error) {
    // Closes the file; the next search opens it again.
    if (isDatabaseError(error)) {
      release()
      const data = { isDamaged: isCorruption(error) }
      throw new AppError('index_unavailable', `the index cannot be read: ${error.message}`, data, { cause: error })
    }
    throw error
  }
})

const router = {
  open: base
    .input(type<{ file: string; embedding: EmbeddingSource; clockAheadMs: number }>())
    .handler(async ({ input }) => {
      release()
      file = input.file
      now = clockWithOffset(input.clockAheadMs)
      const made = await createEmbeddings(input.embedding)
      embeddings =
        typeof made === 'object'
          ? new QueryEmbedder(made, !input.embedding.isLocal, (outcome) => outcomes.publish('outcome', outcome))
          : undefined
      setupNotice =
        typeof made === 'string'
          ? { code: 'vectors_off', message: describeIncompleteSettings(made, input.embedding) }
          : null
      // Opened at once, so that searches work even if the file is deleted meanwhile.
      if (existsSync(file)) openIfReadable()
      if (open && open.searcher.dimensions > 0) setImmediate(() => embeddings?.prepare())
    }),
  search: base
    .input(type<SearchRequest>())
    .handler(async ({ input, signal }) =>
      withNotice(await searcherFor(input).search(input.query, input.defaults, input.options, input.stale, signal)),
    ),
  explain: base
    .input(type<SearchRequest & { why?: { path: string; line: number } | undefined }>())
    .handler(async ({ input, signal }) =>
      withNotice(
        await searcherFor(input).explain(input.query, input.defaults, input.options, input.why, input.stale, signal),
      ),
    ),
  outcomes: threadBase.handler(({ signal }) => outcomes.subscribe('outcome', signal ? { signal } : {})),
  /** Tests the provider; undefined if there is none. */
  probe: base.handler(() => {
    openIfReadable()
    return embeddings?.probe(open?.searcher.dimensions ?? 0)
  }),
  embeddingCost: base
    .input(type<EmbeddingModel | undefined>())
    .handler(({ input, signal }) => searcher().embeddingCost(input, signal)),
  nearNotes: base
    .input(type<{ path: string; most: number }>())
    .handler(({ input: { path, most } }) => searcher().similarNotes(path, most)),
  indexedFiles: base.handler(() => searcher().indexedFiles()),
  privateVersion: base.handler(() => searcher().privateVersion()),
  privateKeys: base.handler(() => searcher().privateKeys()),
  privateLines: base.input(type<readonly string[]>()).handler(({ input }) => searcher().privateLines(input)),
  /** Closes the file until `resume`, so that it can be replaced. */
  release: base.handler(() => {
    isReleased = true
    release()
  }),
  resume: base.handler(() => {
    isReleased = false
    if (existsSync(file)) openIfReadable()
  }),
  close: base.handler(() => {
    isClosed = true
    release()
  }),
}

export type SearcherRouter = typeof router

serveThread(router)
