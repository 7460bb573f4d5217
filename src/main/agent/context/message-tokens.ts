import type { AssistantMessage, Message } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'

/** Everything of a message that is sent. */
export function messageTextForModel(message: Message): string {
  if (typeof message.content === 'string') return message.content
  return message.content
    .map((part) => {
      if (part.type === 'text') return part.text
      if (part.type === 'thinking') return part.thinking
      return part.type === 'toolCall' ? `${part.name} ${JSON.stringify(part.arguments)}` : ''
    })
    .join('\n')
}

/** An image is billed by its size, not by its bytes; this is what a common one comes to. */
const imageTokens = 1200

export function messageTokens(message: Message): number {
  const images =
    typeof message.content === 'string' ? 0 : message.content.filter((part) => part.type === 'image').length
  return estimateTokens(messageTextForModel(message)) + images * imageTokens + 4
}

/** Estimates are off by a script's or a tokenizer's constant; beyond these bounds something else is wrong. */
const minFactor = 0.5
const maxFactor = 2

/** Provider tokens for each estimated one, from the last request that both are known of; 1 before there is any. */
export function calibration(estimated: number, reported: number | null): number {
  if (reported === null || estimated <= 0) return 1
  return Math.min(maxFactor, Math.max(minFactor, reported / estimated))
}

export function reportedInput({ usage }: AssistantMessage): number | null {
  return usage.input + usage.cacheRead + usage.cacheWrite || null
}
