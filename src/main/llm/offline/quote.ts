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
  /** Semantic similarity in [0, 1]; 0 if the keyword score is higher. */
  readonly similarity: number
}

/** Score factor for each rank: a later passage has to match much better than an earlier one. */
const rankDiscount = 0.85
/** A line with full similarity scores as if it had this share of the question's words. */
const similarityShare = 0.6
/** Words with the same first letters count as equal: park, parked. */
const prefixLength = 4
const maxQuote = 400

/** Returns the lines that match a question best; empty if none shares a word with it. @param today `YYYY-MM-DD` */
export function bestLines(
  question: string,
  passages: readonly Passage[],
  limit: number,
  today: string,
  matches: readonly Match[] = [],
): QuotedLine[] {
  const { size } = tokensOf(question)
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
  return tokensOf(question).intersection(tokensOf(text)).size
}

function contains({ path, startLine, endLine }: Match, quote: QuotedLine): boolean {
  return quote.path === path && quote.line >= startLine && quote.line <= endLine
}

/** For passages without a shared word: returns the matched lines of the first one, or the line after a heading. */
export function nearLines(passages: readonly Passage[], limit: number, today: string, matches: readonly Match[]) {
  const lines = passages.map((passage) => quotableLines(passage, today)).find((quotes) => quotes.length > 0) ?? []
  const match = matches.find(({ path }) => path === lines[0]?.path)
  const matched = lines.filter((quote) => match && contains(match, quote)).slice(0, limit)
  const following = lines.find(({ line }) => match && line >= match.startLine) ?? lines[0]
  return matched.length > 0 || !following ? matched : [following]
}

export function clip(text: string, limit: number = maxQuote): string {
  const characters = [...text]
  return characters.length > limit ? `${characters.slice(0, limit).join('').trimEnd()}…` : text
}

export function withoutListMarker(line: string): string {
  return line.replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '').trim()
}

/** The form is `User:` in transcripts and `**User:**` in saved conversations. */
const speakerNames = [...speakers.user, ...speakers.assistant].join('|')
const speakerPattern = new RegExp(`^(?:\\*\\*(${speakerNames}):\\*\\*|(User|Assistant|Tool result \\([^)]*\\)):)\\s*`)

/** Skips headings, questions in conversations, and everything that the user did not write. */
function quotableLines({ path, from, lines }: Passage, today: string): QuotedLine[] {
  const quotable: QuotedLine[] = []
  // A passage can start in the middle of an answer in a saved conversation.
  let isOtherSpeaker = speakerPattern.exec(lines.find((line) => speakerPattern.test(line)) ?? '')?.[1] !== undefined
  for (const [index, raw] of lines.entries()) {
    const plain = withoutListMarker(raw)
    if (plain === '' || /^(?:#{1,6}\s|---$|```)/.test(plain)) continue
    const speakerMatch = speakerPattern.exec(plain)
    if (speakerMatch) isOtherSpeaker = !speakers.user.includes(speakerMatch[1] ?? speakerMatch[2] ?? '')
    const text = speakerMatch ? plain.slice(speakerMatch[0].length).trim() : plain
    if (isOtherSpeaker || text === '' || isDisclaimer(text)) continue
    if (speakerMatch && !['statement', 'remember'].includes(parseIntent(text, today).kind)) continue
    quotable.push({ path, line: from + index, text })
  }
  return quotable
}

/** Returns prefixes of words and pairs of CJK characters, which are enough to rank lines that the search found. */
function tokensOf(text: string): Set<string> {
  const lower = text.normalize('NFKC').toLowerCase()
  const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+/gu
  const words = lower.replace(cjk, ' ').match(/[\p{L}\p{N}]+/gu) ?? []
  const runs = (lower.match(cjk) ?? []).flatMap(withoutFunctionWords).map((run) => [...run])
  return new Set([
    ...words.filter((word) => word.replace(english.stopWords, '') !== '').map((word) => word.slice(0, prefixLength)),
    ...runs.flatMap((run) => (run.length === 1 ? run : run.slice(1).map((letter, index) => `${run[index]}${letter}`))),
  ])
}

/** Removes function words, which Japanese writes in Hiragana, and splits at them. */
function withoutFunctionWords(run: string): string[] {
  const isJapanese = /\p{Script=Hiragana}/u.test(run) && !/^\p{Script=Hiragana}+$/u.test(run)
  const content = isJapanese ? run.replace(/\p{Script=Hiragana}+/gu, ' ') : run
  return simplify(content).replace(chinese.stopWords, ' ').split(' ').filter(Boolean)
}
