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

/** A line with what ends it; nothing ends the last one. */
interface Line {
  readonly text: string
  readonly end: string
}

/** The note, local as a whole, or not by what it says of itself; its sections and lines keep their marks. */
export function withVisibility(text: string, isLocal: boolean): string {
  const bom = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const end = /\r\n|\n/.exec(text)?.[0] ?? '\n'
  const added = (line: string): Line => ({ text: line, end })
  const lines = endedLines(text.slice(bom.length))
  const matter = matterOf(lines.map((line) => line.text))
  const close = matter ? lines.findIndex((line, at) => at > matter.from && matter.end.test(line.text)) : -1
  const [first, last] = matter && close > 0 ? [lines[matter.from], lines[close]] : []
  if (!matter || !first || !last) {
    const body = withoutProperties(lines)
    if (!isLocal) return bom + joined(body)
    const isEmpty = body.every((line) => line.text + line.end === '')
    return bom + joined([...['---', localMatter, '---', ...(isEmpty ? [] : [''])].map(added), ...body])
  }
  const said = withoutKey(lines.slice(matter.from + 1, close))
  const isTable = first.text.trim().startsWith('+')
  // A table of TOML would take in what comes after it.
  if (isLocal && isTable) said.unshift(added('visibility = "local"'))
  else if (isLocal) said.push(added(localMatter))
  const body = lines.slice(close + 1)
  if (said.length === 0) return bom + joined(withoutLead(body))
  return bom + joined([outermost(first), ...said, outermost(last), ...body])
}

function endedLines(text: string): Line[] {
  const parts = text.split(/(\r\n|\n|\r)/)
  return parts.flatMap((line, at) => (at % 2 === 0 ? [{ text: line, end: parts[at + 1] ?? '' }] : []))
}

function joined(lines: readonly Line[]): string {
  return lines.map((line) => line.text + line.end).join('')
}

/** Further in, the marks of front matter are none to most programs. */
function outermost({ text, end }: Line): Line {
  return { text: text.trimStart(), end }
}

function withoutLead(lines: readonly Line[]): readonly Line[] {
  return lines[0]?.text === '' ? lines.slice(1) : lines
}

/** A value may go on in lines that are further in. */
function withoutKey(lines: readonly Line[]): Line[] {
  let isWithin = false
  return lines.filter(({ text }) => {
    // Of a line that says more, all is the reader's to change.
    if (!text.includes('{') && matterValue(text) !== undefined) isWithin = true
    else if (!/^(?:\s+\S|-\s|:\s)/.test(text)) isWithin = false
    return !isWithin
  })
}

function withoutProperties(lines: readonly Line[]): Line[] {
  const end = lines.findIndex(({ text }) => !/^[\s-]*(?:[\p{L}_][\p{L}\p{N}_-]*::.*)?$/u.test(text))
  return lines.filter(({ text }, at) => !(propertyValue(text) !== undefined && (end < 0 || at < end)))
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
