import { useEffect, useRef, useState } from 'react'
import { parseDocument } from '../parse/parse-document.ts'
import { applyPatch, emptyPreview, patchOf, type Patch, type PreviewState } from '../parse/preview-rows.ts'

/** Texts up to this many characters are split in a few milliseconds, so no worker is used. */
const short = 40_000

/**
 * Debounce and its maximum, in ms, before a long text is split again. Above 200 kB or so the debounce exceeds
 * the pause between two keys, because the work would slow down typing.
 */
const pauseMs = (text: string) => Math.min(400, 40 + text.length / 2000)
const longestMs = 3000

let lastId = 0
const nextId = () => (lastId += 1)

/** Returns the rows of a note. For long notes they lag behind the text, and are empty at first. */
export function useDocument(text: string): PreviewState {
  const isShort = text.length <= short
  const [state, setState] = useState<{ readonly of?: string; readonly shown: PreviewState }>(() =>
    isShort ? { of: text, shown: fresh(text, emptyPreview) } : { shown: emptyPreview },
  )
  const thread = useRef<DocumentWorker>(undefined)
  if (isShort && state.of !== text) setState({ of: text, shown: fresh(text, state.shown) })
  useEffect(() => {
    if (isShort) {
      thread.current?.close()
      thread.current = undefined
      return
    }
    thread.current ??= new DocumentWorker((patch) =>
      setState(({ shown }) => ({ shown: applyPatch(shown, patch, nextId) })),
    )
    thread.current.read(text)
  }, [text, isShort])
  useEffect(
    () => () => {
      thread.current?.close()
      thread.current = undefined
    },
    [],
  )
  return state.shown
}

function fresh(text: string, before: PreviewState): PreviewState {
  return applyPatch(
    before,
    patchOf(
      before.rows.map(({ row }) => row),
      parseDocument(text),
    ),
    nextId,
  )
}

/** Splits one text at a time in a worker. While the worker is busy, only the latest text is queued. */
class DocumentWorker {
  readonly #worker = new Worker(new URL('../parse/document.worker.ts', import.meta.url), { type: 'module' })
  #waiting: string | undefined
  #isBusy = false
  #timer = 0
  #since = 0
  #isFirst = true
  #isDue = false

  /** @param tell receives the patch from the previous text; the first patch starts from an empty one */
  constructor(tell: (patch: Patch) => void) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Patch>) => {
      this.#isBusy = false
      tell(data)
      if (this.#isDue) this.#next()
    })
  }

  read(text: string): void {
    const now = performance.now()
    if (this.#waiting === undefined) this.#since = now
    this.#waiting = text
    clearTimeout(this.#timer)
    this.#isDue = this.#isFirst
    if (this.#isFirst) return this.#next()
    const wait = Math.max(0, Math.min(pauseMs(text), this.#since + longestMs - now))
    this.#timer = window.setTimeout(() => {
      this.#isDue = true
      this.#next()
    }, wait)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#worker.terminate()
  }

  #next(): void {
    if (this.#isBusy || this.#waiting === undefined) return
    this.#isBusy = true
    this.#isFirst = false
    this.#worker.postMessage(this.#waiting)
    this.#waiting = undefined
  }
}
