import type { AppError } from '#shared/util/errors.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import { failedOutcome, type ProviderOutcome } from '../embeddings/provider-health.ts'
import { assignCachedVectors, embedMissing, probeDimensions } from './embed-queue.ts'
import { getMeta, setMeta, unsentUnitsKey, vectorDimensions } from '../indexing/index-schema.ts'
import type { SyncProblem } from '../indexing/indexed-folder.ts'
import type { UnitStore } from '../units/unit-store.ts'

export interface EmbedderEvents {
  readonly onProgress: (etaMs: number | undefined) => void
  readonly onOutcome: (outcome: ProviderOutcome) => void
  /** Called after each run. `hasNewResults`: search results may have changed. */
  readonly onEnd: (hasNewResults: boolean) => void
  /** Called when every text has a vector, except those that the provider rejects or must not receive. */
  readonly onComplete: (store: UnitStore) => void
  readonly onError: (error: unknown) => void
}

const probeTimeoutMs = 15_000

export class Embedder {
  readonly #provider: EmbeddingProvider
  readonly #events: EmbedderEvents
  readonly #signal: AbortSignal
  readonly #rejected = new Map<string, AppError>()
  readonly #isRemote: boolean
  isPaused = false
  /** True if the last run ended with an error of the provider. */
  isStopped = false
  #unsentCount = 0
  #running: Promise<void> | undefined

  /** @param isRemote true if texts leave this machine */
  constructor(provider: EmbeddingProvider, events: EmbedderEvents, signal: AbortSignal, isRemote: boolean) {
    this.#provider = provider
    this.#isRemote = isRemote
    this.#events = events
    this.#signal = signal
  }

  /** Resolves when the current run has ended, completely or not. */
  get ended(): Promise<void> {
    return this.#running ?? Promise.resolve()
  }

  /** Starts a run in the background if none is active: embedding takes minutes and must not delay the next sync. */
  start(store: UnitStore): void {
    if (!this.#running) this.#follow(this.#runAll(store))
  }

  /** Gives units their vectors from the cache. Must not run during an embedding run. */
  assignCachedVectors(store: UnitStore): void {
    assignCachedVectors(store, this.#provider, this.#isRemote)
  }

  /**
   * Starts over, because the provider may have changed: sends rejected texts again, and all texts if its vectors have
   * another length. Resolves when the length is known. If a run is active, resolves at once and starts over after it.
   */
  async restart(store: UnitStore): Promise<void> {
    this.#rejected.clear()
    const before = this.#running
    const known = this.ended.then(() => this.#adoptDimensions(store))
    this.#follow(known.then(() => this.#runAll(store)))
    if (!before) await known
  }

  #follow(work: Promise<void>): void {
    const running = work.catch(this.#events.onError).finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
  }

  async #adoptDimensions(store: UnitStore): Promise<void> {
    const limit = AbortSignal.any([this.#signal, AbortSignal.timeout(probeTimeoutMs)])
    const length = await probeDimensions(this.#provider, limit)
    const dimensions = vectorDimensions(store.db)
    if (length !== undefined && dimensions > 0 && length !== dimensions) store.resetVectors(length)
  }

  async #run(store: UnitStore): Promise<number> {
    if (this.isPaused || this.#signal.aborted) return 0
    const started = performance.now()
    const { units, embedded: before } = store.counts()
    const { embedded, problem } = await embedMissing(store, this.#provider, {
      onProgress: () => {
        const done = store.counts().embedded - before
        this.#events.onProgress(remainingMs(started, done, units - before))
      },
      onAnswer: (ms) => this.#events.onOutcome({ kind: 'answered', ms }),
      rejected: this.#rejected,
      isRemote: this.#isRemote,
      signal: this.#signal,
    })
    if (this.#signal.aborted) return 0
    this.isStopped = problem !== undefined
    this.#unsentCount = this.#isRemote ? store.countUnsent() : 0
    // Search results report the number.
    const reportedCount = problem ? 0 : this.#unsentCount
    if (Number(getMeta(store.db, unsentUnitsKey) ?? 0) !== reportedCount)
      setMeta(store.db, unsentUnitsKey, String(reportedCount))
    this.#events.onProgress(undefined)
    this.#events.onEnd(embedded > 0)
    if (problem) this.#events.onOutcome(failedOutcome(problem))
    return problem ? 0 : embedded
  }

  problems(): SyncProblem[] {
    const [first] = this.#rejected.values()
    const problems = first ? [{ code: 'texts_refused', message: first.message }] : []
    if (this.#unsentCount === 0) return problems
    const message = `${this.#unsentCount} texts are private: only keyword search finds them`
    return [...problems, { code: 'passages_local', message }]
  }

  /** Repeats runs until nothing is missing, because files may change meanwhile. */
  async #runAll(store: UnitStore): Promise<void> {
    while ((await this.#run(store)) > 0 && store.textsToEmbed(0, 1, this.#isRemote).length > 0);
    if (!this.isPaused && !this.isStopped && !this.#signal.aborted) this.#events.onComplete(store)
  }
}

/** Returns the estimated remaining ms; undefined if nothing or all is done. @param started by `performance.now()` */
export function remainingMs(started: number, done: number, total: number): number | undefined {
  if (done <= 0 || done >= total) return undefined
  return Math.round(((performance.now() - started) / done) * (total - done))
}
