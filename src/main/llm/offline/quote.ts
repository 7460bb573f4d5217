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

/** Empty where no line shares a word with the question. @param today `YYYY-MM-DD` */
export function bestLines(
  question: string,
  passages: readonly Passage[],
  limit: number,
  today: string,
  matches: readonly Match[] = [],
): QuotedLine[] {
  const { size } = tokens(question)
  const quotes = passages.flatMap((passage, rank) =>
    quotableLines(passage, today).map((quote) => ({ ...quote, rank, shared: countShared(question, quote.text) })),
  )
  if (!quotes.some(({ shared }) => shared > 0)) return []
  const scored = quotes.map((quote) => {
    // Within one match, the lines with shared words win.
    const similarities = matches
      .filter((match) => contains(match, quote))
      .filter((match) => quote.shared > 0 || !quotes.some((other) => other.shared > 0 && contains(match, other)))
      .map(({ similarity }) => similarity)
    const score = Math.max(quote.shared, Math.max(0, ...similarities) * similarityShare * size)
    return { ...quote, score: (score - quote.text.length / 2000) * rankDiscount ** quote.rank }
  })
  const threshold = Math.max(...scored.map(({ score }) => score)) * 0.6
  const best = scored.filter(({ score }) => score >= threshold).sort((one, other) => other.score - one.score)
  return best
    .filter(({ text }, index) => best.findIndex((other) => other.text === text) === index)
    .slice(0, limit)
    .map(({ path, line, text }) => ({ path, line, text }))
}

export function countShared(question: string, text: string): number {
  return tokens(question).intersection(tokens(text)).size
}

function contains({ path, startLine, endLine }: Match, quote: QuotedLine): boolean {
  return quote.path === path && quote.line >= startLine && quote.line <= endLine
}

/** For passages without a shared word: the matched lines of the first one, or the line after a matched heading. */
export function nearLines(passages: readonly Passage[], limit: number, today: string, matches: readonly Match[]) {
  const lines = passages.map((passage) => quotableLines(passage, today)).find((quotes) => quotes.length > 0) ?? []
  const match = matches.find((one) => one.path === lines[0]?.path)
  const within = lines.filter((quote) => match && contains(match, quote)).slice(0, limit)
  const next = lines.find(({ line }) => match && line >= match.startLine) ?? lines[0]
  return within.length > 0 || !next ? within : [next]
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

/** Prefixes of words, and pairs of CJK characters. This simple scheme only ranks lines that the search found. */
function tokens(text: string): Set<string> {
  const lower = text.normalize('NFKC').toLowerCase()
  const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+/gu
  const words = lower.replace(cjk, ' ').match(/[\p{L}\p{N}]+/gu) ?? []
  const runs = (lower.match(cjk) ?? []).flatMap(withoutFunctionWords).map((run) => [...run])
  return new Set([
    ...words.filter((word) => word.replace(english.stopWords, '') !== '').map((word) => word.slice(0, prefixLength)),
    ...runs.flatMap((run) => (run.length === 1 ? run : run.slice(1).map((letter, index) => `${run[index]}${letter}`))),
  ])
}

/** Japanese writes its function words in Hiragana. */
function withoutFunctionWords(run: string): string[] {
  const isJapanese = /\p{Script=Hiragana}/u.test(run) && !/^\p{Script=Hiragana}+$/u.test(run)
  const content = isJapanese ? run.replace(/\p{Script=Hiragana}+/gu, ' ') : run
  return simplify(content).replace(chinese.stopWords, ' ').split(' ').filter(Boolean)
}
