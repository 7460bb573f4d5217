import type { Message } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { messageTextForModel } from './message-tokens.ts'

const names = { user: 'User', assistant: 'Assistant', toolResult: 'Tool result' } as const

export function renderMessage(message: Message): string {
  const name = message.role === 'toolResult' ? `${names.toolResult} (${message.toolName})` : names[message.role]
  return `${name}: ${messageTextForModel(message)}`
}

/** Renders messages into texts of about `limit` estimated tokens at most; splits longer messages. */
export function renderInParts(messages: readonly Message[], limit: number): string[] {
  const parts: string[] = []
  let part = ''
  let tokens = 0
  for (const piece of messages.flatMap((message) => textInParts(renderMessage(message), limit))) {
    const cost = estimateTokens(piece) + 1
    if (part !== '' && tokens + cost > limit) {
      parts.push(part)
      part = ''
      tokens = 0
    }
    part += part === '' ? piece : `\n\n${piece}`
    tokens += cost
  }
  if (part !== '') parts.push(part)
  return parts
}

/** Splits a text into pieces of about `limit` estimated tokens at most, at line ends if possible; '' gives []. */
export function textInParts(text: string, limit: number): string[] {
  const pieces: string[] = []
  let rest = text
  while (estimateTokens(rest) > limit) {
    let end = Math.min(rest.length, limit)
    while (end * 2 < rest.length && estimateTokens(rest.slice(0, end * 2)) <= limit) end *= 2
    const line = rest.lastIndexOf('\n', end)
    if (line > end / 2) end = line + 1
    else if (/[\ud800-\udbff]/.test(rest[end - 1] ?? '')) end -= 1
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  if (rest !== '') pieces.push(rest)
  return pieces
}
