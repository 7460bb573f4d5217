import { logHeading } from '#shared/markdown/log-heading.ts'
import { localDate, localTime } from './layout.ts'
import { noteBody, withFencesClosed } from './add-to-section.ts'

/** Whoever was asked to write a note and went away was asked no longer ago than this. */
const maxMinutesSince = 2

export interface PlacedEntry {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

/** The log with one more entry; one is begun where there is none yet. */
export function addLogEntry(log: string | undefined, note: string, at: Date): PlacedEntry & { readonly text: string } {
  const before = log === undefined || log === '' ? `# ${localDate(at)}\n` : withFencesClosed(log.replace(/\n*$/, '\n'))
  const entry = logEntry(note, at)
  return { text: `${before}\n${entry}`, ...placeOf(entry, before.split('\n').length + 1) }
}

/** The last entry with the very words of a note, of the last minutes before `at`. */
export function findLogEntry(log: string, note: string, at: Date): PlacedEntry | undefined {
  for (let minutes = 0; minutes <= maxMinutesSince; minutes += 1) {
    const entry = logEntry(note, new Date(at.getTime() - minutes * 60_000))
    const start = log.lastIndexOf(`\n${entry}`)
    if (start >= 0) return placeOf(entry, log.slice(0, start + 1).split('\n').length)
  }
  return undefined
}

function placeOf(entry: string, startLine: number): PlacedEntry {
  return { startLine, endLine: startLine + entry.split('\n').length - 2 }
}

function logEntry(note: string, at: Date): string {
  return `${logHeading(note, localTime(at))}\n${noteBody(note)}\n`
}
