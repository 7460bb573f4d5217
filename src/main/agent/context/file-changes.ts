/**
 * Changes of the loaded files since the beginning of a chat. Every request begins with the text that the
 * app read first, so that the provider's prompt cache holds. The app sends a change once, with the next message.
 */
import type { FileChangeNote } from '#shared/chat/messages.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import type { ContextFile } from './assemble.ts'

/** Lines of the files by path. */
export type FileLines = ReadonlyMap<string, ReadonlySet<string>>

const linesOf = (text: string | null) => (text ?? '').split(/\r?\n/).filter((line) => line.trim() !== '')

/** Returns the lines that a chat knows: those of the files as they were read, changed by the notes sent since. */
export function knownLines(files: readonly ContextFile[], sent: readonly FileChangeNote[]): FileLines {
  const loaded = files.filter(({ day }) => day !== 'summary')
  const known = new Map(loaded.map(({ path, text }) => [path, new Set(linesOf(text))]))
  for (const { path, added, removed } of sent) {
    const lines = known.get(path) ?? new Set<string>()
    known.set(path, lines)
    for (const line of removed) lines.delete(line)
    for (const line of added) lines.add(line)
  }
  return known
}

/**
 * Returns the changes that the chat does not know of, without those of session summaries.
 * @param written text that the agent wrote in this chat: neither its lines nor those it replaced are sent
 * @param said other text of the chat, whose lines are not sent again
 */
export function changesSince(
  known: FileLines,
  files: readonly ContextFile[],
  written: string,
  said: string,
): FileChangeNote[] {
  const current = new Map(files.filter(({ day }) => day !== 'summary').map(({ path, text }) => [path, linesOf(text)]))
  const isTitle = (line: string) => /^# \d{4}-\d{2}-\d{2}$/.test(line)
  return [...new Set([...known.keys(), ...current.keys()])].flatMap((path) => {
    const before = known.get(path) ?? new Set()
    const after = current.get(path) ?? []
    const isWritten = (line: string) => isTitle(line) || written.includes(noteIn(line))
    const added = after.filter((line) => !before.has(line) && !isWritten(line) && !said.includes(noteIn(line)))
    const removed = [...before].filter((line) => !after.includes(line) && !isWritten(line))
    return added.length + removed.length === 0 ? [] : [{ path, added, removed }]
  })
}

/** Returns a line without list mark, time and source marks, which the app adds to the text of a note. */
function noteIn(line: string): string {
  return withoutLead(line)
    .replace(/^\d{1,2}:\d{2}\s+|\s*\^\[[^\]]*\]/g, '')
    .trim()
}
