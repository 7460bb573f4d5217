import type { FileChange } from '#shared/util/file-change.ts'
import { addLogEntry, findLogEntry } from './daily-log.ts'
import type { RememberedLines, WorkspaceWrite, WriteOrigin } from './workspace-writer.ts'
import { dailyLogPath, localDate, longTermFile, type Layout } from './layout.ts'
import { withAddedPrivate } from '#shared/markdown/visibility-edit.ts'
import { sectionsOf } from '#shared/markdown/sections.ts'
import type { AddedNote } from '#shared/markdown/added-note.ts'
import { addToSection, findInSection, noteItem, type EntryLines } from './add-to-section.ts'

interface Notes {
  readonly layout: Layout
  exists(path: string): Promise<boolean>
  read(path: string): Promise<{ readonly text: string }>
  edit(path: string, origin: WriteOrigin, rewrite: (text: string | undefined) => string): Promise<WorkspaceWrite>
  describe(write: WorkspaceWrite): Promise<FileChange>
}

/** Appends a note to the daily log, marked private if `isPrivate`. @throws AppError as `Workspace.edit` */
export async function addToLog(
  notes: Notes,
  text: string,
  at: Date,
  origin: WriteOrigin,
  isPrivate: boolean,
): Promise<RememberedLines> {
  const path = dailyLogPath(localDate(at), notes.layout)
  let entryLines: EntryLines = { startLine: 1, endLine: 1 }
  let note = emptyNote
  const write = await notes.edit(path, origin, (current) => {
    const result = addLogEntry(current, text, at)
    const written = isPrivate ? withAddedPrivate(current, result.text, true) : result.text
    entryLines = { startLine: result.startLine, endLine: result.endLine }
    const lines = written.split('\n')
    const entry = lines.slice(entryLines.startLine - 1, entryLines.endLine)
    const heading = entry[0]?.startsWith('#') ? entry.slice(0, 1) : []
    const bodyLine = entryLines.startLine + heading.length
    const headings = [...(current === undefined || current === '' ? lines.slice(0, 1) : []), ...heading]
    const under = sectionsOf(lines).findLast(({ from }) => from <= bodyLine)?.title ?? ''
    note = { headings, under, body: entry.slice(heading.length), at: bodyLine }
    return written
  })
  return { path, ...entryLines, change: await notes.describe(write), note }
}

/** Adds a note as a list item to a section of MEMORY.md. @throws AppError as `Workspace.edit` */
export async function addToMemorySection(
  notes: Notes,
  section: string,
  text: string,
  origin: WriteOrigin,
): Promise<RememberedLines> {
  const path = longTermFile(notes.layout)
  let note = emptyNote
  const item = noteItem(text)
  const write = await notes.edit(path, origin, (current = '') => {
    const { text, startLine, heading, under } = addToSection(current, section, item)
    note = { headings: heading === undefined ? [] : [heading], under, body: item.split('\n'), at: startLine }
    return text
  })
  const endLine = note.at + item.split('\n').length - 1
  return { path, startLine: note.at, endLine, change: await notes.describe(write), note }
}

const emptyNote: AddedNote = { headings: [], under: '', body: [], at: 1 }

/** Finds a note in the daily log, or in a section of MEMORY.md. @returns undefined if the file does not contain it */
export async function findNote(
  notes: Notes,
  text: string,
  at: Date,
  section: string | undefined,
): Promise<Omit<RememberedLines, 'change' | 'note'> | undefined> {
  const path = section === undefined ? dailyLogPath(localDate(at), notes.layout) : longTermFile(notes.layout)
  if (!(await notes.exists(path))) return undefined
  const { text: fileText } = await notes.read(path)
  const entryLines =
    section === undefined ? findLogEntry(fileText, text, at) : findInSection(fileText, section, noteItem(text))
  return entryLines && { path, ...entryLines }
}
