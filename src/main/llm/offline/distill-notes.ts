import type { Message } from '#shared/chat/messages.ts'
import { withoutLongRuns } from '#shared/util/skip-long-tokens.ts'
import { segmenter } from '#shared/util/segmenter.ts'
import { countCjk } from '#shared/util/tokens.ts'
import type { Purpose } from '../purpose.ts'
import { isSubstantial, understand } from './intent.ts'
import { isHollow } from './quote.ts'
import { replyLanguage, type Language } from './language.ts'
import { saidBy, saidInRendered, textOf, type Said } from './strip-context.ts'
import { sentencesIn } from './sentences.ts'

/** Statements of the user that a flush writes down at most. */
const maxNotes = 20

/** What the user said in the messages that a flush is about, the last one left out: it is the request to save. */
export function heardIn(messages: readonly Message[]): Said[] {
  return messages.flatMap((message) => {
    if (message.role !== 'user') return []
    const said = saidBy(message)
    if (said) return [said]
    const { content } = message
    const isRendered = typeof content === 'string' && content.includes('<conversation>')
    return isRendered ? saidInRendered(content).map((text) => ({ text, time: '' })) : []
  })
}

/**
 * What the user stated, as notes; undefined when there is nothing to keep.
 * @param written what was written down meanwhile, as it was asked for
 * @param today as in `understand`
 */
export function notesOf(said: readonly Said[], written: string, today: string): string | undefined {
  const statements = new Set(
    kept(said, today)
      .flatMap(({ text }) => (understand(text, today).kind === 'remember' ? [text] : text.split('\n')))
      .flatMap((text) => statedIn(text, today))
      .filter((statement) => !written.includes(statement)),
  )
  const notes = [...statements].slice(-maxNotes)
  return notes.length > 0 ? notes.map((note) => `- ${note.replaceAll('\n', '\n  ')}`).join('\n') : undefined
}

/** Without what is not to be kept, as the user said with it or behind it. */
function kept<T extends Pick<Said, 'text'>>(said: readonly T[], today: string): T[] {
  const intentions = said.map(({ text }) => understand(text, today))
  return said.filter((_, index) => {
    const next = intentions[index + 1]
    return intentions[index]?.kind !== 'notThis' && !(next?.kind === 'notThis' && next.isBefore)
  })
}

/** Messages without those that the user did not want kept, and without what was answered to them. */
export function withoutRefused(messages: readonly Message[]): Message[] {
  const said = messages.filter(({ role }) => role === 'user').map((message) => ({ text: textOf(message), message }))
  const left = new Set(kept(said, '1970-01-01').map(({ message }) => message))
  let isKept = true
  return messages.filter((message) => {
    if (message.role === 'user') isKept = left.has(message)
    return isKept
  })
}

/** What a text states: all of it, or where it also asks, those of its sentences that do not. */
function statedIn(said: string, today: string): string[] {
  const text = said.trim()
  const whole = stated(text, today)
  if (whole !== undefined && whole !== text) return [whole]
  const sentences = text.split(/(?<=[。！？!?；;])\s*|(?<=\p{L}\.)\s+(?=\p{Lu}|\p{Lo})/u).filter(Boolean)
  const statements = sentences.flatMap((sentence) => stated(sentence, today) ?? [])
  return whole !== undefined && statements.length === sentences.length ? [text] : statements
}

/** A text as a note; undefined for questions, greetings and the like. */
function stated(text: string, today: string): string | undefined {
  if (!isSubstantial(text)) return undefined
  const intention = understand(text, today)
  if (intention.kind === 'remember') return intention.text || undefined
  const isKept = intention.kind === 'statement' || (intention.kind === 'question' && !intention.isAsked)
  return isKept ? text : undefined
}

/** Headings of the kind that a summary has, filled with the lines that speak to them, in the user's language. */
export function extractSummary(
  { conversation, earlier, missing }: Extract<Purpose, { kind: 'summary' }>,
  fallback: Language,
): string {
  const said = saidInRendered(conversation).flatMap((text) => text.split('\n').filter(Boolean))
  const { summary } = sentencesIn(replyLanguage([...said.toReversed(), conversation.slice(0, 2000)], fallback))
  if (missing.length > 0)
    return `${conversation}\n\n## ${summary.facts}\n${missing.map((name) => `- ${name}`).join('\n')}`
  const isQuestion = (line: string) => {
    const intention = understand(line, '1970-01-01')
    return intention.kind === 'question' && intention.isAsked
  }
  const questions = said.filter(isQuestion)
  const statements = said.filter((line) => !isQuestion(line))
  const decisions = statements.filter((line) =>
    /\b(?:decid|chose|choose|agreed|will use)|决定|決定|选择|選擇|选了|選了|定了|訂了/i.test(line),
  )
  const paths = new Set(
    [...withoutLongRuns(conversation).matchAll(/[\w./-]+\.(?:md|ts|js|json|yaml)\b/g)].map(([path]) => path),
  )
  const section = (title: string, lines: readonly string[]) =>
    `## ${title}\n${lines.length > 0 ? lines.map((line) => `- ${line}`).join('\n') : `- ${summary.none}`}`
  return [
    earlier ?? '',
    section(summary.goal, questions.slice(0, 1)),
    section(summary.decisions, decisions),
    section(summary.facts, statements),
    section(summary.open, questions.slice(-3)),
    section(summary.files, [...paths].slice(0, 20)),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const words = segmenter('en', 'word')
const maxWords = 3
/** Of a name made of words; a CJK one is read at half of it. */
const maxTopic = 48

/** The words of what the user said that say most, as a name, in the order in which they were said. */
export function extractTopic(said: readonly string[]): string {
  const found = new Map<string, number>()
  for (const text of said) {
    for (const { segment, isWordLike } of words.segment(text.normalize('NFKC').toLowerCase())) {
      const weight = segment.length * (countCjk(segment) > 0 ? 2 : 1)
      if (!isWordLike || weight < 4 || !/^\p{L}[\p{L}\p{M}\p{N}]*$/u.test(segment) || isHollow(segment)) continue
      found.set(segment, Math.max(found.get(segment) ?? 0, weight))
    }
  }
  const best = [...found].sort(([, one], [, other]) => other - one).slice(0, maxWords)
  let topic = ''
  for (const [word] of best) {
    const longer = topic === '' ? word : `${topic}-${word}`
    if (longer.length + countCjk(longer) <= maxTopic) topic = longer
  }
  return topic
}
