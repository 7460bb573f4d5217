import { limitCombiningMarks } from '#lib/util/clip.ts'
import { closingTest, isAllDefinitions, detachDefinitions, splitBlocks } from './block-split.ts'

/** Reasons to show a passage as plain text: nested too deeply, too slow to parse, or too long. */
export type PlainReason = 'deep' | 'dense' | 'large'

export type Piece =
  | { readonly kind: 'markdown'; readonly text: string; readonly depth: number }
  | { readonly kind: 'code'; readonly text: string; readonly language: string; readonly depth: 0 }
  | { readonly kind: 'plain'; readonly text: string; readonly reason: PlainReason; readonly depth: number }

export interface Portion {
  readonly pieces: readonly Piece[]
  readonly characters: number
  readonly lines: number
}

/** Returns true if two pieces, or rows of a note, render the same. */
export function isSamePiece(one: SplitText | undefined, other: SplitText | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one.kind === other.kind && one.text === other.text && one.depth === other.depth
}

interface SplitText {
  readonly kind: string
  readonly text: string
  readonly depth?: number
}

/** Size of the parts of a long block, and size up to which a block stays whole. In characters. */
const partSize = 6000
const defaultMaxUnsplit = 6000
/** Longer Markdown is shown as plain text. In characters. */
const maxCharacters = 60_000
/** Thirty nested quotes or lists. Does not apply to fenced code. */
const deepNesting = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}/m
/** Code blocks of this size bypass the parser. In characters. */
const largeCodeSize = 8_000
/** Limits of a portion: its estimated size in characters, and its number of pieces. */
const maxPortionSize = 12_000
const maxPortionPieces = 40
/** Estimated size of code and plain text, of which only the beginning is shown. In characters. */
const plainSize = 4000

/** Splits Markdown into portions that render together, for virtual scrolling. */
export function splitPortions(text: string): Portion[] {
  const portions: { pieces: Piece[]; characters: number; lines: number }[] = []
  let size = 0
  for (const piece of splitPieces(text)) {
    let portion = portions.at(-1)
    if (!portion || size >= maxPortionSize || portion.pieces.length >= maxPortionPieces) {
      portion = { pieces: [], characters: 0, lines: 0 }
      portions.push(portion)
      size = 0
    }
    const lines = piece.text.split('\n').length
    portion.pieces.push(piece)
    portion.characters += piece.text.length
    portion.lines += lines
    size += piece.kind === 'markdown' ? piece.text.length + lineCost * lines : plainSize
  }
  return portions
}

/**
 * Splits a text into pieces that render independently: Markdown, large code blocks, and text that is shown
 * without formatting.
 */
export function splitPieces(text: string): Piece[] {
  // A lone carriage return also ends a line. The following code splits at `\n` only.
  const normalized = limitCombiningMarks(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
  return splitBlocks(normalized).flatMap((block) =>
    isAllDefinitions(block) ? [] : splitBlock(block).map(([piece]) => piece),
  )
}

/**
 * Splits a block into small pieces, each with its 0-based first line in the block.
 * @param size target size of a piece, characters
 * @param maxUnsplit blocks up to this size stay whole, characters
 */
export function splitBlock(
  block: string,
  size = partSize,
  maxUnsplit = defaultMaxUnsplit,
): (readonly [Piece, number])[] {
  if (block.length <= maxUnsplit) return [[pieceOf(block, 0), 0]]
  const code = largeCodeOf(block)
  if (code) return [[code, 0]]
  const { text, append } = detachDefinitions(block)
  return splitIntoParts(text.split('\n'), size).map(({ lines, from, depth }) => [
    pieceOf(append(lines.join('\n')), depth),
    from,
  ])
}

function pieceOf(text: string, depth: number): Piece {
  const isDeep = deepNesting.test(text) && !/^ {0,3}(?:`{3}|~{3})/.test(text)
  const reason = text.length > maxCharacters ? 'large' : isDeep ? 'deep' : undefined
  return reason ? { kind: 'plain', text, reason, depth } : { kind: 'markdown', text, depth }
}

/** Extra cost of a line, in characters: short lines take space, too. */
const lineCost = 40

/** Returns a large fenced code block without its fence, or undefined for any other block. */
function largeCodeOf(block: string): Piece | undefined {
  if (block.length < largeCodeSize) return undefined
  const [, info] = /^ {0,3}(?:`{3,}([^`\n]*)|~{3,}([^\n]*))(?:\n|$)/.exec(block.slice(0, 1000)) ?? []
  const firstLineEnd = block.indexOf('\n')
  const firstLine = block.slice(0, firstLineEnd)
  const isClosingLine = /^ {0,3}(?:`{3}|~{3})/.test(firstLine) ? closingTest(firstLine) : undefined
  if (!isClosingLine || firstLineEnd < 0) return undefined
  const lastLineStart = block.lastIndexOf('\n')
  const isClosed = lastLineStart > firstLineEnd && isClosingLine(block.slice(lastLineStart + 1))
  const language = /^[\w#+-]+/.exec((info ?? '').trim())?.[0] ?? ''
  return {
    kind: 'code',
    text: block.slice(firstLineEnd + 1, isClosed ? lastLineStart : undefined),
    language: language.toLowerCase(),
    depth: 0,
  }
}

const itemPattern = /^(\s*)(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const headingPattern = /^ {0,3}#{1,6}(?:\s|$)/
const htmlElementPattern = /^\s*<(?:tr|li|p|h[1-6]|div|d[lt]|table|[uo]l|details|section)\b/i
const tableDelimiterPattern = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?$/

interface Part {
  readonly lines: string[]
  /** 0-based line of the block at which the part begins, minus the rows of a repeated table header. */
  readonly from: number
  readonly depth: number
}

function splitIntoParts(lines: readonly string[], maxSize: number): Part[] {
  const isTable = lines[0]?.includes('|') === true && tableDelimiterPattern.test(lines[1] ?? '')
  const tableHeader = isTable ? lines.slice(0, 2) : []
  const isHtml = /^ {0,3}<[a-z]/i.test(lines[0] ?? '')
  const parts: Part[] = []
  let partLines: string[] = []
  let from = 0
  let depth = 0
  /** Indentation of each open list item, outermost first. */
  let itemIndents: number[] = []
  let partIndent = 0
  let size = 0
  /** Set inside a fence or formula, which must not be split. Returns true for its last line. */
  let isClosingLine: ((line: string) => boolean) | undefined
  for (const [index, line] of lines.entries()) {
    const isFull = size > maxSize && !isClosingLine
    const isHeading = headingPattern.test(line) && !isClosingLine
    const indent = isClosingLine || isHtml ? undefined : itemPattern.exec(line)?.[1]?.length
    if (isHeading) itemIndents = []
    if (indent !== undefined) itemIndents = [...itemIndents.filter((outer) => outer < indent), indent]
    // A list is split between its top-level items. Nested items are a boundary only if an item is very long.
    const isBoundary =
      indent === undefined
        ? isHeading || (isHtml ? htmlElementPattern.test(line) : itemIndents.length === 0 && line.trim() !== '')
        : indent === 0 || size > 2 * maxSize
    // In this part, a line with less indentation than the first line would render too deep.
    const isOutdented = partIndent > 0 && (isHeading || (indent ?? partIndent) < partIndent)
    if (partLines.length > 0 && ((isFull && isBoundary) || isOutdented)) {
      parts.push({ lines: partLines, from, depth })
      partLines = [...tableHeader]
      from = index - tableHeader.length
      partIndent = indent ?? 0
      depth = Math.max(0, itemIndents.length - 1)
      size = 0
    }
    partLines.push(line)
    size += line.length + lineCost
    if (isClosingLine?.(line)) isClosingLine = undefined
    else isClosingLine ??= closingTest(line)
  }
  parts.push({ lines: partLines, from, depth })
  return parts.map((part) => ({ ...part, lines: withoutIndent(part.lines) }))
}

/** Removes the indentation of a nested part: otherwise it would render as code. */
function withoutIndent(lines: string[]): string[] {
  const indent = /^\s*/.exec(lines[0] ?? '')?.[0].length ?? 0
  if (indent === 0) return lines
  return lines.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)))
}
