import type { ChatEvent, Permission, QueuedMessage } from '#shared/contract/index.ts'
import type { ErrorData } from '#shared/util/errors.ts'
import type { TurnEnd } from './turn.ts'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RunningTurn {
  readonly signal: AbortSignal
  /** Resolves when all that the turn leaves is on disk. */
  readonly ended: Promise<void>
}

interface Retrying {
  readonly code: string
  readonly data: ErrorData
  readonly attempt: number
  readonly attempts: number
  readonly at: number
}

interface LiveTurn extends RunningTurn {
  readonly stop: AbortController
  text: string
  thinking: string
  retrying: Retrying | undefined
  keeping: 'flush' | 'compaction' | undefined
  /** Ends the wait for the next try. */
  hurry: (() => void) | undefined
}

/** What waits beside the turn itself. */
export interface Waiting {
  readonly queue: QueuedMessage[]
  readonly permissions: Permission[]
}

export interface TurnHooks {
  readonly onStart: (session: string) => void
  /** Whatever the turn threw. Not called for one that was stopped. */
  readonly onFault: (session: string, error: unknown) => void
  /** @param ms how long the turn took */
  readonly onEnd: (session: string, reason: TurnEnd, ms: number) => void
}

export class LiveTurns {
  readonly #hooks: TurnHooks
  readonly #turns = new Map<string, LiveTurn>()
  readonly #watchers = new Map<string, Set<Watcher>>()

  constructor(hooks: TurnHooks) {
    this.#hooks = hooks
  }

  /** True while any turn is running. */
  get isAnswering(): boolean {
    return this.#turns.size > 0
  }

  get(session: string): RunningTurn | undefined {
    return this.#turns.get(session)
  }

  start(session: string, work: (signal: AbortSignal) => Promise<TurnEnd>): RunningTurn {
    const stop = new AbortController()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const turn: LiveTurn = {
      stop,
      signal: stop.signal,
      ended,
      text: '',
      thinking: '',
      retrying: undefined,
      keeping: undefined,
      hurry: undefined,
    }
    this.#turns.set(session, turn)
    this.#hooks.onStart(session)
    void this.#run(session, turn, work).finally(resolve)
    return turn
  }

  /** @param hurry ends the wait that the turn is in */
  waits(session: string, hurry: () => void): void {
    const turn = this.#turns.get(session)
    if (turn) turn.hurry = hurry
  }

  hurry(session: string): void {
    this.#turns.get(session)?.hurry?.()
  }

  stop(session: string): boolean {
    const turn = this.#turns.get(session)
    turn?.stop.abort()
    return turn !== undefined
  }

  /** What the running turn has said so far, then everything as it happens. Whoever falls far behind is told anew. */
  async *watch(session: string, waiting: () => Waiting, signal: AbortSignal | undefined): AsyncGenerator<ChatEvent> {
    const watcher = new Watcher(() => this.#partial(session, waiting()))
    const watchers = this.#watchers.get(session) ?? new Set()
    this.#watchers.set(session, watchers.add(watcher))
    try {
      yield this.#partial(session, waiting())
      yield* watcher.events(signal)
    } finally {
      watchers.delete(watcher)
      if (watchers.size === 0) this.#watchers.delete(session)
    }
  }

  emit(session: string, event: ChatEvent): void {
    const turn = this.#turns.get(session)
    if (turn) remember(turn, event)
    for (const watcher of this.#watchers.get(session) ?? []) watcher.push(event)
  }

  async close(): Promise<void> {
    for (const turn of this.#turns.values()) turn.stop.abort()
    await Promise.all([...this.#turns.values()].map((turn) => turn.ended))
  }

  #partial(session: string, waiting: Waiting): Extract<ChatEvent, { type: 'partial' }> {
    const turn = this.#turns.get(session)
    return {
      type: 'partial',
      running: turn !== undefined,
      text: turn?.text ?? '',
      thinking: turn?.thinking ?? '',
      retrying: told(turn?.retrying),
      keeping: turn?.keeping ?? null,
      ...waiting,
    }
  }

  async #run(session: string, turn: LiveTurn, work: (signal: AbortSignal) => Promise<TurnEnd>): Promise<void> {
    let reason: TurnEnd = 'error'
    const started = performance.now()
    try {
      reason = await work(turn.signal)
    } catch (error) {
      if (!turn.signal.aborted) this.#hooks.onFault(session, error)
    } finally {
      this.#turns.delete(session)
      this.emit(session, { type: 'turnEnd', reason })
      this.#hooks.onEnd(session, reason, performance.now() - started)
    }
  }
}

function told(retrying: Retrying | undefined): Extract<ChatEvent, { type: 'partial' }>['retrying'] {
  if (!retrying) return null
  const { at, ...why } = retrying
  return { ...why, afterMs: at - performance.now() }
}

/** What somebody who joins later needs to be told. */
function remember(turn: LiveTurn, event: ChatEvent): void {
  if (event.type === 'retrying') {
    const { code, data, attempt, attempts, afterMs } = event
    turn.retrying = { code, data, attempt, attempts, at: performance.now() + afterMs }
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
