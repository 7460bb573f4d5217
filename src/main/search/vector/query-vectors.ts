import { setTimeout as sleep } from 'node:timers/promises'
import type { SearchResponse } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type {
  Digest,
  EmbeddingProvider,
  MeaningTerm,
  NearnessModel,
  RelatedWord,
} from '../embeddings/embedding-provider.ts'
import type { ProviderOutcome, QueryLeave } from '../embeddings/provider-health.ts'

/** A question of a person that took longer than this was a failure, ms. */
const usualMaxMs = 15_000
/** Vectors that are kept: saved questions are asked after every change, and a provider costs money. */
const maxKept = 1000
/** Requests that nobody waits for any more; while there are as many, no other is sent. */
const maxOpen = 3
/** Asks a provider whether it is there. */
const probeText = 'memory'

type Notice = SearchResponse['notice']

/** How near passages are to a question. */
export interface Nearness {
  /** Of a passage's text; the same for every question. */
  digestOf(text: string): Digest
  /** From the digest of a passage and its cosine with the question. */
  of(digest: Digest, cosine: number): number
}

export interface QueryVector {
  readonly vector: Float32Array | undefined
  readonly notice: Notice
}

type Answer = { readonly vector: Float32Array } | { readonly failure: AppError }

/** A request that is under way. */
interface Asked {
  readonly answer: Promise<Answer>
  /** Those who want it, or have stopped waiting and want it next time. */
  wanted: number
  /** Nobody wants it any more. */
  readonly stop: AbortController
}

export class QueryVectors {
  /** What may be done now, as it was last told. */
  leave: QueryLeave = { waitMs: 0 }
  readonly #provider: EmbeddingProvider
  readonly #onOutcome: (outcome: ProviderOutcome) => void
  readonly #maxMs: number
  readonly #kept = new Map<string, Float32Array>()
  readonly #open = new Map<string, Asked>()

  constructor(provider: EmbeddingProvider, onOutcome: (outcome: ProviderOutcome) => void, maxMs = usualMaxMs) {
    this.#provider = provider
    this.#onOutcome = onOutcome
    this.#maxMs = maxMs
  }

  get provider(): string {
    return this.#provider.provider
  }

  get model(): string {
    return this.#provider.model
  }

  get address(): string | undefined {
    return this.#provider.address
  }

  /** What is asked goes to another machine. */
  get isRemote(): boolean {
    return this.#provider.holds !== undefined
  }

  /** What the first question would wait for is done now; where it fails, that question says why. */
  prepare(): void {
    try {
      this.#provider.prepare?.()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  /** False where it is known beforehand that the model cannot tell what a question means. */
  reads(question: string): boolean {
    return this.#provider.reads?.(question) ?? true
  }

  /** Words that mean something like a word, nearest first; none where the model cannot tell. */
  readonly related = (word: string): readonly RelatedWord[] => this.#provider.related?.(word) ?? []

  /** Of a model whose vectors are made of digests. */
  get digests(): NearnessModel | undefined {
    return this.#provider.nearness
  }

  /** How near passages are to a question; undefined where that is their cosine. */
  nearness(question: string): Nearness | undefined {
    const { nearness } = this.#provider
    return nearness && { digestOf: nearness.digestOf, of: nearness.to(question) }
  }

  /** What each word of a question gives to its nearness to a passage; undefined where the model cannot tell. */
  terms(question: string, passage: string): MeaningTerm[] | undefined {
    return this.#provider.terms?.(question, passage)
  }

  /**
   * @param dimensions of the index's vectors
   * @param maxWaitMs instead of what the provider's health allows, for somebody who would rather wait
   */
  async of(
    query: string,
    dimensions: number,
    maxWaitMs: number | undefined,
    signal?: AbortSignal,
  ): Promise<QueryVector> {
    if (await this.#provider.holds?.(query)) return { vector: undefined, notice: localQueryNotice }
    const { failure, waitMs } = this.leave
    const vector = this.#kept.get(query)
    if (failure) return { vector: fits(vector, dimensions), notice: failedNotice(failure.message, failure.since) }
    if (vector) return this.#checked(vector, dimensions)
    if (!this.#open.has(query) && this.#open.size >= maxOpen) return { vector: undefined, notice: this.#lateNotice(0) }
    const patienceMs = maxWaitMs ?? waitMs
    const asked = this.#open.get(query) ?? this.#ask(query, dimensions, Math.max(this.#maxMs, patienceMs))
    asked.wanted += 1
    const answer = await within(asked.answer, patienceMs, signal).catch((error: unknown) => {
      asked.wanted -= 1
      if (asked.wanted === 0) asked.stop.abort()
      throw error
    })
    if (!answer) {
      this.#onOutcome({ kind: 'late' })
      return { vector: undefined, notice: this.#lateNotice(patienceMs) }
    }
    return 'vector' in answer
      ? { vector: answer.vector, notice: null }
      : { vector: undefined, notice: failedNotice(answer.failure.message) }
  }

  /** Asks the provider for one short text, to see whether it can be used. */
  async probe(dimensions: number): Promise<ProviderOutcome> {
    const limit = AbortSignal.timeout(this.#maxMs)
    return outcomeOf(await this.#embed(probeText, dimensions, limit, this.#maxMs), { kind: 'probed' })
  }

  #ask(query: string, dimensions: number, limitMs: number): Asked {
    const started = performance.now()
    const stop = new AbortController()
    const limit = AbortSignal.any([AbortSignal.timeout(limitMs), stop.signal])
    const answer = this.#embed(query, dimensions, limit, limitMs).then((given) => {
      if (this.#open.get(query) === asked) this.#open.delete(query)
      // What was called off says nothing of the provider.
      if (stop.signal.aborted) return given
      if ('vector' in given) this.#keep(query, given.vector)
      this.#onOutcome(outcomeOf(given, { kind: 'answered', ms: performance.now() - started }))
      return given
    })
    const asked: Asked = { answer, wanted: 0, stop }
    stop.signal.addEventListener('abort', () => this.#open.get(query) === asked && this.#open.delete(query))
    this.#open.set(query, asked)
    return asked
  }

  async #embed(text: string, dimensions: number, limit: AbortSignal, limitMs: number): Promise<Answer> {
    try {
      const [vector] = await this.#provider.embed([text], limit)
      if (vector && (dimensions === 0 || vector.length === dimensions)) return { vector }
      return { failure: this.#failure('provider_error', mismatch(vector?.length ?? 0, dimensions)) }
    } catch (error) {
      if (error instanceof AppError) return { failure: error }
      if (limit.aborted) return { failure: this.#failure('provider_timeout', `no answer within ${limitMs / 1000} s`) }
      return { failure: this.#failure('provider_error', error instanceof Error ? error.message : String(error)) }
    }
  }

  #keep(query: string, vector: Float32Array): void {
    const [oldest] = this.#kept.size < maxKept ? [] : this.#kept.keys()
    if (oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(query, vector)
  }

  #checked(vector: Float32Array, dimensions: number): QueryVector {
    return fits(vector, dimensions)
      ? { vector, notice: null }
      : { vector: undefined, notice: failedNotice(mismatch(vector.length, dimensions)) }
  }

  #failure(code: 'provider_error' | 'provider_timeout', what: string): AppError {
    return new AppError(code, `${this.provider}: ${what}`, { provider: this.provider, reason: what })
  }

  #lateNotice(waitedMs: number): Notice {
    const message =
      waitedMs === 0
        ? `${this.provider} is too slow to be waited for`
        : `${this.provider} took longer than ${waitedMs / 1000} s`
    return { code: 'provider_late', message }
  }
}

export const localQueryNotice: Notice = {
  code: 'query_local',
  message: 'the question has words of notes that stay on this machine, or may have some: it is not sent',
}

function mismatch(length: number, dimensions: number): string {
  return `the model's vectors have ${length} dimensions, those of the index ${dimensions}`
}

function fits(vector: Float32Array | undefined, dimensions: number): Float32Array | undefined {
  return vector?.length === dimensions ? vector : undefined
}

function failedNotice(message: string, since?: number): Notice {
  return { code: 'provider_failed', message, ...(since === undefined ? {} : { since }) }
}

function outcomeOf(answer: Answer, good: ProviderOutcome): ProviderOutcome {
  if ('vector' in answer) return good
  const { code, message, data } = answer.failure
  const { retryAfterMs } = data
  return { kind: 'failed', code, message, ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}) }
}

/** Undefined when it takes longer. @throws the signal's reason */
async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (ms === 0) return undefined
  const done = new AbortController()
  const late = sleep(ms, undefined, {
    signal: signal ? AbortSignal.any([signal, done.signal]) : done.signal,
    ref: false,
  })
  try {
    return await Promise.race([work, late.catch(() => undefined)])
  } finally {
    done.abort()
    signal?.throwIfAborted()
  }
}
