/**
 * Splits Markdown into blocks that render independently, in linear time. While an answer streams, only the last block
 * changes, so each update costs the same for long and short answers.
 */
import { closesFence, closesMath, fenceAt, looseFenceAt, opensMath } from '#shared/markdown/blocks/line-starts.ts'
import { scanBlocks, type Block } from '#shared/markdown/blocks/scan-blocks.ts'

const definitionPattern = /^ {0,3}\[(?!\^)([^[\]\n]+)\]:\s+\S/

export interface TextBlock {
  readonly text: string
  readonly line: number
}

export type Definitions = ReadonlyMap<string, string>

/** Omits blocks that only define links and so render nothing. Each footnote is a separate block. */
export function blocksOf(text: string): { blocks: TextBlock[]; definitions: Definitions } {
  const lines = text.split('\n')
  const groups: { readonly from: number; to: number; kind: Block['kind'] }[] = []
  const definitions = new Map<string, string>()
  for (const { kind, from, to, parent } of scanBlocks(lines, { hasMath: true, isPart: true })) {
    if (kind === 'paragraph')
      for (const line of lines.slice(from, to)) {
        const label = definitionPattern.exec(line)?.[1]
        if (label !== undefined && !definitions.has(labelKey(label))) definitions.set(labelKey(label), line)
      }
    if (parent) continue
    const last = groups.at(-1)
    const isAdjacent = last?.to === from || (last?.kind === 'item' && kind === 'item')
    if (last && isAdjacent && last.kind !== 'footnote' && kind !== 'footnote') Object.assign(last, { to, kind })
    else groups.push({ from, to, kind })
  }
  const blocks = groups
    .filter(({ from, to }) => !lines.slice(from, to).every((line) => definitionPattern.test(line)))
    .map(({ from, to }) => ({ text: lines.slice(from, to).join('\n'), line: from + 1 }))
  return { blocks, definitions }
}

/** Tests for the line that closes the fence or formula of `line`. @returns undefined if `line` opens none */
export function closingTest(line: string): ((line: string) => boolean) | undefined {
  return fenceClosingTest(line) ?? (opensMath(line.trimStart()) ? closesMath : undefined)
}

/** Returns a test for the line that closes the fence opened by `line`, or undefined if it opens none. */
export function fenceClosingTest(line: string): ((line: string) => boolean) | undefined {
  const marker = looseFenceAt(line)?.marker
  return marker === undefined ? undefined : (candidate) => closesFence(candidate.trimStart(), marker)
}

export function withDefinitions(text: string, definitions: Definitions): string {
  if (definitions.size === 0) return text
  const used = new Set<string>()
  for (const [, label = ''] of text.matchAll(/\[([^[\]]{1,999})\]/g)) {
    const line = definitions.get(labelKey(label))
    if (line !== undefined) used.add(line)
  }
  return used.size === 0 ? text : `${text}\n\n${[...used].join('\n')}`
}

function labelKey(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase()
}

/** Reasons to show a passage as plain text: nested too deeply, too slow to parse, or too long. */
export type PlainReason = 'deep' | 'dense' | 'large'

export type Piece =
  | { readonly kind: 'markdown'; readonly text: string; readonly depth: number }
  | { readonly kind: 'code'; readonly text: string; readonly language: string; readonly depth: 0 }
  | { readonly kind: 'plain'; readonly text: string; readonly reason: PlainReason; readonly depth: number }

/** Longer Markdown is shown as plain text. In characters. */
const maxCharacters = 60_000
/** Thirty nested quotes or lists. Does not apply to fenced code. */
const deepNesting = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){30}/m
/** Code blocks of this size bypass the parser. In characters. */
const largeCodeSize = 8_000

/** Returns pieces of at most about `size` characters, each with its 0-based first line in the block. */
export function splitBlock(
  block: string,
  definitions: Definitions,
  size: number,
  maxUnsplit: number,
): (readonly [Piece, number])[] {
  if (block.length <= maxUnsplit) return [[pieceOf(withDefinitions(block, definitions), 0), 0]]
  const code = largeCodeOf(block)
  if (code) return [[code, 0]]
  return splitIntoParts(block.split('\n'), size).map(({ lines, from, depth }) => [
    pieceOf(withDefinitions(lines.join('\n'), definitions), depth),
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
  const firstEnd = block.indexOf('\n')
  const lastStart = block.lastIndexOf('\n')
  const fence = fenceAt(block.slice(0, Math.max(0, firstEnd)).replace(/^ {1,3}/, ''))
  if (!fence) return undefined
  const isClosed = lastStart > firstEnd && closesFence(block.slice(lastStart + 1).trimStart(), fence.marker)
  const language = /^[\w#+-]*/.exec(fence.info)?.[0].toLowerCase() ?? ''
  return { kind: 'code', text: block.slice(firstEnd + 1, isClosed ? lastStart : undefined), language, depth: 0 }
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
