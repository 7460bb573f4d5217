import type { Document, Row } from './parse-document.ts'

export interface PreviewRow {
  readonly id: number
  readonly row: Row
  /** Cached: the estimate reads the whole text of the row. */
  guess?: { readonly width: number; readonly height: number }
}

/** The difference between two versions of a document: the rows between `head` and `tail` are replaced. */
export interface Patch {
  readonly head: number
  readonly tail: number
  readonly rows: readonly Row[]
  readonly lines: Int32Array
  readonly joined: Uint8Array
  readonly footnotes: readonly string[]
}

export interface PreviewState {
  readonly rows: readonly PreviewRow[]
  readonly lines: Int32Array
  readonly joined: Uint8Array
  readonly footnotes: readonly string[]
}

export const emptyPreview: PreviewState = { rows: [], lines: new Int32Array(), joined: new Uint8Array(), footnotes: [] }

/** Returns the patch from the current rows to a new document. */
export function patchOf(before: readonly Row[], { rows, lines, continues, footnotes }: Document): Patch {
  const most = Math.min(before.length, rows.length)
  let head = 0
  while (head < most && isSame(before[head], rows[head])) head += 1
  let tail = 0
  while (tail < most - head && isSame(before.at(-1 - tail), rows.at(-1 - tail))) tail += 1
  return { head, tail, rows: rows.slice(head, rows.length - tail), lines, joined: continues, footnotes }
}

/** Applies a patch. Rows that are not replaced keep their ids. @param nextId returns an unused id */
export function applyPatch({ rows: before, ...old }: PreviewState, patch: Patch, nextId: () => number): PreviewState {
  const { head, tail, rows, lines, joined, footnotes } = patch
  const end = before.length - tail
  // An edited row keeps its id, so that it rerenders in place.
  const middle = rows.map((row, index): PreviewRow => {
    const replaced = head + index < end ? before[head + index] : undefined
    return { id: replaced?.id ?? nextId(), row }
  })
  const isSameList =
    footnotes.length === old.footnotes.length && footnotes.every((label, at) => label === old.footnotes[at])
  return {
    rows: middle.length === 0 && head === end ? before : [...before.slice(0, head), ...middle, ...before.slice(end)],
    lines,
    joined,
    footnotes: isSameList ? old.footnotes : footnotes,
  }
}

function isSame(one: Row | undefined, other: Row | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one.kind === other.kind && one.text === other.text && depthOf(one) === depthOf(other)
}

function depthOf(row: Row): number {
  return 'depth' in row ? row.depth : 0
}

/** Returns the 0-based index of the last row that begins at or before a line, or -1. @param line 1-based */
export function rowOfLine({ rows, lines }: PreviewState, line: number): number {
  // Footnotes come last, regardless of their line.
  let found = -1
  let below = 0
  let above = rows.findIndex(({ row }) => row.kind === 'footnote') - 1
  if (above < -1) above = rows.length - 1
  while (below <= above) {
    const middle = (below + above) >> 1
    if ((lines[middle] ?? 0) <= line) {
      found = middle
      below = middle + 1
    } else above = middle - 1
  }
  return found
}

/** Returns the estimated height of a row, px. @param width width of the text, px */
export function estimatedHeight(shown: PreviewRow, width: number): number {
  if (shown.guess?.width !== width) shown.guess = { width, height: estimateHeight(shown.row, width) }
  return shown.guess.height
}

function estimateHeight({ kind, text }: Row, width: number): number {
  const perLine = Math.max(20, width / 7.2)
  if (kind === 'properties') return 40 + 30 * text.split('\n', 40).length
  let lines = 0
  for (let at = 0; at <= text.length && lines < 2000;) {
    const end = text.indexOf('\n', at)
    const stop = end < 0 ? text.length : end
    lines += kind === 'code' ? 1 : Math.max(1, Math.ceil((stop - at) / perLine))
    at = stop + 1
  }
  return kind === 'code' ? 46 + 20 * Math.min(lines, 800) : 12 + 23 * lines
}
