import { logHeading } from '#shared/markdown/log-heading.ts'
import { localDate, localTime } from './layout.ts'
import { noteBody, withFencesClosed } from './add-to-section.ts'

/** Minutes that `findLogEntry` looks back: a request without an answer is checked soon after it. */
const maxMinutesSince = 2

export interface PlacedEntry {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

/** Appends an entry to a daily log. Starts the log if it is undefined or empty. */
export function addLogEntry(log: string | undefined, note: string, at: Date): PlacedEntry & { readonly text: string } {
  const before = log === undefined || log === '' ? `# ${localDate(at)}\n` : withFencesClosed(log.replace(/\n*$/, '\n'))
  const entry = logEntry(note, at)
  return { text: `${before}\n${entry}`, ...entryLines(entry, before.split('\n').length + 1) }
}

/** Finds the newest entry with exactly this note from the last two minutes before `at`; undefined if there is none. */
export function findLogEntry(log: string, note: string, at: Date): PlacedEntry | undefined {
  for (let minutes = 0; minutes <= maxMinutesSince; minutes += 1) {
    const entry = logEntry(note, new Date(at.getTime() - minutes * 60_000))
    const start = log.lastIndexOf(`\n${entry}`)
    if (start >= 0) return entryLines(entry, log.slice(0, start + 1).split('\n').length)
  }
  return undefined
}

function entryLines(entry: string, startLine: number): PlacedEntry {
  return { startLine, endLine: startLine + entry.split('\n').length - 2 }
}

function logEntry(note: string, at: Date): string {
  return `${logHeading(note, localTime(at))}\n${noteBody(note)}\n`
}
