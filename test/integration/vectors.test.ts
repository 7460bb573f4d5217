import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createEmbeddings,
  toBlob,
  type EmbeddingProvider,
  type EmbeddingSource,
} from '../../src/main/embeddings/index.ts'
import { embedMissing } from '../../src/main/memory/embed-queue.ts'
import { createTables, createVectorTable, openForWriting } from '../../src/main/memory/schema.ts'
import { VectorLeg } from '../../src/main/memory/search/vectors.ts'
import { IndexStore } from '../../src/main/memory/store.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startModelServer } from '../support/model-server.ts'
import { startTroubledEmbeddings } from '../support/troubled-embeddings.ts'
import { writeTinyModel } from '../support/tiny-model.ts'

const chunk = { tokens: 400, overlap: 80 }
const source: EmbeddingSource = {
  provider: 'openai-compatible',
  model: 'hashed',
  baseUrl: undefined,
  dimensions: undefined,
  batchSize: 4,
  apiKey: undefined,
  allowDownload: false,
  modelsFolder: '/nowhere',
}

async function openStore(texts: readonly string[] = []): Promise<IndexStore> {
  const db = openForWriting(join(await temporaryFolder(), 'index.sqlite'))
  createTables(db, { chunk, provider: 'p', model: 'm', dimensions: 0 })
  const store = new IndexStore(db, chunk)
  store.transaction(() => {
    for (const [index, text] of texts.entries()) {
      store.replaceFile({ path: `memory/${index}.md`, source: 'memory', hash: String(index), mtime: 0, size: 0, text })
    }
  })
  return store
}

async function openProvider(overrides: Partial<EmbeddingSource>): Promise<EmbeddingProvider> {
  const provider = await createEmbeddings({ ...source, ...overrides })
  if (typeof provider !== 'object') throw new Error(`no provider: ${provider}`)
  return provider
}

/** Unit vectors around a few topics, as embeddings of real texts lie. */
function topicVectors(count: number, dimensions: number): Float32Array[] {
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
  const gaussian = () => random() + random() + random() + random() - 2
  const unit = (values: Float32Array) => {
    const length = Math.hypot(...values)
    return values.map((value) => value / length)
  }
  const topics = Array.from({ length: 40 }, () => Float32Array.from({ length: dimensions }, gaussian))
  return Array.from({ length: count }, () => {
    const topic = topics[Math.floor(random() * topics.length)] ?? new Float32Array(dimensions)
    return unit(topic.map((value) => value + gaussian()))
  })
}

const never = new AbortController().signal

describe('M16 two-pass search', () => {
  it('M16: its ten best agree with the exact ones (≥ 0.99) and come in the same order', async () => {
    const store = await openStore()
    const vectors = topicVectors(6000, 256)
    createVectorTable(store.db, 256)
    const insert = store.db.prepare(
      "INSERT INTO chunks (id, path, source, start_line, end_line, heading, text, hash, length) VALUES (?, 'x', 'memory', 1, 1, '', '', ?, 1)",
    )
    store.transaction(() => {
      for (const [index, vector] of vectors.entries()) {
        insert.run(index + 1, String(index))
        store.cacheVector('p', 'm', String(index), vector)
        store.putVector(index + 1, toBlob(vector))
      }
    })
    const leg = new VectorLeg(store.db, { provider: 'p', model: 'm', dimensions: 256 })
    let agreed = 0
    const queries = topicVectors(40, 256)
    for (const query of queries) {
      const exact = leg.nearestExact(toBlob(query), 10)
      const twoPass = leg.nearestInTwoPasses(toBlob(query), 10)
      agreed += twoPass.filter((id) => exact.includes(id)).length / 10
    }
    expect(agreed / queries.length).toBeGreaterThanOrEqual(0.99)
    const [query] = queries
    const cosines = query && leg.similarities(toBlob(query), [1, 2, 3])
    expect(cosines?.get(1)).toBeCloseTo(
      vectors[0]?.reduce((sum, value, at) => sum + value * (query?.[at] ?? 0), 0) ?? 0,
      4,
    )
    store.close()
  }, 60_000)

  it('M16: vectors whose length is no multiple of eight have no coarse form, and are found all the same', async () => {
    const store = await openStore(['alpha', 'beta', 'gamma'])
    const vectors = topicVectors(3, 30)
    createVectorTable(store.db, 30)
    for (const [index, vector] of vectors.entries()) store.putVector(index + 1, toBlob(vector))
    const leg = new VectorLeg(store.db, { provider: 'p', model: 'm', dimensions: 30 })
    const found = vectors.map((vector) => leg.nearest(toBlob(vector), 1, 6000))
    expect(found).toEqual([[1], [2], [3]])
    store.close()
  })
})

describe('M13 embeddings', () => {
  const texts = ['alpha beta', 'gamma delta', 'epsilon zeta', 'eta theta', 'iota kappa', 'alpha beta']

  it('M13: embeds in batches, each text once, and what is done stays done', async () => {
    const server = await startModelServer()
    const store = await openStore(texts)
    const provider = await openProvider({ baseUrl: server.openAiUrl })
    expect(await embedMissing(store, provider, { signal: never })).toEqual({ embedded: 6, problem: undefined })
    expect(store.counts()).toMatchObject({ chunks: 6, embedded: 6 })
    const inputs = server.requests.flatMap(({ body }) => body['input'] as string[])
    expect(inputs.length).toBeLessThanOrEqual(6)
    expect(await embedMissing(store, provider, { signal: never })).toEqual({ embedded: 0, problem: undefined })
    store.close()
  })

  it('M13: one bad text costs itself only: the others of its batch get their vectors', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, refuse: 'gamma' }
    const store = await openStore(texts)
    const { embedded } = await embedMissing(store, await openProvider({ baseUrl: server.openAiUrl }), { signal: never })
    expect(embedded).toBe(5)
    expect(store.chunksToEmbed(0, 10).map(({ text }) => text)).toEqual(['gamma delta'])
    store.close()
  })

  it.each([
    ['a vector that is no number', { nan: true }],
    ['an answer that is no answer', { garbage: true }],
  ])('M13: %s is a failure of the provider, and nothing of it is stored', async (_name, trouble) => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, ...trouble }
    const store = await openStore(['alpha', 'beta'])
    const { problem, embedded } = await embedMissing(store, await openProvider({ baseUrl: server.openAiUrl }), {
      signal: never,
    })
    expect(problem?.code).toBe('provider_error')
    expect(embedded).toBeLessThan(2)
    store.close()
  })

  it('M13: half an answer is asked for again, text by text', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, half: true }
    const store = await openStore(texts)
    const provider = await openProvider({ baseUrl: server.openAiUrl })
    expect((await embedMissing(store, provider, { signal: never })).problem).toBeUndefined()
    expect(store.counts().embedded).toBe(6)
    store.close()
  })

  it('M13: vectors of another length than was asked for are refused', async () => {
    const server = await startTroubledEmbeddings()
    const provider = await openProvider({ baseUrl: server.url, dimensions: 32 })
    await expect(provider.embed(['alpha'])).rejects.toMatchObject({
      code: 'provider_error',
      message: expect.stringContaining('64 dimensions where 32 were expected'),
    })
  })

  it('M13: Gemini is asked at its own address with its own key', async () => {
    const server = await startModelServer()
    const provider = await openProvider({
      provider: 'gemini',
      model: 'gemini-embedding-001',
      baseUrl: server.openAiUrl,
      apiKey: 'g',
      dimensions: 64,
    })
    expect((await provider.embed(['alpha']))[0]).toHaveLength(64)
    expect(server.requests[0]).toMatchObject({
      body: { model: 'gemini-embedding-001', dimensions: 64 },
      headers: { authorization: 'Bearer g' },
    })
    expect(await createEmbeddings({ ...source, provider: 'gemini' })).toBe('no_key')
    expect(await createEmbeddings({ ...source, provider: 'openai-compatible' })).toBe('no_base_url')
    expect(await createEmbeddings({ ...source, provider: 'none' })).toBeUndefined()
  })
})

describe('M13 a model in the process', () => {
  it('M13: loads from a folder and embeds: the same words are near, others are not', async () => {
    const folder = join(await temporaryFolder(), 'tiny')
    await writeTinyModel(folder, ['the', 'walrus', 'lives', 'in', 'bath', 'database', 'choice', 'postgres'])
    const provider = await openProvider({ provider: 'local', model: folder })
    const [walrus, again, database] = await provider.embed([
      'the walrus lives in the bath',
      'walrus bath',
      'database choice postgres',
    ])
    const cosine = (one?: Float32Array, other?: Float32Array) =>
      Array.from(one ?? []).reduce((sum, value, at) => sum + value * (other?.[at] ?? 0), 0)
    expect(provider.dimensions).toBe(32)
    expect(cosine(walrus, walrus)).toBeCloseTo(1, 4)
    expect(cosine(walrus, again)).toBeGreaterThan(cosine(walrus, database) + 0.3)
  })

  it('M13: fetches nothing unless the user has said so', async () => {
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
