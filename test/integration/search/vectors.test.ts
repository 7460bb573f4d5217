import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmbeddings, type EmbeddingSource } from '../../../src/main/search/embeddings/create-embeddings.ts'
import type { EmbeddingProvider } from '../../../src/main/search/embeddings/embedding-provider.ts'
import { embedMissing } from '../../../src/main/search/vector/embed-queue.ts'
import { createTables, openForWriting } from '../../../src/main/search/indexing/index-schema.ts'
import { UnitStore } from '../../../src/main/search/units/unit-store.ts'
import { defaults } from '../../recall/judged-set.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { createSearchIndex } from '../../support/search-index.ts'

const source: EmbeddingSource = {
  provider: 'openai-compatible',
  model: 'hashed',
  baseUrl: undefined,
  batchSize: 4,
  apiKey: undefined,
  isLocal: true,
  allowDownload: false,
  modelsFolder: '/nowhere',
  outboundFile: '/nowhere/outbound.jsonl',
  builtinFile: '',
}

async function openStore(texts: readonly string[] = []): Promise<UnitStore> {
  const db = openForWriting(join(await temporaryFolder(), 'index.sqlite'))
  createTables(db, { provider: 'p', model: 'm' })
  const store = new UnitStore(db, { folders: [] })
  store.transaction(() => {
    for (const [index, text] of texts.entries()) {
      const file = {
        path: `memory/${index}.md`,
        source: 'memory' as const,
        hash: String(index),
        mtime: 0,
        size: 0,
        text,
      }
      store.replaceFile(store.prepare(file))
    }
  })
  return store
}

async function openProvider(overrides: Partial<EmbeddingSource>): Promise<EmbeddingProvider> {
  const provider = await createEmbeddings({ ...source, ...overrides })
  if (typeof provider !== 'object') throw new Error(`no provider: ${provider}`)
  return provider
}

const options = { signal: new AbortController().signal, isRemote: false }

describe('private texts', () => {
  async function openRemote() {
    const server = await startModelServer()
    // This address leads to this machine, but counts as another one.
    const baseUrl = server.openAiUrl.replace('127.0.0.1', '0.0.0.0')
    const outboundFile = join(await temporaryFolder(), 'outbound.jsonl')
    return { server, provider: await openProvider({ baseUrl, isLocal: false, outboundFile, batchSize: 1 }) }
  }

  it('do not reach another machine, even if the index takes its provider for one of this machine', async () => {
    const { server, provider } = await openRemote()
    const store = await openStore(['open', '---\nvisibility: local\n---\nhidden'])
    const { problem } = await embedMissing(store, provider, { ...options, isRemote: false })
    expect(problem).toMatchObject({ code: 'private_stays_here' })
    expect(server.requests.map(({ body }) => body['input'])).toEqual([['open']])
    store.close()
  })

  it('do not reach another machine as a query, even if the search takes its provider for one of this machine', async () => {
    const { server, provider } = await openRemote()
    const { store, searcher } = createSearchIndex({ 'MEMORY.md': 'open' }, provider)
    await embedMissing(store, provider, options)
    const before = server.requests.length
    const ask = (staysHere: boolean) => searcher.search('query', defaults, { staysHere }, false)
    expect((await ask(true)).notice).toMatchObject({ code: 'provider_failed' })
    expect(server.requests).toHaveLength(before)
    expect((await ask(false)).notice).toBeNull()
    expect(server.requests).toHaveLength(before + 1)
  })
})

describe('embeddings', () => {
  const texts = ['alpha beta', 'gamma delta', 'epsilon zeta', 'eta theta', 'iota kappa', 'alpha beta']

  it('embeds in batches, each text once, and sends nothing in a second run', async () => {
    const server = await startModelServer()
    const store = await openStore(texts)
    const provider = await openProvider({ baseUrl: server.openAiUrl })
    expect(await embedMissing(store, provider, options)).toEqual({
      embedded: 6,
      problem: undefined,
      otherLength: undefined,
    })
    expect(store.counts()).toMatchObject({ units: 6, embedded: 6 })
    const inputs = server.requests.flatMap(({ body }) => body['input'] as string[])
    expect(inputs.length).toBe(new Set(inputs).size)
    const requests = server.requests.length
    expect(await embedMissing(store, provider, options)).toEqual({
      embedded: 0,
      problem: undefined,
      otherLength: undefined,
    })
    expect(server.requests.length).toBe(requests)
    store.close()
  })

  it('a vector with NaN is a provider error and is not stored', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, nan: true }
    const store = await openStore(['alpha', 'beta'])
    const { problem, embedded } = await embedMissing(store, await openProvider({ baseUrl: server.openAiUrl }), options)
    expect(problem?.code).toBe('provider_error')
    expect(embedded).toBeLessThan(2)
    store.close()
  })

  it('uses Gemini with its own address and key', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 3072 }
    const provider = await openProvider({
      provider: 'gemini',
      model: 'gemini-embedding-001',
      baseUrl: server.openAiUrl,
      apiKey: 'g',
    })
    expect((await provider.embed(['alpha']))[0]).toHaveLength(3072)
    expect(server.requests[0]).toMatchObject({
      body: { model: 'gemini-embedding-001' },
      headers: { authorization: 'Bearer g' },
    })
    expect(await createEmbeddings({ ...source, provider: 'gemini' })).toBe('no_key')
    expect(await createEmbeddings({ ...source, provider: 'openai-compatible' })).toBe('no_base_url')
    expect(await createEmbeddings({ ...source, provider: 'none' })).toBeUndefined()
  })
})

describe('local model', () => {
  it('downloads nothing unless the user allows it', async () => {
    const provider = await openProvider({
      provider: 'local',
      model: 'Xenova/some-model',
      modelsFolder: await temporaryFolder(),
    })
    await expect(provider.embed(['x'])).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining('allowDownload'),
    })
    const broken = await openProvider({ provider: 'local', model: await temporaryFolder() })
    await expect(broken.embed(['x'])).rejects.toMatchObject({ code: 'provider_unavailable' })
  })
})
