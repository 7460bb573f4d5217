/** Groups a flat conversation into turns, and each tool call with its result. Pure. */
import type { PlacedEvent, SearchResponse, SessionMessage } from '../../shared/contract/index.ts'
import type { FileChange } from '../../shared/file-change.ts'
import type { AssistantMessage, ToolCallPart, ToolResultMessage, Usage, UserMessage } from '../../shared/messages.ts'
import { addUsage, noUsage } from '../../shared/messages.ts'

export interface ToolStep {
  readonly call: ToolCallPart
  readonly result: ToolResultMessage | undefined
}

export interface Answer {
  readonly id: string
  readonly message: AssistantMessage
  readonly tools: readonly ToolStep[]
  readonly versions: SessionMessage['versions']
}

export interface Question {
  readonly id: string
  readonly message: UserMessage
  readonly versions: SessionMessage['versions']
}

export interface Turn {
  readonly id: string
  readonly question: Question | undefined
  readonly answers: readonly Answer[]
  /** What happened during the turn besides messages. */
  readonly events: readonly PlacedEvent[]
}

export function toTurns(messages: readonly SessionMessage[], events: readonly PlacedEvent[] = []): Turn[] {
  const results = new Map<string, ToolResultMessage>()
  for (const { message } of messages) if (message.role === 'toolResult') results.set(message.toolCallId, message)
  const turns: { id: string; question: Question | undefined; answers: Answer[]; events: PlacedEvent[] }[] = []
  const turnOf = new Map<string, number>()
  // A conversation can begin with a command.
  if (events.some(({ after }) => after === null))
    turns.push({ id: 'start', question: undefined, answers: [], events: [] })
  for (const { id, message, versions } of messages) {
    if (message.role === 'user') turns.push({ id, question: { id, message, versions }, answers: [], events: [] })
    else if (message.role === 'assistant') {
      if (turns.length === 0) turns.push({ id, question: undefined, answers: [], events: [] })
      const tools = message.content.flatMap((part) =>
        part.type === 'toolCall' ? [{ call: part, result: results.get(part.id) }] : [],
      )
      turns.at(-1)?.answers.push({ id, message, tools, versions })
    }
    turnOf.set(id, turns.length - 1)
  }
  for (const event of events)
    turns[event.after === null ? 0 : (turnOf.get(event.after) ?? turns.length - 1)]?.events.push(event)
  return turns
}

/** What `memory_search` left with its result. */
export function recallOf({ result }: ToolStep): SearchResponse | undefined {
  return result?.details?.kind === 'recall' ? result.details.recall : undefined
}

/** What `write` and `edit` left with theirs. */
export function changeOf({ result }: ToolStep): FileChange | undefined {
  return result?.details?.kind === 'change' ? result.details.change : undefined
}

export function usageOf(turn: Turn): Usage {
  return turn.answers.reduce((sum, { message }) => addUsage(sum, message.usage), noUsage)
}
