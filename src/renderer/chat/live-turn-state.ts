import type { ChatEvent, PermissionRequest, QueuedMessage, ToolProgress } from '#shared/contract/index.ts'
import type { ErrorData } from '#shared/util/errors.ts'

/** The pending retry of a request that failed with a temporary error. */
export interface RetryState {
  readonly code: string
  readonly data: ErrorData
  readonly attempt: number
  readonly attempts: number
  /** Time of the next attempt, ms since the epoch. */
  readonly at: number
}

export interface LiveTurn {
  readonly isRunning: boolean
  readonly text: string
  readonly thinking: string
  /** Id of the stored message that contains `text`. `text` stays visible until that message is rendered. */
  readonly messageId: string | undefined
  /** The step that runs before the answer. */
  readonly compactionStep: 'flush' | 'compaction' | undefined
  readonly retry: RetryState | undefined
  readonly progress: readonly ToolProgress[]
  readonly queue: readonly QueuedMessage[]
  readonly permissions: readonly PermissionRequest[]
}

const noOutput = {
  text: '',
  thinking: '',
  messageId: undefined,
  compactionStep: undefined,
  retry: undefined,
  progress: [],
} as const

export const idle: LiveTurn = { isRunning: false, ...noOutput, queue: [], permissions: [] }

export function reduceChatEvent(turn: LiveTurn, event: ChatEvent): LiveTurn {
  switch (event.type) {
    case 'partial': {
      const { running, text, thinking, queue, permissions, retrying, keeping } = event
      return {
        ...noOutput,
        isRunning: running,
        text,
        thinking,
        queue,
        permissions,
        retry: retrying ? toRetryState(retrying) : undefined,
        compactionStep: keeping ?? undefined,
      }
    }
    case 'text':
    case 'thinking': {
      const current = turn.messageId === undefined ? turn : { ...turn, ...noOutput }
      const updated = { ...current, isRunning: true, compactionStep: undefined, retry: undefined }
      return { ...updated, [event.type]: current[event.type] + event.delta }
    }
    case 'message':
      if (event.message.role === 'assistant') return { ...turn, isRunning: true, messageId: event.id, progress: [] }
      return { ...turn, ...noOutput, isRunning: true }
    case 'keeping':
      return { ...turn, isRunning: true, compactionStep: event.what }
    case 'retrying':
      return { ...turn, isRunning: true, retry: toRetryState(event) }
    case 'toolProgress': {
      const others = turn.progress.filter(({ call }) => call !== event.progress.call)
      return { ...turn, progress: [...others, event.progress] }
    }
    case 'queue':
      return { ...turn, queue: event.queue }
    case 'permissions':
      return { ...turn, permissions: event.permissions }
    case 'changed':
      return turn.messageId === undefined ? turn : { ...turn, ...noOutput }
    case 'turnEnd':
      return { ...turn, isRunning: false, compactionStep: undefined, retry: undefined, progress: [] }
  }
}

type RetryEvent = Omit<RetryState, 'at'> & { readonly afterMs: number }

function toRetryState({ code, data, attempt, attempts, afterMs }: RetryEvent): RetryState {
  return { code, data, attempt, attempts, at: Date.now() + afterMs }
}
