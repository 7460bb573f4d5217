import { setImmediate } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import type { EmbeddingProblem, EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { EmbeddingProvider, NearnessModel } from '../embeddings/embedding-provider.ts'
import { calibrate } from '../ranking/calibration.ts'
import { floatsOf, type PassageToEmbed } from '../indexing/passage-store.ts'
import { cacheKey } from '../indexing/index-schema.ts'
import type { IndexStore } from '../indexing/index-store.ts'

/** Batches under way at once; the provider's own latency is what one waits for. */
const concurrency = 3
/** Passages that are given known vectors in one transaction. */
const knownBatch = 500
/** A text that nobody can refuse: tells a provider that does not work from a text that it does not take. */
const harmlessText = 'memory'

export interface EmbedOutcome {
  /** Passages that have a vector now and had none. */
  readonly embedded: number
  /** What stopped it, if anything did; the passages concerned stay to be done. */
  readonly problem: AppError | undefined
  /** Passages that were not sent, because they stay on this machine. */
  readonly held: number
  /** What cosines mean was measured anew. */
  readonly isMeasured: boolean
}

export interface EmbedOptions {
  readonly onProgress?: () => void
  /** A request was answered after so many milliseconds. */
  readonly onAnswer?: (ms: number) => void
  /** Hashes of texts that the provider does not take, with its reasons; they are not sent again. */
  readonly refused?: Map<string, AppError>
  /** Those of some passages that stay on this machine, by their hashes; looked at before each request. */
  readonly held?: ((passages: readonly PassageToEmbed[]) => Promise<ReadonlySet<string>>) | undefined
  readonly signal: AbortSignal
}

export async function embedMissing(
  store: IndexStore,
  provider: EmbeddingProvider,
  options: EmbedOptions,
): Promise<EmbedOutcome> {
  if (provider.nearness) return digestAll(store, provider, provider.nearness, options)
  const outcome = await embedAll(store, provider, options)
  if (outcome.otherLength === undefined) return outcome
  const { passages, embedded } = store.passages?.counts() ?? { passages: 0, embedded: 0 }
  // Where most have vectors, the model is another under the same name: whether they are made anew is for people to say.
  if (embedded * 2 > passages) return outcome
  // The first vector of all was odd: what the others have holds.
  store.forgetVectors(outcome.otherLength)
  return embedAll(store, provider, options)
}

/** Gives those passages their vectors whose texts had one before; the provider is not asked. */
export function embedKnown(store: IndexStore, provider: EmbeddingProvider): void {
  if (provider.nearness) return
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

/** Passages get digests as they come into the index: what lacks one came while the model could not be read. */
async function digestAll(
  store: IndexStore,
  provider: EmbeddingProvider,
  model: NearnessModel,
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
    if (error instanceof AppError) return { embedded, problem: error, held: 0, isMeasured: false }
    throw error
  }
  if (options.signal.aborted) return { embedded, problem: undefined, held: 0, isMeasured: false }
  return { embedded, held: 0, ...(await calibrateWith(store, provider, options)) }
}

async function embedAll(
  store: IndexStore,
  provider: EmbeddingProvider,
  options: EmbedOptions,
): Promise<EmbedOutcome & { readonly otherLength: number | undefined }> {
  const run = new EmbedRun(store, provider, options)
  // Texts that another batch had under way are in the cache when all have ended.
  do await run.pass()
  while (run.hasPutOff && !run.problem && !options.signal.aborted)
  const { embedded, held, otherLength } = run
  if (run.problem || options.signal.aborted)
    return { embedded, problem: run.problem, held, isMeasured: false, otherLength }
  return { embedded, held, otherLength, ...(await calibrateWith(store, provider, options)) }
}

/** What the cosines of this index mean is part of its vectors: without that, they are not used. */
async function calibrateWith(
  store: IndexStore,
  provider: EmbeddingProvider,
  { signal }: EmbedOptions,
): Promise<Pick<EmbedOutcome, 'problem' | 'isMeasured'>> {
  try {
    return { problem: undefined, isMeasured: await calibrate(store, provider, signal) }
  } catch (error) {
    if (signal.aborted) return { problem: undefined, isMeasured: false }
    if (error instanceof AppError) return { problem: error, isMeasured: false }
    throw error
  }
}

class EmbedRun {
  embedded = 0
  /** Passages that stay on this machine. */
  held = 0
  problem: AppError | undefined
  hasPutOff = false
  /** What the provider answers with now, where that is not what the index has. */
  otherLength: number | undefined
  readonly #store: IndexStore
  readonly #provider: EmbeddingProvider
  readonly #options: EmbedOptions
  readonly #refused: Map<string, AppError>
  /** Hashes of texts that were sent and not answered. */
  readonly #underWay = new Set<string>()
  #cursor = 0

  constructor(store: IndexStore, provider: EmbeddingProvider, options: EmbedOptions) {
    this.#store = store
    this.#provider = provider
    this.#options = options
    this.#refused = options.refused ?? new Map()
  }

  /** Once through all passages that lack a vector. */
  async pass(): Promise<void> {
    this.#cursor = 0
    this.held = 0
    this.hasPutOff = false
    // Until the first answer nobody knows how long vectors are, and which of the cache are meant.
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

  /** @returns false when there is nothing more to do */
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
      else if (this.#underWay.has(hash)) this.hasPutOff = true
      else if (!this.#refused.has(hash)) missing.set(hash, passage)
    }
    const held = missing.size > 0 ? await this.#options.held?.([...missing.values()]) : undefined
    for (const hash of held ?? []) missing.delete(hash)
    this.held += held?.size ?? 0
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

  /** What was answered, by hash; what went wrong is noted. */
  async #request(passages: readonly PassageToEmbed[]): Promise<Map<string, Float32Array>> {
    if (passages.length === 0) return new Map()
    for (const { hash } of passages) this.#underWay.add(hash)
    try {
      const vectors = await this.#send(passages)
      const left = passages.filter(({ hash }) => !vectors.has(hash))
      for (const [hash, vector] of await this.#sendParts(left.map((passage) => [passage]))) vectors.set(hash, vector)
      return vectors
    } catch (error) {
      if (this.#options.signal.aborted) return new Map()
      if (!(error instanceof AppError)) throw error
      if (error.code === 'provider_error' && (await this.#takesOthers())) return await this.#sendParts(halves(passages))
      this.problem ??= error
      return new Map()
    } finally {
      for (const { hash } of passages) this.#underWay.delete(hash)
    }
  }

  async #send(passages: readonly PassageToEmbed[]): Promise<Map<string, Float32Array>> {
    const started = performance.now()
    // A single odd answer would be the measure of itself.
    const expected = this.#dimensions
    const answer = await this.#provider.embed(
      passages.map(({ text }) => text),
      this.#options.signal,
    )
    const given = answer.filter((vector) => vector !== undefined)
    const [odd] = given
    if (odd && expected > 0 && given.every(({ length }) => length !== expected)) {
      const what = `a vector of ${odd.length} dimensions where those of the index have ${expected}`
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

  /** True when it is this batch that the provider does not take, and not everything. */
  async #takesOthers(): Promise<boolean> {
    const length = await lengthOfVectors(this.#provider, this.#options.signal)
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

  /** Halved again and again, so that one bad text costs itself and a few requests. */
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
      else this.#refused.set(first.hash, error)
      return new Map()
    }
  }
}

function halves<T>(all: readonly T[]): (readonly T[])[] {
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)]
}

/** How long the vectors are that a provider gives now; undefined when it gives none. */
export async function lengthOfVectors(provider: EmbeddingProvider, signal: AbortSignal): Promise<number | undefined> {
  try {
    const [vector] = await provider.embed([harmlessText], signal)
    return vector?.length
  } catch (error) {
    if (error instanceof AppError || signal.aborted) return undefined
    throw error
  }
}

/** Why there is no provider although one is set. */
export function describeMissing(problem: EmbeddingProblem, { provider }: EmbeddingSource): string {
  return problem === 'no_key'
    ? `no key for ${provider} embeddings; search uses keywords only`
    : `no base URL for ${provider} embeddings; search uses keywords only`
}
