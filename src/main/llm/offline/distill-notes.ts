import { handsOverText } from '#search/text'
import { type Message, messageText, splitAttachments } from '#shared/chat/messages.ts'
import type { Purpose } from '../model.ts'
import { isSubstantial, parseIntent } from './intent.ts'

/** Drops texts that the user does not want saved: "don't note this: …", or "don't note that" after them. */
export function withoutOptedOut<T extends Pick<UserText, 'text'>>(texts: readonly T[]): T[] {
  const intents = texts.map(({ text }) => parseIntent(text))
  return texts.filter((_, index) => {
    const next = intents[index + 1]
    return intents[index]?.kind !== 'optOut' && !(next?.kind === 'optOut' && next.isAboutEarlier)
  })
}

/** Drops the messages that the user does not want saved, and the answers to them. */
export function withoutRefused(messages: readonly Message[]): Message[] {
  const texts = messages.filter(({ role }) => role === 'user').map((message) => ({ text: plainText(message), message }))
  const allowed = new Set(withoutOptedOut(texts).map(({ message }) => message))
  let isAllowed = true
  return messages.filter((message) => {
    if (message.role === 'user') isAllowed = allowed.has(message)
    return isAllowed
  })
}

const isStated = (text: string) => ['statement', 'keywords', 'remember'].includes(parseIntent(text).kind)

/** Returns the whole text, or only its statements if it also asks for something. Empty if there are none. */
export function statedIn(text: string): string {
  if (handsOverText(text)) return ''
  const sentences = text.split(/(?<=[。！？!?；;])\s*|(?<=\p{L}\.)\s+(?=\p{Lu}|\p{Lo})/u).filter(Boolean)
  const statements = sentences.filter((sentence) => isSubstantial(sentence) && isStated(sentence))
  return statements.length === sentences.length ? text : statements.join(' ')
}

export function extractSummary({ conversation, earlier }: Extract<Purpose, { kind: 'summary' }>): string {
  const items = userTextsInRendered(conversation).flatMap(({ text, link }) => {
    const lines = handsOverText(text) ? [] : text.split('\n')
    return lines.filter(isStated).map((line) => `- ${line} ${link}`.trimEnd())
  })
  return [...(earlier === undefined ? [] : [earlier, '']), ...items].join('\n')
}

/** The app puts the time in front of each user message. */
const timestamp = /^\[\w{3} \d{4}-\d{2}-\d{2} (\d{2}:\d{2})\]\s/

export function withoutTimestamp(text: string): string {
  return text.replace(timestamp, '')
}

/** Returns the text that the user typed, from a message of a request: without changes of files and recalled notes. */
export function withoutAdditions(text: string): string {
  return text.replace(/(?:\n*<(changes|memory)>\n[^]*?\n<\/\1>)+$/, '')
}

interface UserText {
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
function userTextsInRendered(text: string): { readonly text: string; readonly link: string }[] {
  return text
    .split(/^(?=(?:\[\d+\] )?(?:User|Assistant|Tool result \([^)]*\)):|<\/?conversation>$)/m)
    .flatMap((part) => {
      const [start, link = ''] = /^(?:(\[\d+\]) )?User: ?/.exec(part) ?? []
      const message = start === undefined ? '' : withoutTimestamp(part.slice(start.length)).trim()
      return message === '' ? [] : [{ text: message, link }]
    })
}
