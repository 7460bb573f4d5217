/**
 * Writes down who may see a note, as `visibility.ts` reads it: in the front matter for all of it, by marks where lines are
 * added to it. Ends of lines and the mark of the byte order stay as they are. Pure.
 */
import { diffArrays } from 'diff'
import {
  hasLocalMark,
  localMark,
  localMatter,
  matterOf,
  matterValue,
  propertyValue,
  visibilityOf,
} from './visibility.ts'

/** The note, local as a whole, or not by what it says of itself; its sections and lines keep their marks. */
export function withVisibility(text: string, isLocal: boolean): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const end = /\r\n|\n/.exec(text)?.[0] ?? '\n'
  const lines = text.slice(bom.length).split(/\r?\n/)
  const matter = matterOf(lines)
  const close = matter ? lines.findIndex((line, at) => at > matter.from && matter.end.test(line)) : -1
  const [from, mark] = matter && close > 0 ? [matter.from, (lines[matter.from] ?? '').trim()] : [0, '---']
  const said = close > 0 ? withoutKey(lines.slice(from + 1, close)) : []
  const body = close > 0 ? lines.slice(close + 1) : withoutProperties(lines)
  // A table of TOML would take in what comes after it.
  if (isLocal && mark.startsWith('+')) said.unshift('visibility = "local"')
  else if (isLocal) said.push(localMatter)
  if (close > 0 && said.length === 0) return bom + withoutLead(body).join(end)
  if (said.length === 0) return bom + body.join(end)
  const rest = close > 0 || (body[0] ?? '') === '' ? body : ['', ...body]
  const last = mark.startsWith('+') ? '+++' : '---'
  return bom + [mark, ...said, last, ...(rest.length === 0 ? [''] : rest)].join(end)
}

function withoutLead(lines: readonly string[]): readonly string[] {
  return lines[0] === '' ? lines.slice(1) : lines
}

/** A value may go on in lines that are further in. */
function withoutKey(lines: readonly string[]): string[] {
  let isWithin = false
  return lines.filter((line) => {
    // Of a line that says more, all is the reader's to change.
    if (!line.includes('{') && matterValue(line) !== undefined) isWithin = true
    else if (!/^(?:\s+\S|-\s|:\s)/.test(line)) isWithin = false
    return !isWithin
  })
}

function withoutProperties(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => !/^[\s-]*(?:[\p{L}_][\p{L}\p{N}_-]*::.*)?$/u.test(line))
  return lines.filter((line, at) => !(propertyValue(line) !== undefined && (end < 0 || at < end)))
}

/** Texts of more lines are compared by their ends alone. */
const maxCompared = 20_000

/** 0-based lines of `after` that `before` does not have. */
export function addedLines(before: string, after: string): number[] {
  const [old, lines] = [linesOf(before), linesOf(after)]
  let start = 0
  while (start < old.length && start < lines.length && old[start] === lines[start]) start += 1
  let end = 0
  while (end < old.length - start && end < lines.length - start && old.at(-1 - end) === lines.at(-1 - end)) end += 1
  const [was, is] = [old.slice(start, old.length - end), lines.slice(start, lines.length - end)]
  if (was.length === 0 || was.length + is.length > maxCompared) return is.map((_, at) => start + at)
  const added: number[] = []
  let at = start
  for (const part of diffArrays(was, is)) {
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
 * The text with every line that was added to it kept on this machine, by as few marks as that takes.
 * @param isGathered others will be added to it that are not local: a log of a day, MEMORY.md
 */
export function withAddedLocal(before: string | undefined, after: string, isGathered: boolean): string {
  const isNew = before === undefined || before.trim() === ''
  if (isNew && !isGathered) return withVisibility(after, true)
  const day = isNew ? /^# \d{4}-\d{2}-\d{2}\r?\n/.exec(after)?.[0] : undefined
  let text = after
  for (const line of addedLines(day ?? before ?? '', after)) {
    const lines = text.split('\n')
    const whole = lines[line] ?? ''
    const known = visibilityOf(text)
    if (!saysSomething(whole) || known.isWhole || known.lines.has(line)) continue
    const [, said = whole, rest = ''] = /^(.*?)(\s*)$/s.exec(whole) ?? []
    lines[line] = hasLocalMark(whole) ? whole : `${said} ${localMark}${rest}`
    text = lines.join('\n')
  }
  return text
}

/** Anything but what Markdown draws lines and tables with; signs that nobody sees say something too. */
export function saysSomething(line: string): boolean {
  return /[^\s#>*+_=~`|:.-]|[\u00AD\u180E\u200B-\u200F\u2060-\u206F\uFEFF]/u.test(line)
}

/** Whether all that was local still stands, in its order, and is local still. */
export function keepsLocal(before: string, after: string): boolean {
  const was = visibilityOf(before)
  const is = visibilityOf(after)
  const lines = linesOf(after)
  let at = 0
  return linesOf(before).every((line, index) => {
    if (!was.isWhole && !was.lines.has(index)) return true
    while (at < lines.length && !(lines[at] === line && (is.isWhole || is.lines.has(at)))) at += 1
    at += 1
    return at <= lines.length || line.trim() === ''
  })
}
