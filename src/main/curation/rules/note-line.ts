import type { FileKind } from '#shared/contract/index.ts'
import { leadOf, withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { blocksOfNote } from '#shared/markdown/blocks/scan-blocks.ts'
import { lineEntry } from '#shared/markdown/log-entry.ts'
import { supersededLine, supersededNote } from '#shared/markdown/superseded.ts'
import type { Day } from '#search/text'

export interface Note {
  /** Relative to the workspace. */
  readonly path: string
  readonly kind: FileKind
  /** Day of a daily log; undefined for other notes. */
  readonly day: Day | undefined
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  /** True for a file of notes that were saved verbatim without a model. */
  readonly isRescued: boolean
  readonly text: string
  readonly hash: string
}

export interface Statement {
  readonly note: Note
  /** 1-based. */
  readonly line: number
  readonly raw: string
  /** The line without markers of lists, quotations and tasks, and without the time of a log entry. */
  readonly text: string
  /** True if the next line belongs to it, such as a nested list item. */
  readonly isParent: boolean
  /** Titles of the headings above it, outermost first. */
  readonly headings: readonly string[]
}

const minCharacters = 8

/** Returns the statements of a note. Skips superseded notes and lines, headings, tables, code and front matter. */
export function statementsOf(note: Note): Statement[] {
  if (note.isRescued || supersededNote(note.text)) return []
  const lines = note.text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const result: Statement[] = []
  const headings: string[] = []
  for (const block of blocksOfNote(lines)) {
    if (block.kind === 'heading' && !block.parent) {
      headings.length = Math.min(headings.length, block.level - 1)
      headings[block.level - 1] = block.title
    }
    if (block.kind !== 'paragraph') continue
    for (let at = block.from; at < block.to; at += 1) {
      const raw = lines[at] ?? ''
      const text = lineEntry(raw)?.text ?? withoutLead(raw).trim()
      if (text.length < minCharacters || /^\s*(\||<!--)/.test(raw) || supersededLine(raw)) continue
      result.push({ note, line: at + 1, raw, text, isParent: isParent(lines, at), headings: headings.filter(Boolean) })
    }
  }
  return result
}

function isParent(lines: readonly string[], at: number): boolean {
  const [current = '', next = ''] = [lines[at], lines[at + 1]]
  if (next.trim() === '' || next.startsWith('#')) return false
  const indent = (line: string) => /^\s*/.exec(line)?.[0].length ?? 0
  return indent(next) > indent(current) || !(leadOf(next).isItem || /^\s*[>|]/.test(next))
}
