import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { DocumentRequest, RowRequest } from '../parse/markdown.worker.ts'
import type { Row } from '../parse/parse-document.ts'
import type { HtmlNode } from '../parse/plugins.ts'
import { setBounded } from '#shared/util/lazy.ts'

/** Extra time for a new worker to load its code, in ms. It ends at once if the worker posts `{ id: 0 }`. */
const startupMs = 8000

/**
 * Sends questions to a worker, which posts `{ id, answer }`, and caches the answers. If a question misses the
 * deadline, its answer is null: the worker is terminated and a new one takes the remaining questions.
 * @param maxCached size of the cache; the oldest answers are removed first
 */
export function createDeadlineWorker<Question extends object, Answer>(
  createWorker: () => Worker,
  deadlineMs: number,
  maxCached: number,
) {
  const cache = new Map<string, Answer | null>()
  /** Pending questions in the order in which the worker answers them. */
  const pending = new Map<number, { question: Question; resolve: (answer: Answer | null) => void }>()
  let worker: Worker | undefined
  let hasAnswered = false
  let timer = 0
  let lastId = 0

  function startWorker(): void {
    const started = createWorker()
    worker = started
    started.addEventListener('message', ({ data }: MessageEvent<{ id: number; answer: Answer | null }>) => {
      hasAnswered = true
      settle(data.id, data.answer)
    })
    started.addEventListener('error', replaceWorker)
    for (const [id, { question }] of pending) started.postMessage({ ...question, id })
  }

  function settle(id: number, answer: Answer | null): void {
    pending.get(id)?.resolve(answer)
    pending.delete(id)
    startTimer()
  }

  function startTimer(): void {
    clearTimeout(timer)
    if (pending.size > 0) timer = window.setTimeout(replaceWorker, deadlineMs + (hasAnswered ? 0 : startupMs))
  }

  function replaceWorker(): void {
    worker?.terminate()
    worker = undefined
    hasAnswered = false
    const [lateId] = pending.keys()
    if (lateId === undefined) return
    settle(lateId, null)
    if (pending.size > 0) startWorker()
  }

  return {
    /** @returns undefined if there is no answer yet, null if the question missed the deadline */
    cached: (key: string): Answer | null | undefined => cache.get(key),

    /** @returns null if the question missed the deadline */
    async ask(key: string, question: Question): Promise<Answer | null> {
      const cached = cache.get(key)
      if (cached !== undefined) return cached
      const { promise, resolve } = Promise.withResolvers<Answer | null>()
      lastId += 1
      pending.set(lastId, { question, resolve })
      if (worker) worker.postMessage({ ...question, id: lastId })
      else startWorker()
      if (pending.size === 1) startTimer()
      const answer = await promise
      setBounded(cache, key, answer, maxCached)
      return answer
    },
  }
}

const rowDeadlineMs = 2000
const documentDeadlineMs = 60_000
const maxCachedTrees = 100

const createWorker = () => new Worker(new URL('../parse/markdown.worker.ts', import.meta.url), { type: 'module' })

export const rowWorker = createDeadlineWorker<RowRequest, HtmlNode>(createWorker, rowDeadlineMs, maxCachedTrees)
export const documentWorker = createDeadlineWorker<DocumentRequest, Row[]>(createWorker, documentDeadlineMs, 0)

/** Longest wait while the text changes without a pause. */
const maxWaitMs = 3000

/**
 * Sends a changing text to a worker, one version at a time.
 * @param key id of the question, which ends with its text; if undefined, nothing is sent
 * @param waitMs pause of the text before the worker is asked again
 * @returns the last answer, also to an earlier question; null if it missed the deadline
 */
export function useWorker<Question extends object, Answer>(
  worker: ReturnType<typeof createDeadlineWorker<Question, Answer>>,
  key: string | undefined,
  question: Question,
  waitMs = 0,
) {
  const [last, setLast] = useState<{ key: string; answer: Answer | null }>()
  const cached = key === undefined ? undefined : worker.cached(key)
  const latestQuestion = useEffectEvent(() => question)
  const isBusy = useRef(false)
  const changedAt = useRef<number>(undefined)
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
      void worker.ask(key, latestQuestion()).then((answer) => {
        isBusy.current = false
        setLast({ key, answer })
      })
    }, wait)
    return () => clearTimeout(timer)
  }, [worker, key, cached, waitMs, last])
  return key !== undefined && cached !== undefined ? { key, answer: cached } : last
}
