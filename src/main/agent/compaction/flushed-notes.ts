/** Notes in the text that a flush adds to a file: each list item, and the other text below a heading. */
import { addedIn, type FileChange } from '#shared/util/file-change.ts'
import { scanBlocks } from '#shared/markdown/blocks/scan-blocks.ts'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { cutAtWord } from '#shared/markdown/log-entry.ts'
import { messagesBehind, type DigestLine, type LinkedMessage } from '../sessions/digest.ts'

/** Maximum characters of a note in a daily log. */
const maxNote = 300
/** Maximum characters of a line in a digest. */
const maxLine = 120

interface Note {
  /** 0-based lines, end exclusive. */
  readonly from: number
  to: number
  /** Title of its heading; empty for list items. */
  readonly title: string
}

function notesIn(lines: readonly string[]): Note[] {
  const notes: Note[] = []
  let open: Note | undefined
  let title = ''
  for (const block of scanBlocks(lines, { isPart: true })) {
    if (block.parent) continue
    const { from, to } = block
    if (block.kind === 'heading') {
      open = undefined
      title = block.level > 1 ? block.title.replace(timePattern, '') : ''
    } else if (open && block.kind !== 'item') open.to = to
    else {
      const note = { from, to, title: block.kind === 'item' ? '' : title }
      open = block.kind === 'item' ? undefined : note
      notes.push(note)
    }
  }
  return notes
}

const timePattern = /^\d{1,2}:\d{2}\b\s*(?:[-–—]\s*)?/
const leadPattern = /^(?:[-*+]\s+)?(?:\d{1,2}:\d{2}\s+)?(?:[-–—]\s+)?/
const linkPattern = / … \[[^[\]\n]+\]/
const marks = /\s*\^\[[^\]\n]*\]/g

/**
 * Cuts notes of more than 300 characters at a word, and adds a link to the rest. Drops items that the log contains.
 * @param placeOf returns the link's target for a note
 * @param isKept returns false for a note to drop
 */
export function shortenNotes(
  added: string,
  placeOf: (note: string) => string,
  log = '',
  isKept: (note: string) => boolean = () => true,
): string {
  const lines = added.split('\n')
  const known = new Set(log.split(/\r?\n/).map((line) => line.replace(leadPattern, '')))
  const notes = notesIn(lines)
  for (const { from, to } of notes.toReversed()) {
    const note = lines.slice(from, to).join('\n')
    const lead = leadPattern.exec(note)?.[0] ?? ''
    const text = shorten(note.slice(lead.length), placeOf)
    const isRepeated = lead !== '' && known.has(text)
    lines.splice(from, to - from, ...(isRepeated || !isKept(note.slice(lead.length)) ? [] : [lead + text]))
  }
  // A heading whose items are all dropped goes, too.
  return notes.length > 0 && notesIn(lines).length === 0 ? '' : lines.join('\n')
}

function shorten(text: string, placeOf: (note: string) => string): string {
  // A fence in one line would open a code block.
  const words = text
    .replaceAll(/`{3,}|~{3,}/g, '')
    .replaceAll(marks, '')
    .split(/\s+/)
  const plain = words.join(' ').trim()
  if ([...plain.replace(linkPattern, '')].length <= maxNote) return text
  const cut = cutAtWord(plain, maxNote).replace(/…$/, ' …')
  return `${cut} [${placeOf(plain)}]${(text.match(marks) ?? []).join('')}`
}

/** Returns a digest line for each note that the changes add. */
export function digestLinesOf(changes: readonly FileChange[], messages: readonly LinkedMessage[]): DigestLine[] {
  return changes.flatMap(({ path, patch }) => {
    // A line that also occurs as removed is not new.
    const removed = new Set(patch.split('\n').flatMap((line) => (line.startsWith('-') ? [line.slice(1)] : [])))
    const lines = addedIn(patch).filter((line) => line.trim() === '' || !removed.has(line))
    return notesIn(lines).map(({ from, to, title }): DigestLine => {
      const note = lines.slice(from, to).join('\n').replaceAll(marks, '').replace(linkPattern, '')
      const [firstLine = ''] = note.replace(leadPattern, '').split('\n')
      const text = cutAtWord(title || withoutLead(firstLine).trim(), maxLine)
      return { kind: 'note', text, messages: messagesBehind(`${title} ${note}`, messages), note: path }
    })
  })
}
