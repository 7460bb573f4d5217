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

/** Returns the cover of every line. @param lines without line ends */
export function blocksOf(lines: readonly string[]): Blocks {
  const { fences, blocks, isInAnyBlock } = parseInterpretations(lines)
  const depths = lines.map((line, at) => columns(lines[fences[at]?.from ?? at] ?? line))
  const kinds: Kind[] = []
  for (const [at, line] of lines.entries()) {
    const kind = fences[at] ? 'fence' : kindOf(line, isInAnyBlock(at))
    // After text, a lone `-` may be a setext underline.
    kinds.push(kind === 'text' && kinds[at - 1] !== 'text' && /^\s*-\s*$/.test(line) ? 'item' : kind)
  }
  const headingLevels = lines.map((line, at) => atxLevel(line) || numberedSetextLevel(lines, kinds, at))
  const { owners, items } = itemsOf(lines, kinds, depths, fences)
  const paragraphs = paragraphsOf(lines, kinds)
  const isPlain = (at: number, { from }: Paragraph) =>
    !isInAnyBlock(at) && owners[from] === undefined && [from, at].every((one) => /^[^\s>|[<=]/.test(lines[one] ?? ''))
  const ends = sectionEnds(headingLevels, kinds, paragraphs, isPlain)
  const runs = indentedRuns(kinds, depths, owners)

  const lineInfo = lines.map((line, at): Line => {
    const kind = kinds[at]
    const own = { from: at, to: at + 1 }
    const fence = fences[at]
    if (fence) return { level: 0, cover: fence, place: fence.from }
    if (kind === 'blank') return { level: 0, cover: own, place: at }
    const level = headingLevels[at] ?? 0
    const section = { from: at, to: ends[at] ?? at + 1 }
    if (kind === 'heading') return { level, cover: section, place: at }
    const parts: (Range | undefined)[] = [own, items[at], ...blocks.map((ranges) => ranges[at])]
    const paragraph = paragraphs[at]
    // In some dialects only the first item of a list can interrupt a paragraph.
    const above = kind === 'item' && mayContinueParagraph(line) ? paragraphs[at - 1] : undefined
    parts.push(above, above && items[owners[at - 1] ?? at], paragraph, runs[at])
    if (kind === 'text') parts.push(items[owners[at] ?? at])
    if (level > 0) parts.push(section)
    if (paragraph && paragraph.level > 0) parts.push({ from: paragraph.from, to: paragraph.sectionEnd })
    const cover = union(parts)
    const last = blocks.map((ranges) => ranges[cover.to - 1])
    const opened = blocks.find((ranges) => ranges[at])?.[at]?.from
    const end = paragraph ? paragraph.to - (paragraph.level > 0 ? 2 : 1) : at
    const isFree = end >= at && blocks.every((ranges) => !ranges[end])
    return {
      level: level || (paragraph?.level ?? 0),
      // Extend to the end of a block that starts in the range.
      cover: { from: cover.from, to: Math.max(cover.to, ...last.map((one) => one?.to ?? 0)) },
      place: opened ?? (isFree ? end : at),
    }
  })
  return { lines, lineInfo }
}

/** Returns the 0-based lines that a mark on line `at` covers, end exclusive; empty if there is no such line. */
export function coverOf({ lineInfo }: Blocks, at: number): Range {
  return lineInfo[at]?.cover ?? { from: at, to: at }
}

/** Returns the 0-based line to put a mark on to cover line `at`. */
export function markPlace({ lineInfo }: Blocks, at: number): number {
  return lineInfo[at]?.place ?? at
}

function kindOf(line: string, isDoubtful: boolean): Kind {
  if (line.trim() === '') return 'blank'
  const level = headingAt(line)?.level ?? 0
  if (!isDoubtful && level > 0 && /^[\t ]+\S/.test(line.slice(level))) return 'heading'
  return markerOf(line) === undefined ? 'text' : 'item'
}

/** Returns the marker of a list item or footnote with its indentation. A lone `-` may be a setext underline. */
function markerOf(line: string): string | undefined {
  return /^\s*(?:-(?=\s)|[*+](?=\s|$)|\d{1,9}[.)](?=\s|$)|\[\^[^\]\s]+\]:)/.exec(line)?.[0]
}

/** Returns the level of a line that any program may parse as an ATX heading. */
function atxLevel(line: string): number {
  const rest = line.trimStart()
  return rest.startsWith('#') ? (headingAt(rest.replaceAll(/\s/g, ' '))?.level ?? 0) : 0
}

function underline(line: string): string | undefined {
  const rest = line.trim()
  return /^ {0,3}\S/.test(line) && underlineAt(rest) > 0 ? rest : undefined
}

/** Returns true for an item that may continue the paragraph above: only an item numbered 1 can interrupt one. */
function mayContinueParagraph(line: string): boolean {
  return /^\s*(?:\[\^|(?!1[.)])\d)/.test(line)
}

/** Returns the level of a setext heading whose last line looks like a list item. */
function numberedSetextLevel(lines: readonly string[], kinds: readonly Kind[], at: number): number {
  if (kinds[at] !== 'item' || kinds[at - 1] !== 'text' || !mayContinueParagraph(lines[at] ?? '')) return 0
  const under = underline(lines[at + 1] ?? '')
  if (under === undefined) return 0
  return under.startsWith('=') ? 1 : 2
}

function columns(line: string): number {
  let sum = 0
  for (const sign of /^\s*/.exec(line)?.[0] ?? '') sum += sign === '\t' ? 4 : 1
  return sum
}

function itemsOf(
  lines: readonly string[],
  kinds: readonly Kind[],
  depths: readonly number[],
  fences: readonly (Range | undefined)[],
): { readonly owners: readonly (number | undefined)[]; readonly items: readonly (Range | undefined)[] } {
  const owners = Array.from<number | undefined>({ length: lines.length })
  const items = Array.from<Item | undefined>({ length: lines.length })
  const open: Item[] = []
  let last = -1
  const close = (depth: number) => {
    while ((open.at(-1)?.depth ?? -1) >= depth) (open.pop() as Item).to = last + 1
  }
  for (const [at, line] of lines.entries()) {
    const kind = kinds[at]
    const depth = depths[at] ?? 0
    if (kind === 'blank') continue
    if (kind === 'heading' || /^-{3,}\s*$/.test(line)) close(0)
    else if (kind === 'item' || fences[at]?.from === at || last < at - 1) close(depth)
    if (kind === 'text') owners[at] = (open.findLast(({ content }) => content <= depth) ?? open[0])?.from
    if (kind === 'item') {
      owners[at] = open.at(-1)?.from
      const item = { from: at, depth, content: depth + (markerOf(line) ?? '').trimStart().length + 1, to: at + 1 }
      items[at] = item
      open.push(item)
    }
    last = at
  }
  close(0)
  return { owners, items }
}

function paragraphsOf(lines: readonly string[], kinds: readonly Kind[]): readonly (Paragraph | undefined)[] {
  let open: Paragraph | undefined
  return lines.map((line, at) => {
    if (kinds[at] !== 'text') {
      open = undefined
      return undefined
    }
    const own = (open ??= { from: at, to: at, level: 0, sectionEnd: at })
    own.to = at + 1
    const under = underline(line)
    if (under === undefined || (own.from === at && !under.startsWith('---'))) return own
    // After indented code, `===` is text.
    if (under.startsWith('=') && !/^ {0,3}[^\s>]/.test(lines[own.from] ?? '')) return own
    if (own.from < at) own.level = under.startsWith('=') ? 1 : 2
    open = undefined
    return own
  })
}

/**
 * Returns the end of the section that each line opens, exclusive; also sets it for setext headings. Many users write
 * `---` after text as a rule, so it ends only sections of setext headings.
 */
function sectionEnds(
  headingLevels: readonly number[],
  kinds: readonly Kind[],
  paragraphs: readonly (Paragraph | undefined)[],
  isPlain: (at: number, paragraph: Paragraph) => boolean,
): readonly number[] {
  const ends = headingLevels.map((_, at) => at + 1)
  const next = Array.from({ length: 7 }, () => headingLevels.length)
  let ruled = headingLevels.length
  const setSectionEnd = (at: number, level: number) => {
    for (let one = level; one < next.length; one += 1) next[one] = at
  }
  for (let at = headingLevels.length - 1; at >= 0; at -= 1) {
    const level = headingLevels[at] ?? 0
    if (level > 0) ends[at] = next[level] ?? headingLevels.length
    if (kinds[at] === 'heading') setSectionEnd(at, level)
    const paragraph = paragraphs[at]
    if (!paragraph || paragraph.level === 0) continue
    if (at === paragraph.to - 1)
      paragraph.sectionEnd = paragraph.level === 1 ? (next[1] ?? 0) : Math.min(next[2] ?? 0, ruled)
    if (at !== paragraph.to - 2 || !isPlain(at, paragraph)) continue
    ruled = at
    if (paragraph.level === 1) setSectionEnd(at, 1)
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
  for (const [at, kind] of kinds.entries()) {
    if (kind === 'blank') continue
    const isIndented = (kind === 'text' || kind === 'item') && (depths[at] ?? 0) >= 4
    const owner = owners[at]
    if (!isIndented || (owner !== undefined && !runs[owner])) run = undefined
    else {
      run ??= { from: at, to: at }
      run.to = at + 1
      runs[at] = run
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
