/** Entry of the searching thread: a `Searcher` on a connection of its own, behind typed calls. */
import { type } from '@orpc/server'
import { existsSync } from 'node:fs'
import type { SearchOptions } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { createEmbeddings, type EmbeddingProvider, type EmbeddingSource } from '../embeddings/index.ts'
import { openForReading, type Db } from './schema.ts'
import { Searcher, type SearchDefaults } from './search/searcher.ts'
import { serveThread, threadBase } from '../thread/index.ts'

export interface SearchRequest {
  readonly query: string
  readonly defaults: SearchDefaults
  readonly options: SearchOptions
  readonly stale: boolean
}

let file = ''
let embeddings: EmbeddingProvider | undefined
let open: { readonly db: Db; readonly searcher: Searcher } | undefined

/** The thread is about to end: a database that is open then can take the process down with it. */
let isClosed = false

function searcher(): Searcher {
  if (isClosed) throw new AppError('index_unavailable', 'the search has ended')
  if (!open) {
    try {
      const db = openForReading(file)
      open = { db, searcher: new Searcher(db, embeddings) }
    } catch (error) {
      throw new AppError('index_unavailable', 'the index cannot be opened', {}, { cause: error })
    }
  }
  return open.searcher
}

/** A damaged file is the indexer's to replace; the next search tries again. */
function openIfSound(): void {
  try {
    searcher().warm()
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
    // A damaged or half-made file is looked at anew by the next search.
    if (isDatabaseError(error)) {
      release()
      throw new AppError('index_unavailable', `the index cannot be read: ${error.message}`, {}, { cause: error })
    }
    throw error
  }
})

const router = {
  open: base.input(type<{ file: string; embedding: EmbeddingSource }>()).handler(async ({ input }) => {
    release()
    file = input.file
    const provider = await createEmbeddings(input.embedding)
    embeddings = typeof provider === 'string' ? undefined : provider
    // Opened now if it is there, so that a search finds it even if somebody deletes the file meanwhile.
    if (existsSync(file)) openIfSound()
  }),
  search: base
    .input(type<SearchRequest>())
    .handler(({ input, signal }) => searcher().search(input.query, input.defaults, input.options, input.stale, signal)),
  explain: base
    .input(type<SearchRequest & { why?: { path: string; line: number } | undefined }>())
    .handler(({ input, signal }) =>
      searcher().explain(input.query, input.defaults, input.options, input.why, input.stale, signal),
    ),
  fileCounts: base.handler(() => searcher().fileCounts()),
  /** Lets go of the file, so that another can take its place. */
  release: base.handler(release),
  /** Lets go of it for good. */
  close: base.handler(() => {
    isClosed = true
    release()
  }),
}

export type SearcherRouter = typeof router

serveThread(router)
