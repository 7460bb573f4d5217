import type {
  PlacedEvent,
  RecordedSearch,
  ChatMessage,
  ChatEvent,
  PermissionRequest,
  QueuedMessage,
  ToolProgress,
} from '#shared/contract/index.ts'
import type { FileChange } from '#shared/util/file-change.ts'
import {
  addUsage,
  noUsage,
  type AssistantMessage,
  type ToolCallPart,
  type ToolResultMessage,
  type Usage,
  type UserMessage,
} from '#shared/chat/messages.ts'

export interface ToolStep {
  readonly call: ToolCallPart
  readonly result: ToolResultMessage | undefined
}

export interface Answer extends ChatMessage {
  readonly message: AssistantMessage
  readonly tools: readonly ToolStep[]
}

export interface AskedMessage extends ChatMessage {
  readonly message: UserMessage
}

export interface Turn {
  readonly id: string
  readonly question: AskedMessage | undefined
  readonly answers: readonly Answer[]
  readonly events: readonly PlacedEvent[]
}

/** A turn is a user message with its answers and events. Only the first turn can lack the message. */
export function toTurns(messages: readonly ChatMessage[], events: readonly PlacedEvent[] = []): Turn[] {
  const turns: (Turn & { answers: Answer[]; events: PlacedEvent[] })[] = []
  const turnOf = new Map<string, number>()
  // A chat can begin with a command; commands are not messages.
  if (events.some(({ after }) => after === null))
    turns.push({ id: 'start', question: undefined, answers: [], events: [] })
  let steps: { call: ToolCallPart; result: ToolResultMessage | undefined }[] = []
  for (const { id, message, versions } of messages) {
    if (message.role === 'user') turns.push({ id, question: { id, message, versions }, answers: [], events: [] })
    else if (message.role === 'assistant') {
      if (turns.length === 0) turns.push({ id, question: undefined, answers: [], events: [] })
      const calls = message.content.filter((part) => part.type === 'toolCall')
      steps = calls.map((call) => ({ call, result: undefined }))
      turns.at(-1)?.answers.push({ id, message, tools: steps, versions })
    } else {
      // Calls of different answers can have the same id.
      const step = steps.find(({ call }) => call.id === message.toolCallId)
      if (step) step.result = message
    }
    turnOf.set(id, turns.length - 1)
  }
  for (const event of events)
    turns[event.after === null ? 0 : (turnOf.get(event.after) ?? turns.length - 1)]?.events.push(event)
  return turns
}

/** Returns the searches of a turn. Searches with the same query and results appear once. */
export function searchesOf(turn: Turn): RecordedSearch[] {
  const recalls = new Map<string, RecordedSearch>()
  const byAgent = turn.answers.flatMap(({ tools }) => tools).map(searchOf)
  for (const recall of [turn.question?.message.recalled?.search, ...byAgent]) {
    if (!recall) continue
    const places = recall.results.map(({ path, startLine, endLine, score }) => [path, startLine, endLine, score])
    recalls.set(JSON.stringify([recall.query.trim(), recall.minScore, places]), recall)
  }
  return [...recalls.values()]
}

export function searchOf({ result }: ToolStep): RecordedSearch | undefined {
  return result?.details?.kind === 'recall' ? result.details.recall : undefined
}

export function changeOf({ result }: ToolStep): FileChange | undefined {
  return result?.details?.kind === 'change' ? result.details.change : undefined
}

export function usageOf(turn: Turn): Usage {
  return turn.answers.reduce((sum, { message }) => addUsage(sum, message.usage), noUsage)
}

type RetryEvent = NonNullable<Extract<ChatEvent, { type: 'partial' }>['retrying']>

/** `at`: time of the next attempt, ms since the epoch. */
export type RetryState = Omit<RetryEvent, 'afterMs'> & { readonly at: number }

export interface LiveTurn {
  readonly isRunning: boolean
  readonly text: string
  readonly thinking: string
  /** Id of the stored message that contains `text`. `text` stays visible until that message is rendered. */
  readonly messageId: string | undefined
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
      const { running: isRunning, text, thinking, queue, permissions, retrying, keeping } = event
      const step = { compactionStep: keeping ?? undefined, retry: retrying ? toRetryState(retrying) : undefined }
      return { ...noOutput, isRunning, text, thinking, queue, permissions, ...step }
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

function toRetryState({ code, data, attempt, attempts, afterMs }: RetryEvent): RetryState {
  return { code, data, attempt, attempts, at: Date.now() + afterMs }
}
