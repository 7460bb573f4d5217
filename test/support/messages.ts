/** Messages of a chat, as a transcript has them. */
import { noUsage, type AssistantMessage, type Message, type ToolResultMessage } from '../../src/shared/chat/messages.ts'

export const userMessage = (content: string): Message => ({ role: 'user', content, timestamp: 0 })

export function assistantMessage(
  content: AssistantMessage['content'],
  more: Partial<AssistantMessage> = {},
): AssistantMessage {
  const common = { provider: 'p', model: 'm', usage: noUsage, stopReason: 'stop', timestamp: 0 } as const
  return { role: 'assistant', content, ...common, ...more }
}

/** @param text result of the tool `read` */
export function toolResult(toolCallId: string, text: string): ToolResultMessage {
  const content = [{ type: 'text' as const, text }]
  return { role: 'toolResult', toolCallId, toolName: 'read', content, isError: false, timestamp: 0 }
}
