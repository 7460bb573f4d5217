import type { ChatEvent, Permission, QueuedMessage, ToolProgress } from '#shared/contract/index.ts'
import type { ErrorData } from '#shared/util/errors.ts'

/** A request that failed with a temporary error and will be repeated. */
export interface Retrying {
  readonly code: string
  readonly data: ErrorData
  readonly attempt: number
  readonly attempts: number
  /** Time of the next attempt, ms since the epoch. */
  readonly at: number
}

export interface LiveTurn {
  readonly running: boolean
  readonly text: string
  readonly thinking: string
  /** Id of the message that `text` became. `text` stays visible until the message is rendered. */
  readonly settledAs: string | undefined
  readonly keeping: 'flush' | 'compaction' | undefined
  readonly retrying: Retrying | undefined
  readonly progress: readonly ToolProgress[]
  readonly queue: readonly QueuedMessage[]
  readonly permissions: readonly Permission[]
}

const quiet = {
  text: '',
  thinking: '',
  settledAs: undefined,
  keeping: undefined,
  retrying: undefined,
  progress: [],
} as const

export const idle: LiveTurn = { running: false, ...quiet, queue: [], permissions: [] }

/** Returns the state after an event. */
export function reduceChatEvent(turn: LiveTurn, event: ChatEvent): LiveTurn {
  switch (event.type) {
    case 'partial': {
      const { running, text, thinking, queue, permissions, retrying, keeping } = event
      return {
        ...quiet,
        running,
        text,
        thinking,
        queue,
        permissions,
        retrying: retrying ? retryingOf(retrying) : undefined,
        keeping: keeping ?? undefined,
      }
    }
    case 'text':
    case 'thinking': {
      const before = turn.settledAs === undefined ? turn : { ...turn, ...quiet }
      const streamed = { ...before, running: true, keeping: undefined, retrying: undefined }
      return { ...streamed, [event.type]: before[event.type] + event.delta }
    }
    case 'message':
      if (event.message.role === 'assistant') return { ...turn, running: true, settledAs: event.id, progress: [] }
      return { ...turn, ...quiet, running: true }
    case 'keeping':
      return { ...turn, running: true, keeping: event.what }
    case 'retrying':
      return { ...turn, running: true, retrying: retryingOf(event) }
    case 'toolProgress': {
      const others = turn.progress.filter(({ call }) => call !== event.progress.call)
      return { ...turn, progress: [...others, event.progress] }
    }
    case 'queue':
      return { ...turn, queue: event.queue }
    case 'permissions':
      return { ...turn, permissions: event.permissions }
    case 'changed':
      return turn.settledAs === undefined ? turn : { ...turn, ...quiet }
    case 'turnEnd':
      return { ...turn, running: false, keeping: undefined, retrying: undefined, progress: [] }
  }
}

function retryingOf({ code, data, attempt, attempts, afterMs }: Told): Retrying {
  return { code, data, attempt, attempts, at: Date.now() + afterMs }
}

type Told = Omit<Retrying, 'at'> & { readonly afterMs: number }
