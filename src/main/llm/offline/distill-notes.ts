import type { Message } from '#shared/chat/messages.ts'
import { segmenter } from '#shared/util/segmenter.ts'
import { countCjk } from '#shared/util/tokens.ts'
import type { Purpose } from '../purpose.ts'
import { isSubstantial, parseIntent } from './intent.ts'
import { isStopWord } from './quote.ts'
import { replyLanguage, type Language } from './language.ts'
import { plainText, userTextOf, userTextsInRendered, type UserText } from './strip-context.ts'
import { sentencesIn } from './sentences.ts'

const maxNotes = 20
/** Opt-outs and questions do not depend on the day. */
const anyDay = '1970-01-01'

export function userTextsIn(messages: readonly Message[]): UserText[] {
  return messages.flatMap((message) => {
    const own = userTextOf(message)
    if (own) return [own]
    const { role, content } = message
    const isRendered = role === 'user' && typeof content === 'string' && content.includes('<conversation>')
    return isRendered ? userTextsInRendered(content).map((text) => ({ text, time: '' })) : []
  })
}

/**
 * The user's statements as a list; undefined when there are none.
 * @param written the notes that the conversation has already saved
 * @param today as in `parseIntent`
 */
export function extractNotes(texts: readonly UserText[], written: string, today: string): string | undefined {
  const notes = withoutOptedOut(texts)
    .flatMap(({ text }) => (parseIntent(text, today).kind === 'remember' ? [text] : text.split('\n')))
    .flatMap((text) => statementsIn(text.trim(), today))
    .filter((note) => note !== '' && !written.includes(note))
  const latest = [...new Set(notes)].slice(-maxNotes)
  return latest.length > 0 ? latest.map((note) => `- ${note.replaceAll('\n', '\n  ')}`).join('\n') : undefined
}

/** Drops texts that the user does not want saved: "don't note this: …", or "don't note that" after them. */
function withoutOptedOut<T extends Pick<UserText, 'text'>>(texts: readonly T[]): T[] {
  const intents = texts.map(({ text }) => parseIntent(text, anyDay))
  return texts.filter((_, index) => {
    const next = intents[index + 1]
    return intents[index]?.kind !== 'optOut' && !(next?.kind === 'optOut' && next.isAboutEarlier)
  })
}

/** Drops the messages that the user does not want saved, and the answers to them. */
export function withoutRefused(messages: readonly Message[]): Message[] {
  const own = messages.filter(({ role }) => role === 'user').map((message) => ({ text: plainText(message), message }))
  const allowed = new Set(withoutOptedOut(own).map(({ message }) => message))
  let isAllowed = true
  return messages.filter((message) => {
    if (message.role === 'user') isAllowed = allowed.has(message)
    return isAllowed
  })
}

/** The whole text, or only its statements where it also contains questions. */
function statementsIn(text: string, today: string): string[] {
  const intent = parseIntent(text, today)
  if (intent.kind === 'remember') return [intent.text]
  const sentences = text.split(/(?<=[。！？!?；;])\s*|(?<=\p{L}\.)\s+(?=\p{Lu}|\p{Lo})/u).filter(Boolean)
  const statements = sentences.filter(
    (sentence) =>
      isSubstantial(sentence) && ['statement', 'keywords', 'remember'].includes(parseIntent(sentence, today).kind),
  )
  return statements.length === sentences.length ? [text] : statements
}

/** Lists the user's statements and last questions. The caller adds identifiers that are `missing`. */
export function extractSummary(
  { conversation, earlier, missing }: Extract<Purpose, { kind: 'summary' }>,
  fallback: Language,
): string {
  if (missing.length > 0) return conversation
  const lines = userTextsInRendered(conversation).flatMap((text) => text.split('\n').filter(Boolean))
  const sentences = sentencesIn(replyLanguage([...lines.toReversed(), conversation.slice(0, 2000)], fallback))
  const questions = lines.filter((line) => parseIntent(line, anyDay).kind === 'question')
  const facts = lines.filter((line) => !questions.includes(line))
  const section = (title: string, items: readonly string[]) => [`## ${title}`, ...items.map((item) => `- ${item}`)]
  const asked = questions.length > 0 ? ['', ...section(sentences.questions, questions.slice(-3))] : []
  return [...(earlier === undefined ? [] : [earlier, '']), ...section(sentences.facts, facts), ...asked].join('\n')
}

const words = segmenter('en', 'word')
const maxWords = 3

/** The longest content words, joined as a file name. */
export function extractTopic(texts: readonly string[]): string {
  const weights = new Map<string, number>()
  for (const { segment, isWordLike } of words.segment(texts.join('\n').normalize('NFKC').toLowerCase())) {
    const weight = segment.length + countCjk(segment)
    const isContent = isWordLike && /^\p{L}[\p{L}\p{M}\p{N}]*$/u.test(segment) && !isStopWord(segment)
    if (isContent && weight >= 4) weights.set(segment, weight)
  }
  const longest = [...weights].sort(([, one], [, other]) => other - one).slice(0, maxWords)
  return longest.map(([word]) => word).join('-')
}
