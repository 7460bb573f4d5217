/**
 * Splits a note into small rows. A row is parsed and rendered when the reader scrolls near it.
 * Removes comments, collects front matter, footnotes and reference definitions, and records the source line
 * of each row. Runs in linear time.
 */
import { frontMatterOf } from '#shared/markdown/blocks/front-matter.ts'
import { commentRanges, hiddenRanges, type Range } from '#shared/markdown/links/hidden-text.ts'
import { applyEdits } from '#shared/markdown/links/rewrite-links.ts'
import { blocksOf, closingTest, isAllDefinitions, detachDefinitions, type Block } from '../chat/block-split.ts'
import { splitBlock, type Piece } from '../chat/split-markdown.ts'
import { limitCombiningMarks } from '#lib/util/clip.ts'
import { unindentNestedLists } from './nested-lists.ts'

export type Row =
  | Piece
  /** Front matter without its `---` lines. */
  | { readonly kind: 'properties'; readonly text: string }
  /** Footnotes come after all other rows, in the order of their first reference. */
  | { readonly kind: 'footnote'; readonly text: string; readonly label: string }

export interface Document {
  readonly rows: readonly Row[]
  /** 1-based source line of each row. */
  readonly lines: Int32Array
  /** 1 if the list, table or quote of a row continues in the next row. */
  readonly continues: Uint8Array
  /** Labels in the order of their numbers, which start at 1. */
  readonly footnotes: readonly string[]
}

/** Size of a row, small enough to render within a frame. In characters. */
const rowSize = 2500
const maxUnsplitSize = 1200

/** `<details>` up to this size stay one row, with the Markdown inside. In characters. */
const maxDetails = 20_000

const detailsPattern = /^ {0,3}<details[\s>]/i
const footnotePattern = /^ {0,3}\[\^([^[\]\s]+)\]:[ \t]?/

/** Splits a note into rows. @param text the whole note with its front matter */
export function parseDocument(text: string): Document {
  const rows: Row[] = []
  const lines: number[] = []
  const continuing = new Set<number>()
  const notes = new Map<string, Footnote>()
  const normalized = limitCombiningMarks(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
  const frontMatter = frontMatterOf(normalized)
  const bodyStart = frontMatter?.end ?? 0
  if (frontMatter) {
    rows.push({ kind: 'properties', text: normalized.slice(frontMatter.from, frontMatter.to).replace(/\n$/, '') })
    lines.push(2)
  }
  const linesBefore = normalized.slice(0, bodyStart).split('\n').length - 1
  const markdown = unindentNestedLists(convertOrgBlocks(blankComments(normalized.slice(bodyStart))))
  const { text: body, notes: inlineNotes } = extractInlineFootnotes(markdown)
  for (const [label, note] of inlineNotes) notes.set(label, { text: note.text, line: note.line + linesBefore })
  for (const { text: block, line } of joinDetails(blocksOf(body))) {
    if (isAllDefinitions(block)) continue
    const label = footnotePattern.exec(block)?.[1]
    if (label !== undefined) {
      if (!notes.has(label))
        notes.set(label, {
          text: block.replace(footnotePattern, '').replaceAll(/\n(?: {1,4}|\t)/g, '\n'),
          line: line + linesBefore,
        })
      continue
    }
    // Quotes and HTML are split only if they are longer: the second half of a callout becomes a plain quote, and
    // that of an HTML table has no opening tag.
    const size = /^ {0,3}(?:>|<[a-z])/i.test(block) ? 4 * rowSize : rowSize
    const pieces = splitBlock(block, size, detailsPattern.test(block) ? maxDetails : maxUnsplitSize)
    for (const [index, [piece, lineOffset]] of pieces.entries()) {
      if (index < pieces.length - 1) continuing.add(rows.length)
      rows.push(piece)
      lines.push(line + linesBefore + lineOffset)
    }
  }
  // In the order of their first reference; those without one come last.
  const references = notes.size === 0 ? [] : [...body.matchAll(/\[\^([^[\]\s]+)\](?!:)/g)]
  const used = references.flatMap(([, label = '']) => (notes.has(label) ? label : []))
  const footnotes = [...new Set([...used, ...notes.keys()])]
  for (const label of footnotes) {
    const note = notes.get(label)
    if (!note) continue
    rows.push({ kind: 'footnote', text: note.text, label })
    lines.push(note.line)
  }
  return {
    rows,
    lines: Int32Array.from(lines),
    continues: Uint8Array.from(rows, (_row, index) => Number(continuing.has(index))),
    footnotes,
  }
}

/** Joins the blocks of a `<details>` element: an empty line ends an HTML block, but not the element. */
function joinDetails(blocks: readonly Block[]): Block[] {
  const result: Block[] = []
  for (let index = 0; index < blocks.length; index += 1) {
    const first = blocks[index]
    if (!first) continue
    const end = detailsPattern.test(first.text) ? endOfDetails(blocks, index) : index
    result.push(end === index ? first : joinBlocks(blocks.slice(index, end + 1), first.line))
    index = end
  }
  return result
}

/** Returns the index of the last block of the element, or `from` if it is not closed within the limits. */
function endOfDetails(blocks: readonly Block[], from: number): number {
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

/** Joins blocks so that every line keeps its number; definitions go to the end. */
function joinBlocks(blocks: readonly Block[], line: number): Block {
  const lines: string[] = []
  const definitions = new Set<string>()
  for (const block of blocks) {
    const { text } = isAllDefinitions(block.text) ? { text: '' } : detachDefinitions(block.text)
    for (const definition of block.text.slice(text.length).trim().split('\n')) definitions.add(definition)
    while (line + lines.length < block.line) lines.push('')
    lines.push(...text.split('\n'))
  }
  definitions.delete('')
  return { text: [lines.join('\n'), ...(definitions.size > 0 ? ['', ...definitions] : [])].join('\n'), line }
}

/** Removes comments but keeps their newlines, so that every line keeps its number. */
function blankComments(text: string): string {
  const withoutText = ({ from, to }: Range) => ({ from, to, text: text.slice(from, to).replaceAll(/[^\n]+/g, '') })
  return applyEdits(text, commentRanges(text).map(withoutText))
}

const orgBlock = /^([\t ]*)(?:[-*+] )?#\+BEGIN_(SRC|QUERY|EXAMPLE)(?:[\t ]+([\w#+-]+))?[^\n]*$/i

const orgQuote = /^([\t ]*)((?:[-*+] )?)#\+BEGIN_(NOTE|TIP|IMPORTANT|CAUTION|WARNING|PINNED|QUOTE)\b[^\n]*$/i

/**
 * Converts Org blocks, which Logseq supports: code and queries become fences, notes and quotes become
 * callouts and quotes.
 */
function convertOrgBlocks(text: string): string {
  if (!/#\+BEGIN_/i.test(text)) return text
  let fenceEnd: RegExp | undefined
  let openQuote: { readonly indent: string; readonly end: RegExp } | undefined
  let isClosingLine: ((line: string) => boolean) | undefined
  return text
    .split('\n')
    .map((line) => {
      if (isClosingLine) {
        if (isClosingLine(line)) isClosingLine = undefined
        return line
      }
      if (fenceEnd?.test(line)) {
        fenceEnd = undefined
        return line.replace(/#\+END_\w+.*/i, '```')
      }
      if (openQuote) {
        const { indent, end } = openQuote
        if (!end.test(line)) return `${indent}> ${line.trimStart()}`
        openQuote = undefined
        return `${indent}>`
      }
      const [quoteStart, indent = '', bullet = '', callout = ''] = (!fenceEnd && orgQuote.exec(line)) || []
      if (quoteStart !== undefined) {
        const name = callout.toLowerCase()
        openQuote = { indent: indent + ' '.repeat(bullet.length), end: new RegExp(`^[\\t ]*#\\+END_${name}`, 'i') }
        const kind = name === 'pinned' ? 'note' : name
        return name === 'quote' ? `${indent}${bullet}> ` : `${indent}${bullet}> [!${kind}]`
      }
      const [, , kind = '', language] = orgBlock.exec(line) ?? []
      if (kind === '' || fenceEnd) {
        if (!fenceEnd) isClosingLine = closingTest(line)
        return line
      }
      fenceEnd = new RegExp(`^[\\t ]*#\\+END_${kind}`, 'i')
      return line.replace(/#\+BEGIN_.*/i, `\`\`\`${language ?? (/query/i.test(kind) ? 'query' : '')}`)
    })
    .join('\n')
}

interface Footnote {
  readonly text: string
  /** 1-based. */
  readonly line: number
}

/** A longer `^[…]` is not an inline footnote. In characters. */
const maxFootnote = 2000
/** Privacy and provenance marks use the same syntax. */
const sourceMark = /^[ \t]*(?:(?:local|private)[ \t]*\]|(?:web|mcp|file|agent|import):)/i
const formulas = /\$\$[^$]*\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]*[^\s\\$]\$(?![\d$])/g

/** Replaces each inline footnote with a reference to a generated label. Every line keeps its number. */
function extractInlineFootnotes(text: string): { text: string; notes: Map<string, Footnote> } {
  const notes = new Map<string, Footnote>()
  if (!text.includes('^[')) return { text, notes }
  const hidden = [...hiddenRanges(text)]
  for (const { index, 0: formula } of text.matchAll(formulas)) hidden.push({ from: index, to: index + formula.length })
  hidden.sort((first, second) => first.from - second.from)
  const parts: string[] = []
  let from = 0
  let line = 1
  /** Offset up to which newlines are counted. */
  let countedTo = 0
  let nextHidden = 0
  for (let at = text.indexOf('^['); at >= 0; at = text.indexOf('^[', Math.max(at + 2, from))) {
    while ((hidden[nextHidden]?.to ?? Infinity) <= at) nextHidden += 1
    if ((hidden[nextHidden]?.from ?? Infinity) <= at || text[at - 1] === '\\') continue
    const end = closingBracketOf(text, at + 2)
    const content = end === undefined ? '' : text.slice(at + 2, end)
    if (end === undefined || content.trim() === '' || sourceMark.test(`${content}]`)) continue
    for (; countedTo < at; countedTo += 1) if (text[countedTo] === '\n') line += 1
    const label = `^${notes.size + 1}`
    notes.set(label, { text: content.trim(), line })
    parts.push(text.slice(from, at), `[^${label}]`)
    from = end + 1
  }
  return { text: parts.join('') + text.slice(from), notes }
}

/** Returns the offset of the `]` that closes an inline footnote, or undefined if its line has none. */
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
