import { useEffect, useRef, useState } from 'react'
import { parseDocument } from '../parse/parse-document.ts'
import { applyPatch, emptyPreview, patchOf, type Patch, type PreviewState } from '../parse/preview-rows.ts'

/** Texts up to this many characters are split in a few milliseconds, so no worker is used. */
const maxSyncLength = 40_000

/**
 * Debounce and its maximum, in ms, before a long text is split again. From about 200 kB on, the debounce exceeds
 * the pause between two keys, because the work would slow down typing.
 */
const debounceMs = (text: string) => Math.min(400, 40 + text.length / 2000)
const maxDebounceMs = 3000

let lastId = 0
const nextId = () => (lastId += 1)

/** Returns the rows of a note. For long notes they lag behind the text, and are empty at first. */
export function useDocument(text: string): PreviewState {
  const isShort = text.length <= maxSyncLength
  const [state, setState] = useState<{ readonly text?: string; readonly preview: PreviewState }>(() =>
    isShort ? { text, preview: parseFrom(emptyPreview, text) } : { preview: emptyPreview },
  )
  const worker = useRef<DocumentWorker>(undefined)
  if (isShort && state.text !== text) setState({ text, preview: parseFrom(state.preview, text) })
  useEffect(() => {
    if (isShort) {
      worker.current?.close()
      worker.current = undefined
      return
    }
    worker.current ??= new DocumentWorker((patch) =>
      setState(({ preview }) => ({ preview: applyPatch(preview, patch, nextId) })),
    )
    worker.current.parse(text)
  }, [text, isShort])
  useEffect(
    () => () => {
      worker.current?.close()
      worker.current = undefined
    },
    [],
  )
  return state.preview
}

function parseFrom(previous: PreviewState, text: string): PreviewState {
  const previousRows = previous.rows.map(({ row }) => row)
  return applyPatch(previous, patchOf(previousRows, parseDocument(text)), nextId)
}

/** Splits one text at a time in a worker. While the worker is busy, only the latest text is queued. */
class DocumentWorker {
  readonly #worker = new Worker(new URL('../parse/document.worker.ts', import.meta.url), { type: 'module' })
  #pendingText: string | undefined
  #isBusy = false
  #timer = 0
  #pendingSince = 0
  #isFirst = true
  /** True if the pending text is sent as soon as the worker is idle. */
  #isDue = false

  /** @param onPatch receives the patch from the previous text; the first patch starts from an empty one */
  constructor(onPatch: (patch: Patch) => void) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Patch>) => {
      this.#isBusy = false
      onPatch(data)
      if (this.#isDue) this.#sendPending()
    })
  }

  parse(text: string): void {
    const now = performance.now()
    if (this.#pendingText === undefined) this.#pendingSince = now
    this.#pendingText = text
    clearTimeout(this.#timer)
    this.#isDue = this.#isFirst
    if (this.#isFirst) return this.#sendPending()
    const wait = Math.max(0, Math.min(debounceMs(text), this.#pendingSince + maxDebounceMs - now))
    this.#timer = window.setTimeout(() => {
      this.#isDue = true
      this.#sendPending()
    }, wait)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#worker.terminate()
  }

  #sendPending(): void {
    if (this.#isBusy || this.#pendingText === undefined) return
    this.#isBusy = true
    this.#isFirst = false
    this.#worker.postMessage(this.#pendingText)
    this.#pendingText = undefined
  }
}
