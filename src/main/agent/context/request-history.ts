import type { AssistantMessage, Message, ToolResultMessage } from '#shared/chat/messages.ts'
import { localDate, localTime } from '#workspace'

/**
 * Pairs each tool call with its result, as providers require: an interrupted call gets a substitute result, a result
 * without a call is dropped, and an answer without content is left out.
 */
export function pairToolResults(messages: readonly Message[]): Message[] {
  const paired: Message[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') paired.push(message)
    if (message.role !== 'assistant' || message.content.every((part) => part.type === 'thinking')) continue
    paired.push(message)
    const results = resultsOf(messages, index)
    for (const part of message.content) {
      if (part.type !== 'toolCall') continue
      const interrupted: ToolResultMessage = {
        role: 'toolResult',
        toolCallId: part.id,
        toolName: part.name,
        content: [{ type: 'text', text: 'Interrupted: this call was not executed.' }],
        isError: true,
        timestamp: message.timestamp,
      }
      paired.push(results.get(part.id) ?? interrupted)
    }
  }
  return paired
}

/** Returns the results of an answer's calls by call id. Stops at the next answer, as later calls may reuse ids. */
function resultsOf(messages: readonly Message[], answerIndex: number): Map<string, ToolResultMessage> {
  const following = messages.slice(answerIndex + 1)
  const nextAnswer = following.findIndex(({ role }) => role === 'assistant')
  const results = following
    .slice(0, nextAnswer < 0 ? undefined : nextAnswer)
    .filter((message) => message.role === 'toolResult')
  return new Map(results.map((result) => [result.toolCallId, result]))
}

/** Makes call ids unique in the conversation: some servers reuse them in each answer. */
export function withUniqueCallIds(answer: AssistantMessage, earlier: readonly Message[]): AssistantMessage {
  const earlierParts = earlier.flatMap((message) => (message.role === 'assistant' ? message.content : []))
  const usedIds = new Set(earlierParts.flatMap((part) => (part.type === 'toolCall' ? [part.id] : [])))
  const toUniqueId = (id: string): string => {
    let candidate = id
    for (let number = 2; usedIds.has(candidate); number += 1) candidate = `${id}_${number}`
    usedIds.add(candidate)
    return candidate
  }
  return {
    ...answer,
    content: answer.content.map((part) => (part.type === 'toolCall' ? { ...part, id: toUniqueId(part.id) } : part)),
  }
}

/** Appends a request to continue if the conversation ends with an interrupted answer. */
export function withContinue(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return messages
  return [...messages, { role: 'user', content: continuePrompt, timestamp: last.timestamp }]
}

const continuePrompt = 'Your answer was cut off. Continue exactly where it stopped, without repeating anything.'

/** Returns true if the conversation ends with the request that `withContinue` appends. */
export function endsWithContinue(messages: readonly Message[]): boolean {
  const last = messages.at(-1)
  return last?.role === 'user' && typeof last.content === 'string' && last.content.endsWith(continuePrompt)
}

/** Prefixes a user message with the local time at which it was sent. The prefix is the same in every request. */
export function withTimestamp(message: Message): Message {
  if (message.role !== 'user') return message
  const date = new Date(message.timestamp)
  const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getDay()]
  const prefix = `[${day} ${localDate(date)} ${localTime(date)}] `
  if (typeof message.content === 'string') return { ...message, content: prefix + message.content }
  return { ...message, content: [{ type: 'text', text: prefix.trimEnd() }, ...message.content] }
}
