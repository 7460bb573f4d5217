import type { ContextReport } from '#shared/contract/index.ts'
import type { AssistantMessage, Message } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'

/** Returns the text of a message as a model receives it: thinking and tool calls included, images left out. */
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

/** Typical tokens of an image; providers bill it by its dimensions. */
const imageTokens = 1200

/** Estimates the tokens of a message, including 4 for its role and separators. */
export function messageTokens(message: Message): number {
  const images =
    typeof message.content === 'string' ? 0 : message.content.filter((part) => part.type === 'image').length
  return estimateTokens(messageTextForModel(message)) + images * imageTokens + 4
}

/** Bounds of the calibration factor. A ratio beyond them does not come from the tokenizer. */
const minFactor = 0.5
const maxFactor = 2

/** Returns provider tokens for each estimated token, 0.5 to 2; 1 if the provider reported none. */
export function calibrationFactor(
  lastReport: Pick<ContextReport, 'estimatedTokens' | 'reportedTokens'> | undefined,
): number {
  const { estimatedTokens = 0, reportedTokens = null } = lastReport ?? {}
  if (reportedTokens === null || estimatedTokens <= 0) return 1
  return Math.min(maxFactor, Math.max(minFactor, reportedTokens / estimatedTokens))
}

/** Returns the input tokens that the provider counted, cache included; null if it reported none. */
export function reportedInputTokens({ usage }: AssistantMessage): number | null {
  return usage.input + usage.cacheRead + usage.cacheWrite || null
}
