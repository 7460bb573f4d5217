import { messageText, splitAttachments, type Message } from '#shared/chat/messages.ts'

/** The app puts the time in front of each user message. */
const timestamp = /^\[\w{3} \d{4}-\d{2}-\d{2} (\d{2}:\d{2})\]\s/

export interface UserText {
  readonly text: string
  /** `HH:MM`, or empty where unknown. */
  readonly time: string
}

/** Undefined if the message has no timestamp: then the app wrote it. */
export function userTextOf(message: Message): UserText | undefined {
  if (message.role !== 'user') return undefined
  const { text } = splitAttachments(message)
  const time = timestamp.exec(`${text}\n`)?.[1]
  return time === undefined ? undefined : { text: `${text}\n`.replace(timestamp, '').trim(), time }
}

export function plainText(message: Message): string {
  return userTextOf(message)?.text ?? (message.role === 'user' ? splitAttachments(message).text : messageText(message))
}

/** The user's messages in the output of `renderInParts`. */
export function userTextsInRendered(text: string): string[] {
  const texts: string[] = []
  let isUser = false
  for (const line of text.split('\n')) {
    if (/^<\/?conversation>$/.test(line)) isUser = false
    const speaker = /^(User|Assistant|Tool result \([^)]*\)): ?/.exec(line)
    if (speaker) isUser = speaker[1] === 'User'
    if (!isUser) continue
    if (speaker) texts.push(line.slice(speaker[0].length).replace(timestamp, ''))
    else texts[texts.length - 1] = `${texts.at(-1)}\n${line}`
  }
  return texts.map((part) => part.trim()).filter(Boolean)
}
