interface Waiting<Request, Answer> {
  readonly question: Request
  readonly resolve: (answer: Answer | null) => void
}

/** Extra time for a new worker to load its code, in ms. The worker can post `{ id: 0 }` when it is ready. */
const startMs = 8000

/**
 * Sends questions to a worker, which posts `{ id, answer }`, and caches the answers. If a question misses the
 * deadline, its answer is null: the worker is terminated and a new one takes the remaining questions.
 */
export class DeadlineWorker<Request extends object, Answer> {
  readonly #start: () => Worker
  readonly #deadlineMs: number
  readonly #maxRemembered: number
  readonly #remembered = new Map<string, Answer | null>()
  /** Pending questions in the order in which the worker answers them. */
  readonly #waiting = new Map<number, Waiting<Request, Answer>>()
  #worker: Worker | undefined
  #hasAnswered = false
  #timer = 0
  #lastId = 0

  /**
   * @param deadlineMs time for each answer
   * @param maxRemembered size of the cache; the oldest answers go first
   */
  constructor(start: () => Worker, deadlineMs: number, maxRemembered: number) {
    this.#start = start
    this.#deadlineMs = deadlineMs
    this.#maxRemembered = maxRemembered
  }

  /**
   * Returns the cached answer without asking.
   * @returns undefined if there is none yet, null if the question missed the deadline
   */
  cached(key: string): Answer | null | undefined {
    return this.#remembered.get(key)
  }

  /**
   * Returns the cached answer or asks the worker.
   * @param key identifies the question in the cache
   * @returns null if the question missed the deadline
   */
  async ask(key: string, question: Request): Promise<Answer | null> {
    const known = this.cached(key)
    if (known !== undefined) return known
    const { promise, resolve } = Promise.withResolvers<Answer | null>()
    const id = (this.#lastId += 1)
    this.#waiting.set(id, { question, resolve })
    if (this.#worker) this.#worker.postMessage({ ...question, id })
    else this.#startWorker()
    if (this.#waiting.size === 1) this.#startTimer()
    const answer = await promise
    this.#remembered.set(key, answer)
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= this.#maxRemembered) break
      this.#remembered.delete(oldest)
    }
    return answer
  }

  #startWorker(): void {
    this.#worker = this.#start()
    this.#worker.addEventListener('message', ({ data }: MessageEvent<{ id: number; answer: Answer | null }>) => {
      this.#hasAnswered = true
      this.#settle(data.id, data.answer)
    })
    this.#worker.addEventListener('error', () => this.#replaceWorker())
    for (const [id, { question }] of this.#waiting) this.#worker.postMessage({ ...question, id })
  }

  #settle(id: number, answer: Answer | null): void {
    this.#waiting.get(id)?.resolve(answer)
    this.#waiting.delete(id)
    this.#startTimer()
  }

  #startTimer(): void {
    clearTimeout(this.#timer)
    if (this.#waiting.size === 0) return
    const wait = this.#deadlineMs + (this.#hasAnswered ? 0 : startMs)
    this.#timer = window.setTimeout(() => this.#replaceWorker(), wait)
  }

  #replaceWorker(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#hasAnswered = false
    const [stuck] = this.#waiting.keys()
    if (stuck === undefined) return
    this.#settle(stuck, null)
    if (this.#waiting.size > 0) this.#startWorker()
  }
}
