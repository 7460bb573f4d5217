/** An index in memory with the searcher of the app. */
import type { Explanation, SearchResult } from '../../src/shared/contract/index.ts'
import type { EmbeddingProvider } from '../../src/main/search/embeddings/embedding-provider.ts'
import { createTables, openForWriting } from '../../src/main/search/indexing/index-schema.ts'
import type { ResultSource } from '../../src/main/search/indexing/indexed-file.ts'
import { type SearchOverrides, Searcher } from '../../src/main/search/ranking/searcher.ts'
import type { Chunking } from '../../src/main/search/units/split-chunks.ts'
import { UnitStore } from '../../src/main/search/units/unit-store.ts'
import type { WrittenDays } from '../../src/main/workspace/changes/written-days.ts'
import { QueryEmbedder } from '../../src/main/search/vector/query-embedder.ts'
import { defaults } from '../recall/judged-set.ts'

/** A Monday at noon, local time. */
export const searchedAt = new Date(2026, 2, 9, 12)

/**
 * @param provider of vectors; keyword search only if undefined
 * @param chunking undefined for entries
 */
export function createSearchIndex(
  notes: Readonly<Record<string, string>> = {},
  provider?: EmbeddingProvider,
  file = ':memory:',
  chunking?: Chunking,
  writtenDays?: Pick<WrittenDays, 'of'>,
) {
  const db = openForWriting(file)
  const { provider: name = '', model = '', address } = provider ?? {}
  createTables(db, { provider: name, model, address, chunking })
  const store = new UnitStore(db, { model: provider?.similarity, folders: [], chunking })
  let mtime = 0
  /** @param days by line, of a chat */
  const put = (path: string, text: string, days?: readonly string[]) => {
    const source: ResultSource = path.startsWith('sessions/') ? 'sessions' : 'memory'
    const facts = { path, source, hash: text, mtime: (mtime += 1), size: text.length, text }
    store.replaceFile(store.prepare(days ? { ...facts, lineDays: days } : facts))
  }
  for (const [path, text] of Object.entries(notes)) put(path, text)
  const embedder = provider && new QueryEmbedder(provider, false, () => undefined)
  if (embedder) embedder.permit = { waitMs: 60_000 }
  const searcher = new Searcher(db, embedder, () => searchedAt, writtenDays)
  return {
    db,
    store,
    put,
    searcher,
    search: (query: string, overrides: SearchOverrides = {}) => searcher.search(query, defaults, overrides, false),
    explain: (
      query: string,
      overrides: SearchOverrides = {},
      why?: { path: string; line: number },
    ): Promise<Explanation> => searcher.explain(query, defaults, overrides, why, false),
    /** Returns `path:line` of each result. */
    async find(query: string, overrides: SearchOverrides = {}): Promise<string[]> {
      const { results } = await searcher.search(query, defaults, overrides, false)
      return results.map(({ path, startLine }: SearchResult) => `${path}:${startLine}`)
    },
  }
}
