/**
 * A note before its echo (M54). What a conversation repeats of a file is shown as the file's; and a question that was
 * asked in a conversation, being asked again, is no answer to itself: what is left of the conversation without it is what
 * counts. Pure.
 */
import { lineTerms, bigramsOf } from '../text/terms.ts'
import { roleOfStem } from '../text/stop-words.ts'
import { queryTerms } from '../query/parse-query.ts'

/** What was said, line by line, as transcripts and notes of a session's end have it (`transcript-text.ts`, the memory hook). */
const saidByUser = /^(?:- User: |\*\*User:\*\* )/
const saidByAnybody = /^(?:- (?:User|Assistant): |\*\*(?:User|Assistant):\*\* )/

/** A sentence with what ends it; a message of a transcript is one line. */
const sentence = /[^.!?。！？\n]+(?:[.!?。！？]+(?=\s|$|[^\s\d])|$)/gu

const asksInEnglish =
  /^\W*(?:(?:hi|hey|hello|so|and|but|ok|okay|please|also|well|now|again)\W+)*(?:what|who|whom|whose|when|where|which|why|how|is|are|was|were|am|do|does|did|can|could|will|would|should|shall|may|have|has|had|tell me|remind me|show me|find|search|look up|give me|list|any|recall)\b/i
const asksInCjk =
  /什么|甚么|谁|哪|几|多少|多久|怎么|怎样|如何|为什么|吗|呢$|是不是|有没有|告诉我|提醒我|查一下|找一下|帮我|どこ|どれ|どの|どう|なに|何|いつ|誰|だれ|なぜ|いくら|ですか|ますか|っけ|教えて|か$|뭐|무엇|누구|언제|어디|왜|어떻게|얼마|몇|어느|알려|인가|나요|까$|지$/u

/** Share of a sentence's own words that the question has too, from which on the sentence is the question. */
const sameQuestion = 0.6

/**
 * The sentences of a passage that ask what the query asks, said by the user; undefined where there are none.
 * @returns what they say, and the passage's text without them: as many lines as before
 */
export function withoutQuestion(
  text: string,
  query: string,
): { readonly question: string; readonly rest: string } | undefined {
  if (!/^(?:- |\*\*)User:/m.test(text)) return undefined
  const asked = termsOf(query)
  if (asked.size === 0) return undefined
  const questions: string[] = []
  const lines = text.split('\n').map((line) => {
    if (!saidByUser.test(line)) return line
    const label = saidByUser.exec(line)?.[0] ?? ''
    const kept = line.slice(label.length).replace(sentence, (one) => {
      if (!isSame(one, asked)) return one
      questions.push(one.trim())
      return ''
    })
    return kept.trim() === '' ? '' : label + kept
  })
  return questions.length === 0 ? undefined : { question: questions.join(' '), rest: lines.join('\n') }
}

function isSame(text: string, asked: ReadonlySet<string>): boolean {
  if (!/[?？]\s*$/.test(text) && !asksInEnglish.test(text) && !asksInCjk.test(text.trim())) return false
  const terms = termsOf(text)
  if (terms.size === 0) return false
  let shared = 0
  for (const term of terms) if (asked.has(term)) shared += 1
  return shared / terms.size >= sameQuestion
}

/** The terms of a question that carry it; CJK words by their characters, for a cut depends on what stands beside it. */
function termsOf(text: string): Set<string> {
  const terms = queryTerms(text)
  const telling = terms.filter(({ role }) => role !== 'function' && role !== 'filler')
  const meant = telling.length > 0 ? telling : terms.filter(({ role }) => role !== 'function')
  return new Set(
    meant.flatMap(({ readings: [reading] }) =>
      reading === undefined ? [] : reading.kind === 'cjk' ? reading.term.split(' ') : [reading.term],
    ),
  )
}

/** Fewer words than this stand together by chance. */
const minEchoed = 3
/** Share of what was said that the file must have, within a few lines. */
const echoed = 0.8
const windowLines = 3

/**
 * True when a passage of a file says what a conversation says at its best place: most of the words of that sentence, and
 * whatever the query was found by in it.
 * @param line the conversation's line that was matched
 * @param matched words of it that the query was found by, as they stand there
 */
export function isEcho(line: string, matched: readonly string[], file: string): boolean {
  const sentences = line.replace(saidByAnybody, '').match(sentence) ?? []
  const folded = matched.map((word) => word.toLowerCase())
  const matchedIn = (text: string) => folded.filter((word) => text.toLowerCase().includes(word)).length
  const best = sentences.reduce((one, other) => (matchedIn(other) > matchedIn(one) ? other : one), sentences[0] ?? '')
  const said = contentOf(best)
  if (said.size < minEchoed) return false
  const lines = file.split('\n').map(contentOf)
  for (let at = 0; at < lines.length; at += 1) {
    const window = lines.slice(at, at + windowLines)
    let shared = 0
    for (const term of said) if (window.some((terms) => terms.has(term))) shared += 1
    if (shared / said.size >= echoed) return true
  }
  return false
}

/** Words and pairs of CJK characters, without what only holds a sentence together. */
function contentOf(text: string): Set<string> {
  const { terms, runs } = lineTerms(text)
  const telling = terms.filter((word) => roleOfStem(word) !== 'function')
  return new Set([...telling, ...runs.flatMap((run) => bigramsOf([...run]))])
}

interface Ranked {
  readonly score: number
  readonly input: { readonly id: number; readonly source: string }
}

/** Conversations, and passages of files for each, that are compared: who is far down is shown by neither. */
const maxCompared = 24

/**
 * Finds for each conversation that would be shown the passage of a file that says the same.
 * @param ranked without those that a filter keeps out
 * @param says whether the second says what the first says at its best place
 * @returns the files' passages by the conversations' ids
 */
export function pairEchoes<T extends Ranked>(
  ranked: readonly T[],
  minScore: number,
  says: (conversation: T, file: T) => boolean,
): Map<number, T> {
  const best = ranked.filter(({ score }) => score > 0).toSorted((one, other) => other.score - one.score)
  const conversations = best.filter(({ input, score }) => input.source === 'sessions' && score >= minScore)
  const files = best.filter(({ input }) => input.source !== 'sessions').slice(0, maxCompared)
  const pairs = new Map<number, T>()
  for (const conversation of conversations.slice(0, maxCompared)) {
    const file = files.find((one) => says(conversation, one))
    if (file) pairs.set(conversation.input.id, file)
  }
  return pairs
}
