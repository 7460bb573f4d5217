/**
 * What a passage of Markdown would cost to draw, told beforehand in one pass over its characters. The parser's work grows
 * with the square of some things (markers that may open or close, brackets within brackets, lines that go on with a quote
 * without its sign) and with depth times lines in all containers; a few kilobytes can hold a window for a minute. Pure.
 */

import { closingOf } from './blocks.ts'

/** Why a passage is shown as plain text. */
export type Excess = 'deep' | 'dense' | 'large'

export interface Cost {
  /** Estimated microseconds to parse and draw, on a machine of middling speed. */
  readonly work: number
  readonly excess: Excess | undefined
}

/** About a tenth of a second; a frame may take no more than a second even where everything is ten times slower. */
const mostWork = 120_000
const mostCharacters = 60_000
/** Quotes and lists within each other. */
const mostDepth = 30
/** Links and pictures within each other's brackets. */
const mostBrackets = 60
/** `*`, `_` and `~` of one paragraph. */
const mostMarkers = 2_000
const mostColumns = 200

/** Microseconds, measured one construct at a time. */
const perCharacter = 1
const perLine = 30
const perItem = 100
const perContainer = 12
const perMarker = 35
const perBracket = 60
const perCell = 70
const perBreak = 60
/** Code has a frame, a title and buttons. */
const perFence = 2000

export function costOf(text: string): Cost {
  if (text.length > mostCharacters) return { work: Infinity, excess: 'large' }
  const meter = new Meter()
  for (const line of text.split('\n')) {
    meter.add(line)
    if (meter.excess) return { work: Infinity, excess: meter.excess }
  }
  return { work: meter.work, excess: meter.work > mostWork ? 'dense' : undefined }
}

/** Takes a passage line by line. */
export class Meter {
  work = 0
  excess: Excess | undefined
  /** Columns at which the content of the open list items begins. */
  #items: number[] = []
  #markers = 0
  #brackets = 0
  /** Lines that go on with a quote without its sign. */
  #lazy = 0
  #wasQuote = false
  #closes: ((line: string) => boolean) | undefined

  /** Inside of code or a formula, which cannot be cut. */
  get isOpen(): boolean {
    return this.#closes !== undefined
  }

  add(line: string): void {
    this.work += perLine + line.length * perCharacter
    if (this.#closes) {
      if (this.#closes(line)) this.#closes = undefined
      return
    }
    this.#closes = closingOf(line)
    if (this.#closes) this.work += perFence
    const { quotes, items, end } = this.#containers(line)
    if (end === line.length) this.#endParagraph()
    else if (items > 0) this.#endParagraph()
    const isQuote = quotes > 0
    if (end < line.length && this.#wasQuote && !isQuote) {
      this.#lazy += 1
      this.work += this.#lazy / 8
    } else {
      this.#wasQuote = isQuote
      this.#lazy = 0
    }
    const depth = quotes + this.#items.length
    this.work += items * perItem + depth * perContainer
    if (depth > mostDepth) this.excess = 'deep'
    this.#inline(line, end)
  }

  #endParagraph(): void {
    this.#markers = 0
    this.#brackets = 0
    this.#wasQuote = false
  }

  /** What the line opens at its beginning. */
  #containers(line: string): { quotes: number; items: number; end: number } {
    let at = 0
    let column = 0
    let quotes = 0
    let items = 0
    let isFirst = true
    for (;;) {
      while (line[at] === ' ' || line[at] === '\t') {
        column += line[at] === '\t' ? 4 - (column % 4) : 1
        at += 1
      }
      if (at === line.length) return { quotes, items, end: at }
      if (line[at] === '>') {
        quotes += 1
        at += 1
        column += 1
        continue
      }
      if (isFirst) while ((this.#items.at(-1) ?? 0) > column) this.#items.pop()
      isFirst = false
      const width = markerWidth(line, at)
      if (width === 0) return { quotes, items, end: at }
      items += 1
      at += width
      column += width
      this.#items.push(column + 1)
      // Enough to tell; a line of nothing but markers is not read to its end again and again.
      if (this.#items.length + quotes > mostDepth) return { quotes, items, end: at }
    }
  }

  #inline(line: string, from: number): void {
    let cells = 0
    for (let at = from; at < line.length; at += 1) {
      switch (line[at]) {
        case '\\':
          at += 1
          break
        case '*':
        case '_':
        case '~':
          this.#markers += 1
          this.work += perMarker + this.#markers / 40
          break
        case '[':
          this.#brackets += 1
          this.work += perBracket
          break
        case ']':
          if (this.#brackets > mostBrackets) this.excess = 'deep'
          this.work += this.#brackets * 2
          this.#brackets = Math.max(0, this.#brackets - 1)
          break
        case '|':
          cells += 1
          break
        default:
      }
    }
    this.work += cells * perCell
    if (line.endsWith('  ') || line.endsWith('\\')) this.work += perBreak
    if (cells > mostColumns) this.excess = 'dense'
    if (this.#markers > mostMarkers) this.excess = 'dense'
  }
}

/** Characters of the list marker that stands here; 0 for none. */
function markerWidth(line: string, at: number): number {
  let end = at
  while (end - at < 9 && isDigit(line[end])) end += 1
  const sign = line[end]
  const isMarker = end === at ? sign === '-' || sign === '+' || sign === '*' : sign === '.' || sign === ')'
  const after = line[end + 1]
  return isMarker && (after === undefined || after === ' ' || after === '\t') ? end + 1 - at : 0
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= '0' && letter <= '9'
}
