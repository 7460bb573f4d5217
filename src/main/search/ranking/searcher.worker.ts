import { EventPublisher, type } from '@orpc/server'
import { existsSync } from 'node:fs'
import type { EmbeddingModel, SearchResponse, SearchSettings } from '#shared/contract/index.ts'
import { clockWithOffset, systemClock, type Clock, serveThread, threadBase } from '#platform'
import { AppError } from '#shared/util/errors.ts'
import { createEmbeddings, type EmbeddingSource } from '../embeddings/create-embeddings.ts'
import { ProviderHealth, type ProviderOutcome, type QueryPermit } from '../embeddings/provider-health.ts'
import { describeIncompleteSettings } from '../vector/embed-queue.ts'
import { hasCurrentSchema, hasModel, isCorruption, openForReading, type Db } from '../indexing/index-schema.ts'
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

/** Time that a search waits for a model of earlier settings, ms, at first and after a pause. */
const earlierWaitMs = 1000

const outcomes = new EventPublisher<{ outcome: ProviderOutcome }>({ maxBufferedEvents: 1000 })
let file = ''
let now: Clock | undefined
let embeddings: QueryEmbedder | undefined
/** Models of earlier settings, newest first. One is used while the index still has its vectors. */
let earlier: readonly QueryEmbedder[] = []
/** Notice for results if a provider is configured but can't be created. */
let setupNotice: SearchResponse['notice'] = null
let open: { readonly db: Db; readonly embedder: QueryEmbedder | undefined; readonly searcher: Searcher } | undefined

let isReleased = false

/** True once the worker is about to end: an open database could crash the process then. */
let isClosed = false

function searcher(): Searcher {
  if (isReleased) throw new AppError('index_unavailable', 'the index is being replaced')
  if (isClosed) throw new AppError('index_unavailable', 'the search is closed')
  if (!open) {
    const db = openIndex()
    try {
      const embedder = [embeddings, ...earlier].find((one) => one && hasModel(db, one)) ?? embeddings
      open = { db, embedder, searcher: new Searcher(db, embedder, now) }
    } catch (error) {
      db.close()
      throw error
    }
  }
  return open.searcher
}

/** Returns the models of earlier settings, each with a health of its own. */
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
  return { ...answer, notice: answer.notice ?? (open?.embedder === embeddings ? setupNotice : null) }
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
    .input(
      type<{ file: string; embedding: EmbeddingSource; earlier: readonly EmbeddingSource[]; clockAheadMs: number }>(),
    )
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
      earlier = await openEarlier(input.earlier)
      // Opened at once, so that searches work even if the file is deleted meanwhile.
      if (existsSync(file)) openIfReadable()
      if (open && open.searcher.dimensions > 0) setImmediate(() => open?.embedder?.prepare())
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
    return embeddings?.probe(open && open.embedder === embeddings ? open.searcher.dimensions : 0)
  }),
  embeddingCost: base
    .input(type<EmbeddingModel | undefined>())
    .handler(({ input, signal }) => searcher().embeddingCost(input, signal, embeddings)),
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
