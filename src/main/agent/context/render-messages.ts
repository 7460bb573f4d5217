import type { Message } from '#shared/chat/messages.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { contentText } from './message-tokens.ts'

/** Leaves out the app's additions to a message: a summary or a note must not repeat the memory. */
function renderMessage(message: Message): string {
  const speaker = message.role === 'user' ? 'User' : 'Assistant'
  return `${message.role === 'toolResult' ? `Tool result (${message.toolName})` : speaker}: ${contentText(message)}`
}

/**
 * Renders messages into texts of about `limit` estimated tokens at most; splits longer messages.
 * @param numberOf returns the number to put in front of a message; without it, there are none
 * @returns with each text, the number of messages that it and the texts before it contain completely
 */
export function renderInParts(
  messages: readonly Message[],
  limit: number,
  numberOf?: (message: Message) => number,
): { readonly text: string; readonly end: number }[] {
  const parts: { text: string; tokens: number; end: number }[] = []
  const render = (message: Message) => (numberOf ? `[${numberOf(message)}] ` : '') + renderMessage(message)
  for (const [index, message] of messages.entries()) {
    for (const text of splitText(render(message), limit)) {
      const tokens = estimateTokens(text) + 1
      const last = parts.at(-1)
      if (last && last.tokens + tokens <= limit) {
        last.text += `\n\n${text}`
        last.tokens += tokens
      } else parts.push({ text, tokens, end: index })
    }
    const last = parts.at(-1)
    if (last) last.end = index + 1
  }
  return parts
}

/** Splits a text into pieces of about `limit` estimated tokens at most, at line ends if possible; [] for ''. */
function splitText(text: string, limit: number): string[] {
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
