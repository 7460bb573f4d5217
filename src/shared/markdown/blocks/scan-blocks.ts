import { frontMatterLines } from './front-matter.ts'
import {
  closesFence,
  closesMath,
  fenceAt,
  headingAt,
  htmlEndAt,
  opensMath,
  underlineAt,
  type FenceStart,
  type HeadingStart,
} from './line-starts.ts'

/** Position in a line by column; a tab extends to the next multiple of four (CommonMark §2.2). */
class LineCursor {
  readonly line: string
  /** The line from the next non-blank character on. */
  content: string
  /** Number of columns before the content. */
  indent = 0
  #column = 0

  constructor(line: string) {
    this.line = line
    this.content = line
    this.jump(0)
  }

  get isBlank(): boolean {
    return this.content === ''
  }

  /** Skips blank columns, at most up to the next non-blank character. */
  skip(columns: number): void {
    const skipped = Math.min(columns, this.indent)
    this.#column += skipped
    this.indent -= skipped
  }

  /** Skips blanks and then `length` characters. */
  jump(length: number): void {
    this.#column += this.indent + length
    const rest = this.content.slice(length)
    this.content = rest.replace(/^[\t ]+/, '')
    let column = this.#column
    for (const blank of rest.slice(0, rest.length - this.content.length))
      column += blank === '\t' ? 4 - (column % 4) : 1
    this.indent = column - this.#column
  }
}

/**
 * Scans the block structure of Markdown: the only place that recognizes headings, code, front matter and list items.
 * Follows CommonMark 0.31 (https://spec.commonmark.org/0.31.2/, appendix "Phase 1: block structure"), with GitHub's
 * tables and footnotes. Linear time.
 */

interface Place {
  /** 0-based lines, end exclusive. Trailing blank lines belong to no block, except before the end of fenced code. */
  readonly from: number
  readonly to: number
  /** The enclosing quote, list item or footnote; undefined at the top level. */
  readonly parent: Container | undefined
}

/** §5.1, §5.2, and GitHub's footnotes. */
export interface Container extends Place {
  readonly kind: 'quote' | 'item' | 'footnote'
  /** Columns by which continuation lines are indented; 0 for quotes. */
  readonly width: number
}

export interface Heading extends Place, HeadingStart {
  readonly kind: 'heading'
}

export interface Fence extends Place, FenceStart {
  readonly kind: 'fence'
  readonly isClosed: boolean
}

/** An HTML block that a blank line ends is closed. */
interface RawBlock extends Place {
  readonly kind: 'html' | 'math'
  readonly isClosed: boolean
}

interface OtherBlock extends Place {
  readonly kind: 'frontMatter' | 'indentedCode' | 'table' | 'rule' | 'paragraph'
}

export type Block = Container | Heading | Fence | RawBlock | OtherBlock

export interface Dialect {
  /** True if the lines are part of another text and have no front matter. */
  readonly isPart?: boolean
  /** Logseq: a tab-indented item starts a list directly after a heading or paragraph. */
  readonly hasNestedLists?: boolean
  /** `$$` at the start of a line opens a math block; a line that ends with `$$` closes it. */
  readonly hasMath?: boolean
}

/** @param lines without line feeds; a trailing carriage return and a byte order mark are ignored */
export function scanBlocks(lines: readonly string[], dialect: Dialect = {}): Block[] {
  const scanner = new Scanner(dialect)
  const matter = dialect.isPart === true ? 0 : frontMatterLines(lines)
  if (matter > 0) scanner.blocks.push({ kind: 'frontMatter', from: 0, to: matter, parent: undefined })
  for (let index = matter; index < lines.length; index += 1) {
    const line = lines[index] ?? ''
    const start = index === 0 && line.startsWith('\uFEFF') ? 1 : 0
    scanner.add(line.slice(start, line.endsWith('\r') ? -1 : undefined), index)
  }
  scanner.close(0)
  return scanner.blocks
}

export function blocksOfNote(lines: readonly string[]): Block[] {
  return scanBlocks(lines, { hasNestedLists: true })
}

/** Deeper containers are parsed as text, which bounds the cost of a line. */
const maxDepth = 50

/** §4.7: link reference definition, `[label]: address "title"`. */
const definition =
  /^\[(?!\^|\s*\])(?:[^\\[\]]|\\[^]){1,999}\]:[\t ]*\n?[\t ]*(?:<[^<>\n]*>|[^\s<]\S*)(?:(?=\s)[\t ]*\n?[\t ]*(?:"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\)))?[\t ]*(?:\n|$)/
const rule = /^(?:(?:\*[\t ]*){3,}|(?:-[\t ]*){3,}|(?:_[\t ]*){3,})$/
const delimiterRow = /^(?=.*[|:])\|?[\t ]*:?-+:?[\t ]*(?:\|[\t ]*:?-+:?[\t ]*)*\|?[\t ]*$/
const itemMarker = /^(?:[-*+]|\d{1,9}[.)])(?=[\t ]|$)/
const footnoteMarker = /^\[\^(?:[^\\[\]\s]|\\[[\]\\]){1,999}\]:/

export function withoutDefinitions(paragraph: string): string {
  let text = paragraph
  for (let match = definition.exec(text); match; match = definition.exec(text)) text = text.slice(match[0].length)
  return text
}

function cellCount(row: string): number {
  const inner = row.trim().replace(/^\|/, '')
  const bars = inner.matchAll(/\\[^]|\|(?!$)/g).filter(([bar]) => bar === '|')
  return bars.toArray().length + 1
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
type Leaf = Heading | Fence | RawBlock | OtherBlock
type Unplaced<Kind> = Kind extends Place ? Omit<Kind, keyof Place> : never

class Scanner {
  readonly blocks: Block[] = []
  readonly #dialect: Dialect
  readonly #containers: Mutable<Container>[] = []
  #leaf: Mutable<Leaf> | undefined
  #text: string[] = []
  /** Pattern that ends the open HTML block; undefined if a blank line does. */
  #htmlEnd: RegExp | undefined
  #filledLines = 0

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  add(line: string, index: number): void {
    const cursor = new LineCursor(line)
    const hasContent = !cursor.isBlank
    let depth = 0
    while (depth < this.#containers.length && this.#continuesContainer(depth, cursor)) depth += 1
    const isLeafContent = depth === this.#containers.length && this.#continuesLeaf(cursor, index)
    if (!isLeafContent && cursor.isBlank) this.close(depth)
    else if (!isLeafContent) this.#addContent(cursor, index, depth)
    if (hasContent) this.#filledLines = index + 1
  }

  close(depth: number): void {
    this.#endLeaf(this.#filledLines)
    for (const container of this.#containers.splice(depth)) container.to = this.#filledLines
  }

  #endLeaf(to: number): void {
    if (this.#leaf) this.#leaf.to = to
    this.#leaf = undefined
  }

  #continuesContainer(depth: number, cursor: LineCursor): boolean {
    const container = this.#containers[depth]
    if (!container) return false
    if (container.kind === 'quote') return skipQuote(cursor)
    // An item that starts with a blank line may not have a second one before its content.
    if (cursor.isBlank) return container.kind === 'footnote' || this.blocks.at(-1) !== container
    if (cursor.indent < container.width) return false
    cursor.skip(container.width)
    return true
  }

  /** Returns true if the line belongs to open code, HTML or math; ends the block if the line closes it. */
  #continuesLeaf(cursor: LineCursor, index: number): boolean {
    const leaf = this.#leaf
    const rest = cursor.content
    if (leaf?.kind === 'indentedCode') return cursor.isBlank || cursor.indent > 3
    if (leaf?.kind === 'html' && !this.#htmlEnd) return !cursor.isBlank
    if (leaf?.kind !== 'fence' && leaf?.kind !== 'html' && leaf?.kind !== 'math') return false
    if (leaf.kind === 'fence') leaf.isClosed = cursor.indent < 4 && closesFence(rest, leaf.marker)
    else leaf.isClosed = leaf.kind === 'html' ? this.#htmlEnd?.test(rest) === true : closesMath(rest)
    if (leaf.isClosed) this.#endLeaf(index + 1)
    return true
  }

  /** @param depth number of open containers that the line continues */
  #addContent(cursor: LineCursor, index: number, depth: number): void {
    let parentCount = depth
    // As in micromark, which renders the notes: true also for containers that this line opens, and after indented code.
    const interruptsParagraph =
      depth === this.#containers.length && (this.#leaf?.kind === 'paragraph' || this.#leaf?.kind === 'indentedCode')
    for (;;) {
      const isInParagraph = this.#leaf?.kind === 'paragraph'
      const isNested = cursor.indent > 3 && this.#isNestedItem(cursor, index)
      if (cursor.isBlank || (isInParagraph && cursor.indent > 3 && !isNested)) break
      const isInnermost = parentCount === this.#containers.length
      if (isInParagraph && isInnermost && !isNested && this.#endsParagraph(cursor.content, index)) return
      const leaf = isNested ? undefined : this.#leafAt(cursor, isInParagraph)
      if (leaf) return this.#openLeaf(leaf, cursor.content, index, parentCount)
      const container = parentCount < maxDepth ? containerAt(cursor, interruptsParagraph) : undefined
      if (!container) break
      this.close(parentCount)
      const opened = { ...container, ...this.#place(index, parentCount) }
      this.#containers.push(opened)
      this.blocks.push(opened)
      parentCount += 1
    }
    this.#addText(cursor, index, parentCount)
  }

  #addText(cursor: LineCursor, index: number, parentCount: number): void {
    const isRow = this.#leaf?.kind === 'table' && parentCount === this.#containers.length
    if (cursor.isBlank || isRow) return
    if (this.#leaf?.kind !== 'paragraph') {
      this.#openLeaf({ kind: 'paragraph' }, '', index, parentCount)
      this.#text = []
    }
    this.#text.push(cursor.content)
  }

  #openLeaf(leaf: Unplaced<Leaf>, rest: string, index: number, parentCount: number): void {
    this.close(parentCount)
    this.#leaf = { ...leaf, ...this.#place(index, parentCount) }
    this.blocks.push(this.#leaf)
    const isOneLine = leaf.kind === 'html' && this.#htmlEnd?.test(rest) === true
    if (isOneLine && this.#leaf.kind === 'html') this.#leaf.isClosed = true
    if (isOneLine || leaf.kind === 'heading' || leaf.kind === 'rule') this.#endLeaf(index + 1)
  }

  #place(index: number, parentCount: number): Place {
    return { from: index, to: index + 1, parent: this.#containers[parentCount - 1] }
  }

  #isNestedItem(cursor: LineCursor, index: number): boolean {
    return (
      this.#dialect.hasNestedLists === true &&
      this.#filledLines === index &&
      /^\t+(?:[-*+]|\d{1,9}[.)])[\t ]/.test(cursor.line)
    )
  }

  /** Returns true if the line makes the paragraph a setext heading (§4.3), or its last line a table header. */
  #endsParagraph(rest: string, index: number): boolean {
    const parentCount = this.#containers.length
    const level = underlineAt(rest)
    if (level > 0) {
      const text = withoutDefinitions(this.#text.join('\n'))
      if (text === '') return false
      const lines = text.split('\n')
      const title = lines.map((line) => line.trim()).join(' ')
      const from = index - lines.length
      this.blocks.pop()
      this.#leaf = undefined
      this.blocks.push({ kind: 'heading', level, title, ...this.#place(index, parentCount), from })
      return true
    }
    if (!delimiterRow.test(rest) || cellCount(rest) !== cellCount(this.#text.at(-1) ?? '')) return false
    if (this.#text.length === 1) this.blocks.pop()
    else this.#endLeaf(index - 1)
    this.#leaf = { kind: 'table', ...this.#place(index, parentCount), from: index - 1 }
    this.blocks.push(this.#leaf)
    return true
  }

  #leafAt(cursor: LineCursor, isInParagraph: boolean): Unplaced<Leaf> | undefined {
    if (cursor.indent > 3) return { kind: 'indentedCode' }
    const rest = cursor.content
    switch (rest[0]) {
      case '#': {
        const heading = headingAt(rest)
        return heading && { kind: 'heading', ...heading }
      }
      case '`':
      case '~': {
        const fence = fenceAt(rest)
        return fence && { kind: 'fence', ...fence, isClosed: false }
      }
      case '*':
      case '-':
      case '_':
        return rule.test(rest) ? { kind: 'rule' } : undefined
      case '<': {
        const end = htmlEndAt(rest, isInParagraph)
        this.#htmlEnd = end === 'blank' ? undefined : end
        return end && { kind: 'html', isClosed: end === 'blank' }
      }
      case '$':
        return this.#dialect.hasMath === true && opensMath(rest) ? { kind: 'math', isClosed: false } : undefined
      default:
        return undefined
    }
  }
}

function skipQuote(cursor: LineCursor): boolean {
  if (cursor.indent > 3 || !cursor.content.startsWith('>')) return false
  cursor.jump(1)
  cursor.skip(1)
  return true
}

/**
 * Parses a container start and advances the cursor.
 * @param interruptsParagraph true in a paragraph: only an item with content, and numbered 1 if numbered, can interrupt it
 */
function containerAt(cursor: LineCursor, interruptsParagraph: boolean): Pick<Container, 'kind' | 'width'> | undefined {
  const { content, indent } = cursor
  if (skipQuote(cursor)) return { kind: 'quote', width: 0 }
  const footnote = footnoteMarker.exec(content)?.[0]
  if (footnote !== undefined) {
    cursor.jump(footnote.length)
    cursor.skip(cursor.indent)
    return { kind: 'footnote', width: 4 }
  }
  const marker = itemMarker.exec(content)?.[0]
  if (marker === undefined) return undefined
  const isEmptyItem = content.slice(marker.length).trim() === ''
  if (interruptsParagraph && (/^(?!1\D)\d/.test(marker) || isEmptyItem)) return undefined
  cursor.jump(marker.length)
  // More than four columns of space start indented code.
  const space = cursor.isBlank || cursor.indent > 4 ? 1 : cursor.indent
  cursor.skip(space)
  return { kind: 'item', width: indent + marker.length + space }
}
