import { secretsIn } from '../util/secrets.ts'
import { withoutLead } from './blocks/line-starts.ts'
import { withoutDefinitions, type Block } from './blocks/scan-blocks.ts'
import {
  entriesOf,
  entryAt,
  ownerOf,
  privateFrontMatter,
  privateMark,
  visibilityProperties,
  visibilityOf,
  type Entries,
} from './visibility.ts'

type LineTest = (index: number, line: string) => boolean

/** Sets or removes the property that makes a whole note private. Marks of sections and entries stay. */
export function withVisibility(text: string, isPrivate: boolean): string {
  const { isFullyPrivate, problem } = visibilityOf(text)
  if (isPrivate && isFullyPrivate && problem === undefined) return text
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n'
  const rows = text.slice(bom.length).split(/(?<=\n)/)
  const lines = rows.map((row) => row.replace(/\r?\n$/, ''))
  const region = visibilityProperties(lines)
  // A flow mapping may have other keys, and unclosed front matter may be text: both are left to the user.
  const removed = region.visibility.filter(({ from }) => region.isClosed && !lines[from]?.includes('{'))
  const isKept = (index: number) => !removed.some(({ from, to }) => from <= index && index < to)
  const properties = rows.slice(region.from, region.to).filter((_, offset) => isKept(region.from + offset))
  const body = rows.slice(region.to)
  if (!region.isFrontMatter || !region.isClosed) {
    const rest = [...rows.slice(0, region.from), ...properties, ...body].join('')
    if (!isPrivate) return bom + rest
    return bom + ['---', privateFrontMatter, '---', ...(rest === '' ? [] : ['']), rest].join(lineBreak)
  }
  if (!isPrivate && properties.length === 0) return bom + body.slice(lines[region.to + 1] === '' ? 2 : 1).join('')
  const opening = rows[region.from - 1]?.trimStart() ?? ''
  // In TOML, a line after a table header would belong to the table.
  if (isPrivate && opening.startsWith('+')) properties.unshift(`visibility = "private"${lineBreak}`)
  else if (isPrivate) properties.push(privateFrontMatter + lineBreak)
  return bom + [opening, ...properties, ...body].join('')
}

/** Returns the lines of `after` that are not in `before`, with their 0-based index; of equal lines, the last ones. */
export function addedLines(before: string, after: string): [index: number, line: string][] {
  const counts = new Map<string, number>()
  for (const line of before.split(/\r?\n/)) counts.set(line, (counts.get(line) ?? 0) + 1)
  return after.split(/\r?\n/).flatMap((line, index) => {
    const count = counts.get(line) ?? 0
    counts.set(line, count - 1)
    return count > 0 ? [] : [[index, line]]
  })
}

/**
 * Marks every added line private with as few marks as possible.
 * @param before undefined for a new file
 * @param isShared true for a file that also collects other notes (daily log, MEMORY.md): marks entries instead of the
 * whole file
 */
export function withAddedPrivate(before: string | undefined, after: string, isShared: boolean): string {
  const isNew = before === undefined || before.trim() === ''
  if (isNew && !isShared) return withVisibility(after, true)
  const dayHeading = isNew ? /^# \d{4}-\d{2}-\d{2}\r?\n/.exec(after)?.[0] : undefined
  const added = new Map(addedLines(dayHeading ?? before ?? '', after))
  return withPrivateLines(after, (index) => added.has(index))
}

export function hasContent(line: string): boolean {
  return /[^\s#>*+_=~`|:.-]|[\u00AD\u180E\u200B-\u200F\u2060-\u206F\uFEFF]/u.test(line)
}

/**
 * Returns the lines (0-based) that look like secrets and are not private.
 * @param lines the lines to look at; all lines if undefined
 */
export function openSecretsIn(text: string, lines: ReturnType<typeof addedLines> | undefined = undefined) {
  const asked = lines ?? text.split(/\r?\n/).map((line, index) => [index, line] as const)
  const found = secretsIn(asked.map(([, line]) => line).join('\n'))
  if (found.length === 0) return []
  const { isFullyPrivate, privateLines } = visibilityOf(text)
  return found
    .map(({ kind, line }) => ({ kind, line: asked[line]?.[0] ?? 0 }))
    .filter(({ line }) => !isFullyPrivate && !privateLines.has(line))
}

export function withPrivateSecrets(text: string): string {
  const secretLines = new Set(secretsIn(text).map(({ line }) => line))
  return withPrivateLines(text, (index) => secretLines.has(index))
}

/** Makes the lines for which `shouldBePrivate` (0-based line) returns true private, with as few marks as possible. */
export function withPrivateLines(text: string, shouldBePrivate: LineTest): string {
  const marked = linesWithMarks(text, shouldBePrivate)
  if (!marked) return withVisibility(text, true)
  const rows = text.split('\n')
  return rows.map((row, index) => marked.get(index) ?? row).join('\n')
}

/**
 * Returns the new text of each 0-based line that must change so that all lines that should be private are. It has a
 * line break if a comment with the mark is added.
 * @returns undefined if a carriage return without a line feed makes lines ambiguous; the whole text must then be private
 */
export function linesWithMarks(text: string, shouldBePrivate: LineTest): Map<number, string> | undefined {
  const rows = text.split('\n')
  const { isFullyPrivate, privateLines } = visibilityOf(text)
  const isWanted = (line: string, index: number) => hasContent(line) && shouldBePrivate(index, line)
  const wanted = isFullyPrivate ? [] : rows.flatMap((line, index) => (isWanted(line, index) ? [index] : []))
  if (wanted.length > 0 && /\r(?!\n)/.test(text)) return undefined
  const marked = new Map<number, string>()
  const local = new Set(privateLines)
  let entries: Entries | undefined
  for (const index of wanted) {
    if (local.has(index)) continue
    entries ??= entriesOf(rows)
    const { from, to } = entryAt(entries, index)
    for (let covered = from; covered < to; covered += 1) local.add(covered)
    marked.set(...markEntry(entries, index))
  }
  return marked
}

/**
 * Marks the entry of a line where the mark changes nothing else: at the end of a heading, a paragraph or a table row,
 * or in a YAML or TOML comment. A mark would break code, formulas, HTML and link definitions: it goes to other text of
 * their item or quote, or else into an HTML comment, which no program shows: directly above a block at the top level,
 * after a block in an item or quote.
 * @returns the 0-based line to change, and its new text
 */
function markEntry({ lines, leaves }: Entries, index: number): [number, string] {
  const leaf = leaves[index]
  if (leaf?.kind === 'frontMatter') return markFrontMatter(leaf, lines)
  const owner = leaf ? ownerOf(leaf) : { from: index, to: index }
  let place = leaf && placeIn(leaf, lines, index)
  for (let at = owner.from; at < owner.to && place === undefined; at += 1) {
    const other = leaves[at]
    if (other && ownerOf(other) === owner) place = placeIn(other, lines, at)
  }
  if (place !== undefined) return [place, withMark(lines[place] ?? '')]
  let comment = `<!-- ${privateMark} -->`
  for (let container = leaf?.parent; container; container = container.parent)
    comment = (container.kind === 'quote' ? '> ' : ' '.repeat(container.width)) + comment
  if (leaf?.parent) return [leaf.to - 1, withLineBelow(lines[leaf.to - 1] ?? '', comment)]
  const from = leaf?.from ?? index
  return [from, (lines[from] ?? '').replace(/^(\uFEFF?)(.*?)(\r?)$/s, `$1${comment}$3\n$2$3`)]
}

/** Marks a key behind its value, or on its own line if the value starts below; all front matter by another comment. */
function markFrontMatter({ from, to }: Block, lines: readonly string[]): [number, string] {
  const firstLine = lines[from] ?? ''
  if (from === 0) return [0, withLineBelow(firstLine, `# ${privateMark}`)]
  let place = /:\s+[^\s|>#&!]/.test(firstLine) ? to - 1 : from
  while (place > from && /^\s*(?:#|$)/.test(lines[place] ?? '')) place -= 1
  return [place, (lines[place] ?? '').replace(/\r?$/, (end) => ` # ${privateMark}${end}`)]
}

function withLineBelow(line: string, added: string): string {
  return line.replace(/\r?$/, (end) => `${end}\n${added}${end}`)
}

/** Returns the 0-based line of a block that can end with a mark; undefined if the mark would break the block. */
function placeIn(block: Block, lines: readonly string[], index: number): number | undefined {
  if (block.kind === 'table') return index
  if (block.kind !== 'heading' && block.kind !== 'paragraph') return undefined
  const text = lines.slice(block.from, block.to).map((line) => withoutLead(line).trimEnd())
  if (block.kind === 'paragraph' && withoutDefinitions(text.join('\n')) === '') return undefined
  const isUnderlined = block.kind === 'heading' && text.length > 1
  let place = block.to - (isUnderlined ? 2 : 1)
  // With content, a marker in a paragraph would start an item.
  while (place > block.from && /^[\s>]*(?:[-*+]|\d{1,9}[.)])?\s*$/.test(lines[place] ?? '')) place -= 1
  return place
}

/** Appends the mark, before a block id, closing `#` of a heading, or the bar that ends a table row. */
function withMark(line: string): string {
  const text = line.trimEnd()
  const suffix = /\s\^[\w-]+$|\s#+$|\s?(?<!\\)\|$/.exec(text)?.[0] ?? ''
  return `${text.slice(0, text.length - suffix.length)} ${privateMark}${suffix}${line.slice(text.length)}`
}

/** Removes the 0-based lines `removed`. The lines that were private stay so, even if the line with their mark goes. */
export function withoutLines(text: string, removed: ReadonlySet<number>): string {
  const rows = text.split('\n')
  const { isFullyPrivate, privateLines } = visibilityOf(text)
  const remaining = [...rows.keys()].filter((line) => !removed.has(line))
  const result = remaining.map((line) => rows[line]).join('\n')
  if (isFullyPrivate)
    return hasContent(result) && !visibilityOf(result).isFullyPrivate ? withVisibility(result, true) : result
  return withPrivateLines(result, (line) => privateLines.has(remaining[line] ?? -1))
}
