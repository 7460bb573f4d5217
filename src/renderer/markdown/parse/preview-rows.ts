import { isSamePiece } from '../chat/split-markdown.ts'
import type { Document, Row } from './parse-document.ts'

export interface PreviewRow {
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

export interface PreviewState extends DocumentDetails {
  readonly rows: readonly PreviewRow[]
}

export const emptyPreview: PreviewState = {
  rows: [],
  lines: new Int32Array(),
  continues: new Uint8Array(),
  footnotes: [],
}

export function patchOf(before: readonly Row[], { rows, lines, continues, footnotes }: Document): Patch {
  const maxEqual = Math.min(before.length, rows.length)
  let head = 0
  while (head < maxEqual && isSamePiece(before[head], rows[head])) head += 1
  let tail = 0
  while (tail < maxEqual - head && isSamePiece(before.at(-1 - tail), rows.at(-1 - tail))) tail += 1
  return { head, tail, rows: rows.slice(head, rows.length - tail), lines, continues, footnotes }
}

/** Applies a patch. Rows that are not replaced keep their ids. @param nextId returns an unused id */
export function applyPatch({ rows: before, ...old }: PreviewState, patch: Patch, nextId: () => number): PreviewState {
  const { head, tail, rows, lines, continues, footnotes } = patch
  const end = before.length - tail
  // An edited row keeps its id, so that it rerenders in place.
  const middle = rows.map((row, index): PreviewRow => {
    const replaced = head + index < end ? before[head + index] : undefined
    return { id: replaced?.id ?? nextId(), row }
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
export function rowOfLine({ rows, lines }: PreviewState, line: number): number {
  const footnotesStart = rows.findIndex(({ row }) => row.kind === 'footnote')
  // Footnotes come last, regardless of their line.
  const others = lines.subarray(0, footnotesStart < 0 ? rows.length : footnotesStart)
  return others.findLastIndex((rowLine) => rowLine <= line)
}

/** Returns the estimated height of a row, px. @param width width of the text, px */
export function estimatedHeight(entry: PreviewRow, width: number): number {
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
