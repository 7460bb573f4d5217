/**
 * Splits a note into small rows. A row is parsed and rendered when the reader scrolls near it.
 * Removes comments, collects front matter, footnotes and reference definitions, and records the source line
 * of each row. Runs in linear time.
 */
import { frontMatterOf } from '#shared/markdown/blocks/front-matter.ts'
import { commentRanges, hiddenRanges } from '#shared/markdown/links/hidden-text.ts'
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

/** Smaller than the parts of an answer, so that a row renders within a frame. In characters. */
const rowSize = 2500
const fewCharacters = 1200

/** `<details>` up to this size stay one row, with the Markdown inside. In characters. */
const maxDetails = 20_000

const details = /^ {0,3}<details[\s>]/i
const footnote = /^ {0,3}\[\^([^[\]\s]+)\]:[ \t]?/

/** Splits a note into rows. @param text the whole note with its front matter */
export function parseDocument(text: string): Document {
  const rows: Row[] = []
  const lines: number[] = []
  const joined = new Set<number>()
  const notes = new Map<string, { readonly text: string; readonly line: number }>()
  const unified = limitCombiningMarks(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text)
  const matter = frontMatterOf(unified)
  const end = matter?.end ?? 0
  if (matter) {
    rows.push({ kind: 'properties', text: unified.slice(matter.from, matter.to).replace(/\n$/, '') })
    lines.push(2)
  }
  const before = countLines(unified, end)
  const { text: body, notes: inline } = takeInlineFootnotes(normalizeSyntax(unified.slice(end)))
  for (const [label, note] of inline) notes.set(label, { text: note.text, line: note.line + before })
  for (const { text: block, line } of withWholeDetails(blocksOf(body))) {
    if (isAllDefinitions(block)) continue
    const label = footnote.exec(block)?.[1]
    if (label !== undefined) {
      if (!notes.has(label)) notes.set(label, { text: withoutIndent(block.replace(footnote, '')), line: line + before })
      continue
    }
    // Quotes and HTML are split later: a callout's second half would be a plain quote, and an HTML table
    // would lose its opening tag.
    const size = /^ {0,3}(?:>|<[a-z])/i.test(block) ? 4 * rowSize : rowSize
    const pieces = splitBlock(block, size, details.test(block) ? maxDetails : fewCharacters)
    for (const [index, [piece, at]] of pieces.entries()) {
      if (index < pieces.length - 1) joined.add(rows.length)
      rows.push(piece)
      lines.push(line + before + at)
    }
  }
  const footnotes = inOrderOfUse(notes, body)
  for (const label of footnotes) {
    const note = notes.get(label)
    if (!note) continue
    rows.push({ kind: 'footnote', text: note.text, label })
    lines.push(note.line)
  }
  return {
    rows,
    lines: Int32Array.from(lines),
    continues: Uint8Array.from(rows, (_row, at) => Number(joined.has(at))),
    footnotes,
  }
}

/** Joins the blocks of a `<details>` element: an empty line ends an HTML block, but not the element. */
function withWholeDetails(blocks: readonly Block[]): Block[] {
  const result: Block[] = []
  for (let at = 0; at < blocks.length; at += 1) {
    const first = blocks[at]
    if (!first) continue
    const end = details.test(first.text) ? endOfDetails(blocks, at) : at
    result.push(end === at ? first : joinedBlock(blocks.slice(at, end + 1), first.line))
    at = end
  }
  return result
}

function endOfDetails(blocks: readonly Block[], from: number): number {
  let depth = 0
  let length = 0
  for (let at = from; at < blocks.length && length < maxDetails; at += 1) {
    const { text } = blocks[at] ?? { text: '' }
    if (footnote.test(text)) return from
    length += text.length
    if (/^ {0,3}</.test(text))
      for (const [, slash] of text.matchAll(/<(\/?)details[\s>]/gi)) depth += slash === '' ? 1 : -1
    if (depth <= 0) return at
  }
  return from
}

/** Joins blocks so that every line keeps its number; definitions go to the end. */
function joinedBlock(blocks: readonly Block[], line: number): Block {
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

function normalizeSyntax(body: string): string {
  return unindentNestedLists(withFences(withoutComments(body)))
}

/** Keeps the newlines inside comments, so that every line keeps its number. */
function withoutComments(text: string): string {
  const parts: string[] = []
  let at = 0
  for (const { from, to } of commentRanges(text)) {
    parts.push(text.slice(at, from), text.slice(from, to).replaceAll(/[^\n]+/g, ''))
    at = to
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(at)
}

const orgBlock = /^([\t ]*)(?:[-*+] )?#\+BEGIN_(SRC|QUERY|EXAMPLE)(?:[\t ]+([\w#+-]+))?[^\n]*$/i

const orgQuote = /^([\t ]*)((?:[-*+] )?)#\+BEGIN_(NOTE|TIP|IMPORTANT|CAUTION|WARNING|PINNED|QUOTE)\b[^\n]*$/i

/**
 * Converts Org blocks, which Logseq supports: code and queries become fences, notes and quotes become
 * callouts and quotes.
 */
function withFences(text: string): string {
  if (!/#\+BEGIN_/i.test(text)) return text
  let ends: RegExp | undefined
  let quoted: { readonly indent: string; readonly end: RegExp } | undefined
  let closes: ((line: string) => boolean) | undefined
  return text
    .split('\n')
    .map((line) => {
      if (closes) {
        if (closes(line)) closes = undefined
        return line
      }
      if (ends?.test(line)) {
        ends = undefined
        return line.replace(/#\+END_\w+.*/i, '```')
      }
      if (quoted) {
        const { indent, end } = quoted
        if (!end.test(line)) return `${indent}> ${line.trimStart()}`
        quoted = undefined
        return `${indent}>`
      }
      const [opened, indent = '', bullet = '', callout = ''] = (!ends && orgQuote.exec(line)) || []
      if (opened !== undefined) {
        const name = callout.toLowerCase()
        quoted = { indent: indent + ' '.repeat(bullet.length), end: new RegExp(`^[\\t ]*#\\+END_${name}`, 'i') }
        return `${indent}${bullet}> ${name === 'quote' ? '' : `[!${name === 'pinned' ? 'note' : name}]`}`
      }
      const [, , kind = '', language] = orgBlock.exec(line) ?? []
      if (kind === '' || ends) {
        if (!ends) closes = closingTest(line)
        return line
      }
      ends = new RegExp(`^[\\t ]*#\\+END_${kind}`, 'i')
      return line.replace(/#\+BEGIN_.*/i, `\`\`\`${language ?? (/query/i.test(kind) ? 'query' : '')}`)
    })
    .join('\n')
}

function withoutIndent(text: string): string {
  return text.replaceAll(/\n(?: {1,4}|\t)/g, '\n')
}

/** Footnotes without a reference come last. */
function inOrderOfUse(notes: ReadonlyMap<string, unknown>, text: string): string[] {
  if (notes.size === 0) return []
  const used = new Set<string>()
  for (const [, label = ''] of text.matchAll(/\[\^([^[\]\s]+)\](?!:)/g)) if (notes.has(label)) used.add(label)
  return [...used, ...[...notes.keys()].filter((label) => !used.has(label))]
}

function countLines(text: string, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

interface InlineFootnote {
  readonly text: string
  /** 1-based. */
  readonly line: number
}

/** A longer `^[…]` is not an inline footnote. In characters. */
const maxNote = 2000
/** Privacy and provenance marks use the same syntax. */
const mark = /^[ \t]*(?:local[ \t]*\]|(?:web|mcp|file|agent|import):)/i
const formulas = /\$\$[^$]*\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]*[^\s\\$]\$(?![\d$])/g

/** Replaces each inline footnote with a reference to a generated, unused label. Every line keeps its number. */
function takeInlineFootnotes(text: string): { text: string; notes: Map<string, InlineFootnote> } {
  const notes = new Map<string, InlineFootnote>()
  if (!text.includes('^[')) return { text, notes }
  const hidden = [...hiddenRanges(text)]
  for (const { index, 0: formula } of text.matchAll(formulas)) hidden.push({ from: index, to: index + formula.length })
  hidden.sort((one, other) => one.from - other.from)
  const parts: string[] = []
  let from = 0
  let line = 1
  let counted = 0
  let next = 0
  for (let at = text.indexOf('^['); at >= 0; at = text.indexOf('^[', Math.max(at + 2, from))) {
    while ((hidden[next]?.to ?? Infinity) <= at) next += 1
    if ((hidden[next]?.from ?? Infinity) <= at || text[at - 1] === '\\') continue
    const end = endOf(text, at + 2)
    const said = end === undefined ? '' : text.slice(at + 2, end)
    if (end === undefined || said.trim() === '' || mark.test(`${said}]`)) continue
    for (; counted < at; counted += 1) if (text[counted] === '\n') line += 1
    const label = `^${notes.size + 1}`
    notes.set(label, { text: said.trim(), line })
    parts.push(text.slice(from, at), `[^${label}]`)
    from = end + 1
  }
  return { text: parts.join('') + text.slice(from), notes }
}

function endOf(text: string, from: number): number | undefined {
  let depth = 1
  for (let at = from; at < text.length && at < from + maxNote; at += 1) {
    const sign = text[at]
    if (sign === '\n') return undefined
    if (sign === '\\') at += 1
    else if (sign === '[') depth += 1
    else if (sign === ']' && (depth -= 1) === 0) return at
  }
  return undefined
}
