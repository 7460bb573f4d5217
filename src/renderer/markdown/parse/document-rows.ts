import type { Document, Row } from './parse-document.ts'

export interface DocumentRow {
  readonly id: number
  readonly row: Row
  /** Cached, since estimating the height reads the whole text of the row. */
  estimate?: { readonly width: number; readonly height: number }
}

type DocumentDetails = Pick<Document, 'lines' | 'continues' | 'footnotes'>

/** The difference between two versions of a document: `rows` replace those between `head` and `tail` equal rows. */
export interface Patch extends DocumentDetails {
  readonly head: number
  readonly tail: number
  readonly rows: readonly Row[]
}

export interface DocumentState extends DocumentDetails {
  readonly rows: readonly DocumentRow[]
}

export const emptyDocument: DocumentState = {
  rows: [],
  lines: new Int32Array(),
  continues: new Uint8Array(),
  footnotes: [],
}

export function patchOf(before: readonly Row[], { rows, lines, continues, footnotes }: Document): Patch {
  const maxEqual = Math.min(before.length, rows.length)
  let head = 0
  while (head < maxEqual && isSameRow(before[head], rows[head])) head += 1
  let tail = 0
  while (tail < maxEqual - head && isSameRow(before.at(-1 - tail), rows.at(-1 - tail))) tail += 1
  return { head, tail, rows: rows.slice(head, rows.length - tail), lines, continues, footnotes }
}

/** Returns true if two rows render the same. */
function isSameRow(one: Row | undefined, other: Row | undefined): boolean {
  if (one?.kind !== other?.kind || one?.text !== other?.text) return false
  return (one && 'depth' in one && one.depth) === (other && 'depth' in other && other.depth)
}

let lastId = 0

/** Applies a patch. Rows that are not replaced keep their ids. */
export function applyPatch({ rows: before, ...old }: DocumentState, patch: Patch): DocumentState {
  const { head, tail, rows, lines, continues, footnotes } = patch
  const end = before.length - tail
  // An edited row keeps its id, so that it rerenders in place.
  const middle = rows.map((row, index): DocumentRow => {
    const replaced = head + index < end ? before[head + index] : undefined
    return { id: replaced?.id ?? (lastId += 1), row }
  })
  const hasSameFootnotes =
    footnotes.length === old.footnotes.length && footnotes.every((label, at) => label === old.footnotes[at])
  return {
    rows: middle.length === 0 && head === end ? before : [...before.slice(0, head), ...middle, ...before.slice(end)],
    lines,
    continues,
    footnotes: hasSameFootnotes ? old.footnotes : footnotes,
  }
}

/** Returns the 0-based index of the last row that begins at or before a line, or -1. @param line 1-based */
export function rowOfLine({ rows, lines }: DocumentState, line: number): number {
  const footnotesStart = rows.findIndex(({ row }) => row.kind === 'footnote')
  // Footnotes come last, regardless of their line.
  const others = lines.subarray(0, footnotesStart < 0 ? rows.length : footnotesStart)
  return others.findLastIndex((rowLine) => rowLine <= line)
}

/** Returns the estimated height of a row, px. @param width width of the text, px */
export function estimatedHeight(entry: DocumentRow, width: number): number {
  if (entry.estimate?.width !== width) entry.estimate = { width, height: estimateHeight(entry.row, width) }
  return entry.estimate.height
}

function estimateHeight({ kind, text }: Row, width: number): number {
  const charactersPerLine = Math.max(20, width / 7.2)
  if (kind === 'properties') return 40 + 30 * text.split('\n', 40).length
  let lines = 0
  for (let start = 0; start <= text.length && lines < 2000;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    lines += kind === 'code' ? 1 : Math.max(1, Math.ceil((end - start) / charactersPerLine))
    start = end + 1
  }
  return kind === 'code' ? 46 + 20 * Math.min(lines, 800) : 12 + 23 * lines
}
