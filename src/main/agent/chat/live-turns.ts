import type { ChatEvent } from '#shared/contract/index.ts'
import { Outbound } from '#platform'
import { setTimeout as sleep } from 'node:timers/promises'

export type TurnEndReason = Extract<ChatEvent, { type: 'turnEnd' }>['reason']

type TurnState = Extract<ChatEvent, { type: 'partial' }>
type Progress = Pick<TurnState, 'text' | 'thinking' | 'retrying' | 'keeping'>

interface LiveTurn {
  /** Resolves when everything the turn stores is on disk. */
  readonly ended: Promise<void>
  readonly abortController: AbortController
  progress: Progress
  /** `performance.now()` at which the next attempt starts. */
  nextAttemptAt: number
  retryNow?: (() => void) | undefined
}

const noProgress: Progress = { text: '', thinking: '', retrying: null, keeping: null }

interface TurnHooks {
  readonly pendingInput: (session: string) => Pick<TurnState, 'queue' | 'permissions'>
  readonly onStart: (session: string) => void
  /** Receives any error of a turn that was not stopped. */
  readonly onFault: (session: string, error: unknown) => void
  readonly onEnd: (session: string, reason: TurnEndReason, ms: number) => void
}

export class LiveTurns {
  readonly #hooks: TurnHooks
  readonly #turns = new Map<string, LiveTurn>()
  readonly #watchers = new Map<string, Set<(event: ChatEvent) => void>>()

  constructor(hooks: TurnHooks) {
    this.#hooks = hooks
  }

  get isAnswering(): boolean {
    return this.#turns.size > 0
  }

  /** Resolves when the running turn has ended; returns undefined if there is none. */
  ended(session: string): Promise<void> | undefined {
    return this.#turns.get(session)?.ended
  }

  /** Starts a turn. The session must have none running. Resolves when everything the turn stores is on disk. */
  start(session: string, work: (signal: AbortSignal) => Promise<TurnEndReason>): Promise<void> {
    const abortController = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const turn: LiveTurn = { abortController, ended, progress: noProgress, nextAttemptAt: 0 }
    this.#turns.set(session, turn)
    this.#hooks.onStart(session)
    void Outbound.chat.run(session, () => this.#run(session, turn, work)).finally(resolve)
    return ended
  }

  retryNow(session: string): void {
    this.#turns.get(session)?.retryNow?.()
  }

  /** Resolves when the turn has ended; returns undefined if there is none. */
  stop(session: string): Promise<void> | undefined {
    const turn = this.#turns.get(session)
    turn?.abortController.abort()
    return turn?.ended
  }

  /**
   * Yields the current state, idle or running, then every event until `signal` aborts. A slow consumer gets a new state
   * instead of a backlog.
   */
  async *watch(session: string, signal: AbortSignal | undefined): AsyncGenerator<ChatEvent> {
    let pending: ChatEvent[] = [this.#currentState(session)]
    let wake = () => {}
    const push = (event: ChatEvent) => {
      const last = pending.at(-1)
      const merged = last && mergeEvents(last, event)
      if (merged) pending[pending.length - 1] = merged
      else pending.push(event)
      if (pending.length > maxQueuedEvents) pending = [{ type: 'changed' }, this.#currentState(session)]
      wake()
    }
    const watchers = this.#watchers.get(session) ?? new Set()
    this.#watchers.set(session, watchers.add(push))
    signal?.addEventListener('abort', () => wake(), { once: true })
    try {
      for (;;) {
        if (signal?.aborted) return
        const event = pending.shift()
        if (event) yield event
        else await new Promise<void>((resolve) => (wake = resolve))
        // Meanwhile, further deltas merge.
        if (event && isDelta(event) && pending.length === 0) await sleep(coalesceMs)
      }
    } finally {
      watchers.delete(push)
      if (watchers.size === 0) this.#watchers.delete(session)
    }
  }

  /** @param retryNow ends the wait of a `retrying` event */
  emit(session: string, event: ChatEvent, retryNow?: () => void): void {
    const turn = this.#turns.get(session)
    if (turn) turn.progress = progressAfter(turn.progress, event)
    if (turn && event.type === 'retrying') {
      turn.nextAttemptAt = performance.now() + event.afterMs
      turn.retryNow = retryNow
    }
    for (const watcher of this.#watchers.get(session) ?? []) watcher(event)
  }

  emitPending(session: string, type: 'queue' | 'permissions'): void {
    const { queue, permissions } = this.#hooks.pendingInput(session)
    this.emit(session, type === 'queue' ? { type, queue } : { type, permissions })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#turns.keys()].map((session) => this.stop(session)))
  }

  #currentState(session: string): TurnState {
    const turn = this.#turns.get(session)
    const { retrying, ...progress } = turn?.progress ?? noProgress
    const afterMs = (turn?.nextAttemptAt ?? 0) - performance.now()
    return {
      type: 'partial',
      running: turn !== undefined,
      ...progress,
      retrying: retrying && { ...retrying, afterMs },
      ...this.#hooks.pendingInput(session),
    }
  }

  async #run(session: string, turn: LiveTurn, work: (signal: AbortSignal) => Promise<TurnEndReason>): Promise<void> {
    let reason: TurnEndReason = 'error'
    const startedAt = performance.now()
    const { signal } = turn.abortController
    try {
      reason = await work(signal)
    } catch (error) {
      if (!signal.aborted) this.#hooks.onFault(session, error)
    } finally {
      this.#turns.delete(session)
      this.emit(session, { type: 'turnEnd', reason })
      this.#hooks.onEnd(session, reason, performance.now() - startedAt)
    }
  }
}

function progressAfter(progress: Progress, event: ChatEvent): Progress {
  if (event.type === 'keeping') return { ...progress, keeping: event.what }
  if (event.type === 'retrying') {
    const { type: _type, message: _message, ...retrying } = event
    return { ...progress, retrying }
  }
  if (isDelta(event))
    return { ...progress, [event.type]: progress[event.type] + event.delta, retrying: null, keeping: null }
  const isAnswer = event.type === 'message' && event.message.role === 'assistant'
  return isAnswer ? { ...progress, text: '', thinking: '', retrying: null } : progress
}

/** Minimum milliseconds between two deltas of an answer: one screen frame. */
const coalesceMs = 16
/** Maximum number of queued events; the current state replaces a longer queue. */
const maxQueuedEvents = 2000

function isDelta(event: ChatEvent): event is Extract<ChatEvent, { type: 'text' | 'thinking' }> {
  return event.type === 'text' || event.type === 'thinking'
}

function mergeEvents(one: ChatEvent, other: ChatEvent): ChatEvent | undefined {
  if (isDelta(one) && isDelta(other) && one.type === other.type) return { ...one, delta: one.delta + other.delta }
  const isSameCall =
    one.type === 'toolProgress' && other.type === 'toolProgress' && one.progress.call === other.progress.call
  return isSameCall || (one.type === 'queue' && other.type === 'queue') ? other : undefined
}
