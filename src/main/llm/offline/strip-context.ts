import { messageText, splitAttachments, type Message } from '#shared/chat/messages.ts'

/** Messages that a user sent carry the moment, in brackets, for models that should know it. */
const stamp = /^\[\w{3} \d{4}-\d{2}-\d{2} (\d{2}:\d{2})\]\s/

export interface Said {
  readonly text: string
  /** `HH:MM`, when it was said; empty where nobody knows. */
  readonly time: string
}

/** Undefined for what no user said. */
export function saidBy(message: Message): Said | undefined {
  if (message.role !== 'user') return undefined
  const { text } = splitAttachments(message)
  const time = stamp.exec(`${text}\n`)?.[1]
  return time === undefined ? undefined : { text: `${text}\n`.replace(stamp, '').trim(), time }
}

/** The same where a request was built without the moments. */
export function textOf(message: Message): string {
  return saidBy(message)?.text ?? (message.role === 'user' ? splitAttachments(message).text : messageText(message))
}

/** What the user said in a conversation that was put into words (`renderInParts`), each time they spoke. */
export function saidInRendered(text: string): string[] {
  const said: string[] = []
  let isUser = false
  for (const line of text.split('\n')) {
    if (/^<\/?conversation>$/.test(line)) isUser = false
    const speaker = /^(User|Assistant|Tool result \([^)]*\)): ?/.exec(line)
    if (speaker) isUser = speaker[1] === 'User'
    if (!isUser) continue
    if (speaker) said.push(line.slice(speaker[0].length).replace(stamp, ''))
    else said[said.length - 1] = `${said.at(-1)}\n${line}`
  }
  return said.map((part) => part.trim()).filter(Boolean)
}
