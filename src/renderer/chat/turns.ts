/** Groups a flat conversation into turns, and each tool call with its result. Pure. */
import type { SearchResponse, SessionMessage } from '../../shared/contract/index.ts'
import type {
  AssistantMessage,
  FileChange,
  ToolCallPart,
  ToolResultMessage,
  Usage,
  UserMessage,
} from '../../shared/messages.ts'
import { noUsage } from '../../shared/messages.ts'

export interface ToolStep {
  readonly call: ToolCallPart
  readonly result: ToolResultMessage | undefined
}

export interface Answer {
  readonly id: string
  readonly message: AssistantMessage
  readonly tools: readonly ToolStep[]
}

export interface Turn {
  readonly id: string
  readonly user: UserMessage | undefined
  readonly answers: readonly Answer[]
}

export function toTurns(messages: readonly SessionMessage[]): Turn[] {
  const results = new Map<string, ToolResultMessage>()
  for (const { message } of messages) if (message.role === 'toolResult') results.set(message.toolCallId, message)
  const turns: { id: string; user: UserMessage | undefined; answers: Answer[] }[] = []
  for (const { id, message } of messages) {
    if (message.role === 'user') turns.push({ id, user: message, answers: [] })
    else if (message.role === 'assistant') {
      if (turns.length === 0) turns.push({ id, user: undefined, answers: [] })
      const tools = message.content.flatMap((part) =>
        part.type === 'toolCall' ? [{ call: part, result: results.get(part.id) }] : [],
      )
      turns.at(-1)?.answers.push({ id, message, tools })
    }
  }
  return turns
}

/** What `memory_search` left with its result. */
export function recallOf({ result }: ToolStep): SearchResponse | undefined {
  const details = result?.details
  return typeof details === 'object' && details !== null && 'recall' in details
    ? (details.recall as SearchResponse)
    : undefined
}

/** What `write` and `edit` left with theirs. */
export function changeOf({ result }: ToolStep): FileChange | undefined {
  const details = result?.details
  return typeof details === 'object' && details !== null && 'change' in details
    ? (details.change as FileChange)
    : undefined
}

export function usageOf(turn: Turn): Usage {
  return turn.answers.reduce(
    (sum, { message: { usage } }) => ({
      input: sum.input + usage.input,
      output: sum.output + usage.output,
      cacheRead: sum.cacheRead + usage.cacheRead,
      cacheWrite: sum.cacheWrite + usage.cacheWrite,
      totalTokens: sum.totalTokens + usage.totalTokens,
    }),
    noUsage,
  )
}
