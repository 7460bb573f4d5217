import { useEffect, useRef, useState } from 'react'
import { DeadlineWorker } from '#lib/util/deadline-worker.ts'
import type { DocumentRequest, RowRequest } from '../parse/markdown.worker.ts'
import type { Row } from '../parse/parse-document.ts'
import type { HtmlNode } from '../parse/plugins.ts'

const rowDeadlineMs = 2000
const documentDeadlineMs = 60_000
const maxCachedTrees = 100

const createWorker = () => new Worker(new URL('../parse/markdown.worker.ts', import.meta.url), { type: 'module' })

export const rowWorker = new DeadlineWorker<RowRequest, HtmlNode>(createWorker, rowDeadlineMs, maxCachedTrees)
export const documentWorker = new DeadlineWorker<DocumentRequest, Row[]>(createWorker, documentDeadlineMs, 0)

/** Longest wait while the text changes without a pause. */
const maxWaitMs = 3000

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
): { readonly key: string; readonly answer: Answer | null } | undefined {
  const [last, setLast] = useState<{ readonly key: string; readonly answer: Answer | null }>()
  const latestQuestion = useRef(question)
  const isBusy = useRef(false)
  const changedAt = useRef<number>(undefined)
  useEffect(() => {
    latestQuestion.current = question
  })
  useEffect(() => {
    // A longer version of a text that missed the deadline would miss it, too.
    const willMissDeadline = last?.answer === null && key?.startsWith(last.key) === true
    if (key === undefined || isBusy.current || last?.key === key || willMissDeadline) return undefined
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
  }, [worker, key, waitMs, last])
  return last
}
