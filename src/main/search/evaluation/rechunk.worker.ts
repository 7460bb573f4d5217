/** Entry of the thread that tries another size of chunks on part of a memory, by keywords only (M44). */
import { type } from '@orpc/server'
import type { Explanation, SearchOptions, SearchSettings } from '#shared/contract/index.ts'
import { clockWithOffset, serveThread, threadBase } from '#platform'
import type { ChunkSettings } from '../indexing/chunk.ts'
import { createTables, openForWriting } from '../indexing/index-schema.ts'
import { Searcher } from '../ranking/searcher.ts'
import { IndexStore } from '../indexing/index-store.ts'
import type { IndexedFolder } from '../indexing/indexed-folder.ts'
import { syncPaths } from '../indexing/sync.ts'

export interface RechunkRequest {
  readonly folder: IndexedFolder
  /** Of the files that take part, relative to the folder. */
  readonly paths: readonly string[]
  readonly sizes: readonly ChunkSettings[]
  readonly query: string
  readonly defaults: SearchSettings
  readonly options: SearchOptions
  readonly clockAheadMs: number
}

export interface Rechunked {
  readonly chunks: number
  readonly explanation: Explanation
}

/** An index in memory, searched by the same code as any other. */
async function tryOne(
  { folder, paths, query, defaults, options, clockAheadMs }: RechunkRequest,
  chunk: ChunkSettings,
  signal: AbortSignal,
): Promise<Rechunked> {
  const db = openForWriting(':memory:')
  try {
    createTables(db, { chunk, provider: '', model: '', dimensions: 0 })
    const store = new IndexStore(db, chunk)
    await syncPaths(store, [folder], paths, { signal, onProgress: () => undefined })
    const searcher = new Searcher(db, undefined, clockWithOffset(clockAheadMs))
    const explanation = await searcher.explain(query, defaults, options, undefined, false)
    return { chunks: store.counts().chunks, explanation }
  } finally {
    db.close()
  }
}

const router = {
  /** One outcome for each size. */
  run: threadBase
    .input(type<RechunkRequest>())
    .handler(async ({ input, signal = new AbortController().signal }): Promise<Rechunked[]> => {
      const outcomes: Rechunked[] = []
      for (const size of input.sizes) outcomes.push(await tryOne(input, size, signal))
      return outcomes
    }),
  /** Answers when nothing native is at work: the thread may be ended then. */
  rest: threadBase.handler(() => undefined),
}

export type RechunkRouter = typeof router

serveThread(router)
