/**
 * Cuts a chunk into what one vector can stand for (M51): a line, some sentences of a long one, a few short ones together,
 * each under its heading. Whole chunks say too many things at once to be near to a question. Pure.
 */
import { segmenter } from '#shared/util/segmenter.ts'
import { estimateTokens } from '#shared/util/tokens.ts'
import { headingSeparator, type Chunk } from './chunk.ts'

export interface Passage {
  /** 1-based, inclusive, in the file. */
  readonly startLine: number
  readonly endLine: number
  /** What the model gets: the nearest heading, and the passage without its list marker. */
  readonly text: string
}

/** Lines of text shorter than this are joined with the next, in tokens. */
const enough = 12
/** The same for lines of code and tables, of which one alone says little. */
const enoughCode = 60
/** Longer lines are cut into sentences, which are joined up to this. */
const most = 80

const sentences = segmenter(undefined, 'sentence')

interface Piece {
  readonly line: number
  readonly text: string
  readonly tokens: number
}

export function passagesOf({ startLine, heading, text }: Chunk): Passage[] {
  const passages: Passage[] = []
  let title = heading.split(headingSeparator).at(-1) ?? ''
  let open: Piece[] = []
  let isFenced = false
  const flush = () => {
    const [first] = open
    if (!first) return
    const body = open.map((piece) => piece.text).join('\n')
    passages.push({ startLine: first.line, endLine: open.at(-1)?.line ?? first.line, text: withTitle(title, body) })
    open = []
  }
  for (const [index, raw] of text.split('\n').entries()) {
    const line = startLine + index
    const isFence = /^\s*(?:```|~~~)/.test(raw)
    if (isFence) isFenced = !isFenced
    const ownTitle = isFenced || isFence ? undefined : titleOf(raw)
    if (ownTitle !== undefined) {
      flush()
      title = ownTitle
    } else if (!isFence && /[\p{L}\p{N}]/u.test(raw)) {
      const limit = isFenced || isRow(raw) ? enoughCode : enough
      for (const piece of piecesOf(raw, line)) {
        if (tokensOf(open) + piece.tokens > most) flush()
        open.push(piece)
        if (tokensOf(open) >= limit) flush()
      }
    } else if (!isFenced && !isRow(raw)) flush()
  }
  flush()
  // A chunk of nothing but headings is about them.
  if (passages.length === 0) {
    const lines = text.split('\n')
    passages.push({ startLine, endLine: startLine + lines.length - 1, text: title === '' ? text.trim() : title })
  }
  return passages
}

function piecesOf(raw: string, line: number): Piece[] {
  const text = raw.replace(/^[\s>]*(?:[-*+]|\d+[.)])?\s+(?:\[[ xX]\]\s+)?/, '').trim()
  const tokens = estimateTokens(text)
  if (tokens <= most) return [{ line, text, tokens }]
  const pieces: Piece[] = []
  for (const { segment } of sentences.segment(text)) {
    const last = pieces.at(-1)
    const cost = estimateTokens(segment)
    if (last && last.tokens + cost <= most)
      pieces[pieces.length - 1] = { line, text: last.text + segment, tokens: last.tokens + cost }
    else pieces.push({ line, text: segment, tokens: cost })
  }
  return pieces.map((piece) => ({ ...piece, text: piece.text.trim() }))
}

function tokensOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Of a table; the one of dashes under its head too. */
function isRow(line: string): boolean {
  return /^\s*\|/.test(line)
}

function titleOf(line: string): string | undefined {
  const heading = /^ {0,3}#{1,6}(?:\s+(.*?))?(?:\s+#+)?\s*$/.exec(line)
  return heading ? (heading[1] ?? '') : undefined
}

function withTitle(title: string, body: string): string {
  return title === '' ? body : `${title}\n${body}`
}
