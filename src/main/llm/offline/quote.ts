import { simplify } from '#search/text'
import { parseIntent } from './intent.ts'
import { chinese, english } from './patterns.ts'
import { isDisclaimer, speakers } from './sentences.ts'

export interface Passage {
  readonly path: string
  /** 1-based line of `lines[0]`. */
  readonly from: number
  readonly lines: readonly string[]
}

export interface QuotedLine {
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** The lines of a passage that the search found. */
export interface Match {
  readonly path: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** Semantic similarity in [0, 1]; 0 where the keyword score is higher. */
  readonly similarity: number
}

/** Score factor for each rank: a later passage has to match much better than an earlier one. */
const rankDiscount = 0.85
/** A line with full similarity scores as if it had this share of the question's words. */
const similarityShare = 0.6
/** Words with the same first letters count as equal: park, parked. */
const prefixLength = 4
const maxQuote = 400

/**
 * The lines with the highest share of the question's words; empty where no line has any. A semantic match counts as if
 * the line had some of the words.
 * @param today `YYYY-MM-DD`
 */
export function bestLines(
  question: string,
  passages: readonly Passage[],
  limit: number,
  today: string,
  matches: readonly Match[] = [],
): QuotedLine[] {
  const wanted = new Set(tokens(question))
  const scored: (QuotedLine & { score: number })[] = []
  let hasSharedWord = false
  for (const [rank, passage] of passages.entries()) {
    const lines = quotableLines(passage, today).map((quote) => ({ ...quote, shared: countShared(quote.text, wanted) }))
    for (const quote of lines) {
      const { path, line, text, shared } = quote
      if (shared > 0) hasSharedWord = true
      const [match] = matches
        .filter((one) => contains(one, quote))
        .toSorted((one, other) => other.similarity - one.similarity)
      // Within one match, the lines with shared words win.
      const isWeaker = shared === 0 && match && lines.some((other) => other.shared > 0 && contains(match, other))
      const semantic = match && !isWeaker ? match.similarity * similarityShare * wanted.size : 0
      const score = Math.max(shared, semantic)
      if (score > 0) scored.push({ path, line, text, score: (score - text.length / 2000) * rankDiscount ** rank })
    }
  }
  if (!hasSharedWord) return []
  scored.sort((one, other) => other.score - one.score)
  const threshold = (scored[0]?.score ?? 0) * 0.6
  const unique = new Map<string, QuotedLine>()
  for (const { path, line, text, score } of scored) {
    if (score >= threshold && !unique.has(text)) unique.set(text, { path, line, text: clip(text) })
  }
  return [...unique.values()].slice(0, limit)
}

function countShared(text: string, wanted: ReadonlySet<string>): number {
  return new Set(tokens(text).filter((token) => wanted.has(token))).size
}

export function sharesWord(question: string, text: string): boolean {
  return countShared(text, new Set(tokens(question))) > 0
}

function contains({ path, startLine, endLine }: Match, quote: QuotedLine): boolean {
  return quote.path === path && quote.line >= startLine && quote.line <= endLine
}

/**
 * Used when no line shares a word with the question: the matched lines of the first passage, or the first line after a
 * matched heading.
 */
export function nearLines(
  passages: readonly Passage[],
  limit: number,
  today: string,
  matches: readonly Match[] = [],
): QuotedLine[] {
  const lines = passages.map((passage) => quotableLines(passage, today)).find((quotes) => quotes.length > 0) ?? []
  const match = matches.find((one) => one.path === lines[0]?.path)
  const within = lines.filter((quote) => match && contains(match, quote)).slice(0, limit)
  const next = lines.find(({ line }) => match && line >= match.startLine) ?? lines[0]
  const near = within.length > 0 || !next ? within : [next]
  return near.map((quote) => ({ ...quote, text: clip(quote.text) }))
}

export function clip(text: string, limit: number = maxQuote): string {
  const letters = [...text]
  return letters.length > limit ? `${letters.slice(0, limit).join('').trimEnd()}…` : text
}

export function withoutListMarker(line: string): string {
  return line.replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '').trim()
}

/** `User:` in transcripts, `**User:**` in saved conversations. */
const names = [...speakers.user, ...speakers.assistant].join('|')
const speaker = new RegExp(`^(?:\\*\\*(${names}):\\*\\*|(User|Assistant|Tool result \\([^)]*\\)):)\\s*`)

/** Skips headings, questions in conversations, and everything that the user did not write. */
function quotableLines({ path, from, lines }: Passage, today: string): QuotedLine[] {
  const quotable: QuotedLine[] = []
  // A passage can start in the middle of an answer in a saved conversation.
  let isOther = speaker.exec(lines.find((line) => speaker.test(line)) ?? '')?.[1] !== undefined
  for (const [index, raw] of lines.entries()) {
    const plain = withoutListMarker(raw)
    if (plain === '' || /^(?:#{1,6}\s|---$|```)/.test(plain)) continue
    const spoken = speaker.exec(plain)
    if (spoken) isOther = !speakers.user.includes(spoken[1] ?? spoken[2] ?? '')
    const text = spoken ? plain.slice(spoken[0].length).trim() : plain
    if (isOther || text === '' || isDisclaimer(text)) continue
    if (spoken && !['statement', 'remember'].includes(parseIntent(text, today).kind)) continue
    quotable.push({ path, line: from + index, text })
  }
  return quotable
}

export function isStopWord(word: string): boolean {
  return [english, chinese].some(({ stopWords }) => word.replace(stopWords, '') === '')
}

/** Prefixes of words, and pairs of CJK characters. This simple scheme only ranks lines that the search found. */
function tokens(text: string): string[] {
  const lower = text.normalize('NFKC').toLowerCase()
  const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+/gu
  const words = lower.replace(cjk, ' ').match(/[\p{L}\p{N}]+/gu) ?? []
  const runs = (lower.match(cjk) ?? []).flatMap(withoutFunctionWords).map((run) => [...run])
  return [
    ...words.filter((word) => !isStopWord(word)).map((word) => word.slice(0, prefixLength)),
    ...runs.flatMap((run) => (run.length === 1 ? run : run.slice(1).map((letter, index) => `${run[index]}${letter}`))),
  ]
}

/** Japanese writes its function words in Hiragana. */
function withoutFunctionWords(run: string): string[] {
  const isJapanese = /\p{Script=Hiragana}/u.test(run) && !/^\p{Script=Hiragana}+$/u.test(run)
  const content = isJapanese ? run.replace(/\p{Script=Hiragana}+/gu, ' ') : run
  return simplify(content).replace(chinese.stopWords, ' ').split(' ').filter(Boolean)
}
