import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import { maxAnswer, maxParts } from '#shared/util/limits.ts'
import { createFailure, isTransient } from './provider-failures.ts'
import type { ChatModel } from '../model.ts'

/** `delaysMs`: waits before the second attempt and so on, unless the provider names one. A longer one fails at once. */
const chatRetries = { delaysMs: [1000, 4000, 10_000], maxWaitMs: 60_000 }
/** Background requests are retried only once, because they can delay an answer. */
const backgroundRetries = { delaysMs: [1000], maxWaitMs: 3000 }

/** Retries transient failures until text was shown. @param delays milliseconds, one for each retry of a chat request */
export function withRetries(model: ChatModel, delays: readonly number[] = chatRetries.delaysMs): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      const isChat = request.purpose.kind === 'chat'
      const { delaysMs, maxWaitMs } = isChat ? { ...chatRetries, delaysMs: delays } : backgroundRetries
      for (let attempt = 1; ; attempt += 1) {
        let hasShown = false
        try {
          for await (const event of model.stream(request, signal)) {
            hasShown ||= isChat && (event.type === 'text' || event.type === 'thinking' || event.type === 'done')
            yield event
          }
          return
        } catch (error) {
          const plannedMs = delaysMs[attempt - 1]
          if (hasShown || signal.aborted || plannedMs === undefined) throw error
          if (!(error instanceof AppError) || !isTransient(error)) throw error
          const { code, message, data } = error
          const afterMs = typeof data['retryAfterMs'] === 'number' ? data['retryAfterMs'] : plannedMs
          // In the background, the idle timeout has already delayed the answer.
          if (afterMs > maxWaitMs || (!isChat && code === 'provider_timeout')) throw error
          const retryTrigger = new AbortController()
          const retryInfo = { code, message, data, attempt: attempt + 1, attempts: delaysMs.length + 1, afterMs }
          yield { type: 'retry', ...retryInfo, retryNow: () => retryTrigger.abort() }
          const isOver = AbortSignal.any([signal, retryTrigger.signal])
          await sleep(afterMs, undefined, { signal: isOver }).catch(() => signal.throwIfAborted())
        }
      }
    },
  }
}

/**
 * Fails with `provider_timeout` when no event arrives for `idleMs`. A model of this machine may read the prompt for as
 * long as it takes.
 */
export function withIdleTimeout(model: ChatModel, idleMs: number): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      const timeout = createFailure('provider_timeout', model.provider)
      const idle = new AbortController()
      let timer: NodeJS.Timeout | undefined
      const startTimer = () => (timer = setTimeout(() => idle.abort(timeout), idleMs))
      try {
        if (!model.isLocal) startTimer()
        for await (const event of model.stream(request, AbortSignal.any([signal, idle.signal]))) {
          clearTimeout(timer)
          yield event
          startTimer()
        }
      } catch (error) {
        throw idle.signal.aborted && !signal.aborted ? timeout : error
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Characters of the longest repeated unit. */
const maxUnit = 200
/** A unit must repeat at least this often, over at least this many characters. */
const minTimes = 12
const minLength = 600
/** Earlier characters that a check searches: more than `minTimes` of the longest unit. */
const maxSearched = 10_000
const checkEvery = 64
/** Times that a repeated unit stays in the answer. */
const keptTimes = 3

/** Fails with `provider_too_much` when an answer is too large, and with `answer_repeats` when it repeats itself without end. */
export function withAnswerLimits(model: ChatModel): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      let textLength = 0
      let thoughtLength = 0
      let tail = ''
      let checkedAt = 0
      let parts = 0
      let last: string | undefined
      for await (const event of model.stream(request, signal)) {
        if (event.type === 'text' || event.type === 'thinking') {
          if (event.type === 'thinking') thoughtLength += event.delta.length
          else {
            textLength += event.delta.length
            tail = (tail + event.delta).slice(-(maxSearched + event.delta.length))
          }
          if (event.type !== last) parts += 1
          last = event.type
          if (textLength + thoughtLength > maxAnswer || parts > maxParts)
            throw createFailure('provider_too_much', model.provider)
        }
        yield event
        if (textLength - checkedAt < checkEvery) continue
        checkedAt = textLength
        const repeated = repetitionIn(tail)
        if (!repeated) continue
        const kept = textLength - repeated.length + keptTimes * repeated.unit
        throw new AppError('answer_repeats', `${model.id} repeated itself and was stopped`, { model: model.id, kept })
      }
    },
  }
}

/** Returns the length of the repetition at the end of a text and that of its unit, in characters; undefined if there is none. */
export function repetitionIn(text: string): { readonly length: number; readonly unit: number } | undefined {
  for (let unit = 1; unit <= maxUnit; unit += 1) {
    const needed = Math.max(minLength, minTimes * unit)
    if (text.length < needed) return undefined
    let length = unit
    while (length < text.length && text[text.length - 1 - length] === text[text.length - 1 - length + unit]) length += 1
    // A line of a table or a rule has no letters.
    if (length >= needed && /[\p{L}\p{N}]/u.test(text.slice(-unit))) return { length, unit }
  }
  return undefined
}

interface Place {
  readonly isBackground: boolean
  /** Aborted if a chat request needs the place. */
  readonly preemption: AbortController
  readonly enter: () => void
  hasOutput: boolean
}

/** Requests of each server, by its address, in their order; the first one runs. */
const queues = new Map<string, Place[]>()

/**
 * Sends one request at a time to a server of this machine: most have one slot, whose prompt cache a second request would
 * replace. Requests of the user's chats come before background work, which makes way until it has output.
 */
export function withServerQueue(model: ChatModel, server: string): ChatModel {
  const queue = queues.get(server) ?? []
  queues.set(server, queue)
  return {
    ...model,
    async *stream(request, signal) {
      for (;;) {
        const place = await enter(queue, request.purpose.kind !== 'chat', signal)
        try {
          for await (const event of model.stream(request, AbortSignal.any([signal, place.preemption.signal]))) {
            place.hasOutput = true
            yield event
          }
          return
        } catch (error) {
          if (signal.aborted || !place.preemption.signal.aborted) throw error
        } finally {
          leave(queue, place)
        }
      }
    },
  }
}

/** @throws the signal's reason */
async function enter(queue: Place[], isBackground: boolean, signal: AbortSignal): Promise<Place> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const place: Place = { isBackground, preemption: new AbortController(), enter: resolve, hasOutput: false }
  const [running] = queue
  const next = isBackground ? -1 : queue.findIndex((other) => other !== running && other.isBackground)
  queue.splice(next < 0 ? queue.length : next, 0, place)
  if (!running) resolve()
  else if (!isBackground && running.isBackground && !running.hasOutput) running.preemption.abort()
  const onAbort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await promise
    return place
  } catch (error) {
    leave(queue, place)
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function leave(queue: Place[], place: Place): void {
  const index = queue.indexOf(place)
  queue.splice(index, 1)
  if (index === 0) queue[0]?.enter()
}
