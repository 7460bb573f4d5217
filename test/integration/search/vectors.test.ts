import { createRequire } from 'node:module'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { createEmbeddings, type EmbeddingSource } from '../../../src/main/search/embeddings/create-embeddings.ts'
import type { EmbeddingProvider } from '../../../src/main/search/embeddings/embedding-provider.ts'
import { embedMissing } from '../../../src/main/search/vector/embed-queue.ts'
import { createTables, openForWriting } from '../../../src/main/search/indexing/index-schema.ts'
import type { BinaryCodeSnapshot } from '../../../src/main/search/vector/binary-code-index.ts'
import { VectorRetriever } from '../../../src/main/search/vector/vector-retriever.ts'
import { IndexStore } from '../../../src/main/search/indexing/index-store.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { startTroubledEmbeddings } from '../../support/troubled-embeddings.ts'
import { writeTinyModel } from '../../support/tiny-model.ts'

const source: EmbeddingSource = {
  provider: 'openai-compatible',
  model: 'hashed',
  baseUrl: undefined,
  batchSize: 4,
  apiKey: undefined,
  isLocal: true,
  allowDownload: false,
  modelsFolder: '/nowhere',
  builtinFile: '',
}

async function openStore(texts: readonly string[] = []): Promise<IndexStore> {
  const db = openForWriting(join(await temporaryFolder(), 'index.sqlite'))
  createTables(db, { provider: 'p', model: 'm', dimensions: 0 })
  const store = new IndexStore(db)
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

/** Unit vectors in clusters, like embeddings of real texts. */
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

/** An index with one passage per vector, each on its own line. */
async function openWith(vectors: readonly Float32Array[]): Promise<IndexStore> {
  const store = await openStore()
  store.transaction(() => {
    for (let at = 0; at < vectors.length; at += 8) {
      const lines = vectors
        .slice(at, at + 8)
        .map((_, index) => `Passage number ${at + index} is about this and nothing else at all.`)
      store.replaceFile({
        path: `memory/${at}.md`,
        source: 'memory',
        hash: '',
        mtime: 0,
        size: 0,
        text: lines.join('\n'),
      })
    }
    for (const { id, hash, text } of store.passages?.toEmbed(0, vectors.length) ?? []) {
      const vector = vectors[Number(/number (\d+)/.exec(text)?.[1])]
      if (vector) store.putVector(id, store.cacheVector('p', 'm', hash, vector), vector)
    }
  })
  return store
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)

/** Returns the cosines of the ten nearest vectors, by exhaustive search. */
function tenBest(query: Float32Array, vectors: readonly Float32Array[]): number[] {
  return vectors
    .map((vector) => dot(query, vector))
    .sort((one, other) => other - one)
    .slice(0, 10)
}

describe('vector retrieval', () => {
  it.each([
    ['around the origin', 256, (vector: Float32Array) => vector],
    ['with a common direction, as those of many models', 384, (vector: Float32Array) => toOneSide(vector)],
    ['of a length that is not a multiple of the block size', 100, (vector: Float32Array) => vector],
  ])(
    'finds at least 99 % of the exact top ten, in order: vectors %s',
    async (_name, size, shape) => {
      const vectors = topicVectors(3000, size).map(shape)
      const store = await openWith(vectors)
      store.transaction(() => store.passages?.recentre(meanOf(vectors), 'test'))
      const leg = new VectorRetriever(store.db, size)
      leg.refresh()
      let agreed = 0
      const queries = topicVectors(20, size).map(shape)
      for (const query of queries) {
        const exact = tenBest(query, vectors)
        const found = leg.query(query).nearestPassages(10)
        const least = (exact.at(-1) ?? 1) - 1e-6
        agreed += found.filter(({ cosine }) => cosine >= least).length / 10
        expect(found.map(({ cosine }) => cosine)).toEqual(
          found.map(({ cosine }) => cosine).sort((one, other) => other - one),
        )
      }
      expect(agreed / queries.length).toBeGreaterThanOrEqual(0.99)
      store.close()
    },
    60_000,
  )

  it.each([
    ['without a snapshot', false],
    ['after restoring a snapshot', true],
  ])('follows added, changed and removed passages %s', async (_, isHandedOver) => {
    const vectors = topicVectors(64, 64)
    const store = await openWith(vectors)
    let leg = new VectorRetriever(store.db, 64)
    leg.refresh()
    if (isHandedOver) {
      const parts = deserialize(serialize(leg.createSnapshot())) as BinaryCodeSnapshot
      leg = new VectorRetriever(store.db, 64)
      leg.restoreSnapshot(parts)
    }
    const nearestText = (query: Float32Array | undefined) => {
      const [best] = query ? leg.query(query).nearestPassages(1) : []
      return store.db
        .prepare('SELECT text FROM passages WHERE id = ?')
        .pluck()
        .get(best?.id ?? 0)
    }
    expect(nearestText(vectors[20])).toContain('number 20 ')
    store.transaction(() => store.removeFile('memory', 'memory/16.md'))
    leg.refresh()
    expect(nearestText(vectors[20])).not.toContain('number 20 ')
    expect(nearestText(vectors[50])).toContain('number 50 ')
    const text = 'A passage that came later than all of the others.'
    store.transaction(() => {
      store.replaceFile({ path: 'memory/new.md', source: 'memory', hash: '', mtime: 0, size: 0, text })
      const [passage] = store.passages?.toEmbed(0, 1) ?? []
      const vector = vectors[20]
      if (passage && vector) store.putVector(passage.id, store.cacheVector('p', 'm', passage.hash, vector), vector)
    })
    leg.refresh()
    expect(nearestText(vectors[20])).toBe(text)
    store.close()
  })

  it('finds the nearest of a few filtered chunks, however far away they are', async () => {
    const vectors = topicVectors(4000, 64)
    const store = await openWith(vectors)
    const leg = new VectorRetriever(store.db, 64)
    leg.refresh()
    const [vector = new Float32Array()] = topicVectors(1, 64)
    const all = leg.query(vector).nearest(4000)
    const farthest = all.slice(-12)
    expect(all.length).toBeGreaterThan(450)
    expect(leg.query(vector).nearest(5, new Set(farthest))).toEqual(farthest.slice(0, 5))
    const half = all.filter((_, index) => index % 2 === 1)
    expect(leg.query(vector).nearest(5, new Set(half))).toEqual(half.slice(0, 5))
    expect(leg.query(vector).nearest(5, new Set())).toEqual([])
    store.close()
  })

  it('scores a chunk by its best passage and reports the lines', async () => {
    const vectors = topicVectors(16, 64)
    const store = await openWith(vectors)
    const leg = new VectorRetriever(store.db, 64)
    leg.refresh()
    const query = leg.query(vectors[11] ?? new Float32Array())
    const [chunk = 0] = query.nearest(1)
    const match = query.matches([chunk]).get(chunk)
    expect(match).toMatchObject({ startLine: 4, endLine: 4 })
    expect(match?.similarity).toBeCloseTo(1, 5)
    store.close()
  })
})

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  return Float32Array.from(
    vectors[0] ?? [],
    (_, at) => vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0) / vectors.length,
  )
}

/** Shifts a vector so that any two have a cosine of about 0.8. */
function toOneSide(vector: Float32Array): Float32Array {
  const moved = vector.map((value, at) => value + (at % 3 === 0 ? 2 : -1) * Math.sqrt(2 / vector.length))
  const length = Math.hypot(...moved)
  return moved.map((value) => value / length)
}

describe('embeddings', () => {
  const texts = ['alpha beta', 'gamma delta', 'epsilon zeta', 'eta theta', 'iota kappa', 'alpha beta']

  it('embeds in batches, each text once, and sends nothing in a second run', async () => {
    const server = await startModelServer()
    const store = await openStore(texts)
    const provider = await openProvider({ baseUrl: server.openAiUrl })
    expect(await embedMissing(store, provider, { signal: never })).toEqual({
      embedded: 5,
      problem: undefined,
      privateCount: 0,
      isCalibrated: true,
      otherLength: undefined,
    })
    expect(store.counts()).toMatchObject({ chunks: 6, embedded: 6 })
    const inputs = server.requests.flatMap(({ body }) => body['input'] as string[])
    expect(inputs.length).toBe(new Set(inputs).size)
    const requests = server.requests.length
    expect(await embedMissing(store, provider, { signal: never })).toEqual({
      embedded: 0,
      problem: undefined,
      privateCount: 0,
      isCalibrated: false,
      otherLength: undefined,
    })
    expect(server.requests.length).toBe(requests)
    store.close()
  })

  it('embeds the other texts of a batch with a rejected text', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, refuse: 'gamma' }
    const store = await openStore(texts)
    const { embedded } = await embedMissing(store, await openProvider({ baseUrl: server.openAiUrl }), { signal: never })
    expect(embedded).toBe(4)
    expect(store.passages?.toEmbed(0, 10).map(({ text }) => text)).toEqual(['gamma delta'])
    store.close()
  })

  it('finds a rejected text by bisection', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, refuse: 'number 37 ' }
    const many = Array.from({ length: 64 }, (_, index) => `the walrus number ${index} bathes`)
    const store = await openStore(many)
    const provider = await openProvider({ baseUrl: server.openAiUrl, batchSize: 64 })
    expect(await embedMissing(store, provider, { signal: never })).toMatchObject({ embedded: 63, problem: undefined })
    // The batch, a probe text, and two requests per bisection.
    const requests = server.requests.filter(({ body }) => String(body['input']).includes('walrus number'))
    expect(requests.length).toBeLessThanOrEqual(1 + 2 * Math.log2(64))
    store.close()
  })

  it('requests only the text with an unusable vector again', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, hole: 'gamma' }
    const store = await openStore(texts)
    const rejected = new Map()
    const provider = await openProvider({ baseUrl: server.openAiUrl, batchSize: 64 })
    expect(await embedMissing(store, provider, { signal: never, rejected })).toMatchObject({ embedded: 4 })
    expect(rejected.size).toBe(1)
    const inputs = server.requests.flatMap(({ body }) => body['input'] as string[])
    expect(inputs.filter((text) => text.startsWith('gamma'))).toHaveLength(2)
    expect(inputs.filter((text) => text.startsWith('alpha'))).toHaveLength(1)
    store.close()
  })

  it.each([
    ['the first of all', 1],
    ['one among others', 64],
  ])('rejects only the vector of another length: %s', async (_name, batchSize) => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, odd: 'alpha' }
    const store = await openStore([...texts, 'memory of something else'])
    const rejected = new Map()
    const provider = await openProvider({ baseUrl: server.openAiUrl, batchSize })
    const { problem } = await embedMissing(store, provider, { signal: never, rejected })
    expect(problem).toBeUndefined()
    expect(store.dimensions).toBe(32)
    expect(store.passages?.toEmbed(0, 10).map(({ text }) => text)).toEqual(['alpha beta'])
    expect(rejected.size).toBe(1)
    store.close()
  })

  it.each([
    ['a vector with NaN', { nan: true }],
    ['an invalid response', { garbage: true }],
  ])('%s is a provider error and is not stored', async (_name, trouble) => {
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

  it('requests the missing texts of an incomplete response one by one', async () => {
    const server = await startModelServer()
    server.embeddings = { dimensions: 32, half: true }
    const store = await openStore(texts)
    const provider = await openProvider({ baseUrl: server.openAiUrl })
    expect((await embedMissing(store, provider, { signal: never })).problem).toBeUndefined()
    expect(store.counts().embedded).toBe(6)
    store.close()
  })

  it('vectors of another length than the model’s are refused', async () => {
    const server = await startTroubledEmbeddings()
    const provider = await openProvider({
      provider: 'openai',
      model: 'text-embedding-3-small',
      baseUrl: server.url,
      apiKey: 'o',
    })
    await expect(provider.embed(['alpha'])).rejects.toMatchObject({
      code: 'provider_error',
      message: expect.stringContaining('64 dimensions where 1536 were expected'),
    })
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

/** Users install this package themselves: it takes 288 MB with its runtime. */
const hasTransformers = (() => {
  try {
    return createRequire(import.meta.url).resolve('@huggingface/transformers') !== ''
  } catch {
    return false
  }
})()

describe('local model', () => {
  it.skipIf(hasTransformers)('names the command that installs the package', async () => {
    const folder = join(await temporaryFolder(), 'tiny')
    await writeTinyModel(folder, ['walrus'])
    const provider = await openProvider({ provider: 'local', model: folder, modelsFolder: '/models' })
    await expect(provider.embed(['walrus'])).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining('npm install --prefix "/models" @huggingface/transformers@'),
    })
  })

  it.runIf(hasTransformers)('loads from a folder and gives texts with the same words similar vectors', async () => {
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
