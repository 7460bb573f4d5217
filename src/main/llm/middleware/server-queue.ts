/**
 * One request at a time for each server of this machine: most have one slot, whose prompt cache a second request would
 * replace. Requests of the user's chats come before background work, which makes way until it has output.
 */
import type { ChatModel } from '../model.ts'

interface Place {
  readonly isBackground: boolean
  /** Aborted if a chat request needs the place. */
  readonly preemption: AbortController
  hasOutput: boolean
  enter: () => void
}

class ServerQueue {
  #running: Place | undefined
  #waiting: Place[] = []

  /** Waits for the server. @throws the signal's reason */
  async enter(isBackground: boolean, signal: AbortSignal): Promise<Place> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const place: Place = { isBackground, preemption: new AbortController(), hasOutput: false, enter: resolve }
    const onAbort = () => {
      this.#waiting = this.#waiting.filter((other) => other !== place)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.#waiting.push(place)
    const running = this.#running
    if (!isBackground && running?.isBackground && !running.hasOutput) running.preemption.abort()
    this.#next()
    try {
      await promise
      return place
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  leave(place: Place): void {
    if (this.#running === place) this.#running = undefined
    this.#next()
  }

  #next(): void {
    if (this.#running) return
    const next = this.#waiting.find(({ isBackground }) => !isBackground) ?? this.#waiting[0]
    if (!next) return
    this.#waiting = this.#waiting.filter((place) => place !== next)
    this.#running = next
    next.enter()
  }
}

const queues = new Map<string, ServerQueue>()

/** @param server address of the server */
export function withServerQueue(model: ChatModel, server: string): ChatModel {
  const queue = queues.get(server) ?? new ServerQueue()
  queues.set(server, queue)
  return {
    ...model,
    async *stream(request, signal) {
      for (;;) {
        const place = await queue.enter(request.purpose.kind !== 'chat', signal)
        try {
          for await (const event of model.stream(request, AbortSignal.any([signal, place.preemption.signal]))) {
            place.hasOutput = true
            yield event
          }
          return
        } catch (error) {
          if (signal.aborted || !place.preemption.signal.aborted) throw error
        } finally {
          queue.leave(place)
        }
      }
    },
  }
}
