/** A note as rules see it, and the lines of it that say something by themselves. Pure. */
import type { FileKind } from '#shared/contract/index.ts'
import { supersededLine, supersededNote } from '#shared/markdown/superseded.ts'
import type { Day } from '#search/text'

export interface Note {
  readonly path: string
  readonly kind: FileKind
  /** Of a daily log. */
  readonly day: Day | undefined
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  readonly isRescued: boolean
  readonly text: string
  readonly hash: string
}

/** A line that says something. */
export interface Statement {
  readonly note: Note
  /** 1-based. */
  readonly line: number
  /** As it stands there. */
  readonly raw: string
  /** Without the marks of a list, a quotation, a box to tick. */
  readonly text: string
  /** Lines below belong to it. */
  readonly isParent: boolean
  /** The headings above it, outermost first. */
  readonly headings: readonly string[]
}

const mark = /^\s*(?:(?:>\s*)+)?(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[^\]]\]\s+)?/
const minCharacters = 8

/** Not of a note that is superseded as a whole, nor what is; no headings, tables, code or front matter. */
export function statementsOf(note: Note): Statement[] {
  if (note.isRescued || supersededNote(note.text)) return []
  const lines = note.text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  const found: Statement[] = []
  const headings: string[] = []
  let fence: string | undefined
  let start = 0
  if (/^\uFEFF?---$/.test(lines[0] ?? '')) start = lines.indexOf('---', 1) + 1
  for (let at = start; at < lines.length; at += 1) {
    const raw = lines[at] ?? ''
    const fenced = /^\s*(`{3,}|~{3,})/.exec(raw)?.[1]
    if (fence !== undefined) {
      if (fenced?.startsWith(fence)) fence = undefined
      continue
    }
    if (fenced !== undefined) {
      fence = fenced
      continue
    }
    const [, marks, title = ''] = /^(#{1,6})\s+(.*)$/.exec(raw) ?? []
    if (marks !== undefined) {
      headings.length = Math.min(headings.length, marks.length - 1)
      headings[marks.length - 1] = title.trim()
      continue
    }
    const text = raw.slice(mark.exec(raw)?.[0].length ?? 0).trim()
    if (text.length < minCharacters || /^\s*(\||<!--)/.test(raw) || supersededLine(raw)) continue
    found.push({ note, line: at + 1, raw, text, isParent: isParent(lines, at), headings: headings.filter(Boolean) })
  }
  return found
}

/** True where the next line belongs to this one: a list below it, or the rest of its sentence. */
function isParent(lines: readonly string[], at: number): boolean {
  const [own = '', next = ''] = [lines[at], lines[at + 1]]
  if (next.trim() === '' || next.startsWith('#')) return false
  const indent = (line: string) => /^\s*/.exec(line)?.[0].length ?? 0
  return indent(next) > indent(own) || !/^\s*(?:>|[-*+]\s|\d{1,9}[.)]\s|\|)/.test(next)
}
