import { useEffect, useRef, useState } from 'react'
import type { DocumentRequest, RowRequest } from '../parse/markdown.worker.ts'
import type { Row } from '../parse/parse-document.ts'
import type { HtmlNode } from '../parse/plugins.ts'

/** Extra time for a new worker to load its code, in ms. It ends at once if the worker posts `{ id: 0 }`. */
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

  /** @param deadlineMs time for each answer @param maxCached size of the cache; the oldest answers are removed first */
  constructor(createWorker: () => Worker, deadlineMs: number, maxCached: number) {
    this.#createWorker = createWorker
    this.#deadlineMs = deadlineMs
    this.#maxCached = maxCached
  }

  /** @returns undefined if there is no answer yet, null if the question missed the deadline */
  cached(key: string): Answer | null | undefined {
    return this.#cache.get(key)
  }

  /** @returns null if the question missed the deadline */
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

const rowDeadlineMs = 2000
const documentDeadlineMs = 60_000
const maxCachedTrees = 100

const createWorker = () => new Worker(new URL('../parse/markdown.worker.ts', import.meta.url), { type: 'module' })

export const rowWorker = new DeadlineWorker<RowRequest, HtmlNode>(createWorker, rowDeadlineMs, maxCachedTrees)
export const documentWorker = new DeadlineWorker<DocumentRequest, Row[]>(createWorker, documentDeadlineMs, 0)

/** Longest wait while the text changes without a pause. */
const maxWaitMs = 3000

interface WorkerAnswer<Answer> {
  readonly key: string
  readonly answer: Answer | null
}

/**
 * Sends a changing text to a worker, one version at a time.
 * @param key id of the question, which ends with its text; if undefined, nothing is sent
 * @param waitMs pause of the text before the worker is asked again
 * @returns the last answer, also to an earlier question; null if it missed the deadline
 */
export function useWorker<Question extends object, Answer>(
  worker: DeadlineWorker<Question, Answer>,
  key: string | undefined,
  question: Question,
  waitMs = 0,
): WorkerAnswer<Answer> | undefined {
  const [last, setLast] = useState<WorkerAnswer<Answer>>()
  const cached = key === undefined ? undefined : worker.cached(key)
  const latestQuestion = useRef(question)
  const isBusy = useRef(false)
  const changedAt = useRef<number>(undefined)
  useEffect(() => {
    latestQuestion.current = question
  })
  useEffect(() => {
    // A longer version of a text that missed the deadline would miss it, too.
    const willMissDeadline = last?.answer === null && key?.startsWith(last.key) === true
    const isAnswered = cached !== undefined || last?.key === key || willMissDeadline
    if (key === undefined || isBusy.current || isAnswered) return undefined
    const now = performance.now()
    changedAt.current ??= now
    const wait = last ? Math.min(waitMs, changedAt.current + maxWaitMs - now) : 0
    const timer = setTimeout(() => {
      changedAt.current = undefined
      isBusy.current = true
      void worker.ask(key, latestQuestion.current).then((answer) => {
        isBusy.current = false
        setLast({ key, answer })
      })
    }, wait)
    return () => clearTimeout(timer)
  }, [worker, key, cached, waitMs, last])
  return key !== undefined && cached !== undefined ? { key, answer: cached } : last
}
