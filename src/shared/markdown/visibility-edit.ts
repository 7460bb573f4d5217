import { diffArrays } from 'diff'
import { secretsIn } from '../util/secrets.ts'
import {
  hasLocalMark,
  localMark,
  localFrontMatter,
  frontMatterDelimiters,
  frontMatterVisibility,
  propertyVisibility,
  visibilityOf,
} from './visibility.ts'

/** A line and its line break; the last line has none. */
interface Line {
  readonly text: string
  readonly end: string
}

/** Sets or removes the front matter property that marks a whole note local. Marks of sections and lines stay. */
export function withVisibility(text: string, isLocal: boolean): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const lineBreak = /\r\n|\n/.exec(text)?.[0] ?? '\n'
  const newLine = (line: string): Line => ({ text: line, end: lineBreak })
  const lines = splitLines(text.slice(bom.length))
  const matter = frontMatterDelimiters(lines.map((line) => line.text))
  const closingIndex = matter ? lines.findIndex((line, index) => index > matter.from && matter.end.test(line.text)) : -1
  const [opening, closing] = matter && closingIndex > 0 ? [lines[matter.from], lines[closingIndex]] : []
  if (!matter || !opening || !closing) {
    const body = withoutVisibilityProperty(lines)
    if (!isLocal) return bom + joinLines(body)
    const isEmpty = body.every((line) => line.text + line.end === '')
    return bom + joinLines([...['---', localFrontMatter, '---', ...(isEmpty ? [] : [''])].map(newLine), ...body])
  }
  const properties = withoutVisibilityKey(lines.slice(matter.from + 1, closingIndex))
  const isToml = opening.text.trim().startsWith('+')
  // In TOML, a line after a table header would belong to the table.
  if (isLocal && isToml) properties.unshift(newLine('visibility = "local"'))
  else if (isLocal) properties.push(newLine(localFrontMatter))
  const body = lines.slice(closingIndex + 1)
  if (properties.length === 0) return bom + joinLines(withoutFirstBlank(body))
  return bom + joinLines([withoutIndent(opening), ...properties, withoutIndent(closing), ...body])
}

function splitLines(text: string): Line[] {
  const parts = text.split(/(\r\n|\n|\r)/)
  return parts.flatMap((line, index) => (index % 2 === 0 ? [{ text: line, end: parts[index + 1] ?? '' }] : []))
}

function joinLines(lines: readonly Line[]): string {
  return lines.map((line) => line.text + line.end).join('')
}

/** Removes the indentation of a front matter delimiter: most programs ignore indented ones. */
function withoutIndent({ text, end }: Line): Line {
  return { text: text.trimStart(), end }
}

function withoutFirstBlank(lines: readonly Line[]): readonly Line[] {
  return lines[0]?.text === '' ? lines.slice(1) : lines
}

function withoutVisibilityKey(lines: readonly Line[]): Line[] {
  let isInVisibility = false
  return lines.filter(({ text }) => {
    // Leave a flow mapping with several keys to the user.
    if (!text.includes('{') && frontMatterVisibility(text) !== undefined) isInVisibility = true
    else if (!/^(?:\s+\S|-\s|:\s)/.test(text)) isInVisibility = false
    return !isInVisibility
  })
}

function withoutVisibilityProperty(lines: readonly Line[]): Line[] {
  const end = lines.findIndex(({ text }) => !/^[\s-]*(?:[\p{L}_][\p{L}\p{N}_-]*::.*)?$/u.test(text))
  return lines.filter(({ text }, index) => !(propertyVisibility(text) !== undefined && (end < 0 || index < end)))
}

/** Maximum number of lines to diff; in larger texts, all lines between the common prefix and suffix count as added. */
const maxCompared = 20_000

/** Returns the 0-based lines of `after` that are not in `before`. */
export function addedLines(before: string, after: string): number[] {
  const [oldLines, newLines] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(oldLines.length, newLines.length)
  let prefix = 0
  while (prefix < shorter && oldLines[prefix] === newLines[prefix]) prefix += 1
  let suffix = 0
  while (suffix < shorter - prefix && oldLines.at(-1 - suffix) === newLines.at(-1 - suffix)) suffix += 1
  const previous = oldLines.slice(prefix, oldLines.length - suffix)
  const current = newLines.slice(prefix, newLines.length - suffix)
  const isTooLong = previous.length + current.length > maxCompared
  if (previous.length === 0 || isTooLong) return current.map((_, index) => prefix + index)
  const added: number[] = []
  let lineIndex = prefix
  for (const part of diffArrays(previous, current)) {
    if (part.removed) continue
    if (part.added) added.push(...part.value.map((_, offset) => lineIndex + offset))
    lineIndex += part.value.length
  }
  return added
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/)
}

/**
 * Marks every added line local with as few marks as possible.
 * @param before undefined for a new file
 * @param isShared true for a file that also collects other notes (daily log, MEMORY.md): marks lines instead of the
 * whole file
 * @param isMarked selects the added lines (0-based) to mark
 */
export function withAddedLocal(
  before: string | undefined,
  after: string,
  isShared: boolean,
  isMarked: (line: number) => boolean = () => true,
): string {
  const isNew = before === undefined || before.trim() === ''
  if (isNew && !isShared) return withVisibility(after, true)
  const dayHeading = isNew ? /^# \d{4}-\d{2}-\d{2}\r?\n/.exec(after)?.[0] : undefined
  let text = after
  for (const index of addedLines(dayHeading ?? before ?? '', after).filter(isMarked)) {
    const lines = text.split('\n')
    const line = lines[index] ?? ''
    const visibility = visibilityOf(text)
    if (!hasContent(line) || visibility.isFullyLocal || visibility.localLines.has(index)) continue
    const [, content = line, trailingSpace = ''] = /^(.*?)(\s*)$/s.exec(line) ?? []
    lines[index] = hasLocalMark(line) ? line : `${content} ${localMark}${trailingSpace}`
    text = lines.join('\n')
  }
  return text
}

/** Returns true if the line has content besides Markdown markers; invisible characters count as content. */
export function hasContent(line: string): boolean {
  return /[^\s#>*+_=~`|:.-]|[\u00AD\u180E\u200B-\u200F\u2060-\u206F\uFEFF]/u.test(line)
}

/** Returns true if all local lines of `before` are still in `after`, in order and still local. */
export function preservesLocalLines(before: string, after: string): boolean {
  const previous = visibilityOf(before)
  const current = visibilityOf(after)
  const lines = linesOf(after)
  let next = 0
  return linesOf(before).every((line, index) => {
    if (!previous.isFullyLocal && !previous.localLines.has(index)) return true
    while (next < lines.length && !(lines[next] === line && (current.isFullyLocal || current.localLines.has(next))))
      next += 1
    next += 1
    return next <= lines.length || line.trim() === ''
  })
}

/** Returns the lines (0-based) that look like secrets and are not local. */
export function openSecretsIn(text: string): ReturnType<typeof secretsIn> {
  const { isFullyLocal, localLines } = visibilityOf(text)
  return secretsIn(text).filter(({ line }) => !isFullyLocal && !localLines.has(line))
}

/** Marks lines that look like secrets local. @param before earlier text, whose lines stay as they are */
export function withLocalSecrets(text: string, before?: string): string {
  const secretLines = new Set(openSecretsIn(text).map(({ line }) => line))
  return withAddedLocal(before, text, true, (line) => secretLines.has(line))
}
