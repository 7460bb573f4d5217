/**
 * The block structure of a Markdown text. Whatever asks for headings, code, front matter or list items asks here.
 * Follows CommonMark 0.31 (https://spec.commonmark.org/0.31.2/, appendix "Phase 1: block structure"), with the tables and
 * footnotes of GitHub. Takes time in proportion to the text.
 */
import { frontMatterLines } from './front-matter.ts'
import { LineCursor } from './line-cursor.ts'
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

interface Place {
  /** Lines, 0-based, half-open. Blank lines at the end belong to no block, except before the end of fenced code. */
  readonly from: number
  readonly to: number
  /** The quotation, list item or footnote that the block stands in. */
  readonly parent: Container | undefined
}

/** §5.1, §5.2, and GitHub's footnotes. */
export interface Container extends Place {
  readonly kind: 'quote' | 'item' | 'footnote'
  /** Columns by which later lines are indented; 0 for quotations. */
  readonly width: number
}

export interface Heading extends Place, HeadingStart {
  readonly kind: 'heading'
}

export interface Fence extends Place, FenceStart {
  readonly kind: 'fence'
  readonly isClosed: boolean
}

export interface OtherBlock extends Place {
  readonly kind: 'frontMatter' | 'indentedCode' | 'html' | 'math' | 'table' | 'rule' | 'paragraph'
}

export type Block = Container | Heading | Fence | OtherBlock

export interface Dialect {
  /** The lines stand within another text: they have no front matter. */
  readonly isPart?: boolean
  /** Logseq: an item behind tabs begins a list also directly below a heading or paragraph. */
  readonly hasNestedLists?: boolean
  /** `$$` at the beginning of a line opens a formula, up to a line that ends so. */
  readonly hasMath?: boolean
}

/** @param lines without line feeds; a carriage return at their end and a byte order mark are no content @returns in document order */
export function scanBlocks(lines: readonly string[], dialect: Dialect = {}): Block[] {
  const scanner = new Scanner(dialect)
  const matter = dialect.isPart === true ? 0 : frontMatterLines(lines)
  if (matter > 0) scanner.blocks.push({ kind: 'frontMatter', from: 0, to: matter, parent: undefined })
  for (let at = matter; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    scanner.add(line.slice(at === 0 && line.startsWith('\uFEFF') ? 1 : 0, line.endsWith('\r') ? -1 : undefined), at)
  }
  scanner.close(0)
  return scanner.blocks
}

/** Blocks as the programs read them that notes come from. */
export function blocksOfNote(lines: readonly string[]): Block[] {
  return scanBlocks(lines, { hasNestedLists: true })
}

/** Deeper containers are read as text: a line costs no more than so many steps. */
const maxDepth = 50

/** §4.7: `[label]: address "title"` */
const definition =
  /^\[(?!\^|\s*\])(?:[^\\[\]]|\\[^]){1,999}\]:[\t ]*\n?[\t ]*(?:<[^<>\n]*>|[^\s<]\S*)(?:(?=\s)[\t ]*\n?[\t ]*(?:"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\((?:[^()\\]|\\[^])*\)))?[\t ]*(?:\n|$)/
const rule = /^(?:(?:\*[\t ]*){3,}|(?:-[\t ]*){3,}|(?:_[\t ]*){3,})$/
const delimiterRow = /^(?=.*[|:])\|?[\t ]*:?-+:?[\t ]*(?:\|[\t ]*:?-+:?[\t ]*)*\|?[\t ]*$/
const itemMarker = /^(?:[-*+]|\d{1,9}[.)])(?=[\t ]|$)/
const footnoteMarker = /^\[\^(?:[^\\[\]\s]|\\[[\]\\]){1,999}\]:/

/** Cells of a row, whether or not it has `|` at its ends. */
function cellCount(row: string): number {
  const inner = row.trim().replace(/^\|/, '')
  let bars = 0
  for (let at = 0; at < inner.length - 1; at += 1) {
    if (inner[at] === '\\') at += 1
    else if (inner[at] === '|') bars += 1
  }
  return bars + 1
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
type Leaf = Heading | Fence | OtherBlock
type Unplaced<Kind> = Kind extends Place ? Omit<Kind, keyof Place> : never

class Scanner {
  readonly blocks: Block[] = []
  readonly #dialect: Dialect
  readonly #containers: Mutable<Container>[] = []
  /** The last of the blocks, while it can go on. */
  #leaf: Mutable<Leaf> | undefined
  /** The lines of the open paragraph. */
  #text: string[] = []
  /** What ends the open HTML; a blank line where it is undefined. */
  #htmlEnd: RegExp | undefined
  /** Lines up to the last that is not blank. */
  #filled = 0

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  add(line: string, at: number): void {
    const cursor = new LineCursor(line)
    const isFilled = !cursor.isBlank
    let depth = 0
    while (depth < this.#containers.length && this.#goesOnIn(depth, cursor)) depth += 1
    const isOpaque = depth === this.#containers.length && this.#goesOnInLeaf(cursor, at)
    if (!isOpaque && cursor.isBlank) this.close(depth)
    else if (!isOpaque) this.#addContent(cursor, at, depth)
    if (isFilled) this.#filled = at + 1
  }

  /** Ends the open leaf and all containers but the outermost so many. */
  close(depth: number): void {
    this.#endLeaf(this.#filled)
    for (const container of this.#containers.splice(depth)) container.to = this.#filled
  }

  #endLeaf(to: number): void {
    if (this.#leaf) this.#leaf.to = to
    this.#leaf = undefined
  }

  #goesOnIn(depth: number, cursor: LineCursor): boolean {
    const container = this.#containers[depth]
    if (!container) return false
    if (container.kind === 'quote') return skipQuote(cursor)
    // An item that begins with a blank line has no second one before its content.
    if (cursor.isBlank) return container.kind === 'footnote' || this.blocks.at(-1) !== container
    if (cursor.indent < container.width) return false
    cursor.skip(container.width)
    return true
  }

  /** Whether the line belongs to code, HTML or a formula; may end them. */
  #goesOnInLeaf(cursor: LineCursor, at: number): boolean {
    const leaf = this.#leaf
    const { rest } = cursor
    if (leaf?.kind === 'indentedCode') return cursor.isBlank || cursor.indent > 3
    if (leaf?.kind === 'html' && !this.#htmlEnd) return !cursor.isBlank
    if (leaf?.kind !== 'fence' && leaf?.kind !== 'html' && leaf?.kind !== 'math') return false
    const isClosed = leaf.kind === 'fence' && cursor.indent < 4 && closesFence(rest, leaf.marker)
    if (isClosed) leaf.isClosed = true
    if (isClosed || (leaf.kind === 'html' && this.#htmlEnd?.test(rest)) || (leaf.kind === 'math' && closesMath(rest)))
      this.#endLeaf(at + 1)
    return true
  }

  /** @param depth of the containers that the line goes on in */
  #addContent(cursor: LineCursor, at: number, depth: number): void {
    let parents = depth
    // Also for all that the line opens, and behind indented code: so reads micromark, which draws the notes.
    const interrupts =
      depth === this.#containers.length && (this.#leaf?.kind === 'paragraph' || this.#leaf?.kind === 'indentedCode')
    for (;;) {
      const isInParagraph = this.#leaf?.kind === 'paragraph'
      const isNested = cursor.indent > 3 && this.#isNestedItem(cursor, at)
      if (cursor.isBlank || (isInParagraph && cursor.indent > 3 && !isNested)) break
      const isHere = parents === this.#containers.length
      if (isInParagraph && isHere && !isNested && this.#endsParagraph(cursor.rest, at)) return
      const leaf = isNested ? undefined : this.#leafAt(cursor, isInParagraph)
      if (leaf) return this.#begin(leaf, cursor.rest, at, parents)
      const container = parents < maxDepth ? containerAt(cursor, interrupts) : undefined
      if (!container) break
      this.close(parents)
      const opened = { ...container, ...this.#place(at, parents) }
      this.#containers.push(opened)
      this.blocks.push(opened)
      parents += 1
    }
    this.#addText(cursor, at, parents)
  }

  #addText(cursor: LineCursor, at: number, parents: number): void {
    const isRow = this.#leaf?.kind === 'table' && parents === this.#containers.length
    if (cursor.isBlank || isRow) return
    if (this.#leaf?.kind !== 'paragraph') {
      this.#begin({ kind: 'paragraph' }, '', at, parents)
      this.#text = []
    }
    this.#text.push(cursor.rest)
  }

  #begin(leaf: Unplaced<Leaf>, rest: string, at: number, parents: number): void {
    this.close(parents)
    this.#leaf = { ...leaf, ...this.#place(at, parents) }
    this.blocks.push(this.#leaf)
    if (leaf.kind === 'heading' || leaf.kind === 'rule' || (leaf.kind === 'html' && this.#htmlEnd?.test(rest)))
      this.#endLeaf(at + 1)
  }

  #place(at: number, parents: number): Place {
    return { from: at, to: at + 1, parent: this.#containers[parents - 1] }
  }

  #isNestedItem(cursor: LineCursor, at: number): boolean {
    return (
      this.#dialect.hasNestedLists === true && this.#filled === at && /^\t+(?:[-*+]|\d{1,9}[.)])[\t ]/.test(cursor.line)
    )
  }

  /** Whether the line makes a heading of the paragraph (§4.3), or a table's head of its last line. */
  #endsParagraph(rest: string, at: number): boolean {
    const parents = this.#containers.length
    const level = underlineAt(rest)
    if (level > 0) {
      let text = this.#text.join('\n')
      for (let found = definition.exec(text); found; found = definition.exec(text)) text = text.slice(found[0].length)
      if (text === '') return false
      const lines = text.split('\n')
      const title = lines.map((line) => line.trim()).join(' ')
      const from = at - lines.length
      this.blocks.pop()
      this.#leaf = undefined
      this.blocks.push({ kind: 'heading', level, title, ...this.#place(at, parents), from })
      return true
    }
    if (!delimiterRow.test(rest) || cellCount(rest) !== cellCount(this.#text.at(-1) ?? '')) return false
    if (this.#text.length === 1) this.blocks.pop()
    else this.#endLeaf(at - 1)
    this.#leaf = { kind: 'table', ...this.#place(at, parents), from: at - 1 }
    this.blocks.push(this.#leaf)
    return true
  }

  #leafAt(cursor: LineCursor, isInParagraph: boolean): Unplaced<Leaf> | undefined {
    if (cursor.indent > 3) return { kind: 'indentedCode' }
    const { rest } = cursor
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
        return end && { kind: 'html' }
      }
      case '$':
        return this.#dialect.hasMath === true && opensMath(rest) ? { kind: 'math' } : undefined
      default:
        return undefined
    }
  }
}

function skipQuote(cursor: LineCursor): boolean {
  if (cursor.indent > 3 || !cursor.rest.startsWith('>')) return false
  cursor.jump(1)
  cursor.skip(1)
  return true
}

/** Reads what opens a container. @param interrupts a paragraph, which few items can */
function containerAt(cursor: LineCursor, interrupts: boolean): Pick<Container, 'kind' | 'width'> | undefined {
  const { rest, indent } = cursor
  if (skipQuote(cursor)) return { kind: 'quote', width: 0 }
  const footnote = footnoteMarker.exec(rest)?.[0]
  if (footnote !== undefined) {
    cursor.jump(footnote.length)
    cursor.skip(cursor.indent)
    return { kind: 'footnote', width: 4 }
  }
  const marker = itemMarker.exec(rest)?.[0]
  if (marker === undefined) return undefined
  if (interrupts && (/^(?!1\D)\d/.test(marker) || rest.slice(marker.length).trim() === '')) return undefined
  cursor.jump(marker.length)
  // Behind more than four columns there is indented code.
  const space = cursor.isBlank || cursor.indent > 4 ? 1 : cursor.indent
  cursor.skip(space)
  return { kind: 'item', width: indent + marker.length + space }
}
