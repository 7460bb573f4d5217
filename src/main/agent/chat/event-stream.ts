import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent } from '#shared/contract/index.ts'

/** Pieces of an answer are told once a frame of the screen, ms. */
const gatherMs = 16
/** Events that cannot be gathered; past this one is told how everything stands instead. */
const maxWaiting = 2000

export class Watcher {
  readonly #standing: () => ChatEvent
  #waiting: ChatEvent[] = []
  #wake: (() => void) | undefined

  /** @param standing how everything stands now */
  constructor(standing: () => ChatEvent) {
    this.#standing = standing
  }

  push(event: ChatEvent): void {
    const last = this.#waiting.at(-1)
    const gathered = last && gather(last, event)
    if (gathered) this.#waiting[this.#waiting.length - 1] = gathered
    else this.#waiting.push(event)
    if (this.#waiting.length > maxWaiting) this.#waiting = [{ type: 'changed' }, this.#standing()]
    this.#wake?.()
  }

  /** Everything that is pushed, in order, until the signal; ends without an error then. */
  async *events(signal: AbortSignal | undefined): AsyncGenerator<ChatEvent> {
    let toldAt = -Infinity
    const stop = () => this.#wake?.()
    signal?.addEventListener('abort', stop)
    try {
      for (;;) {
        if (signal?.aborted) return
        const [first] = this.#waiting
        if (!first) {
          await new Promise<void>((resolve) => (this.#wake = resolve))
          continue
        }
        const rest = toldAt + gatherMs - performance.now()
        // More of the same may follow; with something behind it, it has ended.
        if (isPiece(first) && this.#waiting.length === 1 && rest > 0) await sleep(rest)
        const event = this.#waiting.shift()
        if (!event) continue
        if (isPiece(event)) toldAt = performance.now()
        yield event
      }
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }
}

function isPiece({ type }: ChatEvent): boolean {
  return type === 'text' || type === 'thinking'
}

/** One event that says what two say, where that can be. */
function gather(one: ChatEvent, other: ChatEvent): ChatEvent | undefined {
  if (one.type === 'text' && other.type === 'text') return { ...one, delta: one.delta + other.delta }
  if (one.type === 'thinking' && other.type === 'thinking') return { ...one, delta: one.delta + other.delta }
  const isSameCall =
    one.type === 'toolProgress' && other.type === 'toolProgress' && one.progress.call === other.progress.call
  return isSameCall || (one.type === 'queue' && other.type === 'queue') ? other : undefined
}
