/** A conversation as a Markdown document, to be read or kept elsewhere. Pure. */
import { messageText, type AssistantMessage, type Message } from '#shared/chat/messages.ts'

export function transcriptMarkdown(title: string, createdAt: number, messages: readonly Message[]): string {
  const parts = [`# ${title}`, `*${moment(createdAt)}*`]
  for (const message of messages) {
    if (message.role === 'toolResult') continue
    const text = messageText(message).trim()
    if (message.role === 'user') parts.push(`## User · ${moment(message.timestamp)}`, text)
    else parts.push(...answerParts(message, text))
  }
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function answerParts(message: AssistantMessage, text: string): string[] {
  const calls = message.content.flatMap((part) =>
    part.type === 'toolCall' ? [`- \`${part.name}\` ${JSON.stringify(part.arguments)}`] : [],
  )
  if (text === '' && calls.length === 0 && message.errorMessage === undefined) return []
  const failure = message.errorMessage === undefined ? '' : `> ${message.errorCode}: ${message.errorMessage}`
  return [`## Assistant · ${moment(message.timestamp)} · ${message.model}`, text, calls.join('\n'), failure]
}

function moment(at: number): string {
  const date = new Date(at)
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${pad(date.getHours())}:${pad(date.getMinutes())}`
}
