import { AppError } from '#shared/util/errors.ts'
import type { LinesOfFile } from '#shared/util/file-lines.ts'
import type { Dialect } from '#shared/markdown/blocks/scan-blocks.ts'
import { openBlockEnd, type Section, sectionsOf, withoutHeadings } from '#shared/markdown/sections.ts'
import { redactionPlaceholder, visibilityOf } from '#shared/markdown/visibility.ts'
import { withPrivateLines } from '#shared/markdown/visibility-edit.ts'
import { headingAt } from '#shared/markdown/blocks/line-starts.ts'
import { appendBlock, listedFacts, logEntry } from '#shared/markdown/log-entry.ts'
import { localDate, localTime } from './layout.ts'

export type EntryLines = Omit<LinesOfFile, 'path'>

/** Strips heading marks from the name of a section. @throws AppError `input_invalid` for an empty or multi-line name */
export function sectionTitle(input: string): string {
  const title = input.replace(/^[\s\uFEFF#]+/, '').trim()
  const reason = title === '' ? 'a section needs a name' : 'the name of a section must be one line'
  if (title === '' || /[\p{Cc}\u2028\u2029]/u.test(title)) throw new AppError('input_invalid', reason, { reason })
  return title
}

function findSection(lines: readonly string[], title: string): Section | undefined {
  const sections = sectionsOf(lines)
  // The parser reads the heading `C#` as `C`.
  const name = sectionsOf([`## ${title}`])[0]?.title ?? title
  const lowerCaseName = name.toLowerCase()
  return (
    sections.find((section) => section.title === name) ??
    sections.find((section) => section.title.toLowerCase() === lowerCaseName) ??
    // A private section has `^[private]` in its title. The note must not go to a new section that is open.
    sections.find((section) => withoutFootnotes(section.title).toLowerCase() === withoutFootnotes(lowerCaseName))
  )
}

function withoutFootnotes(title: string): string {
  return title.replaceAll(/\^\[[^\]]*\]/g, '').trim()
}

/** Closes code, HTML or math that the text leaves open, so that appended text is not part of it. */
export function withBlocksClosed(text: string, dialect?: Dialect): string {
  const fence = openBlockEnd(text.split('\n'), dialect)
  if (fence === undefined) return text
  return text.endsWith('\n') ? `${text}${fence}\n` : `${text}\n${fence}`
}

/** Returns the text of a note for a place below a heading: escapes headings and closes open blocks. */
export function noteBody(text: string): string {
  const note = text.replaceAll(/\r\n?/g, '\n').trim()
  const { isFullyPrivate, privateLines } = visibilityOf(note)
  const body = withBlocksClosed(withoutHeadings(note), { isPart: true })
  // The mark of a heading that is no heading any more would cover one line only.
  return withPrivateLines(body, (line) => isFullyPrivate || privateLines.has(line))
}

/** Further lines are indented. */
export function noteItem(text: string): string {
  const [firstLine = '', ...otherLines] = noteBody(text).split('\n')
  return [`- ${firstLine}`, ...otherLines.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')
}

export function findLines(text: string, note: string): EntryLines | undefined {
  const start = `\n${text}\n`.lastIndexOf(`\n${note}\n`)
  return start < 0 ? undefined : linesFrom(text.slice(0, start).split('\n').length, note)
}

function linesFrom(startLine: number, note: string): EntryLines {
  return { startLine, endLine: startLine + note.split('\n').length - 1 }
}

/** Creates the section at the end of the text if it does not exist. */
export function addToSection(text: string, title: string, note: string): EntryLines & { readonly text: string } {
  const lines = text === '' ? [] : text.replace(/\n*$/, '').split('\n')
  const section = findSection(lines, title)
  if (!section) {
    const blankLines = lines.length === 0 ? [] : ['']
    const fence = openBlockEnd(lines)
    const before = [...lines, ...(fence === undefined ? [] : [fence]), ...blankLines, `## ${title}`, '']
    return { text: `${[...before, note].join('\n')}\n`, ...linesFrom(before.length + 1, note) }
  }
  const end = lines.slice(0, section.to).findLastIndex((line) => line.trim() !== '') + 1
  const linesBelow = lines.slice(section.to)
  const before = [...lines.slice(0, end), ...(end === section.from ? [''] : [])]
  const after = linesBelow.length === 0 ? [] : ['', ...linesBelow]
  return { text: `${[...before, note, ...after].join('\n')}\n`, ...linesFrom(before.length + 1, note) }
}

/** Maximum age of an entry that `findLogEntry` finds, minutes. It checks a recent request that got no answer. */
const maxEntryAgeMinutes = 2

/**
 * Appends an entry to a daily log. Starts the log if it is undefined or empty.
 * @param splitsList true if each item of a list of short facts becomes an entry
 */
export function addLogEntry(
  log: string | undefined,
  note: string,
  at: Date,
  splitsList = false,
): EntryLines & { readonly text: string } {
  const before = log === undefined || log === '' ? `# ${localDate(at)}\n` : withBlocksClosed(log.replace(/\n*$/, '\n'))
  const { line, facts, section } = entryForms(note, localTime(at))
  const entry = endsInPrivateText(before) ? section : splitsList ? facts : line
  const text = appendBlock(before, entry)
  return { text, ...linesFrom(text.split('\n').length - entry.split('\n').length, entry) }
}

/** Finds the newest entry with exactly this note. */
export function findLogEntry(log: string, note: string, at: Date): EntryLines | undefined {
  for (let minutes = 0; minutes <= maxEntryAgeMinutes; minutes += 1) {
    const { line, facts, section } = entryForms(note, localTime(new Date(at.getTime() - minutes * 60_000)))
    const found = findLines(log, facts) ?? findLines(log, line) ?? findLines(log, section)
    if (found) return found
  }
  return undefined
}

/** Returns true if a line at the end of the text would belong to a private section, or follows a hidden line. */
export function endsInPrivateText(text: string): boolean {
  const { isFullyPrivate, privateLines } = visibilityOf(`${text.trimEnd()}\n- 00:00`)
  if (isFullyPrivate) return false
  return privateLines.has(text.trimEnd().split('\n').length) || text.trimEnd().endsWith(redactionPlaceholder)
}

/**
 * Returns the entry of a note, its form with a heading, which ends the section before it, and `facts`: an entry for each
 * item if the note is a list of short facts.
 */
function entryForms(note: string, time: string) {
  const body = noteBody(note)
  const section = `## ${time}\n${body}`
  const [firstLine = '', ...otherLines] = note.trim().split(/\r\n?|\n/)
  const { title = '' } = headingAt(firstLine) ?? {}
  const text = otherLines.join('\n').trim()
  const { isFullyPrivate, privateLines } = visibilityOf(note.trim())
  // A private mark in the title would cover the whole entry.
  const hasTitle = title !== '' && text !== '' && !isFullyPrivate && !privateLines.has(0)
  const line = hasTitle ? logEntry(noteBody(text), time, title) : logEntry(body, time)
  const facts = listedFacts(body)?.map((fact) => logEntry(fact, time))
  return { line, facts: facts?.join('\n') ?? line, section: hasTitle ? line : section }
}
