import { messageText, splitAttachments, type Message } from '#shared/chat/messages.ts'

/** The app puts the time in front of each user message. */
const timestamp = /^\[\w{3} \d{4}-\d{2}-\d{2} (\d{2}:\d{2})\]\s/

export interface UserText {
  readonly text: string
  /** `HH:MM`, or empty if unknown. */
  readonly time: string
}

/** Returns the text without its timestamp; undefined without a timestamp, because the app wrote such messages. */
export function userTextOf(message: Message): UserText | undefined {
  if (message.role !== 'user') return undefined
  const { text } = splitAttachments(message)
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
      const message = start === undefined ? '' : part.slice(start.length).replace(timestamp, '').trim()
      return message === '' ? [] : [{ text: message, link }]
    })
}
