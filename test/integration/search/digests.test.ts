import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmbeddings } from '../../../src/main/search/embeddings/create-embeddings.ts'
import type { EmbeddingProvider } from '../../../src/main/search/embeddings/embedding-provider.ts'
import { assignCachedVectors, embedMissing } from '../../../src/main/search/vector/embed-queue.ts'
import { cacheKey, createTables, getMeta, openForWriting } from '../../../src/main/search/indexing/index-schema.ts'
import { writeKept } from '../../../src/main/search/keyword/kept-ahead.ts'
import { QueryEmbedder } from '../../../src/main/search/vector/query-embedder.ts'
import { Searcher } from '../../../src/main/search/ranking/searcher.ts'
import { IndexStore } from '../../../src/main/search/indexing/index-store.ts'
import { builtinFile, defaults } from '../../recall/judged-set.ts'
import { temporaryFolder } from '../../support/folder.ts'

const signal = new AbortController().signal
const notes = {
  'memory/family.md': '# Family\n\n- Our daughter starts kindergarten in September.\n- 女儿九月份开始上幼儿园。\n',
  'memory/boats.md': '# Boats\n\n- The dinghy lies at the jetty.\n- 보트는 부두에 있다.\n',
  'memory/money.md': '# Money\n\n- The mortgage is fixed until 2031.\n- The dinghy lies at the jetty.\n',
}

async function openProvider(file = builtinFile): Promise<EmbeddingProvider> {
  const provider = await createEmbeddings({
    provider: 'builtin',
    model: 'any',
    baseUrl: undefined,
    batchSize: 1,
    apiKey: undefined,
    isLocal: true,
    allowDownload: false,
    modelsFolder: '',
    builtinFile: file,
  })
  if (typeof provider !== 'object') throw new Error('no provider')
  return provider
}

/** A store that contains the notes. */
async function openStore(file = builtinFile): Promise<IndexStore> {
  const db = openForWriting(join(await temporaryFolder(), 'index.sqlite'))
  const { provider, model } = await openProvider()
  createTables(db, { provider, model, dimensions: 0 })
  const store = new IndexStore(db, { provider, builtinFile: file })
  store.transaction(() => {
    for (const [path, text] of Object.entries(notes))
      store.replaceFile({ path, source: 'memory', hash: path, mtime: 0, size: text.length, text })
  })
  return store
}

function forms({ db }: IndexStore): unknown[] {
  return db
    .prepare(
      `SELECT text, vector, digest, bits FROM passages LEFT JOIN passage_digests AS d ON d.passage_id = id
       LEFT JOIN passage_bits AS b ON b.passage_id = id ORDER BY id`,
    )
    .all()
}

async function found(store: IndexStore, query: string) {
  const vectors = new QueryEmbedder(await openProvider(), () => undefined)
  vectors.permit = { waitMs: 60_000 }
  const { results } = await new Searcher(store.db, vectors).search(
    query,
    defaults,
    { weights: { vector: 1, text: 0 } },
    false,
  )
  return results.map(({ path, score }) => ({ path, score }))
}

describe('index of the built-in model', () => {
  it('has digests instead of vectors as soon as notes are indexed', async () => {
    const store = await openStore()
    expect(store.counts()).toEqual({ files: 3, chunks: 3, embedded: 3 })
    expect(await embedMissing(store, await openProvider(), { signal })).toEqual({
      embedded: 0,
      problem: undefined,
      privateCount: 0,
      isCalibrated: true,
    })
    expect(store.db.prepare('SELECT count(*) FROM embedding_cache').pluck().get()).toBe(0)
    expect(store.dimensions).toBe(256)
    expect((await found(store, 'When does our little girl begin preschool?'))[0]?.path).toBe('memory/family.md')
    store.close()
  })

  it('adds digests for passages that were indexed while the model was missing', async () => {
    const whole = await openStore()
    const missing = join(await temporaryFolder(), 'missing.bin')
    const store = await openStore(missing)
    expect(store.counts()).toMatchObject({ chunks: 3, embedded: 0 })
    const outcome = await embedMissing(store, await openProvider(missing), { signal })
    expect(outcome).toMatchObject({ embedded: 0, isCalibrated: false, problem: { code: 'provider_unavailable' } })
    const { db } = store
    const later = new IndexStore(db, { provider: 'builtin', builtinFile })
    assignCachedVectors(later, await openProvider())
    expect(await embedMissing(later, await openProvider(), { signal })).toMatchObject({
      problem: undefined,
      isCalibrated: true,
    })
    await embedMissing(whole, await openProvider(), { signal })
    expect(forms(later)).toEqual(forms(whole))
    expect(later.counts()).toEqual(whole.counts())
    const query = 'Where is the boat?'
    expect(await found(later, query)).toEqual(await found(whole, query))
    later.close()
    whole.close()
  })

  it('serves keyword search from an older index and its snapshot', async () => {
    const store = await openStore()
    store.transaction(() => {
      for (let at = 0; at < 1200; at += 1) {
        const text = `# Note ${at}\n\n- The dinghy number ${at} lies at the jetty.\n`
        store.replaceFile({
          path: `memory/${at}.md`,
          source: 'memory',
          hash: `${at}`,
          mtime: 0,
          size: text.length,
          text,
        })
      }
    })
    const provider = await openProvider()
    await embedMissing(store, provider, { signal })
    const searcher = () => new Searcher(store.db, new QueryEmbedder(provider, () => undefined))
    const before = searcher()
    await before.search('dinghy', defaults, {}, false)
    while (before.preloadSome());
    const kept = before.createSnapshot()
    if (!kept) throw new Error('nothing to keep')
    await writeKept(store.db.name, kept)
    store.db.exec('ALTER TABLE passage_digests DROP COLUMN length')
    store.setMeta(
      'fingerprint',
      (getMeta(store.db, 'fingerprint') ?? '').replace(/"schemaVersion":\d+/, '"schemaVersion":10'),
    )
    const after = searcher()
    after.restoreSnapshot()
    const { results } = await after.search('dinghy 17', defaults, {}, false)
    expect(results[0]?.path).toBe('memory/17.md')
    store.close()
  })

  it('copies cached vectors of other models only from an older index', async () => {
    const old = await openStore()
    const other = { provider: 'openai', address: undefined }
    for (const provider of [cacheKey(await openProvider()), cacheKey(other)])
      old.cacheVector(provider, 'model', 'hash', new Float32Array([1, 0]))
    const { name } = old.db
    old.close()
    const store = await openStore()
    store.adoptCache(name)
    expect(store.db.prepare('SELECT provider FROM embedding_cache').pluck().all()).toEqual(['openai'])
    store.close()
  })
})
