/**
 * Entries of a daily log. A short note is one line, and a list of facts one line each; a longer note has a heading, with
 * a title if the note has one:
 *
 *   - 10:30 Rust over C
 *
 *   ## 10:45 - Call with the landlord
 *   He sends somebody on Thursday.
 */
import { leadOf, withoutLead } from './blocks/line-starts.ts'

/** Maximum characters of a note without a heading. */
const maxLineNote = 120

/** Returns an entry without a final line break. @param time `HH:MM` @param title of a longer note; '' without one */
export function logEntry(note: string, time: string, title = ''): string {
  // The marker of a list item is not repeated; a task keeps its box, and a quotation its mark.
  const line = note.replace(/^[-*+]\s+(?!\[.\]\s)/, '')
  const isLine = !/\n|^(?:>|[-*+]\s)/.test(line) && [...line].length <= maxLineNote
  if (title === '' && isLine) return `- ${time} ${line}`
  return `## ${time}${title === '' ? '' : ` - ${title}`}\n${note}`
}

/** Returns the items of a note that is only a list of short ones without levels; undefined for others. */
export function listedFacts(note: string): string[] | undefined {
  const items = note.trim().split('\n')
  const isFact = (item: string) => /^[-*+] +(?!\[.\] )\S/.test(item) && logEntry(item, '').startsWith('- ')
  return items.length > 1 && items.every(isFact) ? items : undefined
}

/** Returns time and text of an entry of one line; undefined for other lines. */
export function lineEntry(line: string): { readonly time: string; readonly text: string } | undefined {
  const [, time, text = ''] = /^[-*+]\s+(\d{1,2}:\d{2})\s+(?:[-–—]\s+)?(.*\S)/.exec(line) ?? []
  return time === undefined ? undefined : { time, text }
}

/**
 * Returns the entries of a daily log, newest first, each with its title or its first line.
 * @returns `time`: `HH:MM`, empty if the entry has none; `line`: 1-based
 */
export function logEntries(log: string) {
  const entries: { time: string; text: string; line: number }[] = []
  let pendingHeading: { time: string; line: number } | undefined
  for (const [index, line] of log.split('\n').entries()) {
    const item = lineEntry(line)
    if (item) {
      entries.push({ ...item, line: index + 1 })
      pendingHeading = undefined
      continue
    }
    const { level } = leadOf(line)
    const content = withoutLead(line)
    const heading = level > 1 ? /^(?:(\d{1,2}:\d{2})(?:\s*[-–—]\s*|\s*$))?(.*)$/.exec(content) : undefined
    const text = (heading ? (heading[2] ?? '') : content).trim()
    if (heading) pendingHeading = { time: heading[1] ?? '', line: index + 1 }
    if (text === '' || level === 1) continue
    if (heading || pendingHeading || entries.length === 0) {
      entries.push({ time: pendingHeading?.time ?? '', text, line: pendingHeading?.line ?? index + 1 })
      pendingHeading = undefined
    }
  }
  return entries.reverse()
}

/** Appends a block after an empty line, or an item directly to a list. */
export function appendBlock(text: string, block: string): string {
  const before = text === '' ? '' : text.replace(/\n*$/, '\n')
  const [lastLine = ''] = before.split('\n').slice(-2)
  const isInList = /^[-*+]\s/.test(lastLine) && /^[-*+]\s/.test(block)
  return `${before}${before === '' || isInList ? '' : '\n'}${block.replace(/\n*$/, '\n')}`
}

/** Cuts a text after at most `limit` characters, at a word boundary if one is near, and adds an ellipsis. */
export function cutAtWord(text: string, limit: number): string {
  const characters = [...text]
  if (characters.length <= limit) return text
  const cut = characters.slice(0, limit).join('')
  const lastSpace = cut.lastIndexOf(' ')
  return `${(lastSpace > limit / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`
}
