import { messageText, splitAttachments, type Message, type UserMessage } from '#shared/chat/messages.ts'
import { isRequest, queryTerms } from '#search'

/** Characters of the message that are searched. */
const maxCharacters = 1000
/** A question with more subject words is no follow-up. */
const maxFollowUpWords = 2
/** Limits of the words that a follow-up takes from the last exchange, and of the beginning of its answer. */
const maxEarlierWords = 8
const maxAnswerCharacters = 200

/** A source in an answer, such as `[memory/2026-01-20.md:45]`. */
const citation = /\[[^\]\n]+:\d+(?:[-–]\d+)?\]/g

const refersBack =
  /\b(?:it|its|they|them|their|he|him|his|she|her|hers|that|this|those|these|there|one|ones)\b|^\s*(?:and|but|so|also|then|(?:what|how) about)\b|[它他她其]|[那这這](?!里有|裡有)|^(?:还有|還有|然后|然後)|[それあ]の|それ|あれ|그(?:것|건|게|녀)?\s/iu
const namesSelf = /\b(?:i|me|my|mine|we|us|our|ours)\b|[我俺咱]|私|僕|내|나의|우리/iu

interface RecallQuery {
  readonly text: string
  /** If set, only notes with one of these words count. */
  readonly about?: readonly string[]
}

/**
 * Returns the queries for a message, in the order to try. For a short follow-up, the first one has the words of the last
 * exchange too. The notes of that exchange may outdo all others there, so the message alone is tried next.
 */
export function recallQueries(message: UserMessage, earlier: readonly Message[]): RecallQuery[] {
  const text = withoutSyntax(splitAttachments(message).text.slice(0, maxCharacters).toWellFormed())
  if (text === '') return []
  if (!isFollowUp(text)) return [{ text }]
  const questionAt = earlier.findLastIndex(({ role }) => role === 'user')
  const question = earlier[questionAt]
  const answer = earlier.slice(questionAt + 1).find((one) => one.role === 'assistant' && messageText(one) !== '')
  const questionText = question?.role === 'user' ? splitAttachments(question).text.slice(0, maxCharacters) : ''
  const answerText = answer ? messageText(answer).replaceAll(citation, ' ').slice(0, maxAnswerCharacters) : ''
  const words = [questionText, answerText].flatMap((one) =>
    subjectWords(withoutSyntax(one.toWellFormed())).slice(0, maxEarlierWords),
  )
  if (words.length === 0) return [{ text }]
  return [{ text: [text, ...new Set(words)].join(' ') }, { text, about: words }]
}

function isFollowUp(text: string): boolean {
  const count = subjectWords(text).length
  if (count > maxFollowUpWords || !isRequest(text)) return false
  return refersBack.test(text) || (count <= 1 && !namesSelf.test(text))
}

function subjectWords(text: string): string[] {
  return queryTerms(text).flatMap(({ role, shown }) => (role === 'function' || role === 'filler' ? [] : shown))
}

/** Makes quotes, filters (`path:x`, `[status:open]`) and exclusions (`-word`) plain words. */
function withoutSyntax(text: string): string {
  return text
    .replaceAll(/["“”「」『』[\]]/g, ' ')
    .replaceAll(/(?<![^\s(（])-+(?=\S)/g, '')
    .replaceAll(/(?<=\p{L}[\p{L}\p{N}_-]*)[:：](?=\S)/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
