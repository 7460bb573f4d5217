/** A judged set on disk, indexed in memory with the default settings, and searched by the app's own code. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EmbeddingProvider } from '../../src/main/search/embeddings/embedding-provider.ts'
import { parseQuestions, type JudgedQuestion } from '../../src/main/search/evaluation/judged-questions.ts'
import { createTables, openForWriting } from '../../src/main/search/indexing/index-schema.ts'
import { QueryEmbedder } from '../../src/main/search/vector/query-embedder.ts'
import { Searcher } from '../../src/main/search/ranking/searcher.ts'
import { UnitStore } from '../../src/main/search/units/unit-store.ts'

/** The model that ships with the app. */
export const builtinFile = fileURLToPath(new URL('../../resources/models/builtin/model.bin', import.meta.url))

/** Default settings of the app. */
export const defaults = {
  weights: 'auto',
  minScore: 0.35,
  maxResults: 20,
  maxCharacters: 1600,
  recencyHalfLifeDays: null,
} as const

export interface JudgedSet {
  readonly name: string
  readonly questions: readonly JudgedQuestion[]
  readonly offTopic: readonly JudgedQuestion[]
  readonly searcher: Searcher
}

/**
 * Indexes the set's workspace in memory and reads its questions.
 * @param split restricts the questions to one half
 * @param provider the built-in model; keyword search only if undefined
 */
export function openJudgedSet(folder: string, split?: string, provider?: EmbeddingProvider): JudgedSet {
  const db = openForWriting(':memory:')
  const { provider: name = '', model = '', address } = provider ?? {}
  createTables(db, { provider: name, model, address })
  const store = new UnitStore(db, { model: provider?.similarity, folders: [] })
  const workspace = join(folder, 'workspace')
  const paths = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))
  store.transaction(() => {
    for (const path of paths.sort()) {
      const text = readFileSync(join(workspace, path), 'utf8')
      store.replaceFile(store.prepare({ path, source: 'memory', hash: path, mtime: 0, size: text.length, text }))
    }
  })
  const read = (name: string) => {
    const file = join(folder, name)
    const all = existsSync(file) ? parseQuestions(readFileSync(file, 'utf8'), file, 'offTopic') : []
    return all.filter((question) => split === undefined || question.split === split)
  }
  return {
    name: basename(folder),
    questions: read('queries.jsonl'),
    offTopic: read('offtopic.jsonl'),
    searcher: new Searcher(db, provider && queryVectors(provider)),
  }
}

function queryVectors(provider: EmbeddingProvider): QueryEmbedder {
  const vectors = new QueryEmbedder(provider, false, () => undefined)
  vectors.permit = { waitMs: 60_000 }
  return vectors
}
