import { diffArrays } from 'diff'
import {
  hasLocalMark,
  localMark,
  localFrontMatter,
  frontMatterDelimiters,
  matterValue,
  propertyValue,
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
  const end = /\r\n|\n/.exec(text)?.[0] ?? '\n'
  const added = (line: string): Line => ({ text: line, end })
  const lines = endedLines(text.slice(bom.length))
  const matter = frontMatterDelimiters(lines.map((line) => line.text))
  const close = matter ? lines.findIndex((line, at) => at > matter.from && matter.end.test(line.text)) : -1
  const [first, last] = matter && close > 0 ? [lines[matter.from], lines[close]] : []
  if (!matter || !first || !last) {
    const body = withoutProperties(lines)
    if (!isLocal) return bom + joined(body)
    const isEmpty = body.every((line) => line.text + line.end === '')
    return bom + joined([...['---', localFrontMatter, '---', ...(isEmpty ? [] : [''])].map(added), ...body])
  }
  const said = withoutKey(lines.slice(matter.from + 1, close))
  const isTable = first.text.trim().startsWith('+')
  // In TOML, a line after a table header would belong to the table.
  if (isLocal && isTable) said.unshift(added('visibility = "local"'))
  else if (isLocal) said.push(added(localFrontMatter))
  const body = lines.slice(close + 1)
  if (said.length === 0) return bom + joined(withoutFirstBlank(body))
  return bom + joined([outermost(first), ...said, outermost(last), ...body])
}

function endedLines(text: string): Line[] {
  const parts = text.split(/(\r\n|\n|\r)/)
  return parts.flatMap((line, at) => (at % 2 === 0 ? [{ text: line, end: parts[at + 1] ?? '' }] : []))
}

function joined(lines: readonly Line[]): string {
  return lines.map((line) => line.text + line.end).join('')
}

/** Most programs ignore indented front matter delimiters. */
function outermost({ text, end }: Line): Line {
  return { text: text.trimStart(), end }
}

function withoutFirstBlank(lines: readonly Line[]): readonly Line[] {
  return lines[0]?.text === '' ? lines.slice(1) : lines
}

function withoutKey(lines: readonly Line[]): Line[] {
  let isWithin = false
  return lines.filter(({ text }) => {
    // Leave a flow mapping with several keys to the user.
    if (!text.includes('{') && matterValue(text) !== undefined) isWithin = true
    else if (!/^(?:\s+\S|-\s|:\s)/.test(text)) isWithin = false
    return !isWithin
  })
}

function withoutProperties(lines: readonly Line[]): Line[] {
  const end = lines.findIndex(({ text }) => !/^[\s-]*(?:[\p{L}_][\p{L}\p{N}_-]*::.*)?$/u.test(text))
  return lines.filter(({ text }, at) => !(propertyValue(text) !== undefined && (end < 0 || at < end)))
}

/** Lines; larger texts are compared only by common prefix and suffix. */
const maxCompared = 20_000

/** Returns the 0-based lines of `after` that are not in `before`. */
export function addedLines(before: string, after: string): number[] {
  const [old, lines] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < lines.length && old[start] === lines[start]) start += 1
  let end = 0
  while (end < old.length - start && end < lines.length - start && old.at(-1 - end) === lines.at(-1 - end)) end += 1
  const [previous, current] = [old.slice(start, old.length - end), lines.slice(start, lines.length - end)]
  if (previous.length === 0 || previous.length + current.length > maxCompared) return current.map((_, at) => start + at)
  const added: number[] = []
  let at = start
  for (const part of diffArrays(previous, current)) {
    if (part.removed) continue
    if (part.added) added.push(...part.value.map((_, offset) => at + offset))
    at += part.value.length
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
 */
export function withAddedLocal(before: string | undefined, after: string, isShared: boolean): string {
  const isNew = before === undefined || before.trim() === ''
  if (isNew && !isShared) return withVisibility(after, true)
  const day = isNew ? /^# \d{4}-\d{2}-\d{2}\r?\n/.exec(after)?.[0] : undefined
  let text = after
  for (const line of addedLines(day ?? before ?? '', after)) {
    const lines = text.split('\n')
    const whole = lines[line] ?? ''
    const known = visibilityOf(text)
    if (!hasContent(whole) || known.isWhole || known.lines.has(line)) continue
    const [, said = whole, rest = ''] = /^(.*?)(\s*)$/s.exec(whole) ?? []
    lines[line] = hasLocalMark(whole) ? whole : `${said} ${localMark}${rest}`
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
  let at = 0
  return linesOf(before).every((line, index) => {
    if (!previous.isWhole && !previous.lines.has(index)) return true
    while (at < lines.length && !(lines[at] === line && (current.isWhole || current.lines.has(at)))) at += 1
    at += 1
    return at <= lines.length || line.trim() === ''
  })
}
