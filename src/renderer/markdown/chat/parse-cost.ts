/**
 * What a passage of Markdown would cost to draw, told beforehand in one pass over its characters. The parser's work grows
 * with the square of some things (markers that may open or close, brackets within brackets, lines that go on with a quote
 * without its sign) and with depth times lines in all containers; a few kilobytes can hold a window for a minute. Pure.
 */

import { closingOf, fenceClosingOf } from './block-split.ts'

/** Why a passage is shown as plain text. */
export type Excess = 'deep' | 'dense' | 'large'

const delimiters = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?$/

/** How blocks of HTML begin and end; the last kind at an empty line. */
const htmlBlocks = [
  { start: /^<(?:script|pre|style|textarea)(?:[\s>]|$)/i, end: /<\/(?:script|pre|style|textarea)>/i },
  { start: /^<!--/, end: /-->/ },
  { start: /^<\?/, end: /\?>/ },
  { start: /^<!\[CDATA\[/, end: /\]\]>/ },
  { start: /^<![a-z]/i, end: />/ },
  { start: /^<\/?[a-z]/i, end: /^\s*$/ },
]

export interface Cost {
  /** Estimated microseconds to parse and draw, on a machine of middling speed. */
  readonly work: number
  readonly excess: Excess | undefined
}

/** About a tenth of a second; a frame may take no more than a second even where everything is ten times slower. */
const maxWork = 120_000
const maxCharacters = 60_000
/** Quotes and lists within each other. */
const maxDepth = 30
/** Links and pictures within each other's brackets. */
const maxBrackets = 60
/** `*`, `_` and `~` of one paragraph. */
const maxMarkers = 2_000
const maxColumns = 200

/** Microseconds, measured one construct at a time. */
const perCharacter = 1
const perLine = 30
const perItem = 100
const perContainer = 12
const perMarker = 35
const perBracket = 60
const perCell = 70
/** Every sign may look through all those before it in its paragraph; some do more than once. */
const perEvent = 0.2
/** What may be code, a tag, a comment or a formula looks for its end through all of its paragraph, for each character. */
const perScan = 0.06
/** A mail address looks back through its word, for each character. */
const perAddress = 0.05
const perBreak = 60
/** Code has a frame, a title and buttons. */
const perFence = 2000

export function costOf(text: string): Cost {
  if (text.length > maxCharacters) return { work: Infinity, excess: 'large' }
  const meter = new Meter()
  for (const line of text.split('\n')) {
    meter.add(line)
    if (meter.excess) return { work: Infinity, excess: meter.excess }
  }
  return { work: meter.work, excess: meter.work > maxWork ? 'dense' : undefined }
}

/** Takes a passage line by line. */
export class Meter {
  work = 0
  excess: Excess | undefined
  /** Columns at which the content of the open list items begins. */
  #items: number[] = []
  #markers = 0
  #brackets = 0
  /** Characters of the paragraph so far, and those of them that mean something. */
  #length = 0
  #events = 0
  /** Lines that go on with a quote without its sign. */
  #lazy = 0
  #wasQuote = false
  #closes: ((line: string) => boolean) | undefined
  #isCode = false
  #codeColumn = 0
  /** What ends the block of HTML that is open. */
  #html: RegExp | undefined
  #isTable = false
  #hadCells = false

  /** Inside of code or a formula, which cannot be cut. */
  get isOpen(): boolean {
    return this.#closes !== undefined
  }

  add(line: string): void {
    this.work += perLine + line.length * perCharacter
    // Code ends with the item that it stands in.
    if (this.#isCode && line.trim() !== '' && indentOf(line) < this.#codeColumn) this.#endCode()
    const wasCode = this.#isCode
    const wasOpen = this.isOpen
    if (this.#closes?.(line)) this.#endCode()
    if (wasCode) return
    const { quotes, items, end } = this.#containers(line)
    this.#followHtml(line.slice(end))
    if (!wasOpen && !this.#html) this.#follow(line)
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
    if (depth > maxDepth) this.excess = 'deep'
    this.#inline(line, end)
  }

  #follow(line: string): void {
    this.#closes = closingOf(line)
    // Further in than four columns, with no list that it could be in, it is a line like others.
    this.#isCode = fenceClosingOf(line) !== undefined && (this.#items.length > 0 || indentOf(line) < 4)
    this.#codeColumn = this.#items.at(-1) ?? 0
    if (this.#isCode) this.work += perFence
  }

  /** Within a block of HTML no line opens code. @param rest of the line behind quotes and markers */
  #followHtml(rest: string): void {
    this.#html ??= htmlBlocks.find(({ start }) => start.test(rest))?.end
    if (this.#html?.test(rest)) this.#html = undefined
  }

  #endCode(): void {
    this.#closes = undefined
    this.#isCode = false
  }

  #endParagraph(): void {
    this.#endLine()
    this.#wasQuote = false
    this.#isTable = false
    this.#hadCells = false
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
      if (this.#items.length + quotes > maxDepth) return { quotes, items, end: at }
    }
  }

  #inline(line: string, from: number): void {
    let cells = 0
    let scans = 0
    let word = from
    this.#length += line.length
    for (let at = from; at < line.length; at += 1) {
      const sign = line[at]
      if (isPunctuation(line.charCodeAt(at))) {
        this.#events += 1
        this.work += this.#events * perEvent
      }
      switch (sign) {
        case '\\':
          this.#events += 1
          at += 1
          break
        case '<':
        case '`':
        case '$':
          // One for a run of the same sign.
          if (line[at - 1] !== sign) scans += 1
          break
        case ' ':
          word = at
          break
        case '@':
          this.work += (at - word) * perAddress
          break
        case '*':
        case '_':
        case '~':
          this.#markers += 1
          this.work += perMarker
          break
        case '[':
          this.#brackets += 1
          this.work += perBracket
          break
        case ']':
          if (this.#brackets > maxBrackets) this.excess = 'deep'
          this.work += this.#brackets === 0 ? this.#events * perEvent * 4 : this.#brackets * 2
          this.#brackets = Math.max(0, this.#brackets - 1)
          break
        case '|':
          cells += 1
          break
        default:
      }
    }
    this.work += cells * perCell + scans * this.#length * perScan
    if (line.endsWith('  ') || line.endsWith('\\')) this.work += perBreak
    if (cells > maxColumns) this.excess = 'dense'
    if (this.#markers > maxMarkers) this.excess = 'dense'
    // Each cell of a table is a paragraph of its own.
    if (delimiters.test(line) && this.#hadCells) this.#isTable = true
    if (this.#isTable) this.#endLine()
    this.#hadCells = cells > 0
  }

  #endLine(): void {
    this.#markers = 0
    this.#brackets = 0
    this.#length = 0
    this.#events = 0
  }
}

/** ASCII signs that can mean something to the parser; `.`, `,` and quotes stand in any prose. */
function isPunctuation(code: number): boolean {
  if (code < 33 || code > 126 || code === 46 || code === 44 || code === 39 || code === 34) return false
  return code < 48 || (code > 57 && code < 65) || (code > 90 && code < 97) || code > 122
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

function indentOf(line: string): number {
  let column = 0
  for (const sign of line) {
    if (sign === '\t') column += 4 - (column % 4)
    else if (sign === ' ') column += 1
    else break
  }
  return column
}

function isDigit(letter: string | undefined): boolean {
  return letter !== undefined && letter >= '0' && letter <= '9'
}
