import { parseTemporalExpressions, queryTerms, sentencesOf, type QueryTerm } from '#search/text'
import { lazy } from '#shared/util/lazy.ts'
import { withoutOptedOut } from './distill-notes.ts'
import { isSubstantial, parseIntent } from './intent.ts'
import * as patterns from './summary-patterns.ts'

interface KeyedText<T> {
  readonly text: string
  readonly key: T
}

interface Candidate {
  /** Position of the message. */
  readonly message: number
  readonly text: string
  readonly weights: ReadonlyMap<string, number>
  /** Added to the weights of the words. */
  readonly bonus: number
}

/** Weights of words by their role. */
const roleWeights = { function: 0, filler: 0.4, word: 1, name: 2, figure: 2 } as const
/** Factor on the weight of a word that the summary already has from another message. */
const repeated = 0.5
/** Added for facts about the user, for times, and for past events; subtracted for sentences about the reader. */
const bonuses = { firstPerson: 1, secondPerson: -1, time: 2, past: 1 } as const
/** Added for further sentences of a message in the summary: their words often refer to each other. */
const context = 6
/** Minimum value of the first sentence of a message: two facts, such as a word about the user. */
const minValue = 2
/** Added to the length of a sentence, in characters, so that short sentences are not always preferred. */
const overhead = 35
/** A longer sentence is cut if it takes more than a third of the summary, in characters. */
const maxSentence = 160
/** Limit of the sentences of a message together, in characters; a single one may be longer. */
const maxEntry = 400
/** Characters of "- " and the line break. */
const lineMarkup = 3

const opinionTerms = lazy(() => new Set(queryTerms(patterns.opinions).flatMap(({ readings }) => termOf(readings))))

/**
 * Chooses the sentences with the most facts, in the order of the messages, one entry a message. Drops questions,
 * requests, greetings, thanks, and texts that the user does not want saved.
 * @param messages the user's messages
 * @param maxCharacters of the entries as a Markdown list
 * @param isSaved returns true for a statement to leave out
 */
export function summarizeStatements<T>(
  messages: readonly KeyedText<T>[],
  maxCharacters: number,
  isSaved: (statement: string) => boolean = () => false,
): KeyedText<T>[] {
  const allowed = withoutOptedOut(messages)
  const limit = Math.min(maxCharacters + 1 - lineMarkup, Math.max(maxSentence, maxCharacters / 3))
  const seen = new Set<string>()
  const candidates = allowed.flatMap(({ text }, message) =>
    statementsOf(text).flatMap((statement) => {
      if (seen.has(statement) || isSaved(statement)) return []
      seen.add(statement)
      return [assess(shorten(statement, limit), message)]
    }),
  )
  const chosen = new Set(choose(candidates, maxCharacters))
  const byMessage = Map.groupBy(
    candidates.filter((candidate) => chosen.has(candidate)),
    ({ message }) => message,
  )
  return allowed.flatMap(({ key }, message) => {
    const own = byMessage.get(message)
    return own ? [{ text: own.map(({ text }) => text).reduce(joined), key }] : []
  })
}

function joined(one: string, other: string): string {
  return /[。！」』]$/.test(one) ? one + other : `${one} ${other}`
}

/** Chooses greedily by value per character. Linear in the candidates for a fixed length. */
function choose(candidates: readonly Candidate[], maxCharacters: number): Candidate[] {
  const chosen: Candidate[] = []
  const covered = new Map<string, number>()
  /** Characters of the chosen sentences of each message. */
  const used = new Map<number, number>()
  const left = new Set(candidates)
  // The last line has no line break.
  let room = maxCharacters + 1
  for (;;) {
    let best: Candidate | undefined
    let bestRate = 0
    for (const candidate of left) {
      const { message, text } = candidate
      if (
        lengthOf(candidate, used) > room ||
        (used.has(message) && (used.get(message) ?? 0) + 1 + text.length > maxEntry)
      )
        continue
      const value = valueOf(candidate, covered)
      if (value === 0 || (value < minValue && !used.has(message))) continue
      const rate = (value + (used.has(message) ? context : 0)) / (text.length + overhead)
      if (rate > bestRate) [best, bestRate] = [candidate, rate]
    }
    if (!best) return chosen
    chosen.push(best)
    left.delete(best)
    room -= lengthOf(best, used)
    used.set(best.message, (used.get(best.message) ?? -1) + 1 + best.text.length)
    for (const word of best.weights.keys()) if (!covered.has(word)) covered.set(word, best.message)
  }
}

function lengthOf({ message, text }: Candidate, used: ReadonlyMap<number, number>): number {
  return text.length + (used.has(message) ? 1 : lineMarkup)
}

/** Returns 0 for a sentence without a new word. @param covered words of the summary, each with its first message */
function valueOf({ message, weights, bonus }: Candidate, covered: ReadonlyMap<string, number>): number {
  let value = bonus
  let isNew = false
  for (const [word, weight] of weights) {
    const isCovered = (covered.get(word) ?? message) !== message
    isNew ||= !covered.has(word) && weight >= roleWeights.word
    value += isCovered ? weight * repeated : weight
  }
  return isNew ? Math.max(0, value) : 0
}

function assess(text: string, message: number): Candidate {
  const weights = new Map<string, number>()
  for (const { role, readings } of queryTerms(text)) {
    for (const term of termOf(readings)) weights.set(term, opinionTerms().has(term) ? 0 : roleWeights[role])
  }
  const hasTime = patterns.otherTime.test(text) || parseTemporalExpressions(text, 0).length > 0
  const bonus =
    (patterns.firstPerson.test(text) ? bonuses.firstPerson : 0) +
    (patterns.secondPerson.test(text) ? bonuses.secondPerson : 0) +
    (hasTime ? bonuses.time : 0) +
    (patterns.pastTense.test(text) ? bonuses.past : 0)
  return { message, text, weights, bonus }
}

function termOf([reading]: QueryTerm['readings']): string[] {
  return reading ? [reading.term] : []
}

/** Returns the statements of a message, each on one line and without openings and endings that have no content. */
function statementsOf(text: string): string[] {
  const lines = text.replace(/^```[\s\S]*?(?:^```|(?![\s\S]))/gm, '').split('\n')
  return lines
    .map((line) => line.replace(/^\s*(?:(?:[-*+>]|#+|\d{1,3}[.)])\s+)+/, ''))
    .flatMap((line) => sentencesOf(line).reduce(withOrdinals, []))
    .flatMap((sentence) => statementOf(sentence.trim()))
}

/** Appends a sentence to the last one if that ends in an ordinal: "ab dem 3. Mai". */
function withOrdinals(sentences: readonly string[], sentence: string): string[] {
  const last = sentences.at(-1) ?? ''
  return / \d{1,2}\.\s+$/.test(last) ? [...sentences.slice(0, -1), last + sentence] : [...sentences, sentence]
}

function statementOf(sentence: string): string[] {
  if (patterns.question.test(sentence)) return []
  const whole = parseIntent(sentence)
  const stated = whole.kind === 'remember' ? whole.text : sentence
  const text = patterns.withoutInterjections(stated).replace(patterns.trailingFiller, '')
  if (!isSubstantial(text)) return []
  if (whole.kind !== 'remember') {
    if (patterns.pleasantry.test(text) || patterns.request.test(text)) return []
    if (['optOut', 'period', 'help', 'change'].includes(parseIntent(text).kind)) return []
    // "I met Ann, who moved to Rome" and "when I was ten" are no questions.
    const [clause = ''] = text.split(/[,;:，；：]/)
    // Chinese asks in the order of a statement, so only a full stop tells them apart.
    const isTold = !/\p{Script=Han}/u.test(text) || /[。.!！]$/.test(text)
    const isAboutUser = patterns.firstPerson.test(text) || /^when\b/i.test(text)
    if (!(isTold && isAboutUser) && parseIntent(clause).kind === 'question') return []
  }
  return [text.charAt(0).toUpperCase() + text.slice(1)]
}

/** Cuts a text that is too long after a clause, or else after a word. */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.slice(0, Math.max(0, limit - 1)).toWellFormed()
  const ends = [/^[\s\S]*[,;:，、；：–—](?!\d)/, /^[\s\S]*\s/]
  const part = ends.map((end) => end.exec(start)?.[0] ?? '').find((kept) => kept.length > limit / 2) ?? start
  return `${part.replace(/[\s,;:，、；：–—]+$/, '')}…`
}
