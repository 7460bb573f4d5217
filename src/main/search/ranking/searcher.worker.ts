import { EventPublisher, type } from '@orpc/server'
import { existsSync } from 'node:fs'
import type { EmbeddingModel, SearchResponse, SearchSettings } from '#shared/contract/index.ts'
import { clockAhead, type Clock, serveThread, threadBase } from '#platform'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { createEmbeddings, type EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { ProviderOutcome, QueryLeave } from '../embeddings/provider-health.ts'
import { LocalNotes, type NotesFolder } from '#workspace/privacy'
import { describeMissing } from '../vector/embed-queue.ts'
import { guardedEmbeddings } from '../vector/guarded-embeddings.ts'
import { isDamage, openForReading, type Db } from '../indexing/index-schema.ts'
import { QueryVectors } from '../vector/query-vectors.ts'
import { writeKept } from '../keyword/kept-ahead.ts'
import { Searcher, type Overrides } from './searcher.ts'

export interface SearchRequest {
  readonly query: string
  readonly defaults: SearchSettings
  readonly options: Overrides
  readonly stale: boolean
  /** How the embedding provider is. */
  readonly leave: QueryLeave
}

/** What was read is kept when the first searches are answered, ms. */
const keepAfterMs = 400

const outcomes = new EventPublisher<{ outcome: ProviderOutcome }>({ maxBufferedEvents: 1000 })
let file = ''
let now: Clock | undefined
let embeddings: QueryVectors | undefined
/** Why there is no provider although one is set. */
let off: SearchResponse['notice'] = null
let open: { readonly db: Db; readonly searcher: Searcher; isReading: boolean } | undefined

/** Another index is taking the place of the one that was open. */
let isReleased = false

/** The thread is about to end: a database that is open then can take the process down with it. */
let isClosed = false

function searcher(): Searcher {
  if (isReleased) throw new AppError('index_unavailable', 'another index is taking the place of this one')
  if (isClosed) throw new AppError('index_unavailable', 'the search has ended')
  if (!open) {
    try {
      const db = openForReading(file)
      open = { db, searcher: new Searcher(db, embeddings, now), isReading: false }
      open.searcher.begin()
    } catch (error) {
      throw new AppError('index_unavailable', 'the index cannot be opened', {}, { cause: error })
    }
  }
  return open.searcher
}

function searcherFor({ leave }: SearchRequest): Searcher {
  if (embeddings) embeddings.leave = leave
  return searcher()
}

function withNotice<T extends Pick<SearchResponse, 'notice'>>(answer: T): T {
  return { ...answer, notice: answer.notice ?? off }
}

/** Opens the index and reads it ahead. A damaged file is the indexer's to replace; the next search tries again. */
function openIfSound(): void {
  ifSound(() => {
    const reader = searcher()
    if (!open || open.isReading) return
    open.isReading = true
    readAhead(reader)
  })
}

function ifSound(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AppError) && !isDatabaseError(error)) throw error
  }
}

/** In the background: a search that comes meanwhile reads what is missing itself. */
function readAhead(reader: Searcher): void {
  if (reader.readAhead()) return later(reader, () => readAhead(reader))
  setTimeout(() => void keep(), keepAfterMs).unref()
}

/** For the next process; without it, that one reads everything itself. */
async function keep(): Promise<void> {
  try {
    const kept = open?.searcher.toKeep()
    if (kept) await writeKept(file, kept)
  } catch (error) {
    if (!(error instanceof AppError) && !isDatabaseError(error) && !isSystemError(error)) throw error
  }
}

function later(reader: Searcher, work: () => void): void {
  setImmediate(() => {
    if (reader === open?.searcher) ifSound(work)
  })
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
    // A damaged or half-made file is looked at anew by the next search.
    if (isDatabaseError(error)) {
      release()
      const data = { isDamaged: isDamage(error) }
      throw new AppError('index_unavailable', `the index cannot be read: ${error.message}`, data, { cause: error })
    }
    throw error
  }
})

const router = {
  open: base
    .input(type<{ file: string; embedding: EmbeddingSource; notes: readonly NotesFolder[]; clockAheadMs: number }>())
    .handler(async ({ input }) => {
      release()
      file = input.file
      now = clockAhead(input.clockAheadMs)
      const made = await createEmbeddings(input.embedding)
      const isRemote = typeof made === 'object' && !input.embedding.isLocal
      const provider = isRemote ? guardedEmbeddings(made, new LocalNotes(() => input.notes)) : made
      embeddings =
        typeof provider === 'object'
          ? new QueryVectors(provider, (outcome) => outcomes.publish('outcome', outcome))
          : undefined
      off =
        typeof provider === 'string'
          ? { code: 'vectors_off', message: describeMissing(provider, input.embedding) }
          : null
      // Opened now if it is there, so that a search finds it even if somebody deletes the file meanwhile.
      if (existsSync(file)) openIfSound()
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
  /** What became of each request to the provider. */
  outcomes: threadBase.handler(({ signal }) => outcomes.subscribe('outcome', signal ? { signal } : {})),
  /** Asks the provider whether it is there; undefined where there is none. */
  probe: base.handler(() => {
    openIfSound()
    return embeddings?.probe(open?.searcher.dimensions ?? 0)
  }),
  meaning: base
    .input(type<EmbeddingModel | undefined>())
    .handler(({ input, signal }) => searcher().meaning(input, signal)),
  nearNotes: base
    .input(type<{ path: string; most: number }>())
    .handler(({ input: { path, most } }) => searcher().nearNotes(path, most)),
  fileCounts: base.handler(() => searcher().fileCounts()),
  /** Lets go of the file, and opens none until `resume`, so that another can take its place. */
  release: base.handler(() => {
    isReleased = true
    release()
  }),
  resume: base.handler(() => {
    isReleased = false
    if (existsSync(file)) openIfSound()
  }),
  /** Lets go of it for good. */
  close: base.handler(async () => {
    isClosed = true
    await keep()
    release()
  }),
}

export type SearcherRouter = typeof router

serveThread(router)
