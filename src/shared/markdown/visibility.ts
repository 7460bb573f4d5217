import { scanBlocks, type Block } from './blocks/scan-blocks.ts'
import { sourceKinds } from './provenance.ts'
import { countWords } from '../util/tokens.ts'

/**
 * Privacy marks. `visibility: private` in the front matter makes a note private. `^[private]` in a line makes the
 * line's entry private (see `entriesOf`). `local` is the older word. An invalid value counts as private and
 * is reported in `problem`. All patterns run in linear time.
 */

export interface NoteVisibility {
  readonly isFullyPrivate: boolean
  /** 0-based private lines if only parts are private; empty for an open note. */
  readonly privateLines: ReadonlySet<number>
  /** Invalid value found instead of `private`, `local` or `all`; treated as `private`. */
  readonly problem?: string
}

export const privateMark = '^[private]'
export const privateFrontMatter = 'visibility: private'

const markPattern = /\^\[\s*(?:local|private)\s*\]/i

const openNote: NoteVisibility = { isFullyPrivate: false, privateLines: new Set() }

/** Lines to search if the front matter is not closed. */
const maxUnclosedLines = 500
const maxProblemLength = 60

export function visibilityOf(text: string): NoteVisibility {
  // The key may be misspelt, the value not.
  if (!/local|private|visibility/i.test(text)) return openNote
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const { isClosed, visibility } = visibilityProperties(lines)
  for (const { from, value } of visibility) {
    if (/^(?:local|private)$/i.test(value)) return { isFullyPrivate: true, privateLines: new Set() }
    // If values conflict, `private` wins. Unclosed front matter can't make a note open.
    if (isClosed && /^all$/i.test(value)) continue
    const problem = isClosed ? value : (lines[from] ?? '').trim()
    return { isFullyPrivate: true, privateLines: new Set(), problem: problem.slice(0, maxProblemLength).toWellFormed() }
  }
  return markPattern.test(text) ? { isFullyPrivate: false, privateLines: markedLines(lines) } : openNote
}

/**
 * Finds YAML or TOML front matter, which may follow blank lines, or else the Logseq properties.
 * @returns 0-based lines without delimiters, end exclusive; the properties for visibility with their lines: of a
 * misspelt key, `value` is the line
 */
export function visibilityProperties(lines: readonly string[]) {
  const first = lines.findIndex((line) => line.trim() !== '')
  const delimiter = /^\s*(---|\+\+\+)\s*(?:#.*)?$/.exec(lines[first] ?? '')?.[1]
  const isFrontMatter = delimiter !== undefined
  const closing = delimiter === '---' ? /^(?:---|\.\.\.)\s*$/ : /^\+\+\+\s*$/
  const property = /^[\s-]*(?:[\p{L}_][\p{L}\p{N}_-]*::.*)?$/u
  const from = isFrontMatter ? first + 1 : 0
  const pattern = isFrontMatter ? closing : property
  const closingLine = lines.findIndex((line, index) => index >= from && pattern.test(line) === isFrontMatter)
  const to = closingLine >= 0 ? closingLine : Math.min(lines.length, maxUnclosedLines)
  const isBelowKey = (line = '') => isFrontMatter && /^(?:\s+\S|-\s|:\s)/.test(line)
  const visibility = []
  for (let index = from; index < to; index += 1) {
    const value = visibilityIn(lines[index] ?? '', isFrontMatter)
    if (value === undefined) continue
    let end = index + 1
    while (end < to && isBelowKey(lines[end])) end += 1
    const below = lines.slice(index + 1, end).map((line) => line.trim().replace(/^[:-]\s+/, ''))
    visibility.push({ from: index, to: end, value: plainValue(value) || plainValue(below.join(' ')) })
  }
  return { from, to, isFrontMatter, isClosed: closingLine >= 0 || !isFrontMatter, visibility }
}

function visibilityIn(rawLine: string, isFrontMatter: boolean): string | undefined {
  // Replaces look-alikes and removes invisible characters.
  const line = rawLine.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
  const pattern = isFrontMatter
    ? /^[\s?]*["']?([a-z]{8,12})["']?\s*(?:[:=]+(.*)|$)/i
    : /^[\s-]*([a-z]{8,12})::\s*(.*)$/i
  for (const part of isFrontMatter && line.includes('{') ? line.split(/[{},]/) : [line]) {
    const [, key = '', value = ''] = pattern.exec(part) ?? []
    if (/^visibility$/i.test(key)) return value
    const isMisspelt = /^v[a-z]?[is]{1,3}[a-z]?b[a-z]{3,7}$/i.test(key)
    if (isMisspelt && /\b(?:local|private)\b/i.test(plainValue(value))) return line.trim()
  }
  return undefined
}

function plainValue(value: string): string {
  const text = value.normalize('NFKC').replace(/(?:^|\s)#.*$/, '')
  return text
    .trim()
    .replace(/^["']|["']$/g, '')
    .trim()
}

function markedLines(lines: readonly string[]): Set<number> {
  const entries = entriesOf(lines)
  const covers = lines.flatMap((line, index) => (markPattern.test(line) ? [coverOf(entries, index)] : []))
  const local = new Set<number>()
  let next = 0
  for (const { from, to } of covers.toSorted((one, other) => one.from - other.from))
    for (next = Math.max(next, from); next < to; next += 1) local.add(next)
  return local
}

/** Placeholder for a private line in text for an open chat. Replaces lines one by one, so line numbers stay valid. */
export const redactionPlaceholder = '[stays on this machine]'

export function redactPrivate(text: string, { isFullyPrivate, privateLines }: NoteVisibility): string {
  if (!isFullyPrivate && privateLines.size === 0) return text
  // Odd indexes are line breaks, so `index / 2` is the line number of `visibilityOf`.
  const shown = text.split(/(\r\n|\n|\r)/).map((line, index) => {
    const isPrivate = index % 2 === 0 && (isFullyPrivate || privateLines.has(index / 2))
    return isPrivate && line.trim() !== '' ? redactionPlaceholder : line
  })
  return shown.join('')
}

export function privateLinesOf(text: string, { isFullyPrivate, privateLines }: NoteVisibility): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .filter((line, index) => line.trim() !== '' && (isFullyPrivate || privateLines.has(index)))
}

/**
 * Splits a note into entries, the units that a privacy mark covers, from the blocks of `scanBlocks`. A heading covers
 * its section, a list item or footnote all its blocks, a top-level quote all of it, and a front matter key its value
 * lines. Any other top-level block is an entry of its own. Linear time.
 */

export interface Entries {
  readonly lines: readonly string[]
  /** By line, the block that is no container; undefined for list markers alone, and for blank lines between blocks. */
  readonly leaves: readonly (Block | undefined)[]
  /** Ends of the sections of top-level headings, exclusive. */
  readonly sectionEnds: ReadonlyMap<Block, number>
}

/** @param lines without line feeds; a trailing carriage return and a byte order mark are ignored */
export function entriesOf(lines: readonly string[]): Entries {
  const leaves = Array.from<Block | undefined>({ length: lines.length })
  const sectionEnds = new Map<Block, number>()
  const nextHeadings = Array.from<number>({ length: 7 }).fill(lines.length)
  for (const block of scanBlocks(lines, { hasNestedLists: true, hasMath: true }).reverse()) {
    if (block.kind === 'quote' || block.kind === 'item' || block.kind === 'footnote') continue
    leaves.fill(block, block.from, block.to)
    if (block.kind === 'frontMatter' && !lines[0]?.includes('+')) splitYaml(block, lines, leaves)
    if (block.kind !== 'heading' || block.parent) continue
    sectionEnds.set(block, nextHeadings[block.level] ?? lines.length)
    nextHeadings.fill(block.from, block.level)
  }
  return { lines, leaves, sectionEnds }
}

/** Returns the 0-based lines of a line's entry, end exclusive; only the line itself if no block contains it. */
export function entryAt({ leaves, sectionEnds }: Entries, index: number): Pick<Block, 'from' | 'to'> {
  const leaf = leaves[index]
  if (!leaf) return { from: index, to: index + 1 }
  const sectionEnd = sectionEnds.get(leaf)
  return sectionEnd === undefined ? ownerOf(leaf) : { from: leaf.from, to: sectionEnd }
}

/** Returns the lines that a mark on line `index` covers. A mark in a comment alone also covers the entry below it. */
function coverOf(entries: Entries, index: number): Pick<Block, 'from' | 'to'> {
  const entry = entryAt(entries, index)
  const leaf = entries.leaves[index]
  if (leaf?.kind !== 'html' || leaf.parent || leaf.to - leaf.from > 1) return entry
  const isMarkOnly = /^<!--\s*\^\[\s*(?:local|private)\s*\]\s*-->$/i.test((entries.lines[index] ?? '').trim())
  return isMarkOnly ? { from: index, to: entryAt(entries, index + 1).to } : entry
}

/** Returns the innermost item or footnote around the outermost quote or the block; without one, that quote or block. */
export function ownerOf(block: Block): Block {
  let owner = block
  for (let container = block.parent; container; container = container.parent)
    if (container.kind === 'quote') owner = container
  while (owner.parent && owner.kind !== 'item' && owner.kind !== 'footnote') owner = owner.parent
  return owner
}

/** Splits YAML by its keys. A comment at the margin, and a line before the first key, stand for all of the YAML. */
function splitYaml(block: Block, lines: readonly string[], leaves: (Block | undefined)[]): void {
  let key: (Block & { to: number }) | undefined
  for (let index = block.from + 1; index < block.to - 1; index += 1) {
    const line = lines[index] ?? ''
    if (line.startsWith('#')) continue
    if (/^[^\s\]}-][^:]*:(?:\s|$)/.test(line)) key = { ...block, from: index, to: index }
    if (!key) continue
    key.to = index + 1
    leaves[index] = key
  }
}

const marks = new RegExp(
  String.raw`\s*\^\[[ \t]*(?:local|private|(?:${sourceKinds.join('|')}):[^\]\n]*)[ \t]*\]`,
  'giu',
)

/** Removes privacy and source marks, for titles and names. */
export function withoutMarks(line: string): string {
  return line.includes('^[') ? line.replaceAll(marks, '') : line
}

export function withoutPrivateMarks(text: string): string {
  return text.replaceAll(/[ \t]*(?:<!--\s*)?\^\[\s*(?:local|private)\s*\](?:\s*-->)?/gi, '')
}

/** Returns a line in lower case without marks, markers, cell borders, emphasis and end punctuation, to compare it. */
export function comparableLine(line: string): string {
  return withoutMarks(line)
    .replace(/^[\s>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+(?:\[[ xX]\]\s+)?)?/, '')
    .replaceAll(/[*_`~]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[ |]+|[ |.,;:!?。！？，；：…]+$/g, '')
    .toLowerCase()
}

/** Returns the comparable line, also without the time and the links of a log entry; none if `isTellingLine` is false. */
export function comparableForms(line: string): string[] {
  const whole = comparableLine(line)
  const text = comparableLine(line.replaceAll(/\[sessions\/[^\s\]]+\]/g, '')).replace(/^\d{1,2}:\d{2} (?:[-–—] )?/, '')
  return [...new Set([whole, text])].filter(isTellingLine)
}

/** Returns false for lines that many texts have in common: one word without a digit, and the property `visibility`. */
export function isTellingLine(comparable: string): boolean {
  if (/^visibility\s*[:=]/i.test(comparable)) return false
  return /\d/.test(comparable) || countWords(comparable) >= 2
}
