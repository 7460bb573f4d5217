import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import { failure, isPassing } from './provider-failures.ts'
import type { ChatModel, ModelEvent } from '../model.ts'
import { maxAnswer, maxParts } from '#shared/util/limits.ts'

/** Waits before the second, third and fourth try, ms; what the provider asks for goes before. */
const delaysMs = [1000, 4000, 10_000]
/** What is asked beside the answers is tried once more, soon: it can wait for another turn, and an answer waits for it. */
const quietDelaysMs = [1000]
const longestQuietWaitMs = 3000
/** A provider that wants a longer wait than this is told to the user instead. */
const longestWaitMs = 60_000

export function withRetries(model: ChatModel, delays: readonly number[] = delaysMs): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      const isQuiet = request.purpose.kind !== 'chat'
      for (let attempt = 1; ; attempt += 1) {
        let hasShown = false
        try {
          for await (const event of model.stream(request, signal)) {
            hasShown ||= !isQuiet && (event.type === 'text' || event.type === 'thinking' || event.type === 'done')
            yield event
          }
          return
        } catch (error) {
          const wait = hasShown || signal.aborted ? undefined : waitAfter(error, attempt, isQuiet, delays)
          if (wait === undefined || !(error instanceof AppError)) throw error
          const { code, message, data } = error
          const attempts = (isQuiet ? quietDelaysMs : delays).length + 1
          const hurry = new AbortController()
          const told = { code, message, data, attempt: attempt + 1, attempts, afterMs: wait }
          yield { type: 'retry', ...told, hurry: () => hurry.abort() }
          await waitFor(wait, signal, hurry.signal)
        }
      }
    },
  }
}

/** @throws the signal's reason; ends early and well when it is to hurry */
async function waitFor(ms: number, signal: AbortSignal, hurry: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: AbortSignal.any([signal, hurry]) })
  } catch (error) {
    if (signal.aborted || !hurry.aborted) throw error
  }
}

function waitAfter(error: unknown, attempt: number, isQuiet: boolean, delays: readonly number[]): number | undefined {
  const planned = (isQuiet ? quietDelaysMs : delays)[attempt - 1]
  if (planned === undefined || !(error instanceof AppError) || !isPassing(error)) return undefined
  // Silence has taken its time already.
  if (isQuiet && error.code === 'provider_timeout') return undefined
  const asked = error.data['retryAfterMs']
  const wait = typeof asked === 'number' ? asked : planned
  return wait <= (isQuiet ? longestQuietWaitMs : longestWaitMs) ? wait : undefined
}

/** Gives a request up when nothing at all has come for `idleMs`. */
export function withIdleTimeout(model: ChatModel, idleMs: number): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      const giveUp = new AbortController()
      const events = model.stream(request, AbortSignal.any([signal, giveUp.signal]))[Symbol.asyncIterator]()
      try {
        for (;;) {
          const next = await within(events.next(), idleMs)
          if (next === 'silent') {
            const timeout = failure('provider_timeout', model.provider)
            giveUp.abort(timeout)
            throw timeout
          }
          if (next.done) return
          yield next.value
        }
      } finally {
        // Nobody waits for it: a stream that hangs would hang here too.
        void events.return?.().catch(() => undefined)
      }
    },
  }
}

async function within(
  next: Promise<IteratorResult<ModelEvent>>,
  ms: number,
): Promise<IteratorResult<ModelEvent> | 'silent'> {
  const timer = new AbortController()
  const silent = sleep(ms, 'silent' as const, { signal: timer.signal, ref: false }).catch(() => 'silent' as const)
  try {
    return await Promise.race([next, silent])
  } finally {
    timer.abort()
    next.catch(() => undefined)
  }
}

/** @throws AppError `provider_too_much` from the stream, past the limits */
export function withBounds(model: ChatModel): ChatModel {
  return {
    ...model,
    async *stream(request, signal) {
      let characters = 0
      let parts = 0
      let last: string | undefined
      for await (const event of model.stream(request, signal)) {
        if (event.type === 'text' || event.type === 'thinking') {
          characters += event.delta.length
          if (event.type !== last) parts += 1
          last = event.type
          if (characters > maxAnswer || parts > maxParts) throw failure('provider_too_much', model.provider)
        }
        yield event
      }
    },
  }
}
