import { limitCombiningMarks } from '#lib/util/clip.ts'
import { closingTest, isAllDefinitions, detachDefinitions, splitBlocks } from './block-split.ts'

/** Reasons to show a passage as plain text: nested too deeply, too slow to parse, or too long. */
export type PlainReason = 'deep' | 'dense' | 'large'

export type Piece =
  | { readonly kind: 'markdown'; readonly text: string; readonly depth: number }
  | { readonly kind: 'code'; readonly text: string; readonly language: string; readonly depth: 0 }
  | { readonly kind: 'plain'; readonly text: string; readonly excess: PlainReason; readonly depth: number }

export interface Portion {
  readonly pieces: readonly Piece[]
  readonly characters: number
  readonly lines: number
}

/** Size of the parts of a long block, and size up to which a block stays whole. In characters. */
const partSize = 6000
const fewCharacters = 6000
/** Longer Markdown is shown as plain text. In characters. */
const maxCharacters = 60_000
/** Thirty nested quotes or lists. The same signs inside code do not count. */
const tooDeep = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}/m
/** Code blocks of this size bypass the parser. In characters. */
const largeCode = 8_000
/**
 * Limits of a portion: characters and pieces. A plain piece counts with at most `plainSize` characters, since
 * only its beginning is shown.
 */
const portionSize = 12_000
const portionPieces = 40
const plainSize = 4000

/** Splits Markdown into portions that render together, for virtual scrolling. */
export function splitPortions(text: string): Portion[] {
  const portions: Portion[] = []
  let pieces: Piece[] = []
  let characters = 0
  let lines = 0
  let size = 0
  const end = () => {
    if (pieces.length > 0) portions.push({ pieces, characters, lines })
    pieces = []
    characters = 0
    lines = 0
    size = 0
  }
  for (const piece of splitPieces(text)) {
    pieces.push(piece)
    characters += piece.text.length
    lines += countLines(piece.text)
    size += piece.kind === 'markdown' ? sizeOf(piece.text) : plainSize
    if (size >= portionSize || pieces.length >= portionPieces) end()
  }
  end()
  return portions
}

/**
 * Splits Markdown into pieces that render independently, and large code blocks and texts that are shown as
 * plain text.
 */
export function splitPieces(text: string): Piece[] {
  // A lone carriage return ends a line, too; the following code splits at `\n` only.
  const unified = limitCombiningMarks(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
  return splitBlocks(unified).flatMap((block) =>
    isAllDefinitions(block) ? [] : splitBlock(block).map(([piece]) => piece),
  )
}

/**
 * Splits a block into small pieces, each with its 0-based first line in the block.
 * @param size target size of a piece, characters
 * @param few blocks up to this size stay whole, characters
 */
export function splitBlock(block: string, size = partSize, few = fewCharacters): (readonly [Piece, number])[] {
  if (block.length <= few) return [[pieceOf(block, 0), 0]]
  const code = codeIn(block)
  if (code) return [[code, 0]]
  const { text, share } = detachDefinitions(block)
  return partsOf(text.split('\n'), size).map(({ lines, from, depth }) => [
    pieceOf(share(lines.join('\n')), depth),
    from,
  ])
}

function pieceOf(text: string, depth: number): Piece {
  const isDeep = tooDeep.test(text) && !/^ {0,3}(?:`{3}|~{3})/.test(text)
  const excess = text.length > maxCharacters ? 'large' : isDeep ? 'deep' : undefined
  return excess ? { kind: 'plain', text, excess, depth } : { kind: 'markdown', text, depth }
}

/** Extra cost of a line, in characters: short lines take space, too. */
const lineCost = 40

function sizeOf(text: string): number {
  return text.length + lineCost * countLines(text)
}

function codeIn(block: string): Piece | undefined {
  if (block.length < largeCode) return undefined
  const [, info] = /^ {0,3}(?:`{3,}([^`\n]*)|~{3,}([^\n]*))(?:\n|$)/.exec(block.slice(0, 1000)) ?? []
  const firstEnd = block.indexOf('\n')
  const first = block.slice(0, firstEnd)
  const closes = /^ {0,3}(?:`{3}|~{3})/.test(first) ? closingTest(first) : undefined
  if (!closes || firstEnd < 0) return undefined
  const lastStart = block.lastIndexOf('\n')
  const isClosed = lastStart > firstEnd && closes(block.slice(lastStart + 1))
  const language = /^[\w#+-]+/.exec((info ?? '').trim())?.[0] ?? ''
  return {
    kind: 'code',
    text: block.slice(firstEnd + 1, isClosed ? lastStart : undefined),
    language: language.toLowerCase(),
    depth: 0,
  }
}

const item = /^(\s*)(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const heading = /^ {0,3}#{1,6}(?:\s|$)/
const element = /^\s*<(?:tr|li|p|h[1-6]|div|d[lt]|table|[uo]l|details|section)\b/i
const delimiters = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?$/

interface Part {
  readonly lines: string[]
  /** 0-based line of the block at which the part begins, minus the rows of a repeated table header. */
  readonly from: number
  readonly depth: number
}

function partsOf(lines: readonly string[], maxSize: number): Part[] {
  const isTable = lines[0]?.includes('|') === true && delimiters.test(lines[1] ?? '')
  const head = isTable ? lines.slice(0, 2) : []
  const isHtml = /^ {0,3}<[a-z]/i.test(lines[0] ?? '')
  const parts: Part[] = []
  let part: string[] = []
  let from = 0
  let depth = 0
  let items: number[] = []
  let first = 0
  let size = 0
  /** Set while inside a fence or formula, since they must not be split. Returns true for the last line. */
  let closes: ((line: string) => boolean) | undefined
  for (const [index, line] of lines.entries()) {
    const isFull = size > maxSize && !closes
    const isHeading = heading.test(line) && !closes
    const indent = closes || isHtml ? undefined : item.exec(line)?.[1]?.length
    if (isHeading) items = []
    if (indent !== undefined) items = [...items.filter((above) => above < indent), indent]
    // A list is split between its top-level items. Nested items are a boundary only if an item is very long.
    const isSeam =
      indent === undefined
        ? isHeading || (isHtml ? element.test(line) : items.length === 0 && line.trim() !== '')
        : indent === 0 || size > 2 * maxSize
    // A line with less indentation than the first line of the part would render too deep within it.
    const isOutside = first > 0 && (isHeading || (indent ?? first) < first)
    if (part.length > 0 && ((isFull && isSeam) || isOutside)) {
      parts.push({ lines: part, from, depth })
      part = [...head]
      from = index - head.length
      first = indent ?? 0
      depth = Math.max(0, items.length - 1)
      size = 0
    }
    part.push(line)
    size += line.length + lineCost
    if (closes?.(line)) closes = undefined
    else closes ??= closingTest(line)
  }
  parts.push({ lines: part, from, depth })
  return parts.map((one) => ({ ...one, lines: withoutIndent(one.lines) }))
}

/** Removes the indentation of a nested part: otherwise it would render as code. */
function withoutIndent(lines: string[]): string[] {
  const indent = /^\s*/.exec(lines[0] ?? '')?.[0].length ?? 0
  if (indent === 0) return lines
  return lines.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)))
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
