import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import { createFailure, isTransient } from './provider-failures.ts'
import type { ChatModel, ModelEvent } from '../model.ts'
import { maxAnswer, maxParts } from '#shared/util/limits.ts'

/** Milliseconds before the second, third and fourth attempt, unless the provider names its own wait. */
const delaysMs = [1000, 4000, 10_000]
/** Milliseconds before the only retry of a background request, which delays the answer. */
const quietDelaysMs = [1000]
const longestQuietWaitMs = 3000
/** If the provider names a longer wait, the request fails at once. */
const longestWaitMs = 60_000

/** Retries transient failures until text was shown. @param delays milliseconds, one for each retry of a chat request */
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
          yield { type: 'retry', ...told, retryNow: () => hurry.abort() }
          await waitFor(wait, signal, hurry.signal)
        }
      }
    },
  }
}

/** Waits; ends early without error if `hurry` aborts. @throws the signal's abort error */
async function waitFor(ms: number, signal: AbortSignal, hurry: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: AbortSignal.any([signal, hurry]) })
  } catch (error) {
    if (signal.aborted || !hurry.aborted) throw error
  }
}

function waitAfter(error: unknown, attempt: number, isQuiet: boolean, delays: readonly number[]): number | undefined {
  const planned = (isQuiet ? quietDelaysMs : delays)[attempt - 1]
  if (planned === undefined || !(error instanceof AppError) || !isTransient(error)) return undefined
  // The idle timeout has already cost enough time.
  if (isQuiet && error.code === 'provider_timeout') return undefined
  const asked = error.data['retryAfterMs']
  const wait = typeof asked === 'number' ? asked : planned
  return wait <= (isQuiet ? longestQuietWaitMs : longestWaitMs) ? wait : undefined
}

/** Fails with `provider_timeout` when no event arrives for `idleMs`. */
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
            const timeout = createFailure('provider_timeout', model.provider)
            giveUp.abort(timeout)
            throw timeout
          }
          if (next.done) return
          yield next.value
        }
      } finally {
        // Not awaited: a hanging stream would block here.
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

/** Fails with `provider_too_much` when a streamed answer is too large. */
export function withSizeLimit(model: ChatModel): ChatModel {
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
          if (characters > maxAnswer || parts > maxParts) throw createFailure('provider_too_much', model.provider)
        }
        yield event
      }
    },
  }
}
