/**
 * Brings the vectors of an index up to date, in the background and one run at a time. It asks the provider until that
 * fails once, tells what became of it, and waits to be told to go on: who may ask when is the provider's health to say.
 */
import type { AppError } from '../../shared/errors.ts'
import type { EmbeddingProvider, ProviderOutcome } from '../embeddings/index.ts'
import { embedMissing } from './embed-queue.ts'
import type { IndexStore } from './store.ts'
import type { SyncProblem } from './sync.ts'

export interface EmbedderEvents {
  readonly onProgress: (etaMs: number | undefined) => void
  readonly onOutcome: (outcome: ProviderOutcome) => void
  /** A run has ended; how many chunks have a vector now that had none. */
  readonly onEnd: (embedded: number) => void
  readonly onFault: (error: unknown) => void
}

export class Embedder {
  readonly #provider: EmbeddingProvider
  readonly #events: EmbedderEvents
  readonly #signal: AbortSignal
  /** Texts that the provider does not take, by hash. */
  readonly #refused = new Map<string, AppError>()
  #isHeld = false
  #isStopped = false
  #running: Promise<void> | undefined

  constructor(provider: EmbeddingProvider, events: EmbedderEvents, signal: AbortSignal) {
    this.#provider = provider
    this.#events = events
    this.#signal = signal
  }

  /** While the provider does not work it is not asked. */
  set isHeld(isHeld: boolean) {
    this.#isHeld = isHeld
  }

  /** The last run did not get to its end because of the provider. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Resolves when the run that is under way has ended, whether or not it got to its end. */
  get ended(): Promise<void> {
    return this.#running ?? Promise.resolve()
  }

  /** Embedding can take minutes and must not hold up the next look at the files. */
  start(store: IndexStore): void {
    this.#running ??= this.#runAll(store)
      .catch(this.#events.onFault)
      .finally(() => {
        this.#running = undefined
      })
  }

  /** One run, waited for. @returns chunks that have a vector now and had none */
  async run(store: IndexStore): Promise<number> {
    if (this.#isHeld || this.#signal.aborted) return 0
    const started = performance.now()
    const { chunks, embedded: before } = store.counts()
    const { embedded, problem } = await embedMissing(store, this.#provider, {
      onProgress: () => {
        const done = store.counts().embedded - before
        this.#events.onProgress(remaining(started, done, chunks - before))
      },
      onAnswer: (ms) => this.#events.onOutcome({ kind: 'answered', ms }),
      refused: this.#refused,
      signal: this.#signal,
    })
    if (this.#signal.aborted) return 0
    this.#isStopped = problem !== undefined
    this.#events.onProgress(undefined)
    this.#events.onEnd(embedded)
    if (problem) {
      const { code, message, data } = problem
      const retryAfterMs = typeof data['retryAfterMs'] === 'number' ? data['retryAfterMs'] : undefined
      this.#events.onOutcome({ kind: 'failed', code, message, retryAfterMs })
      return 0
    }
    return embedded
  }

  /** What was not taken may be asked for again: the provider may be another by now, or have changed its mind. */
  forgetRefusals(): void {
    this.#refused.clear()
  }

  problems(): SyncProblem[] {
    const [first] = this.#refused.values()
    return first ? [{ code: 'texts_refused', message: first.message }] : []
  }

  /** Files may have changed meanwhile: until there is nothing more. */
  async #runAll(store: IndexStore): Promise<void> {
    while ((await this.run(store)) > 0 && (store.passages?.toEmbed(0, 1).length ?? 0) > 0);
  }
}

/** Milliseconds that the rest takes at the speed so far; undefined while there is no telling. */
export function remaining(started: number, done: number, total: number): number | undefined {
  if (done <= 0 || done >= total) return undefined
  return Math.round(((performance.now() - started) / done) * (total - done))
}
