import type { Message } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { messageTextForModel } from './message-tokens.ts'

function renderMessage(message: Message): string {
  const speaker = message.role === 'user' ? 'User' : 'Assistant'
  return `${message.role === 'toolResult' ? `Tool result (${message.toolName})` : speaker}: ${messageTextForModel(message)}`
}

/**
 * Renders messages into texts of about `limit` estimated tokens at most; splits longer messages.
 * @param numberOf returns the number to put in front of a message; without it, there are none
 */
export function renderInParts(
  messages: readonly Message[],
  limit: number,
  numberOf?: (message: Message) => number,
): string[] {
  const parts: string[] = []
  let part = ''
  let tokens = 0
  const render = (message: Message) => (numberOf ? `[${numberOf(message)}] ` : '') + renderMessage(message)
  for (const piece of messages.flatMap((message) => splitText(render(message), limit))) {
    const pieceTokens = estimateTokens(piece) + 1
    if (part !== '' && tokens + pieceTokens > limit) {
      parts.push(part)
      part = ''
      tokens = 0
    }
    part += part === '' ? piece : `\n\n${piece}`
    tokens += pieceTokens
  }
  if (part !== '') parts.push(part)
  return parts
}

/** Splits a text into pieces of about `limit` estimated tokens at most, at line ends if possible; [] for ''. */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = []
  let remaining = text
  while (estimateTokens(remaining) > limit) {
    // `limit` characters have at most `limit` tokens; double them while they fit.
    let end = Math.min(remaining.length, limit)
    while (end * 2 < remaining.length && estimateTokens(remaining.slice(0, end * 2)) <= limit) end *= 2
    const lineEnd = remaining.lastIndexOf('\n', end)
    if (lineEnd > end / 2) end = lineEnd + 1
    else if (/[\ud800-\udbff]/.test(remaining[end - 1] ?? '')) end -= 1
    pieces.push(remaining.slice(0, end))
    remaining = remaining.slice(end)
  }
  if (remaining !== '') pieces.push(remaining)
  return pieces
}
