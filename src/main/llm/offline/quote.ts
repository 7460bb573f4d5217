import { simplify, timesIn } from '#search/text'
import { understand } from './intent.ts'
import { chinese, english } from './patterns.ts'
import { isOwnSentence, speakers } from './sentences.ts'

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
export interface FoundLines {
  readonly path: string
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** How sure the search is of what it found by meaning, in [0, 1]; 0 where words decided. */
  readonly meaning: number
}

/** A later passage must fit this much better than an earlier one to be quoted before it. */
const rankDiscount = 0.85
/** Share of the question's words that a line counts as having where meaning is sure of it. */
const meantShare = 0.6
/** Letters by which words are told apart: park and parked are one, and so they should be. */
const wordBeginning = 4
/** Characters of a line that are quoted. */
const maxQuote = 400

/**
 * Empty where no line has a word of the question. Where one has, a line that the search found by meaning counts as if it
 * had some of the question's words.
 * @param found of the passages, by any search
 * @param today `YYYY-MM-DD`
 */
export function bestLines(
  question: string,
  passages: readonly Passage[],
  most: number,
  today: string,
  found: readonly FoundLines[] = [],
): QuotedLine[] {
  const wanted = new Set(units(question))
  const scored: (QuotedLine & { score: number })[] = []
  let isNamed = false
  for (const [rank, passage] of passages.entries()) {
    const lines = quotable(passage, today).map((quote) => ({ ...quote, shared: sharedUnits(quote.text, wanted) }))
    for (const quote of lines) {
      const { path, line, text, shared } = quote
      if (shared > 0) isNamed = true
      const meant = found.filter((one) => contains(one, quote)).toSorted((one, other) => other.meaning - one.meaning)[0]
      // Among several lines of one passage words decide, where they can.
      const isPassedOver = shared === 0 && lines.some((other) => other.shared > 0 && meant && contains(meant, other))
      const meaning = meant && !isPassedOver ? meant.meaning * meantShare * wanted.size : 0
      const fit = Math.max(shared, meaning)
      if (fit === 0) continue
      scored.push({ path, line, text, score: (fit - text.length / 2000) * rankDiscount ** rank })
    }
  }
  if (!isNamed) return []
  scored.sort((one, other) => other.score - one.score)
  const threshold = (scored[0]?.score ?? 0) * 0.6
  const seen = new Set<string>()
  const picked: QuotedLine[] = []
  for (const { path, line, text, score } of scored) {
    if (picked.length >= most || score < threshold) break
    if (seen.has(text)) continue
    seen.add(text)
    picked.push({ path, line, text: clipped(text) })
  }
  return picked
}

function sharedUnits(text: string, wanted: ReadonlySet<string>): number {
  return new Set(units(text).filter((unit) => wanted.has(unit))).size
}

/** True where a line has a word of the question. */
export function sharesWord(question: string, text: string): boolean {
  return sharedUnits(text, new Set(units(question))) > 0
}

function contains({ path, startLine, endLine }: FoundLines, quote: QuotedLine): boolean {
  return quote.path === path && quote.line >= startLine && quote.line <= endLine
}

/**
 * The lines that the search found in the first passage, where none has a word of the question: it may be there under
 * another name. Where those say nothing, such as a heading, the next line that does.
 */
export function nearLines(
  passages: readonly Passage[],
  most: number,
  today: string,
  found: readonly FoundLines[] = [],
): QuotedLine[] {
  const lines = passages.map((passage) => quotable(passage, today)).find((quotes) => quotes.length > 0) ?? []
  const [first, last] = [lines[0], lines.at(-1)]
  const place = found.find(
    ({ path, startLine, endLine }) =>
      first && last && path === first.path && endLine >= first.line && startLine <= last.line,
  )
  const within = lines.filter((quote) => place && contains(place, quote)).slice(0, most)
  const next = lines.find(({ line }) => place && line >= place.startLine) ?? first
  const near = within.length > 0 || !next ? within : [next]
  return near.map((quote) => ({ ...quote, text: clipped(quote.text) }))
}

/** A text at a length that can be taken in at a glance. */
export function clipped(text: string, most: number = maxQuote): string {
  const letters = [...text]
  return letters.length > most ? `${letters.slice(0, most).join('').trimEnd()}…` : text
}

/** A line without the sign of a list item or a quotation. */
export function withoutMarker(line: string): string {
  return line.replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '').trim()
}

/** How transcripts, kept conversations and conversations kept word for word name who speaks. */
const names = [...speakers.user, ...speakers.assistant].join('|')
const speaker = new RegExp(`^(?:\\*\\*(${names}):\\*\\*|(User|Assistant|Tool result \\([^)]*\\)):)\\s*`)

/** The lines that somebody wrote down or told, without what marks them as items or speech. */
function quotable({ path, from, lines }: Passage, today: string): QuotedLine[] {
  const found: QuotedLine[] = []
  let isOther = false
  for (const [index, raw] of lines.entries()) {
    const plain = withoutMarker(raw)
    if (plain === '' || /^(?:#{1,6}\s|---$|```)/.test(plain)) continue
    const spoken = speaker.exec(plain)
    if (spoken) isOther = !speakers.user.includes(spoken[1] ?? spoken[2] ?? '')
    const text = spoken ? plain.slice(spoken[0].length).trim() : plain
    if (isOther || text === '' || isOwnSentence(text)) continue
    if (spoken && !statesSomething(text, today)) continue
    found.push({ path, line: from + index, text })
  }
  return found
}

function statesSomething(text: string, today: string): boolean {
  const intention = understand(text, today)
  return intention.kind === 'statement' || (intention.kind === 'remember' && intention.text !== '')
}

/** A line that says itself when something is. */
export function namesTime(text: string, today: string): boolean {
  return (
    timesIn(text, Date.parse(today) / 86_400_000).length > 0 ||
    /\b\d{1,2}(?::\d{2}|\s?[ap]m)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|[点點]|(?:周|週|星期|礼拜|禮拜)[一二三四五六日天]|\d{1,2}\s?[時时日号號]/i.test(
      text,
    )
  )
}

/** A word that tells nothing of what is meant. */
export function isHollow(word: string): boolean {
  return [english, chinese].some(({ hollow }) => word.replace(hollow, '') === '')
}

/**
 * Word beginnings in Latin script, pairs of characters in CJK, each run of a script for itself: crude, but it only
 * chooses among lines already found.
 */
function units(text: string): string[] {
  const folded = text.normalize('NFKC').toLowerCase()
  const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+/gu
  const words = [...folded.replace(cjk, ' ').matchAll(/[\p{L}\p{N}]+/gu)].map(([word]) => word)
  const runs = [...folded.matchAll(cjk)].flatMap(([run]) => contentOf(run)).map((run) => [...run])
  return [
    ...words.filter((word) => !isHollow(word)).map((word) => word.slice(0, wordBeginning)),
    ...runs.flatMap((run) => (run.length === 1 ? run : run.slice(1).map((letter, index) => `${run[index]}${letter}`))),
  ]
}

/** A run of CJK characters without its function words, in pieces; in Japanese these are in Hiragana. */
function contentOf(run: string): string[] {
  const isJapanese = /\p{Script=Hiragana}/u.test(run) && !/^\p{Script=Hiragana}+$/u.test(run)
  const content = isJapanese ? run.replace(/\p{Script=Hiragana}+/gu, ' ') : run
  return simplify(content).replace(chinese.hollow, ' ').split(' ').filter(Boolean)
}
