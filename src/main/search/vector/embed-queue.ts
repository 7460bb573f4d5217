import { setImmediate } from 'node:timers/promises'
import { AppError, orUndefined } from '#shared/util/errors.ts'
import type { EmbeddingProblem, EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { cacheKey, expectedDimensions } from '../indexing/index-schema.ts'
import type { TextToEmbed, UnitStore } from '../units/unit-store.ts'

/** Parallel requests, because the provider's latency dominates. */
const concurrency = 3
/** A text that every provider accepts: distinguishes a failing provider from a rejected text. */
const probeText = 'memory'

export interface EmbedOutcome {
  readonly embedded: number
  /** The error that stopped the run, if any; the remaining units stay without a vector. */
  readonly problem: AppError | undefined
}

export interface EmbedOptions {
  readonly onProgress?: () => void
  readonly onAnswer?: (ms: number) => void
  /** Texts that the provider rejected, by hash; they are not sent again. */
  readonly rejected?: Map<string, AppError>
  /** True if texts leave this machine: private units and chats are left out then. */
  readonly isRemote: boolean
  readonly signal: AbortSignal
}

export async function embedMissing(
  store: UnitStore,
  provider: EmbeddingProvider,
  options: EmbedOptions,
): Promise<EmbedOutcome> {
  if (provider.similarity) return embedDigests(store, provider, options)
  const { otherLength, ...outcome } = await new EmbedRun(store, provider, options).run()
  if (otherLength === undefined) return outcome
  const { units, embedded } = store.counts()
  const sendable = options.isRemote ? units - store.countUnsent() : units
  // If most texts have vectors, the model changed under the same name. The user decides whether to rebuild.
  if (embedded * 2 > sendable) return outcome
  // The first vector was wrong: adopt the length that the others have.
  store.resetVectors(otherLength)
  return new EmbedRun(store, provider, options).run()
}

/** Assigns cached vectors without calling the provider. @returns the number of units that got one */
export function assignCachedVectors(store: UnitStore, provider: EmbeddingProvider, isRemote: boolean): number {
  const length = expectedDimensions(store.db) || provider.dimensions
  if (provider.similarity || length === 0) return 0
  return store.assignCachedVectors(cacheKey(provider), provider.model, length, isRemote)
}

async function embedDigests(
  store: UnitStore,
  { batchSize }: EmbeddingProvider,
  { onProgress, signal }: EmbedOptions,
): Promise<EmbedOutcome> {
  const before = store.counts().embedded
  const outcome = (problem: AppError | undefined) => ({ embedded: store.counts().embedded - before, problem })
  try {
    for (let last: number | undefined = 0; last !== undefined && !signal.aborted;) {
      last = store.storeMissingCodes(last, batchSize)
      onProgress?.()
      await setImmediate()
    }
    return outcome(undefined)
  } catch (error) {
    if (error instanceof AppError) return outcome(error)
    throw error
  }
}

class EmbedRun {
  #embedded = 0
  #problem: AppError | undefined
  /** Length of the provider's vectors, if it differs from that of the index. */
  #otherLength: number | undefined
  readonly #store: UnitStore
  readonly #provider: EmbeddingProvider
  readonly #options: EmbedOptions
  readonly #rejected: Map<string, AppError>
  /** Hashes of texts. */
  readonly #sent = new Set<string>()
  #cursor = 0

  constructor(store: UnitStore, provider: EmbeddingProvider, options: EmbedOptions) {
    this.#store = store
    this.#provider = provider
    this.#options = options
    this.#rejected = options.rejected ?? new Map()
  }

  async run() {
    // The first answer determines the length of vectors; the cache can't be used without it.
    if (this.#dimensions === 0) await this.#embedNext()
    this.#assignCached()
    const embedAll = async () => {
      while (await this.#embedNext());
    }
    await Promise.all(Array.from({ length: concurrency }, embedAll))
    // Units with the same text as another.
    if (!this.#isOver) this.#assignCached()
    return { embedded: this.#embedded, problem: this.#problem, otherLength: this.#otherLength }
  }

  #assignCached(): void {
    this.#embedded += assignCachedVectors(this.#store, this.#provider, this.#options.isRemote)
  }

  get #isOver(): boolean {
    return this.#problem !== undefined || this.#options.signal.aborted
  }

  get #dimensions(): number {
    return expectedDimensions(this.#store.db) || this.#provider.dimensions
  }

  /** @returns false if there is nothing left to do */
  async #embedNext(): Promise<boolean> {
    if (this.#isOver) return false
    const batch = this.#store.textsToEmbed(this.#cursor, this.#provider.batchSize, this.#options.isRemote)
    this.#cursor = batch.at(-1)?.id ?? this.#cursor
    if (batch.length === 0) return false
    await this.#embedBatch(batch)
    this.#options.onProgress?.()
    return true
  }

  async #embedBatch(batch: readonly TextToEmbed[]): Promise<void> {
    const missing = new Map(batch.map((text) => [text.hash, text]))
    for (const hash of missing.keys()) if (this.#sent.has(hash) || this.#rejected.has(hash)) missing.delete(hash)
    for (const hash of missing.keys()) this.#sent.add(hash)
    const vectors = await this.#request([...missing.values()])
    const embedded = batch.flatMap(({ id, hash }) => {
      const vector = vectors.get(hash)
      return vector ? [{ id, hash, vector }] : []
    })
    this.#store.storeVectors(cacheKey(this.#provider), this.#provider.model, embedded)
    this.#embedded += embedded.length
  }

  /** Bisects a batch with a bad text, to save requests. @param isWorking the provider has just answered */
  async #request(texts: readonly TextToEmbed[], isWorking = false): Promise<Map<string, Float32Array>> {
    const [first, ...others] = texts
    if (!first || this.#isOver) return new Map()
    try {
      const vectors = await this.#send(texts)
      const left = isWorking ? [] : texts.filter(({ hash }) => !vectors.has(hash))
      return new Map([...vectors, ...(await this.#requestParts(left.map((text) => [text])))])
    } catch (error) {
      if (this.#options.signal.aborted) return new Map()
      if (!(error instanceof AppError)) throw error
      if (error.code !== 'provider_error' || !(isWorking || (await this.#acceptsProbe()))) this.#problem ??= error
      else if (others.length > 0 || !isWorking) {
        const middle = Math.ceil(texts.length / 2)
        return this.#requestParts([texts.slice(0, middle), texts.slice(middle)])
      } else this.#rejected.set(first.hash, error)
      return new Map()
    }
  }

  async #requestParts(parts: readonly (readonly TextToEmbed[])[]): Promise<Map<string, Float32Array>> {
    const vectors = new Map<string, Float32Array>()
    for (const part of parts) for (const [hash, vector] of await this.#request(part, true)) vectors.set(hash, vector)
    return vectors
  }

  async #send(texts: readonly TextToEmbed[]): Promise<Map<string, Float32Array>> {
    const started = performance.now()
    // Read before the request, so that the answer is not compared with itself.
    const expected = this.#dimensions
    const answer = await this.#provider.embed(
      texts.map(({ text }) => text),
      this.#options.signal,
      texts.some(({ isPrivate }) => isPrivate),
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
      texts.flatMap(({ hash }, index) => {
        const vector = answer[index]
        return vector && (expected === 0 || vector.length === expected) ? [[hash, vector] as const] : []
      }),
    )
  }

  async #acceptsProbe(): Promise<boolean> {
    const length = await probeDimensions(this.#provider, this.#options.signal)
    if (length === undefined) return false
    if (this.#dimensions > 0 && length !== this.#dimensions) this.#otherLength = length
    return this.#otherLength === undefined
  }
}

export async function probeDimensions(provider: EmbeddingProvider, signal: AbortSignal): Promise<number | undefined> {
  const vectors = await orUndefined(provider.embed([probeText], signal), signal)
  return vectors?.[0]?.length
}

export function describeIncompleteSettings(problem: EmbeddingProblem, { provider }: EmbeddingSource): string {
  const missing = problem === 'no_key' ? 'key' : 'base URL'
  return `no ${missing} for ${provider} embeddings; search uses keywords only`
}
