/**
 * Selects the parts of a transcript that are memory. Questions of the user, quotations of notes and answers without
 * results are not indexed, so that a question never changes the results of a later search.
 */
import { fenceAt, closesFence, headingAt } from '#shared/markdown/blocks/line-starts.ts'
import { splitCitations } from '#shared/markdown/citation.ts'
import { isRecord, parseJson } from '#shared/util/json.ts'
import {
  isQuestionMarked,
  isRequest,
  saysNothingFound,
  sentencesOf,
  statementBefore,
} from '../text/language/sentences.ts'
import { formatMessage, indexedMessages, textPartsOf, type TranscriptMessage } from './transcript-text.ts'
import { roleOfStem } from '../text/stop-words.ts'
import { bigramsOf, cjkRun, fold, termsOfWord } from '../text/terms.ts'

const recallTools = ['memory_search', 'memory_get', 'read']
const recallResult = new RegExp(`"toolName":\\s*"(?:${recallTools.join('|')})"`)

/** Returns as many lines as `transcriptText`. Each has the indexed part of a message; it is empty if there is none. */
export function indexedTranscriptText(jsonl: string): string {
  const texts = jsonl.split('\n').map(() => '')
  // Besides the messages, reads the results of the tools that read the memory: answers are compared with them.
  const messages = indexedMessages(jsonl, (line) => recallResult.test(line))
  const returned = new ReturnedText()
  for (const turn of turnsOf(messages)) {
    const context = contextOf(turn)
    for (const { index, message } of turn) {
      // The notes that the app found for a message of the user and sent with it.
      const recalled = message['recalled']
      for (const text of snippetsOf(isRecord(recalled) ? recalled['search'] : undefined)) returned.add(text)
      if (message['role'] === 'toolResult') for (const text of textsReturnedBy(message)) returned.add(text)
      else texts[index] = formatMessage(message, indexedPart(message, context, returned))
    }
  }
  return texts.join('\n')
}

function turnsOf(messages: readonly TranscriptMessage[]): TranscriptMessage[][] {
  const turns: TranscriptMessage[][] = []
  for (const entry of messages) {
    const turn = turns.at(-1)
    if (turn && entry.message['role'] !== 'user') turn.push(entry)
    else turns.push([entry])
  }
  return turns
}

interface TurnContext {
  /** Queries of the model's searches: a message that repeats one is a query, too, and not indexed. */
  readonly queries: ReadonlySet<string>
  readonly hasFoundNothing: boolean
}

function contextOf(turn: readonly TranscriptMessage[]): TurnContext {
  const calls = turn.flatMap(({ message }) => toolCallsOf(message))
  const searches = calls.filter(({ name }) => name === 'memory_search')
  const queryOf = ({ arguments: args }: Record<string, unknown>) => (isRecord(args) ? args['query'] : undefined)
  const queries = new Set(searches.map((call) => normalizeForComparison(String(queryOf(call) ?? ''))))
  const results = turn.filter(({ message }) => message['role'] === 'toolResult' && message['isError'] !== true)
  const hasSearched = results.some(({ message }) => message['toolName'] === 'memory_search')
  const hasResults = results.some(({ message }) => textsReturnedBy(message).length > 0)
  return { queries, hasFoundNothing: hasSearched && !hasResults }
}

function indexedPart(message: TranscriptMessage['message'], context: TurnContext, returned: ReturnedText): string {
  const texts = textPartsOf(message)
  if (message['role'] === 'user') return texts.map((text) => statementsOfUser(text, context)).join(' ')
  // The answers of the offline model consist of quotations from the memory and fixed sentences.
  if (message['provider'] === 'offline') return ''
  const text = texts.join('\n\n')
  const isRemark = text.length <= maxRemarkLength
  const announcesSearch = toolCallsOf(message).some(({ name }) => recallTools.includes(String(name)))
  if (isRemark && (context.hasFoundNothing || announcesSearch)) return ''
  return partNotFromMemory(text, returned)
}

/** In characters. A longer answer contains more than the remark that a search found something or nothing. */
const maxRemarkLength = 600
/** In words (CJK: pairs of characters). A longer message is a statement even if the agent used it as a search query. */
const maxKeywordQueryLength = 6
const sentenceEnd = /[.!。！]\s*$/

function statementsOfUser(text: string, { queries }: TurnContext): string {
  // An attached file is indexed as it is: its questions are not those of the user.
  if (text.startsWith('<file name="')) return text
  const isKeywords = lengthInWords(text) <= maxKeywordQueryLength && !sentenceEnd.test(text)
  if (isKeywords && queries.has(normalizeForComparison(text))) return ''
  const pieces = piecesOf(text).map((piece) => {
    if (piece.kind === 'code' || !isRequest(piece.text)) return piece.text
    return statementBefore(piece.text)
  })
  const statements = pieces.filter(Boolean).join(' ')
  return /[\p{L}\p{N}]/u.test(statements) ? statements : ''
}

function normalizeForComparison(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim()
}

function lengthInWords(text: string): number {
  const characters = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0
  return characters > 0 ? characters / 2 : text.trim().split(/\s+/).length
}

interface Piece {
  readonly text: string
  readonly kind: 'sentence' | 'item' | 'heading' | 'quote' | 'code'
}

/**
 * Divides a Markdown text into sentences and other pieces. Each code block, list item, table row, quoted line and
 * heading is one piece; a table row has the kind `item`.
 */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  const add = (kind: Piece['kind'], ...texts: string[]) => pieces.push(...texts.map((one) => ({ text: one, kind })))
  let code: { readonly marker: string; readonly lines: string[] } | undefined
  for (const line of text.split(/\r\n|\n|\r/)) {
    const rest = line.trim()
    if (code) {
      code.lines.push(line)
      if (!closesFence(rest, code.marker)) continue
      add('code', code.lines.join('\n'))
      code = undefined
      continue
    }
    const fence = fenceAt(rest)
    if (fence) code = { marker: fence.marker, lines: [line] }
    else if (headingAt(rest)) add('heading', rest)
    else if (/^(?:(?:[-*+]|\d{1,9}[.)])\s+)?>/.test(rest)) add('quote', rest)
    else if (/^(?:[-*+]|\d{1,9}[.)]|\|)\s/.test(rest)) add('item', rest)
    else add('sentence', ...sentencesOf(rest).map((sentence) => sentence.trim()))
  }
  if (code) add('code', code.lines.join('\n'))
  return pieces.filter((piece) => piece.text !== '')
}

function partNotFromMemory(text: string, returned: ReturnedText): string {
  const pieces = piecesOf(text)
  const isNew = pieces.map((piece) => isNewPiece(piece, returned))
  for (const [at, piece] of pieces.entries())
    // A citation after the full stop belongs to the sentence before.
    if (at > 0 && isCitationOnly(piece.text)) isNew[at - 1] = false
  // From the end, so that a heading is omitted too if it has only omitted introductions below it.
  for (let at = pieces.length - 1; at >= 0; at -= 1)
    if (introduces(pieces[at]) && !isNew.slice(at + 1, endOfIntroduced(pieces, at)).includes(true)) isNew[at] = false
  return pieces
    .filter((_, at) => isNew[at])
    .map((piece) => piece.text)
    .join(' ')
}

function isNewPiece(piece: Piece, returned: ReturnedText): boolean {
  const { text, kind } = piece
  if (kind === 'quote') return false
  // A citation says that the text is from a note.
  if (splitCitations(text).some((part) => typeof part !== 'string')) return false
  if (kind === 'heading') return true
  if (kind === 'code') return text.split('\n').some((line) => hasContent(line) && !returned.repeats(line))
  const isOmitted = (sentence: string) => isQuestionMarked(sentence) || saysNothingFound(sentence)
  const sentences = kind === 'item' ? sentencesOf(text) : [text]
  return sentences.some((sentence) => hasContent(sentence) && !isOmitted(sentence) && !returned.repeats(sentence))
}

function isCitationOnly(text: string): boolean {
  const parts = splitCitations(text)
  return (
    parts.some((part) => typeof part !== 'string') &&
    !/[\p{L}\p{N}]/u.test(parts.filter((part) => typeof part === 'string').join(''))
  )
}

function introduces(piece: Piece | undefined): boolean {
  return piece !== undefined && (piece.kind === 'heading' || /[:：][*_]*$/.test(piece.text))
}

/**
 * Returns the index after the pieces that a piece introduces. A heading introduces all pieces up to the next heading; a
 * colon introduces the list after it or, if there is none, one piece.
 */
function endOfIntroduced(pieces: readonly Piece[], at: number): number {
  const isHeading = pieces[at]?.kind === 'heading'
  if (!isHeading && pieces[at + 1]?.kind !== 'item') return at + 2
  const end = pieces.findIndex(({ kind }, next) => next > at && (isHeading ? kind === 'heading' : kind !== 'item'))
  return end < 0 ? pieces.length : end
}

function toolCallsOf({ role, content }: TranscriptMessage['message']): Record<string, unknown>[] {
  if (role !== 'assistant' || !Array.isArray(content)) return []
  return content.filter(isRecord).filter((part) => part['type'] === 'toolCall')
}

function textsReturnedBy(message: TranscriptMessage['message']): string[] {
  if (message['isError'] === true) return []
  const text = textPartsOf(message).join('\n')
  switch (message['toolName']) {
    case 'memory_search': {
      const { details } = message
      const recall = isRecord(details) && isRecord(details['recall']) ? details['recall'] : parseJson(text)
      return snippetsOf(recall)
    }
    case 'memory_get': {
      const page = parseJson(text)
      const lines = isRecord(page) && typeof page['text'] === 'string' ? page['text'] : text
      return lines.trim() === '' ? [] : [lines]
    }
    default:
      return text.trim() === '' ? [] : [text]
  }
}

function snippetsOf(recall: unknown): string[] {
  const results = isRecord(recall) && Array.isArray(recall['results']) ? recall['results'].filter(isRecord) : []
  return results.flatMap(({ snippet }) => (typeof snippet === 'string' ? [snippet] : []))
}

/** A sentence is compared with windows of this many consecutive lines: it may summarize several short lines. */
const windowLines = 3
/** A sentence with at least this many words counts as repeated if `minRepeatedShare` of them occur in a window. */
const minWords = 4
const minRepeatedShare = 0.7

/** The text that tools returned in a chat; recognizes sentences that repeat it. */
class ReturnedText {
  /** Positions of the lines that contain a word, ascending. */
  readonly #linesByWord = new Map<string, number[]>()
  #next = 0

  add(text: string): void {
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue
      for (const word of contentWords(line)) {
        const lines = this.#linesByWord.get(word)
        if (lines) lines.push(this.#next)
        else this.#linesByWord.set(word, [this.#next])
      }
      this.#next += 1
    }
    // A gap, so that no window contains lines of two texts.
    this.#next += windowLines
  }

  /** Returns true if most words of a sentence, or all of a short one, occur together in a returned text. */
  repeats(sentence: string): boolean {
    const words = contentWords(sentence)
    if (words.size === 0) return false
    const needed = words.size < minWords ? words.size : words.size * minRepeatedShare
    /** Number of words in each window, by its first line. */
    const counts = new Map<number, number>()
    for (const word of words) {
      // A word counts once per window, although it can be in several of its lines.
      let firstUncounted = -Infinity
      for (const line of this.#linesByWord.get(word) ?? []) {
        for (let first = Math.max(line - windowLines + 1, firstUncounted); first <= line; first += 1) {
          const count = (counts.get(first) ?? 0) + 1
          if (count >= needed) return true
          counts.set(first, count)
        }
        firstUncounted = line + 1
      }
    }
    return false
  }
}

function contentWords(text: string): Set<string> {
  const plain = fold(text)
  const words = new Set<string>()
  for (const [word] of plain.replace(cjkRun, ' ').matchAll(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu))
    for (const term of termsOfWord(word)) if (roleOfStem(term) !== 'function') words.add(term)
  // Pairs of Hiragana are mostly particles and endings.
  for (const [run] of plain.matchAll(cjkRun))
    for (const pair of bigramsOf([...run])) if (!/^\p{Script=Hiragana}+$/u.test(pair)) words.add(pair)
  return words
}

/** Returns false for a text of function words and words that fit any subject: "Sure, here is what I found:". */
function hasContent(text: string): boolean {
  if (text.search(cjkRun) >= 0) return true
  for (const word of contentWords(text)) if (roleOfStem(word) === 'content') return true
  return false
}
