import { setTimeout as sleep } from 'node:timers/promises'
import type { SearchResponse } from '#shared/contract/index.ts'
import { AppError, unlessAppError } from '#shared/util/errors.ts'
import { setBounded } from '#shared/util/lazy.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { failedOutcome, type ProviderOutcome, type QueryPermit } from '../embeddings/provider-health.ts'

const usualMaxMs = 15_000
/** Cache size: saved queries run after every change, and providers charge for each request. */
const maxCached = 1000
/** Maximum number of open requests; further queries go without a vector. */
const maxPending = 3
const probeText = 'memory'

export type Notice = SearchResponse['notice']

export interface QueryEmbeddingOptions {
  readonly maxWaitMs?: number | undefined
  /** True if the query must stay on this machine. */
  readonly isPrivate: boolean
}

type Answer = { readonly vector: Float32Array } | { readonly failure: AppError }

interface PendingRequest {
  readonly answer: Promise<Answer>
  /** Number of searches that wait for it, or timed out but will use the result next time. */
  waiters: number
  readonly stop: AbortController
}

export class QueryEmbedder {
  permit: QueryPermit = { waitMs: 0 }
  /** The provider itself, for what needs no request. */
  readonly source: EmbeddingProvider
  /** True if queries are sent to another machine. */
  readonly isRemote: boolean
  readonly #onOutcome: (outcome: ProviderOutcome) => void
  readonly #maxMs: number
  readonly #cache = new Map<string, Float32Array>()
  readonly #pending = new Map<string, PendingRequest>()

  constructor(
    source: EmbeddingProvider,
    isRemote: boolean,
    onOutcome: (outcome: ProviderOutcome) => void,
    maxMs = usualMaxMs,
  ) {
    this.source = source
    this.isRemote = isRemote
    this.#onOutcome = onOutcome
    this.#maxMs = maxMs
  }

  /** Warms up the provider. Ignores errors: the first query reports them. */
  prepare(): void {
    unlessAppError(() => this.source.prepare?.())
  }

  /**
   * Returns the query's vector, from the cache or the provider, or a notice that says why there is none.
   * @param dimensions of the index's vectors
   * @throws the signal's reason if aborted
   */
  async embed(
    query: string,
    dimensions: number,
    { maxWaitMs, isPrivate }: QueryEmbeddingOptions,
    signal?: AbortSignal,
  ): Promise<{ readonly vector: Float32Array | undefined; readonly notice: Notice }> {
    const { failure, waitMs } = this.permit
    const cached = this.#cache.get(query)
    const vector = cached?.length === dimensions ? cached : undefined
    if (failure) return { vector, notice: failedNotice(failure.message, failure.since) }
    if (vector) return { vector, notice: null }
    if (!this.#pending.has(query) && this.#pending.size >= maxPending)
      return { vector: undefined, notice: this.#lateNotice(0) }
    const patienceMs = maxWaitMs ?? waitMs
    const request =
      this.#pending.get(query) ?? this.#ask(query, dimensions, isPrivate, Math.max(this.#maxMs, patienceMs))
    request.waiters += 1
    const answer = await withTimeout(request.answer, patienceMs, signal).catch((error: unknown) => {
      request.waiters -= 1
      if (request.waiters === 0) request.stop.abort()
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

  /** Sends a short text to test the provider. @param dimensions of the index's vectors; 0 accepts any */
  async probe(dimensions: number): Promise<ProviderOutcome> {
    const limit = AbortSignal.timeout(this.#maxMs)
    const answer = await this.#embed(probeText, dimensions, false, limit, this.#maxMs)
    return 'vector' in answer ? { kind: 'probed' } : failedOutcome(answer.failure)
  }

  #ask(query: string, dimensions: number, isPrivate: boolean, limitMs: number): PendingRequest {
    const started = performance.now()
    const stop = new AbortController()
    const limit = AbortSignal.any([AbortSignal.timeout(limitMs), stop.signal])
    const answer = this.#embed(query, dimensions, isPrivate, limit, limitMs).then((given) => {
      if (this.#pending.get(query) === request) this.#pending.delete(query)
      // An aborted request says nothing about the provider's health.
      if (stop.signal.aborted) return given
      if ('failure' in given) {
        this.#onOutcome(failedOutcome(given.failure))
        return given
      }
      setBounded(this.#cache, query, given.vector, maxCached)
      this.#onOutcome({ kind: 'answered', ms: performance.now() - started })
      return given
    })
    const request: PendingRequest = { answer, waiters: 0, stop }
    stop.signal.addEventListener('abort', () => this.#pending.get(query) === request && this.#pending.delete(query))
    this.#pending.set(query, request)
    return request
  }

  async #embed(
    text: string,
    dimensions: number,
    isPrivate: boolean,
    limit: AbortSignal,
    limitMs: number,
  ): Promise<Answer> {
    try {
      const [vector] = await this.source.embed([text], limit, isPrivate)
      if (vector && (dimensions === 0 || vector.length === dimensions)) return { vector }
      const mismatch = `the model's vectors have ${vector?.length ?? 0} dimensions, those of the index ${dimensions}`
      return { failure: this.#failure('provider_error', mismatch) }
    } catch (error) {
      if (error instanceof AppError) return { failure: error }
      if (limit.aborted) return { failure: this.#failure('provider_timeout', `no answer within ${limitMs / 1000} s`) }
      return { failure: this.#failure('provider_error', error instanceof Error ? error.message : String(error)) }
    }
  }

  #failure(code: 'provider_error' | 'provider_timeout', what: string): AppError {
    const { provider } = this.source
    return new AppError(code, `${provider}: ${what}`, { provider, reason: what })
  }

  #lateNotice(waitedMs: number): Notice {
    const message =
      waitedMs === 0
        ? `${this.source.provider} is too slow: searching without it`
        : `${this.source.provider} took longer than ${waitedMs / 1000} s`
    return { code: 'provider_late', message }
  }
}

export const privateQueryNotice: Notice = {
  code: 'query_private',
  message: 'the query may contain words of private notes, so it is not sent to the embedding provider',
}

export function incompleteNotice(count: number): Notice {
  return { code: 'vectors_incomplete', message: `${count} entries have no vector yet`, count }
}

export function privateNotice(count: number): Notice {
  return {
    code: 'vectors_private',
    message: `${count} private entries have no vector: only their words are searched`,
    count,
  }
}

export function unknownScriptNotice(query: string): Notice {
  const isCjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(query)
  const script = isCjk ? 'cjk' : /\p{Script=Latin}/u.test(query) ? 'latin' : 'other'
  return { code: 'vectors_weak', message: `the model does not know ${scriptNames[script]}`, script }
}

const scriptNames = { latin: 'this language', cjk: 'Japanese or Korean', other: 'this script' } as const

function failedNotice(message: string, since?: number): Notice {
  return { code: 'provider_failed', message, ...(since === undefined ? {} : { since }) }
}

/** Returns undefined on timeout. @throws the signal's reason if aborted */
async function withTimeout<T>(work: Promise<T>, ms: number, signal: AbortSignal | undefined): Promise<T | undefined> {
  if (ms === 0) return undefined
  const timer = sleep(ms, undefined, signal ? { signal, ref: false } : { ref: false })
  return Promise.race([work, timer]).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw error
  })
}
