/** Extra time for a new worker to load its code, in ms. The worker can post `{ id: 0 }` when it is ready. */
const startupMs = 8000

/**
 * Sends questions to a worker, which posts `{ id, answer }`, and caches the answers. If a question misses the
 * deadline, its answer is null: the worker is terminated and a new one takes the remaining questions.
 */
export class DeadlineWorker<Question extends object, Answer> {
  readonly #createWorker: () => Worker
  readonly #deadlineMs: number
  readonly #maxCached: number
  readonly #cache = new Map<string, Answer | null>()
  /** Pending questions in the order in which the worker answers them. */
  readonly #pending = new Map<number, { question: Question; resolve: (answer: Answer | null) => void }>()
  #worker: Worker | undefined
  #hasAnswered = false
  #timer = 0
  #lastId = 0

  /**
   * @param deadlineMs time for each answer
   * @param maxCached size of the cache; the oldest answers are removed first
   */
  constructor(createWorker: () => Worker, deadlineMs: number, maxCached: number) {
    this.#createWorker = createWorker
    this.#deadlineMs = deadlineMs
    this.#maxCached = maxCached
  }

  /**
   * Returns the cached answer without asking.
   * @returns undefined if there is none yet, null if the question missed the deadline
   */
  cached(key: string): Answer | null | undefined {
    return this.#cache.get(key)
  }

  /**
   * Returns the cached answer or asks the worker.
   * @param key identifies the question in the cache
   * @returns null if the question missed the deadline
   */
  async ask(key: string, question: Question): Promise<Answer | null> {
    const cached = this.cached(key)
    if (cached !== undefined) return cached
    const { promise, resolve } = Promise.withResolvers<Answer | null>()
    const id = (this.#lastId += 1)
    this.#pending.set(id, { question, resolve })
    if (this.#worker) this.#worker.postMessage({ ...question, id })
    else this.#startWorker()
    if (this.#pending.size === 1) this.#startTimer()
    const answer = await promise
    this.#cache.set(key, answer)
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= this.#maxCached) break
      this.#cache.delete(oldest)
    }
    return answer
  }

  #startWorker(): void {
    this.#worker = this.#createWorker()
    this.#worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; answer: Answer | null }>) => {
      this.#hasAnswered = true
      this.#settle(data.id, data.answer)
    })
    this.#worker.addEventListener('error', () => this.#replaceWorker())
    for (const [id, { question }] of this.#pending) this.#worker.postMessage({ ...question, id })
  }

  #settle(id: number, answer: Answer | null): void {
    this.#pending.get(id)?.resolve(answer)
    this.#pending.delete(id)
    this.#startTimer()
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    if (this.#pending.size === 0) return
    const wait = this.#deadlineMs + (this.#hasAnswered ? 0 : startupMs)
    this.#timer = window.setTimeout(() => this.#replaceWorker(), wait)
  }

  #replaceWorker(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#hasAnswered = false
    const [lateId] = this.#pending.keys()
    if (lateId === undefined) return
    this.#settle(lateId, null)
    if (this.#pending.size > 0) this.#startWorker()
  }
}
