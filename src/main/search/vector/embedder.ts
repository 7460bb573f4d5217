import type { AppError } from '#shared/util/errors.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import type { ProviderOutcome } from '../embeddings/provider-health.ts'
import { embedKnown, embedMissing, lengthOfVectors } from './embed-queue.ts'
import type { LocalNotes } from '#workspace/privacy'
import { guardedEmbeddings, heldPassages } from './guarded-embeddings.ts'
import { getMeta, localChunksKey } from '../indexing/index-schema.ts'
import type { IndexStore } from '../indexing/index-store.ts'
import type { SyncProblem } from '../indexing/indexed-folder.ts'

export interface EmbedderEvents {
  readonly onProgress: (etaMs: number | undefined) => void
  readonly onOutcome: (outcome: ProviderOutcome) => void
  /** A run has ended; whether the index answers otherwise by meaning now. */
  readonly onEnd: (isOther: boolean) => void
  readonly onFault: (error: unknown) => void
}

/** A provider that takes longer for a word does not tell how long its vectors are, ms. */
const patienceMs = 15_000

export class Embedder {
  readonly #provider: EmbeddingProvider
  readonly #events: EmbedderEvents
  readonly #signal: AbortSignal
  /** Texts that the provider does not take, by hash. */
  readonly #refused = new Map<string, AppError>()
  readonly #notes: LocalNotes | undefined
  #local = 0
  #isHeld = false
  #isStopped = false
  #running: Promise<void> | undefined

  /** @param notes what stays on this machine, where the provider is a remote one */
  constructor(provider: EmbeddingProvider, events: EmbedderEvents, signal: AbortSignal, notes?: LocalNotes) {
    this.#provider = notes ? guardedEmbeddings(provider, notes) : provider
    this.#notes = notes
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
    if (!this.#running) this.#follow(this.#runAll(store))
  }

  /** What need not be asked for, at once; not while a run is under way. */
  giveKnown(store: IndexStore): void {
    embedKnown(store, this.#provider)
  }

  /**
   * The provider may be another by now, or have changed its mind: what it did not take is asked for again, and all of it
   * where its vectors have another length than those of the index. Resolves when that is known, or left to a run that is
   * under way.
   */
  async startAnew(store: IndexStore): Promise<void> {
    this.#refused.clear()
    const before = this.#running
    const known = this.ended.then(() => this.#adoptLength(store))
    this.#follow(known.then(() => this.#runAll(store)))
    if (!before) await known
  }

  #follow(work: Promise<void>): void {
    const running = work.catch(this.#events.onFault).finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
  }

  async #adoptLength(store: IndexStore): Promise<void> {
    const limit = AbortSignal.any([this.#signal, AbortSignal.timeout(patienceMs)])
    const length = await lengthOfVectors(this.#provider, limit)
    if (length !== undefined && store.dimensions > 0 && length !== store.dimensions) store.forgetVectors(length)
  }

  /** One run, waited for. @returns chunks that have a vector now and had none */
  async run(store: IndexStore): Promise<number> {
    if (this.#isHeld || this.#signal.aborted) return 0
    const started = performance.now()
    const { chunks, embedded: before } = store.counts()
    const notes = this.#notes
    const { embedded, problem, held, isMeasured } = await embedMissing(store, this.#provider, {
      onProgress: () => {
        const done = store.counts().embedded - before
        this.#events.onProgress(remaining(started, done, chunks - before))
      },
      onAnswer: (ms) => this.#events.onOutcome({ kind: 'answered', ms }),
      refused: this.#refused,
      held: notes && ((passages) => heldPassages(store, notes, passages)),
      signal: this.#signal,
    })
    if (this.#signal.aborted) return 0
    this.#isStopped = problem !== undefined
    this.#local = held
    noteLocal(store, problem || held === 0 ? 0 : store.counts().chunks - store.counts().embedded)
    this.#events.onProgress(undefined)
    this.#events.onEnd(embedded > 0 || isMeasured)
    if (problem) {
      const { code, message, data } = problem
      const retryAfterMs = typeof data['retryAfterMs'] === 'number' ? data['retryAfterMs'] : undefined
      this.#events.onOutcome({ kind: 'failed', code, message, retryAfterMs })
      return 0
    }
    return embedded
  }

  problems(): SyncProblem[] {
    const [first] = this.#refused.values()
    return [
      ...(first ? [{ code: 'texts_refused', message: first.message }] : []),
      ...(this.#local > 0
        ? [{ code: 'passages_local', message: `${this.#local} passages stay on this machine: words alone find them` }]
        : []),
    ]
  }

  /** Files may have changed meanwhile: until there is nothing more. */
  async #runAll(store: IndexStore): Promise<void> {
    while ((await this.run(store)) > 0 && (store.passages?.toEmbed(0, 1).length ?? 0) > 0);
  }
}

/** How many chunks lack vectors for no other reason than that they are local: whoever searches is told. */
function noteLocal(store: IndexStore, chunks: number): void {
  if (Number(getMeta(store.db, localChunksKey) ?? 0) !== chunks) store.setMeta(localChunksKey, String(chunks))
}

/** Milliseconds that the rest takes at the speed so far; undefined while there is no telling. */
export function remaining(started: number, done: number, total: number): number | undefined {
  if (done <= 0 || done >= total) return undefined
  return Math.round(((performance.now() - started) / done) * (total - done))
}
