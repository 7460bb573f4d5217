import { frontMatterEnd, frontMatterOf } from '#shared/markdown/blocks/front-matter.ts'
import { blocksOfNote, scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { lineOfFragment } from '#shared/markdown/links/fragment.ts'
import { commentRanges, hiddenRanges, rangeFinder, type Range } from '#shared/markdown/links/hidden-text.ts'
import { parseLinks } from '#shared/markdown/links/parse-links.ts'
import { applyEdits } from '#shared/markdown/links/rewrite-links.ts'
import { limitCombiningMarks } from '#lib/util/clip.ts'
import { normalizeMath } from './math.ts'
import { blocksOf, splitBlock, withDefinitions, type TextBlock, type Piece, closingTest } from './split-blocks.ts'

/** Answers are Markdown of models; notes can have the syntax of Obsidian, Logseq and other programs. */
export type DocumentKind = 'answer' | 'note'

export type Row = RowContent & {
  /** 1-based source line. */
  readonly line: number
  /** True if the list, table or quote of the row continues in the next row. */
  readonly continues: boolean
}

type RowContent =
  | Piece
  /** Front matter without its `---` lines. */
  | { readonly kind: 'properties'; readonly text: string }
  /** Footnotes come after all other rows, in the order of their first reference. */
  | { readonly kind: 'footnote'; readonly text: string; readonly label: string }

/** Sizes of the rows of a split block, and sizes up to which a block stays whole. In characters. */
const rowSizes = { note: 2500, answer: 6000 }
const maxUnsplitSizes = { note: 1200, answer: 6000 }

/** `<details>` up to this size stay one row, with the Markdown inside. In characters. */
const maxDetails = 20_000

const detailsPattern = /^ {0,3}<details[\s>]/i
const footnotePattern = /^ {0,3}\[\^([^[\]\s]+)\]:[ \t]?/

/** Splits an answer, or a note with its front matter, into rows in linear time. */
export function parseDocument(text: string, kind: DocumentKind = 'note'): Row[] {
  const rows: Row[] = []
  const notes = new Map<string, Footnote>()
  const normalized = limitCombiningMarks(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
  const frontMatter = kind === 'note' ? frontMatterOf(normalized) : undefined
  if (frontMatter) {
    const properties = normalized.slice(frontMatter.from, frontMatter.to).replace(/\n$/, '')
    rows.push({ kind: 'properties', text: properties, line: 2, continues: false })
  }
  const bodyStart = frontMatter?.end ?? 0
  const linesBefore = normalized.slice(0, bodyStart).split('\n').length - 1
  const body = kind === 'answer' ? normalizeMath(normalized) : prepareNote(normalized.slice(bodyStart), notes)
  const { blocks, definitions } = blocksOf(body)
  for (const { text: block, line } of kind === 'note' ? joinDetails(body, blocks) : blocks) {
    const label = footnotePattern.exec(block)?.[1]
    if (label !== undefined) {
      const note = block.replace(footnotePattern, '').replaceAll(/\n(?: {1,4}|\t)/g, '\n')
      if (!notes.has(label)) notes.set(label, { text: note, line })
      continue
    }
    // Quotes and HTML are split only if they are longer: the second half of a callout becomes a plain quote, and
    // that of an HTML table has no opening tag.
    const size = rowSizes[kind] * (kind === 'note' && /^ {0,3}(?:>|<[a-z])/i.test(block) ? 4 : 1)
    const maxUnsplit = kind === 'note' && detailsPattern.test(block) ? maxDetails : maxUnsplitSizes[kind]
    const pieces = splitBlock(block, definitions, size, maxUnsplit)
    for (const [index, [piece, lineOffset]] of pieces.entries())
      rows.push({ ...piece, line: line + linesBefore + lineOffset, continues: index < pieces.length - 1 })
  }
  // In the order of their first reference; those without one come last.
  const references = notes.size === 0 ? [] : [...body.matchAll(/\[\^([^[\]\s]+)\](?!:)/g)]
  for (const label of new Set([...references.map(([, label = '']) => label), ...notes.keys()])) {
    const note = notes.get(label)
    if (!note) continue
    const footnote = withDefinitions(note.text, definitions)
    rows.push({ kind: 'footnote', text: footnote, label, line: note.line + linesBefore, continues: false })
  }
  return rows
}

/** Converts the syntax of other programs to Markdown. Every line keeps its number. @param notes gets inline footnotes */
function prepareNote(text: string, notes: Map<string, Footnote>): string {
  const withoutText = ({ from, to }: Range) => ({ from, to, text: text.slice(from, to).replaceAll(/[^\n]+/g, '') })
  const withoutComments = applyEdits(text, commentRanges(text).map(withoutText))
  return extractInlineFootnotes(unindentNestedLists(convertOrgBlocks(withoutComments)), notes)
}

/** Joins the blocks of a `<details>` element: an empty line ends an HTML block, but not the element. */
function joinDetails(body: string, blocks: readonly TextBlock[]): TextBlock[] {
  const lines = body.split('\n')
  const result: TextBlock[] = []
  for (let index = 0; index < blocks.length; index += 1) {
    const first = blocks[index]
    if (!first) continue
    const end = detailsPattern.test(first.text) ? endOfDetails(blocks, index) : index
    const last = blocks[end] ?? first
    const lastLine = last.line + last.text.split('\n').length - 1
    result.push(end === index ? first : { text: lines.slice(first.line - 1, lastLine).join('\n'), line: first.line })
    index = end
  }
  return result
}

/** Returns the index of the last block of the element, or `from` if it is not closed within the limits. */
function endOfDetails(blocks: readonly TextBlock[], from: number): number {
  let depth = 0
  let length = 0
  for (let index = from; index < blocks.length && length < maxDetails; index += 1) {
    const { text } = blocks[index] ?? { text: '' }
    if (footnotePattern.test(text)) return from
    length += text.length
    if (/^ {0,3}</.test(text))
      for (const [, slash] of text.matchAll(/<(\/?)details[\s>]/gi)) depth += slash === '' ? 1 : -1
    if (depth <= 0) return index
  }
  return from
}

interface Footnote {
  readonly text: string
  /** 1-based line in the text below the front matter. */
  readonly line: number
}

/** A longer `^[…]` is not an inline footnote. In characters. */
const maxFootnote = 2000
/** Privacy and provenance marks use the same syntax. */
const sourceMark = /^[ \t]*(?:(?:local|private)[ \t]*\]|(?:web|mcp|file|agent|import):)/i
const formulas = /\$\$[^$]*\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]*[^\s\\$]\$(?![\d$])/g

/** Replaces each inline footnote with a reference to a generated label. Every line keeps its number. */
function extractInlineFootnotes(text: string, notes: Map<string, Footnote>): string {
  if (!text.includes('^[')) return text
  const hidden = [...hiddenRanges(text)]
  for (const { index, 0: formula } of text.matchAll(formulas)) hidden.push({ from: index, to: index + formula.length })
  hidden.sort((first, second) => first.from - second.from)
  const parts: string[] = []
  let from = 0
  let line = 1
  /** Offset up to which newlines are counted. */
  let countedTo = 0
  const hiddenAt = rangeFinder(hidden)
  for (let at = text.indexOf('^['); at >= 0; at = text.indexOf('^[', Math.max(at + 2, from))) {
    if (hiddenAt(at) || text[at - 1] === '\\') continue
    const end = closingBracketOf(text, at + 2)
    const content = end === undefined ? '' : text.slice(at + 2, end)
    if (end === undefined || content.trim() === '' || sourceMark.test(`${content}]`)) continue
    for (; countedTo < at; countedTo += 1) if (text[countedTo] === '\n') line += 1
    const label = `^${notes.size + 1}`
    notes.set(label, { text: content.trim(), line })
    parts.push(text.slice(from, at), `[^${label}]`)
    from = end + 1
  }
  return parts.join('') + text.slice(from)
}

/** Returns undefined if the line has no `]` that closes the footnote. */
function closingBracketOf(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < text.length && at < from + maxFootnote; at += 1) {
    const character = text[at]
    if (character === '\n') return undefined
    if (character === '\\') at += 1
    else if (character === '[') depth += 1
    else if (character === ']' && (depth -= 1) === 0) return at
  }
  return undefined
}

/** @param fragment heading or `^block` without `#`; undefined for the whole note @returns undefined if there is none */
export function sectionOf(text: string, fragment: string | undefined): string | undefined {
  if (fragment === undefined || fragment.trim() === '') return text.slice(frontMatterEnd(text))
  const parsed = parseLinks(text)
  const line = lineOfFragment(fragment, parsed)
  if (line === undefined) return undefined
  const lines = text.split('\n')
  if (!fragment.startsWith('^')) {
    const heading = parsed.headings.find((candidate) => candidate.line === line)
    const next = parsed.headings.find(({ line: nextLine, level }) => nextLine > line && level <= (heading?.level ?? 6))
    return lines.slice(line - 1, next ? next.line - 1 : undefined).join('\n')
  }
  return blockAt(lines, line - 1).join('\n')
}

/** Returns a list item with its children, or a block with its id. The id may be on a line below the block. */
function blockAt(lines: readonly string[], lineIndex: number): string[] {
  let end = lineIndex
  if (/^\s*\^[A-Za-z\d-]+\s*$/.test(lines[lineIndex] ?? '')) {
    end -= 1
    while (end > 0 && (lines[end] ?? '').trim() === '') end -= 1
  }
  const block = blocksOfNote(lines).findLast(({ from, to }) => from <= end && end < to)
  const item = block?.kind === 'item' ? block : block?.parent
  if (item?.kind !== 'item' || item.from !== (block?.from ?? end)) return lines.slice(block?.from ?? end, end + 1)
  const indent = /^\s*/.exec(lines[item.from] ?? '')?.[0].length ?? 0
  return lines.slice(item.from, item.to).map((line) => line.slice(Math.min(indent, line.length)))
}

/**
 * Unindents lists that Logseq nests below a heading or paragraph without a bullet: `## Heading`, then a tab and
 * `- item`. Markdown would read such a list as code or as part of the paragraph.
 */
function unindentNestedLists(text: string): string {
  if (!text.includes('\n\t')) return text
  const lines = text.split('\n')
  let end = 0
  for (const { kind, from, parent } of scanBlocks(lines, { hasNestedLists: true, hasMath: true, isPart: true })) {
    const indent = /^\t+/.exec(lines[from] ?? '')?.[0]
    if (kind !== 'item' || parent || indent === undefined || from < end) continue
    for (end = from; end < lines.length; end += 1) {
      const line = lines[end] ?? ''
      if (line.startsWith(indent)) lines[end] = line.slice(indent.length)
      else if (line.trim() !== '') break
    }
  }
  return lines.join('\n')
}

const orgCode = /^(?:src|query|example)$/
const orgStart =
  /^([\t ]*)((?:[-*+] )?)#\+BEGIN_(SRC|QUERY|EXAMPLE|NOTE|TIP|IMPORTANT|CAUTION|WARNING|PINNED|QUOTE)\b(?:[\t ]+([\w#+-]+))?/i

/** Converts the Org blocks of Logseq: code and queries to fences, notes and quotes to callouts and quotes. */
function convertOrgBlocks(text: string): string {
  if (!/#\+BEGIN_/i.test(text)) return text
  let openBlock: { readonly end: RegExp; readonly isCode: boolean; readonly indent: string } | undefined
  let isClosingLine: ((line: string) => boolean) | undefined
  const convertLine = (line: string) => {
    if (isClosingLine) {
      if (isClosingLine(line)) isClosingLine = undefined
      return line
    }
    if (openBlock) {
      const { end, isCode, indent } = openBlock
      const isEnd = end.test(line)
      if (isEnd) openBlock = undefined
      if (isCode) return isEnd ? line.replace(/#\+END_\w+.*/i, '```') : line
      return isEnd ? `${indent}>` : `${indent}> ${line.trimStart()}`
    }
    const [start, indent = '', bullet = '', kind = '', language] = orgStart.exec(line) ?? []
    if (start === undefined) {
      isClosingLine = closingTest(line)
      return line
    }
    const name = kind.toLowerCase()
    const isCode = orgCode.test(name)
    const end = new RegExp(`^[\\t ]*#\\+END_${name}`, 'i')
    openBlock = { end, isCode, indent: indent + ' '.repeat(bullet.length) }
    if (isCode) return `${indent}${bullet}\`\`\`${language ?? (name === 'query' ? name : '')}`
    if (name === 'quote') return `${indent}${bullet}> `
    return `${indent}${bullet}> [!${name === 'pinned' ? 'note' : name}]`
  }
  return text.split('\n').map(convertLine).join('\n')
}
