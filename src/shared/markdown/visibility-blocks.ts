/**
 * Ranges of lines that a privacy mark covers. Markdown programs parse some constructs differently (comments, math,
 * fences in lists, `#` before an odd space). A mark covers the union of all interpretations; a heading ends a section
 * only if every interpretation agrees. Linear time.
 */
import { headingAt, underlineAt } from './blocks/line-starts.ts'
import { parseInterpretations, type Range } from './visibility-dialects.ts'

export interface Blocks {
  readonly lines: readonly string[]
  readonly lineInfo: readonly Line[]
}

interface Line {
  /** Heading level by any interpretation, 1 to 6; 0 if it is not a heading. */
  readonly level: number
  /** Lines that a mark on this line covers. */
  readonly cover: Range
  /** 0-based line to put a mark on to cover this line: a code block's opening line, a paragraph's last line. */
  readonly place: number
}

type Kind = 'blank' | 'heading' | 'item' | 'fence' | 'text'

/** Consecutive lines of text; the last one may be a setext underline. */
interface Paragraph {
  readonly from: number
  to: number
  /** Setext level: 1 for `===`, 2 for `---`, 0 if it is not a heading. */
  level: number
  sectionEnd: number
}

interface Item {
  readonly from: number
  /** Columns of the marker's indentation, and of the item's content. */
  readonly depth: number
  readonly content: number
  to: number
}

/** Returns which lines a mark on each line covers. @param lines without line ends */
export function blocksOf(lines: readonly string[]): Blocks {
  const { fences, blocks, isInAnyBlock } = parseInterpretations(lines)
  const depths = lines.map((line, index) => indentColumns(lines[fences[index]?.from ?? index] ?? line))
  const kinds: Kind[] = []
  for (const [index, line] of lines.entries()) {
    const kind = fences[index] ? 'fence' : kindOf(line, isInAnyBlock(index))
    // A lone `-` after text may be a setext underline.
    kinds.push(kind === 'text' && kinds[index - 1] !== 'text' && /^\s*-\s*$/.test(line) ? 'item' : kind)
  }
  const headingLevels = lines.map((line, index) => atxLevel(line) || numberedSetextLevel(lines, kinds, index))
  const { owners, items } = itemsOf(lines, kinds, depths, fences)
  const paragraphs = paragraphsOf(lines, kinds)
  const isPlainLine = (index: number) => /^[^\s>|[<=]/.test(lines[index] ?? '')
  const isPlain = (index: number, { from }: Paragraph) =>
    !isInAnyBlock(index) && owners[from] === undefined && isPlainLine(from) && isPlainLine(index)
  const sectionEndByLine = sectionEnds(headingLevels, kinds, paragraphs, isPlain)
  const runs = indentedRuns(kinds, depths, owners)

  const lineInfo = lines.map((line, index): Line => {
    const kind = kinds[index]
    const ownLine = { from: index, to: index + 1 }
    const fence = fences[index]
    if (fence) return { level: 0, cover: fence, place: fence.from }
    if (kind === 'blank') return { level: 0, cover: ownLine, place: index }
    const level = headingLevels[index] ?? 0
    const section = { from: index, to: sectionEndByLine[index] ?? index + 1 }
    if (kind === 'heading') return { level, cover: section, place: index }
    const parts: (Range | undefined)[] = [ownLine, items[index], ...blocks.map((ranges) => ranges[index])]
    const paragraph = paragraphs[index]
    // In some dialects only the first item of a list can interrupt a paragraph.
    const paragraphAbove = kind === 'item' && mayContinueParagraph(line) ? paragraphs[index - 1] : undefined
    parts.push(paragraphAbove, paragraphAbove && items[owners[index - 1] ?? index], paragraph, runs[index])
    if (kind === 'text') parts.push(items[owners[index] ?? index])
    if (level > 0) parts.push(section)
    if (paragraph && paragraph.level > 0) parts.push({ from: paragraph.from, to: paragraph.sectionEnd })
    const cover = union(parts)
    const lastLineBlocks = blocks.map((ranges) => ranges[cover.to - 1])
    const blockStart = blocks.find((ranges) => ranges[index])?.[index]?.from
    const markLine = paragraph ? paragraph.to - (paragraph.level > 0 ? 2 : 1) : index
    const isOutsideBlocks = markLine >= index && blocks.every((ranges) => !ranges[markLine])
    return {
      level: level || (paragraph?.level ?? 0),
      // Extend to the end of a block that starts in the range.
      cover: { from: cover.from, to: Math.max(cover.to, ...lastLineBlocks.map((block) => block?.to ?? 0)) },
      place: blockStart ?? (isOutsideBlocks ? markLine : index),
    }
  })
  return { lines, lineInfo }
}

/** Returns the 0-based lines that a mark on line `index` covers, end exclusive; empty if there is no such line. */
export function coverOf({ lineInfo }: Blocks, index: number): Range {
  return lineInfo[index]?.cover ?? { from: index, to: index }
}

/** Returns the 0-based line to put a mark on to cover line `index`. */
export function markPlace({ lineInfo }: Blocks, index: number): number {
  return lineInfo[index]?.place ?? index
}

function kindOf(line: string, isInAnyBlock: boolean): Kind {
  if (line.trim() === '') return 'blank'
  const level = headingAt(line)?.level ?? 0
  if (!isInAnyBlock && level > 0 && /^[\t ]+\S/.test(line.slice(level))) return 'heading'
  return markerOf(line) === undefined ? 'text' : 'item'
}

/** Returns the marker of a list item or footnote with its indentation; excludes a lone `-`, perhaps a setext underline. */
function markerOf(line: string): string | undefined {
  return /^\s*(?:-(?=\s)|[*+](?=\s|$)|\d{1,9}[.)](?=\s|$)|\[\^[^\]\s]+\]:)/.exec(line)?.[0]
}

/** Returns the level of a line that any program may parse as an ATX heading. */
function atxLevel(line: string): number {
  const trimmed = line.trimStart()
  return trimmed.startsWith('#') ? (headingAt(trimmed.replaceAll(/\s/g, ' '))?.level ?? 0) : 0
}

function setextUnderline(line: string): string | undefined {
  const trimmed = line.trim()
  return /^ {0,3}\S/.test(line) && underlineAt(trimmed) > 0 ? trimmed : undefined
}

/** Returns true for an item that may continue the paragraph above: only an item numbered 1 can interrupt one. */
function mayContinueParagraph(line: string): boolean {
  return /^\s*(?:\[\^|(?!1[.)])\d)/.test(line)
}

/** Returns the level of a setext heading whose last line looks like a list item. */
function numberedSetextLevel(lines: readonly string[], kinds: readonly Kind[], index: number): number {
  if (kinds[index] !== 'item' || kinds[index - 1] !== 'text' || !mayContinueParagraph(lines[index] ?? '')) return 0
  const underline = setextUnderline(lines[index + 1] ?? '')
  if (underline === undefined) return 0
  return underline.startsWith('=') ? 1 : 2
}

function indentColumns(line: string): number {
  let columns = 0
  for (const character of /^\s*/.exec(line)?.[0] ?? '') columns += character === '\t' ? 4 : 1
  return columns
}

/** Returns by line: the item that starts there (`items`), and the first line of the enclosing item (`owners`). */
function itemsOf(
  lines: readonly string[],
  kinds: readonly Kind[],
  depths: readonly number[],
  fences: readonly (Range | undefined)[],
): { readonly owners: readonly (number | undefined)[]; readonly items: readonly (Range | undefined)[] } {
  const owners = Array.from<number | undefined>({ length: lines.length })
  const items = Array.from<Item | undefined>({ length: lines.length })
  const open: Item[] = []
  let lastFilled = -1
  const close = (depth: number) => {
    while ((open.at(-1)?.depth ?? -1) >= depth) (open.pop() as Item).to = lastFilled + 1
  }
  for (const [index, line] of lines.entries()) {
    const kind = kinds[index]
    const depth = depths[index] ?? 0
    if (kind === 'blank') continue
    if (kind === 'heading' || /^-{3,}\s*$/.test(line)) close(0)
    else if (kind === 'item' || fences[index]?.from === index || lastFilled < index - 1) close(depth)
    if (kind === 'text') owners[index] = (open.findLast(({ content }) => content <= depth) ?? open[0])?.from
    if (kind === 'item') {
      owners[index] = open.at(-1)?.from
      const item = { from: index, depth, content: depth + (markerOf(line) ?? '').trimStart().length + 1, to: index + 1 }
      items[index] = item
      open.push(item)
    }
    lastFilled = index
  }
  close(0)
  return { owners, items }
}

function paragraphsOf(lines: readonly string[], kinds: readonly Kind[]): readonly (Paragraph | undefined)[] {
  let current: Paragraph | undefined
  return lines.map((line, index) => {
    if (kinds[index] !== 'text') {
      current = undefined
      return undefined
    }
    const paragraph = (current ??= { from: index, to: index, level: 0, sectionEnd: index })
    paragraph.to = index + 1
    const underline = setextUnderline(line)
    if (underline === undefined || (paragraph.from === index && !underline.startsWith('---'))) return paragraph
    // After indented code, `===` is text.
    if (underline.startsWith('=') && !/^ {0,3}[^\s>]/.test(lines[paragraph.from] ?? '')) return paragraph
    if (paragraph.from < index) paragraph.level = underline.startsWith('=') ? 1 : 2
    current = undefined
    return paragraph
  })
}

/**
 * Returns the end of the section that each line opens, exclusive; also sets `sectionEnd` of setext headings. Many users
 * write `---` after text as a rule, so it ends only sections of setext headings.
 */
function sectionEnds(
  headingLevels: readonly number[],
  kinds: readonly Kind[],
  paragraphs: readonly (Paragraph | undefined)[],
  isPlain: (index: number, paragraph: Paragraph) => boolean,
): readonly number[] {
  const ends = headingLevels.map((_, index) => index + 1)
  const next = Array.from({ length: 7 }, () => headingLevels.length)
  let nextRule = headingLevels.length
  const setSectionEnd = (end: number, level: number) => {
    for (let deeper = level; deeper < next.length; deeper += 1) next[deeper] = end
  }
  for (let index = headingLevels.length - 1; index >= 0; index -= 1) {
    const level = headingLevels[index] ?? 0
    if (level > 0) ends[index] = next[level] ?? headingLevels.length
    if (kinds[index] === 'heading') setSectionEnd(index, level)
    const paragraph = paragraphs[index]
    if (!paragraph || paragraph.level === 0) continue
    if (index === paragraph.to - 1)
      paragraph.sectionEnd = paragraph.level === 1 ? (next[1] ?? 0) : Math.min(next[2] ?? 0, nextRule)
    if (index !== paragraph.to - 2 || !isPlain(index, paragraph)) continue
    nextRule = index
    if (paragraph.level === 1) setSectionEnd(index, 1)
  }
  return ends
}

function indentedRuns(
  kinds: readonly Kind[],
  depths: readonly number[],
  owners: readonly (number | undefined)[],
): readonly (Range | undefined)[] {
  const runs = Array.from<Range | undefined>({ length: kinds.length })
  let run: { from: number; to: number } | undefined
  for (const [index, kind] of kinds.entries()) {
    if (kind === 'blank') continue
    const isIndented = (kind === 'text' || kind === 'item') && (depths[index] ?? 0) >= 4
    const owner = owners[index]
    if (!isIndented || (owner !== undefined && !runs[owner])) run = undefined
    else {
      run ??= { from: index, to: index }
      run.to = index + 1
      runs[index] = run
    }
  }
  return runs
}

function union(parts: readonly (Range | undefined)[]): Range {
  let [from, to] = [Infinity, 0]
  for (const part of parts) {
    if (!part) continue
    from = Math.min(from, part.from)
    to = Math.max(to, part.to)
  }
  return { from, to }
}
