import { blocksOfNote, type Block, type Container, type Heading } from '#shared/markdown/blocks/scan-blocks.ts'
import { lineEntry } from '#shared/markdown/log-entry.ts'
import { leadOf } from '#shared/markdown/blocks/line-starts.ts'
import { divideText, type TextLine } from './split-chunks.ts'
import { headingSeparator, type Unit } from './unit.ts'

/** Characters (UTF-16) of a heading, or of a parent item or table header, that the units below repeat. */
const maxRepeated = 300

/** A block or several blocks of one list item or quotation, before long text is divided. */
interface Entry {
  readonly kind: Unit['kind']
  readonly lines: TextLine[]
  readonly heading: string
  readonly context: string
}

interface OpenHeading {
  readonly level: number
  readonly title: string
  readonly lines: TextLine[]
  isUsed: boolean
}

/**
 * Splits a note into units. List items, paragraphs, table rows, code blocks and quotations are entries; long entries
 * are divided. Headings are part of the units below them, and units themselves only if nothing follows.
 */
export function splitUnits(text: string): Unit[] {
  const entries = collectEntries(linesOf(text))
  const labels = labelsOf(entries)
  return entries.flatMap((entry, number) => {
    const label = labels.get(entry) ?? ''
    return divideText(entry.lines, entry.kind === 'code').map((part) => ({
      ...part,
      heading: entry.heading,
      context: entry.context,
      label,
      kind: entry.kind,
      entry: number,
    }))
  })
}

export function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
}

function collectEntries(noteLines: readonly string[]): Entry[] {
  const entries: Entry[] = []
  const itemTexts = new Map<Container, string>()
  const headings: OpenHeading[] = []
  let open: { readonly entry: Entry; readonly owner: Container } | undefined

  function add(block: Block): void {
    switch (block.kind) {
      case 'item':
        return closeTimedHeading(block)
      case 'quote':
      case 'footnote':
      case 'rule':
        return
      case 'heading':
        closeHeadings(block.level)
        headings.push({
          level: block.level,
          title: block.title,
          lines: linesOfHeading(block),
          isUsed: false,
        })
        open = undefined
        return
      case 'table':
        return addTable(block)
      case 'fence':
        return addLines('code', block, block.from + 1, block.isClosed ? block.to - 1 : block.to)
      case 'indentedCode':
      case 'frontMatter':
      case 'math':
        return addLines('code', block, block.from, block.to)
      default:
        if (!namesChat(block)) addLines('text', block, block.from, block.to)
    }
  }

  /** Returns true for the line below the title of a chat's summary: it names the chat and has no content. */
  function namesChat({ from, to }: Block): boolean {
    const [first, ...others] = headings
    const isBelowTitle = others.length === 0 && first?.lines.at(-1)?.line === from - 1 && to - from === 1
    const line = noteLines[from] ?? ''
    return isBelowTitle && /^\d{4}-\d{2}-\d{2}: /.test(first.title) && /\[sessions\/[\w.-]+\.jsonl\]/.test(line)
  }

  /** Ends the entry `## 09:00 - Title` of a log at the entry `- 10:30 text`. */
  function closeTimedHeading({ from, parent }: Container): void {
    const last = headings.at(-1)
    if (parent || !last || !/^\d{1,2}:\d{2}\b/.test(last.title)) return
    if (lineEntry(noteLines[from] ?? '')) closeHeadings(last.level)
  }

  /** Removes headings of this or a deeper level, innermost first; a heading with nothing below becomes an entry. */
  function closeHeadings(level: number): void {
    for (let last = headings.at(-1); last && last.level >= level; last = headings.at(-1)) {
      headings.pop()
      if (!last.isUsed && last.title !== '')
        entries.push({ kind: 'heading', lines: last.lines, heading: useHeadings(), context: '' })
    }
  }

  /** Only an underlined heading has several lines. */
  function linesOfHeading({ from, to, title }: Heading): TextLine[] {
    if (to - from <= 2) return [{ line: from + 1, text: title }]
    return noteLines.slice(from, to - 1).map((text, at) => ({ line: from + at + 1, text: withoutMarkers(text) }))
  }

  function addLines(kind: Entry['kind'], block: Block, from: number, to: number): void {
    const lines: TextLine[] = []
    for (let at = from; at < to; at += 1) {
      const raw = noteLines[at] ?? ''
      const isFenceOfFrontMatter = block.kind === 'frontMatter' && (at === from || at === to - 1)
      const text = kind === 'code' ? raw.trimEnd() : withoutMarkers(raw)
      if (!isFenceOfFrontMatter && /[\p{L}\p{N}]/u.test(text)) lines.push({ line: at + 1, text })
      else if (kind === 'code' && text === '' && lines.length > 0) lines.push({ line: at + 1, text: '' })
    }
    if (lines.length === 0) return
    const owner = ownerOf(block.parent)
    if (owner && kind === 'text' && open?.owner === owner) {
      open.entry.lines.push(...lines)
      return
    }
    const entry = { kind, lines, heading: useHeadings(), context: contextOf(block.parent) }
    entries.push(entry)
    open = owner && kind === 'text' ? { entry, owner } : undefined
    if (owner?.kind === 'item' && kind === 'text' && !itemTexts.has(owner))
      itemTexts.set(owner, repeated(lines.map((line) => line.text).join(' ')))
  }

  function addTable(block: Block): void {
    const header = noteLines[block.from] ?? ''
    const context = [contextOf(block.parent), repeated(cellsOf(header))].filter(Boolean).join(' ')
    const hasRows = block.to - block.from > 2
    const heading = useHeadings()
    for (let at = hasRows ? block.from + 2 : block.from; at < block.to; at += hasRows ? 1 : block.to) {
      const text = cellsOf(noteLines[at] ?? '')
      if (/[\p{L}\p{N}]/u.test(text))
        entries.push({ kind: 'text', lines: [{ line: at + 1, text }], heading, context: hasRows ? context : '' })
    }
    open = undefined
  }

  function useHeadings(): string {
    for (const heading of headings) heading.isUsed = true
    return headings
      .map(({ title }) => repeated(title))
      .filter(Boolean)
      .join(headingSeparator)
  }

  function contextOf(parent: Container | undefined): string {
    const texts: string[] = []
    const own = ownerOf(parent)
    for (let container = parent; container; container = container.parent) {
      const text = container === own && !itemTexts.has(container) ? undefined : itemTexts.get(container)
      if (text !== undefined) texts.unshift(text)
    }
    return texts.join(' ')
  }

  for (const block of blocksOfNote(noteLines)) add(block)
  closeHeadings(0)
  return entries
}

/** Returns the innermost list item or footnote, or the outermost quotation around it. */
function ownerOf(parent: Container | undefined): Container | undefined {
  let owner = parent
  for (let container = parent; container; container = container.parent)
    if (container.kind === 'quote') owner = container
  return owner
}

function repeated(text: string): string {
  return text.length <= maxRepeated ? text : text.slice(0, maxRepeated).toWellFormed()
}

function withoutMarkers(line: string): string {
  return line.slice(leadOf(line).length).trim()
}

function cellsOf(row: string): string {
  return row
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())
    .filter(Boolean)
    .join(' | ')
}

/** A label has at most three words, or ten characters without spaces, so that most sentences with a colon have none. */
const labelPattern =
  /^(?:\*\*)?(\p{L}[\p{L}\p{N}.'’_-]*(?: [\p{L}\p{N}.'’_-]+){0,2})(?:\*\*)?\s?[:：](?!:)(?:\*\*)?\s*(?=\S)/u
const maxLabelLength = 30

/** Returns the speaker label of a text, and the text after it; undefined if it starts without one. */
export function splitLabel(text: string): { readonly label: string; readonly rest: string } | undefined {
  const found = labelPattern.exec(text)
  const label = found?.[1] ?? ''
  if (!found || label.length > maxLabelLength) return undefined
  return { label, rest: text.slice(found[0].length) }
}

/**
 * Minimum number of labelled entries of a dialogue, and of entries for each label. Below, the labels are names of
 * properties (`Price: …`), which say nothing about the entries that follow.
 */
const minLabelled = 6
const minPerLabel = 3

/**
 * Returns the speakers of entries. Only a label that occurs twice in the note is a speaker. In a dialogue, entries
 * without a label belong to the speaker before them, up to the next heading of the same or a higher level.
 */
function labelsOf(entries: readonly Entry[]): Map<Entry, string> {
  const own = new Map<Entry, string>()
  const counts = new Map<string, number>()
  for (const entry of entries) {
    const label = entry.kind === 'text' ? splitLabel(entry.lines[0]?.text ?? '')?.label : undefined
    if (label === undefined) continue
    own.set(entry, label)
    counts.set(label, (counts.get(label) ?? 0) + 1)
  }
  for (const [entry, label] of own) if ((counts.get(label) ?? 0) < 2) own.delete(entry)
  const isDialogue = own.size >= minLabelled && own.size >= minPerLabel * new Set(own.values()).size
  return isDialogue ? withFollowing(entries, own) : own
}

function withFollowing(entries: readonly Entry[], own: ReadonlyMap<Entry, string>): Map<Entry, string> {
  const labels = new Map(own)
  let speaker: { readonly label: string; readonly heading: string } | undefined
  for (const entry of entries) {
    const label = own.get(entry)
    if (label !== undefined) speaker = { label, heading: entry.heading }
    else if (speaker && isBelow(entry.heading, speaker.heading)) labels.set(entry, speaker.label)
    else speaker = undefined
  }
  return labels
}

function isBelow(heading: string, other: string): boolean {
  return heading === other || heading.startsWith(other === '' ? '' : `${other}${headingSeparator}`)
}
