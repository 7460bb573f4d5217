import { headingAt } from '#shared/markdown/blocks/line-starts.ts'
import { appendBlock, logEntry } from '#shared/markdown/log-entry.ts'
import { redactionPlaceholder, visibilityOf } from '#shared/markdown/visibility.ts'
import { localDate, localTime } from './layout.ts'
import { findLines, linesFrom, noteBody, withFencesClosed, type EntryLines } from './add-to-section.ts'

/** Maximum age of an entry that `findLogEntry` finds, minutes. It checks a recent request that got no answer. */
const maxEntryAgeMinutes = 2

/** Appends an entry to a daily log. Starts the log if it is undefined or empty. */
export function addLogEntry(log: string | undefined, note: string, at: Date): EntryLines & { readonly text: string } {
  const before = log === undefined || log === '' ? `# ${localDate(at)}\n` : withFencesClosed(log.replace(/\n*$/, '\n'))
  const { line, section } = entryForms(note, localTime(at))
  const entry = endsInPrivateText(before) ? section : line
  const text = appendBlock(before, entry)
  return { text, ...linesFrom(text.split('\n').length - entry.split('\n').length, entry) }
}

/** Finds the newest entry with exactly this note from the last two minutes before `at`; undefined if there is none. */
export function findLogEntry(log: string, note: string, at: Date): EntryLines | undefined {
  for (let minutes = 0; minutes <= maxEntryAgeMinutes; minutes += 1) {
    const { line, section } = entryForms(note, localTime(new Date(at.getTime() - minutes * 60_000)))
    const found = findLines(log, line) ?? findLines(log, section)
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

/** Returns the entry of a note, and its form with a heading, which ends the section before it. */
function entryForms(note: string, time: string): { readonly line: string; readonly section: string } {
  const body = noteBody(note)
  const section = `## ${time}\n${body}`
  const [firstLine = '', ...otherLines] = note.trim().split(/\r\n?|\n/)
  const { title = '' } = headingAt(firstLine) ?? {}
  const text = otherLines.join('\n').trim()
  const { isFullyPrivate, privateLines } = visibilityOf(note.trim())
  // A mark in the title would cover the whole entry.
  const hasTitle = title !== '' && text !== '' && !firstLine.includes('^[') && !isFullyPrivate && !privateLines.has(0)
  if (!hasTitle) return { line: logEntry(body, time), section }
  const titled = logEntry(noteBody(text), time, title)
  return { line: titled, section: titled }
}
