import { datedNote } from '#search/text'
import { type Message, messageText, splitAttachments } from '#shared/chat/messages.ts'
import type { Purpose } from '../model.ts'
import { isSubstantial, parseIntent, requestedNote } from './intent.ts'

const maxNotes = 20

export function userTextsIn(messages: readonly Message[]): UserText[] {
  return messages.flatMap((message) => {
    const userText = userTextOf(message)
    if (userText || message.role !== 'user' || typeof message.content !== 'string') return userText ?? []
    const isRendered = message.content.includes('<conversation>')
    return isRendered ? userTextsInRendered(message.content).map(({ text }) => ({ text, time: '' })) : []
  })
}

/** Returns log entries; undefined if there are none. @param saved earlier notes @param time of texts without one */
export function extractNotes(
  texts: readonly UserText[],
  saved: string,
  { today, time }: Extract<Purpose, { kind: 'chat' | 'flush' }>,
): string | undefined {
  const entries = new Map<string, string>()
  for (const userText of withoutOptedOut(texts)) {
    const { text } = userText
    const parts = parseIntent(text, today).kind === 'remember' ? [text] : text.split('\n')
    for (const note of parts.flatMap((part) => statementsIn(part.trim(), today)))
      if (note !== '' && !saved.includes(note))
        entries.set(note, `- ${userText.time || time} ${note.replaceAll('\n', '\n  ')}\n`)
  }
  return entries.size > 0 ? [...entries.values()].slice(-maxNotes).join('') : undefined
}

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

/** Returns the whole text, or only its statements if it also contains questions. */
function statementsIn(text: string, today: string): string[] {
  const intent = parseIntent(text, today)
  if (intent.kind === 'remember') return [requestedNote(intent, today)]
  const sentences = text.split(/(?<=[。！？!?；;])\s*|(?<=\p{L}\.)\s+(?=\p{Lu}|\p{Lo})/u).filter(Boolean)
  const statements = sentences.filter(
    (sentence) =>
      isSubstantial(sentence) && ['statement', 'keywords', 'remember'].includes(parseIntent(sentence, today).kind),
  )
  const notes = statements.length === sentences.length ? [text] : statements
  return notes.map((note) => datedNote(note, today))
}

export function extractSummary({ conversation, earlier }: Extract<Purpose, { kind: 'summary' }>): string {
  const items = userTextsInRendered(conversation).flatMap(({ text, link }) =>
    text
      .split('\n')
      .filter((line) => line !== '' && parseIntent(line).kind !== 'question')
      .map((line) => `- ${line} ${link}`.trimEnd()),
  )
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
