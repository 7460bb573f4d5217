import type { ChatEvent } from '#shared/contract/index.ts'
import { requestChat } from '#platform'
import type { TurnEndReason } from './turn.ts'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RunningTurn {
  /** Resolves when everything the turn stores is on disk. */
  readonly ended: Promise<void>
}

type TurnState = Extract<ChatEvent, { type: 'partial' }>
type PendingInput = Pick<TurnState, 'queue' | 'permissions'>

interface Retrying extends Omit<NonNullable<TurnState['retrying']>, 'afterMs'> {
  /** `performance.now()` at which the next attempt starts. */
  readonly nextAttemptAt: number
}

interface LiveTurn extends RunningTurn {
  readonly abortController: AbortController
  text: string
  thinking: string
  retrying?: Retrying | undefined
  keeping?: TurnState['keeping'] | undefined
  retryNow?: () => void
}

export interface TurnHooks {
  readonly onStart: (session: string) => void
  /** Receives any error of a turn that was not stopped. */
  readonly onFault: (session: string, error: unknown) => void
  readonly onEnd: (session: string, reason: TurnEndReason, ms: number) => void
}

export class LiveTurns {
  readonly #hooks: TurnHooks
  readonly #turns = new Map<string, LiveTurn>()
  readonly #watchers = new Map<string, Set<CoalescingStream>>()

  constructor(hooks: TurnHooks) {
    this.#hooks = hooks
  }

  get isAnswering(): boolean {
    return this.#turns.size > 0
  }

  get(session: string): RunningTurn | undefined {
    return this.#turns.get(session)
  }

  /** Starts a turn. The session must have none running. */
  start(session: string, work: (signal: AbortSignal) => Promise<TurnEndReason>): RunningTurn {
    const abortController = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const turn: LiveTurn = { abortController, ended, text: '', thinking: '' }
    this.#turns.set(session, turn)
    this.#hooks.onStart(session)
    void requestChat.run(session, () => this.#run(session, turn, work)).finally(resolve)
    return turn
  }

  setRetryTrigger(session: string, endWait: () => void): void {
    const turn = this.#turns.get(session)
    if (turn) turn.retryNow = endWait
  }

  retryNow(session: string): void {
    this.#turns.get(session)?.retryNow?.()
  }

  stop(session: string): boolean {
    const turn = this.#turns.get(session)
    turn?.abortController.abort()
    return turn !== undefined
  }

  /** Yields the current state, then every event. A slow consumer gets a new state instead of a backlog. */
  async *watch(
    session: string,
    getPendingInput: () => PendingInput,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ChatEvent> {
    const watcher = new CoalescingStream(() => this.#currentState(session, getPendingInput()))
    const watchers = this.#watchers.get(session) ?? new Set()
    this.#watchers.set(session, watchers.add(watcher))
    try {
      yield this.#currentState(session, getPendingInput())
      yield* watcher.events(signal)
    } finally {
      watchers.delete(watcher)
      if (watchers.size === 0) this.#watchers.delete(session)
    }
  }

  emit(session: string, event: ChatEvent): void {
    const turn = this.#turns.get(session)
    if (turn) applyEvent(turn, event)
    for (const watcher of this.#watchers.get(session) ?? []) watcher.push(event)
  }

  async close(): Promise<void> {
    for (const turn of this.#turns.values()) turn.abortController.abort()
    await Promise.all([...this.#turns.values()].map((turn) => turn.ended))
  }

  #currentState(session: string, pendingInput: PendingInput): TurnState {
    const turn = this.#turns.get(session)
    return {
      type: 'partial',
      running: turn !== undefined,
      text: turn?.text ?? '',
      thinking: turn?.thinking ?? '',
      retrying: toRetryingEvent(turn?.retrying),
      keeping: turn?.keeping ?? null,
      ...pendingInput,
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

function toRetryingEvent(retrying: Retrying | undefined): TurnState['retrying'] {
  if (!retrying) return null
  const { nextAttemptAt, ...details } = retrying
  return { ...details, afterMs: nextAttemptAt - performance.now() }
}

function applyEvent(turn: LiveTurn, event: ChatEvent): void {
  if (event.type === 'retrying') {
    const { code, data, attempt, attempts, afterMs } = event
    turn.retrying = { code, data, attempt, attempts, nextAttemptAt: performance.now() + afterMs }
  } else if (event.type === 'keeping') turn.keeping = event.what
  else if (event.type === 'text' || event.type === 'thinking') {
    turn[event.type] += event.delta
    turn.retrying = undefined
    turn.keeping = undefined
  } else if (event.type === 'message' && event.message.role === 'assistant') {
    turn.text = ''
    turn.thinking = ''
    turn.retrying = undefined
  }
}

/** Minimum milliseconds between two deltas of an answer: one screen frame. */
const coalesceMs = 16
/** Maximum number of queued events; the current state replaces a longer queue. */
const maxQueuedEvents = 2000

export class CoalescingStream {
  readonly #currentState: () => ChatEvent
  #pending: ChatEvent[] = []
  #wake: (() => void) | undefined

  constructor(currentState: () => ChatEvent) {
    this.#currentState = currentState
  }

  push(event: ChatEvent): void {
    const last = this.#pending.at(-1)
    const merged = last && mergeEvents(last, event)
    if (merged) this.#pending[this.#pending.length - 1] = merged
    else this.#pending.push(event)
    if (this.#pending.length > maxQueuedEvents) this.#pending = [{ type: 'changed' }, this.#currentState()]
    this.#wake?.()
  }

  /** Yields all pushed events in order; returns without an error when the signal aborts. */
  async *events(signal: AbortSignal | undefined): AsyncGenerator<ChatEvent> {
    let lastYieldAt = -Infinity
    const onAbort = () => this.#wake?.()
    signal?.addEventListener('abort', onAbort)
    try {
      for (;;) {
        if (signal?.aborted) return
        const [first] = this.#pending
        if (!first) {
          await new Promise<void>((resolve) => (this.#wake = resolve))
          continue
        }
        const remainingMs = lastYieldAt + coalesceMs - performance.now()
        // Wait for deltas to merge, unless another event already follows.
        if (isDelta(first) && this.#pending.length === 1 && remainingMs > 0) await sleep(remainingMs)
        const event = this.#pending.shift()
        if (!event) continue
        if (isDelta(event)) lastYieldAt = performance.now()
        yield event
      }
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

function isDelta({ type }: ChatEvent): boolean {
  return type === 'text' || type === 'thinking'
}

function mergeEvents(one: ChatEvent, other: ChatEvent): ChatEvent | undefined {
  if (one.type === 'text' && other.type === 'text') return { ...one, delta: one.delta + other.delta }
  if (one.type === 'thinking' && other.type === 'thinking') return { ...one, delta: one.delta + other.delta }
  const isSameCall =
    one.type === 'toolProgress' && other.type === 'toolProgress' && one.progress.call === other.progress.call
  return isSameCall || (one.type === 'queue' && other.type === 'queue') ? other : undefined
}
