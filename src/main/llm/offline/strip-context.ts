import { messageText, splitAttachments, type Message } from '#shared/chat/messages.ts'

/** The app puts the time in front of each user message. */
const timestamp = /^\[\w{3} \d{4}-\d{2}-\d{2} (\d{2}:\d{2})\]\s/

export function withoutTimestamp(text: string): string {
  return text.replace(timestamp, '')
}

/** Returns the text that the user typed, from a message of a request: without changes of files and recalled notes. */
export function withoutAdditions(text: string): string {
  return text.replace(/(?:\n*<(changes|memory)>\n[^]*?\n<\/\1>)+$/, '')
}

export interface UserText {
  readonly text: string
  /** `HH:MM`, or empty if unknown. */
  readonly time: string
}

/** Returns the text without its timestamp; undefined without a timestamp, because the app wrote such messages. */
export function userTextOf(message: Message): UserText | undefined {
  if (message.role !== 'user') return undefined
  const text = withoutAdditions(splitAttachments(message).text)
  const [stamp = '', time] = timestamp.exec(`${text}\n`) ?? []
  return time === undefined ? undefined : { text: text.slice(stamp.length).trim(), time }
}

export function plainText(message: Message): string {
  return userTextOf(message)?.text ?? (message.role === 'user' ? splitAttachments(message).text : messageText(message))
}

/** Returns the user's messages in the output of `renderInParts`, with their numbers in brackets if it has them. */
export function userTextsInRendered(text: string): { readonly text: string; readonly link: string }[] {
  return text
    .split(/^(?=(?:\[\d+\] )?(?:User|Assistant|Tool result \([^)]*\)):|<\/?conversation>$)/m)
    .flatMap((part) => {
      const [start, link = ''] = /^(?:(\[\d+\]) )?User: ?/.exec(part) ?? []
      const message = start === undefined ? '' : withoutTimestamp(part.slice(start.length)).trim()
      return message === '' ? [] : [{ text: message, link }]
    })
}
