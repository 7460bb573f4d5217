import { setImmediate } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import type { EmbeddingProblem, EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { EmbeddingProvider, SimilarityModel } from '../embeddings/embedding-provider.ts'
import { calibrate } from '../ranking/calibration.ts'
import { floatsOf, type PassageToEmbed } from '../indexing/passage-store.ts'
import { cacheKey } from '../indexing/index-schema.ts'
import type { IndexStore } from '../indexing/index-store.ts'

/** Parallel requests, because the provider's latency dominates. */
const concurrency = 3
const knownBatch = 500
/** A text that every provider accepts: distinguishes a failing provider from a rejected text. */
const probeText = 'memory'

export interface EmbedOutcome {
  readonly embedded: number
  /** The error that stopped the run, if any; the remaining passages stay without a vector. */
  readonly problem: AppError | undefined
  /** Number of passages that were not sent because they are private. */
  readonly privateCount: number
  readonly isCalibrated: boolean
}

export interface EmbedOptions {
  readonly onProgress?: () => void
  readonly onAnswer?: (ms: number) => void
  /** Texts that the provider rejected, by hash; they are not sent again. */
  readonly rejected?: Map<string, AppError>
  /** Returns the hashes of private passages; called before each request. */
  readonly findPrivate?: ((passages: readonly PassageToEmbed[]) => Promise<ReadonlySet<string>>) | undefined
  readonly signal: AbortSignal
}

/** Embeds all passages without a vector, then calibrates. Returns the provider's failure in `problem`. */
export async function embedMissing(
  store: IndexStore,
  provider: EmbeddingProvider,
  options: EmbedOptions,
): Promise<EmbedOutcome> {
  if (provider.similarity) return digestAll(store, provider, provider.similarity, options)
  const outcome = await embedAll(store, provider, options)
  if (outcome.otherLength === undefined) return outcome
  const { passages, embedded } = store.passages?.counts() ?? { passages: 0, embedded: 0 }
  // If most passages have vectors, the model changed under the same name. The user decides whether to rebuild.
  if (embedded * 2 > passages) return outcome
  // The first vector was wrong: adopt the length that the others have.
  store.resetVectors(outcome.otherLength)
  return embedAll(store, provider, options)
}

/** Assigns cached vectors to passages without calling the provider. */
export function assignCachedVectors(store: IndexStore, provider: EmbeddingProvider): void {
  if (provider.similarity) return
  const { model, dimensions } = provider
  const key = cacheKey(provider)
  const length = store.expectedDimensions || dimensions
  if (length === 0) return
  for (let last = 0; ;) {
    const batch = store.passages?.toEmbed(last, knownBatch) ?? []
    const end = batch.at(-1)
    if (!end) return
    last = end.id
    store.transaction(() => {
      for (const { id, hash } of batch) {
        const known = store.cachedVector(key, model, hash, length)
        if (known) store.putVector(id, known.id, floatsOf(known.vector))
      }
    })
  }
}

/** Computes missing digests. Only passages indexed while the model could not be loaded lack one. */
async function digestAll(
  store: IndexStore,
  provider: EmbeddingProvider,
  model: SimilarityModel,
  options: EmbedOptions,
): Promise<EmbedOutcome> {
  let embedded = 0
  try {
    for (let last = 0; !options.signal.aborted;) {
      const batch = store.passages?.toEmbed(last, provider.batchSize) ?? []
      const end = batch.at(-1)
      if (!end) break
      last = end.id
      store.transaction(() => {
        for (const { id, text } of batch) store.passages?.giveDigest(id, model.digestOf(text))
      })
      embedded += batch.length
      options.onProgress?.()
      await setImmediate()
    }
  } catch (error) {
    if (error instanceof AppError) return { embedded, problem: error, privateCount: 0, isCalibrated: false }
    throw error
  }
  if (options.signal.aborted) return { embedded, problem: undefined, privateCount: 0, isCalibrated: false }
  return { embedded, privateCount: 0, ...(await calibrateWith(store, provider, options)) }
}

async function embedAll(
  store: IndexStore,
  provider: EmbeddingProvider,
  options: EmbedOptions,
): Promise<EmbedOutcome & { readonly otherLength: number | undefined }> {
  const run = new EmbedRun(store, provider, options)
  // A further pass: a passage skipped because another batch was sending the same text finds its vector in the cache.
  do await run.runPass()
  while (run.hasDeferred && !run.problem && !options.signal.aborted)
  const { embedded, privatePassages: privateCount, otherLength } = run
  if (run.problem || options.signal.aborted)
    return { embedded, problem: run.problem, privateCount, isCalibrated: false, otherLength }
  return { embedded, privateCount, otherLength, ...(await calibrateWith(store, provider, options)) }
}

/** Vectors are used only with a calibration of their cosines, so it is measured after every run. */
async function calibrateWith(
  store: IndexStore,
  provider: EmbeddingProvider,
  { signal }: EmbedOptions,
): Promise<Pick<EmbedOutcome, 'problem' | 'isCalibrated'>> {
  try {
    return { problem: undefined, isCalibrated: await calibrate(store, provider, signal) }
  } catch (error) {
    if (signal.aborted) return { problem: undefined, isCalibrated: false }
    if (error instanceof AppError) return { problem: error, isCalibrated: false }
    throw error
  }
}

class EmbedRun {
  embedded = 0
  privatePassages = 0
  problem: AppError | undefined
  hasDeferred = false
  /** Length of the provider's vectors, if it differs from that of the index. */
  otherLength: number | undefined
  readonly #store: IndexStore
  readonly #provider: EmbeddingProvider
  readonly #options: EmbedOptions
  readonly #rejected: Map<string, AppError>
  readonly #inFlight = new Set<string>()
  #cursor = 0

  constructor(store: IndexStore, provider: EmbeddingProvider, options: EmbedOptions) {
    this.#store = store
    this.#provider = provider
    this.#options = options
    this.#rejected = options.rejected ?? new Map()
  }

  async runPass(): Promise<void> {
    this.#cursor = 0
    this.privatePassages = 0
    this.hasDeferred = false
    // The first answer determines the length of vectors; the cache can't be used without it.
    if (this.#dimensions === 0) await this.#embedNext()
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (await this.#embedNext());
      }),
    )
  }

  get #dimensions(): number {
    return this.#store.expectedDimensions || this.#provider.dimensions
  }

  /** @returns false if there is nothing left to do */
  async #embedNext(): Promise<boolean> {
    if (this.problem || this.#options.signal.aborted) return false
    const batch = this.#store.passages?.toEmbed(this.#cursor, this.#provider.batchSize) ?? []
    this.#cursor = batch.at(-1)?.id ?? this.#cursor
    if (batch.length === 0) return false
    await this.#embedBatch(batch)
    this.#options.onProgress?.()
    return true
  }

  async #embedBatch(batch: readonly PassageToEmbed[]): Promise<void> {
    const { model } = this.#provider
    const key = cacheKey(this.#provider)
    const dimensions = this.#dimensions
    const vectors = new Map<string, { readonly cached: number; readonly vector: Float32Array }>()
    const missing = new Map<string, PassageToEmbed>()
    for (const passage of batch) {
      const { hash } = passage
      const known = dimensions > 0 ? this.#store.cachedVector(key, model, hash, dimensions) : undefined
      if (known) vectors.set(hash, { cached: known.id, vector: floatsOf(known.vector) })
      else if (this.#inFlight.has(hash)) this.hasDeferred = true
      else if (!this.#rejected.has(hash)) missing.set(hash, passage)
    }
    const privateHashes = missing.size > 0 ? await this.#options.findPrivate?.([...missing.values()]) : undefined
    for (const hash of privateHashes ?? []) missing.delete(hash)
    this.privatePassages += privateHashes?.size ?? 0
    const answer = await this.#request([...missing.values()])
    this.#store.transaction(() => {
      for (const [hash, vector] of answer)
        vectors.set(hash, { cached: this.#store.cacheVector(key, model, hash, vector), vector })
      for (const { id, hash } of batch) {
        const given = vectors.get(hash)
        if (given) this.#store.putVector(id, given.cached, given.vector)
      }
    })
    this.embedded += batch.filter(({ hash }) => vectors.has(hash)).length
  }

  async #request(passages: readonly PassageToEmbed[]): Promise<Map<string, Float32Array>> {
    if (passages.length === 0) return new Map()
    for (const { hash } of passages) this.#inFlight.add(hash)
    try {
      const vectors = await this.#send(passages)
      const left = passages.filter(({ hash }) => !vectors.has(hash))
      for (const [hash, vector] of await this.#sendParts(left.map((passage) => [passage]))) vectors.set(hash, vector)
      return vectors
    } catch (error) {
      if (this.#options.signal.aborted) return new Map()
      if (!(error instanceof AppError)) throw error
      if (error.code === 'provider_error' && (await this.#acceptsProbe()))
        return await this.#sendParts(halves(passages))
      this.problem ??= error
      return new Map()
    } finally {
      for (const { hash } of passages) this.#inFlight.delete(hash)
    }
  }

  async #send(passages: readonly PassageToEmbed[]): Promise<Map<string, Float32Array>> {
    const started = performance.now()
    // Read before the request, so that the answer is not compared with itself.
    const expected = this.#dimensions
    const answer = await this.#provider.embed(
      passages.map(({ text }) => text),
      this.#options.signal,
    )
    const given = answer.filter((vector) => vector !== undefined)
    const [odd] = given
    if (odd && expected > 0 && given.every(({ length }) => length !== expected)) {
      const what = `a vector of ${odd.length} dimensions, but the index has ${expected}`
      const { provider, model } = this.#provider
      throw new AppError('provider_error', `${provider}/${model} answered with ${what}`, { provider, reason: what })
    }
    this.#options.onAnswer?.(performance.now() - started)
    return new Map(
      passages.flatMap(({ hash }, index) => {
        const vector = answer[index]
        return vector && (expected === 0 || vector.length === expected) ? [[hash, vector] as const] : []
      }),
    )
  }

  async #acceptsProbe(): Promise<boolean> {
    const length = await probeDimensions(this.#provider, this.#options.signal)
    if (length === undefined) return false
    if (this.#dimensions > 0 && length !== this.#dimensions) this.otherLength = length
    return this.otherLength === undefined
  }

  async #sendParts(parts: readonly (readonly PassageToEmbed[])[]): Promise<Map<string, Float32Array>> {
    const vectors = new Map<string, Float32Array>()
    for (const part of parts) {
      if (this.problem || this.#options.signal.aborted) break
      for (const [hash, vector] of await this.#sendOrSplit(part)) vectors.set(hash, vector)
    }
    return vectors
  }

  /** Bisects the batch, so that one bad text costs only a few requests. */
  async #sendOrSplit(passages: readonly PassageToEmbed[]): Promise<Map<string, Float32Array>> {
    const [first, ...others] = passages
    if (!first) return new Map()
    try {
      return await this.#send(passages)
    } catch (error) {
      if (this.#options.signal.aborted) return new Map()
      if (!(error instanceof AppError)) throw error
      if (error.code !== 'provider_error') this.problem = error
      else if (others.length > 0) return this.#sendParts(halves(passages))
      else this.#rejected.set(first.hash, error)
      return new Map()
    }
  }
}

function halves<T>(all: readonly T[]): (readonly T[])[] {
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)]
}

/** Returns the length of the provider's vectors; undefined if it returns none. */
export async function probeDimensions(provider: EmbeddingProvider, signal: AbortSignal): Promise<number | undefined> {
  try {
    const [vector] = await provider.embed([probeText], signal)
    return vector?.length
  } catch (error) {
    if (error instanceof AppError || signal.aborted) return undefined
    throw error
  }
}

/** Returns the message for an incomplete configuration. */
export function describeIncompleteSettings(problem: EmbeddingProblem, { provider }: EmbeddingSource): string {
  return problem === 'no_key'
    ? `no key for ${provider} embeddings; search uses keywords only`
    : `no base URL for ${provider} embeddings; search uses keywords only`
}
