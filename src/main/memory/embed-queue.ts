/**
 * Gives vectors to the chunks that lack one: from the cache, else from the provider, batch by batch. It can stop at any
 * moment and go on later, because what is done is in the database.
 */
import { AppError } from '../../shared/errors.ts'
import { fromBlob, toBlob, type EmbeddingProvider, type EmbeddingSource } from '../embeddings/index.ts'
import type { ChunkToEmbed, IndexStore } from './store.ts'
import type { SyncProblem } from './sync.ts'

/** Batches under way at once; the provider's own latency is what one waits for. */
const concurrency = 3
/** Pairs whose similarity tells this index's background. */
const backgroundSamples = 400
/** Fewer vectors than this say nothing about unrelated pairs. */
const leastForBackground = 30

export interface EmbedOutcome {
  readonly embedded: number
  /** What stopped it, if anything did; the chunks concerned stay to be done. */
  readonly problem: AppError | undefined
}

export async function embedMissing(
  store: IndexStore,
  provider: EmbeddingProvider,
  onProgress: () => void,
  signal: AbortSignal,
): Promise<EmbedOutcome> {
  let embedded = 0
  let problem: AppError | undefined
  let cursor = 0
  const next = () => {
    const batch = store.chunksToEmbed(cursor, provider.batchSize)
    cursor = batch.at(-1)?.id ?? cursor
    return batch
  }
  const worker = async () => {
    for (let batch = next(); batch.length > 0 && !problem && !signal.aborted; batch = next()) {
      const outcome = await embedBatch(store, provider, batch, signal)
      embedded += outcome.embedded
      problem ??= outcome.problem
      onProgress()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (embedded > 0) measureBackground(store, provider)
  return { embedded, problem }
}

async function embedBatch(
  store: IndexStore,
  provider: EmbeddingProvider,
  batch: readonly ChunkToEmbed[],
  signal: AbortSignal,
): Promise<EmbedOutcome> {
  const dimensions = store.dimensions || provider.dimensions
  const vectors = new Map<string, Buffer>()
  for (const { hash } of batch) {
    const cached = dimensions > 0 ? store.cachedVector(provider.provider, provider.model, hash, dimensions) : undefined
    if (cached) vectors.set(hash, cached)
  }
  const missing = [
    ...new Map(batch.filter(({ hash }) => !vectors.has(hash)).map((chunk) => [chunk.hash, chunk])).values(),
  ]
  const answer = await request(provider, missing, signal)
  store.transaction(() => {
    for (const [hash, vector] of answer.vectors) {
      store.cacheVector(provider.provider, provider.model, hash, vector)
      vectors.set(hash, toBlob(vector))
    }
    for (const { id, hash } of batch) {
      const vector = vectors.get(hash)
      if (vector) store.putVector(id, vector)
    }
  })
  return { embedded: batch.filter(({ hash }) => vectors.has(hash)).length, problem: answer.problem }
}

/** One request; when the provider refuses the batch as a whole, its texts one by one, so that one bad text costs itself only. */
async function request(
  provider: EmbeddingProvider,
  chunks: readonly ChunkToEmbed[],
  signal: AbortSignal,
): Promise<{ vectors: Map<string, Float32Array>; problem: AppError | undefined }> {
  const vectors = new Map<string, Float32Array>()
  if (chunks.length === 0) return { vectors, problem: undefined }
  try {
    const answer = await provider.embed(
      chunks.map(({ text }) => text),
      signal,
    )
    for (const [index, { hash }] of chunks.entries()) {
      const vector = answer[index]
      if (vector) vectors.set(hash, vector)
    }
    return { vectors, problem: undefined }
  } catch (error) {
    if (signal.aborted) return { vectors, problem: undefined }
    if (!(error instanceof AppError)) throw error
    if (error.code !== 'provider_error' || chunks.length === 1) return { vectors, problem: error }
    let problem: AppError | undefined
    for (const chunk of chunks) {
      const single = await request(provider, [chunk], signal)
      for (const [hash, vector] of single.vectors) vectors.set(hash, vector)
      problem ??= single.problem
    }
    // Nothing got through: it is the provider, not a text.
    return { vectors, problem: vectors.size === 0 ? problem : undefined }
  }
}

/** The mean cosine of random pairs: what "unrelated" measures in this model and this memory (M17). */
function measureBackground(store: IndexStore, { provider, model }: EmbeddingProvider): void {
  const sample = store.sampleVectors(provider, model, backgroundSamples).map(fromBlob)
  if (sample.length < leastForBackground) return
  let sum = 0
  let pairs = 0
  for (let index = 0; index + 1 < sample.length; index += 2) {
    const one = sample[index]
    const other = sample[index + 1]
    if (!one || !other) continue
    sum += one.reduce((dot, value, at) => dot + value * (other[at] ?? 0), 0)
    pairs += 1
  }
  store.setMeta('background', String(Math.max(0, sum / pairs)))
}

/** Why there are no vectors, as the index tells it. */
export function describeEmbeddingProblem(problem: 'no_key' | 'no_base_url', source: EmbeddingSource): SyncProblem {
  const message =
    problem === 'no_key'
      ? `no key for ${source.provider} embeddings; search uses keywords only`
      : `no base URL for ${source.provider} embeddings; search uses keywords only`
  return { code: new AppError('provider_key_missing', message).code, message }
}
