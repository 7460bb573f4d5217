import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmbeddings } from '../../../src/main/search/embeddings/create-embeddings.ts'
import type { EmbeddingProvider } from '../../../src/main/search/embeddings/embedding-provider.ts'
import { createTables, openForWriting, vectorDimensions } from '../../../src/main/search/indexing/index-schema.ts'
import { unitSettingsOf } from '../../../src/main/search/units/prepare-units.ts'
import { UnitStore } from '../../../src/main/search/units/unit-store.ts'
import { assignCachedVectors, embedMissing } from '../../../src/main/search/vector/embed-queue.ts'
import { builtinFile } from '../../recall/judged-set.ts'
import { temporaryFolder } from '../../support/folder.ts'

const options = { signal: new AbortController().signal, isRemote: false }
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
    outboundFile: '/nowhere/outbound.jsonl',
    builtinFile: file,
  })
  if (typeof provider !== 'object') throw new Error('no provider')
  return provider
}

function storeOf(db: UnitStore['db'], file = builtinFile): UnitStore {
  return new UnitStore(db, unitSettingsOf({ embedding: { provider: 'builtin', builtinFile: file }, folders: [] }))
}

/** A store that contains the notes. */
async function openStore(file = builtinFile): Promise<UnitStore> {
  const db = openForWriting(join(await temporaryFolder(), 'index.sqlite'))
  const { provider, model } = await openProvider()
  createTables(db, { provider, model })
  const store = storeOf(db, file)
  for (const [path, text] of Object.entries(notes))
    store.replaceFile(store.prepare({ path, source: 'memory', hash: path, mtime: 0, size: text.length, text }))
  return store
}

function forms({ db }: UnitStore): unknown[] {
  return db
    .prepare(
      'SELECT text, vector, c.length, code FROM units LEFT JOIN unit_codes AS c ON c.unit_id = units.id ORDER BY units.id',
    )
    .all()
}

describe('index of the built-in model', () => {
  it('has codes and no vectors as soon as notes are indexed', async () => {
    const store = await openStore()
    expect(store.counts()).toEqual({ files: 3, units: 6, embedded: 6 })
    expect(await embedMissing(store, await openProvider(), options)).toEqual({ embedded: 0, problem: undefined })
    expect(store.db.prepare('SELECT count(*) FROM embedding_cache').pluck().get()).toBe(0)
    expect(vectorDimensions(store.db)).toBe(256)
    store.close()
  })

  it('adds codes for units that were indexed while the model was missing', async () => {
    const whole = await openStore()
    const missing = join(await temporaryFolder(), 'missing.bin')
    const store = await openStore(missing)
    expect(store.counts()).toMatchObject({ units: 6, embedded: 0 })
    const outcome = await embedMissing(store, await openProvider(missing), options)
    expect(outcome).toMatchObject({ embedded: 0, problem: { code: 'provider_unavailable' } })
    const later = storeOf(store.db)
    assignCachedVectors(later, await openProvider(), false)
    expect(await embedMissing(later, await openProvider(), options)).toEqual({ embedded: 6, problem: undefined })
    expect(forms(later)).toEqual(forms(whole))
    expect(later.counts()).toEqual(whole.counts())
    later.close()
    whole.close()
  })
})
