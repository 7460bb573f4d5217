import { visibilityOf } from '#shared/markdown/visibility.ts'
import { logHeading } from '#shared/markdown/log-heading.ts'
import { localDate, localTime } from './layout.ts'
import { noteBody, withFencesClosed } from './add-to-section.ts'

/** Maximum age of an entry that `findLogEntry` finds, minutes. It checks a recent request that got no answer. */
const maxEntryAgeMinutes = 2

export interface EntryLines {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

/** Appends an entry to a daily log. Starts the log if it is undefined or empty. */
export function addLogEntry(log: string | undefined, note: string, at: Date): EntryLines & { readonly text: string } {
  const before = log === undefined || log === '' ? `# ${localDate(at)}\n` : withFencesClosed(log.replace(/\n*$/, '\n'))
  const entry = formatEntry(note, at)
  return { text: `${before}\n${entry}`, ...linesOfEntry(entry, before.split('\n').length + 1) }
}

/** Finds the newest entry with exactly this note from the last two minutes before `at`; undefined if there is none. */
export function findLogEntry(log: string, note: string, at: Date): EntryLines | undefined {
  for (let minutes = 0; minutes <= maxEntryAgeMinutes; minutes += 1) {
    const entry = formatEntry(note, new Date(at.getTime() - minutes * 60_000))
    const start = log.lastIndexOf(`\n${entry}`)
    if (start >= 0) return linesOfEntry(entry, log.slice(0, start + 1).split('\n').length)
  }
  return undefined
}

function linesOfEntry(entry: string, startLine: number): EntryLines {
  return { startLine, endLine: startLine + entry.split('\n').length - 2 }
}

/** The heading of a note whose first line is private has no title, which would repeat that line. */
function formatEntry(note: string, at: Date): string {
  const { isFullyPrivate, privateLines } = visibilityOf(note.trim())
  const heading = logHeading(isFullyPrivate || privateLines.has(0) ? '' : note, localTime(at))
  return `${heading}\n${noteBody(note)}\n`
}
