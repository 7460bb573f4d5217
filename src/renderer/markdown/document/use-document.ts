import { useState } from 'react'
import { parseDocument, type DocumentKind, type Row } from '../parse/parse-document.ts'
import { documentWorker, useWorker } from './markdown-worker.ts'

export type DocumentRow = Row & { readonly id: number }

/**
 * Texts up to this many characters are split in the UI thread. Answers of this length are split with each new word,
 * and have their final height at once.
 */
const maxSyncLengths = { note: 40_000, answer: 100_000 }

/**
 * Pause in ms before a long text is split again. From about 200 kB on, it exceeds the pause between two keys, because
 * the work would slow down typing.
 */
const pauseMs = (text: string) => Math.min(400, 40 + text.length / 2000)

export function isLongDocument(text: string, kind: DocumentKind): boolean {
  return text.length > maxSyncLengths[kind]
}

/** Returns the rows of a text. For long texts they lag behind it, and are empty at first. */
export function useDocument(text: string, kind: DocumentKind): readonly DocumentRow[] {
  const isShort = !isLongDocument(text, kind)
  const [state, setState] = useState<{ readonly source?: string | Row[]; readonly rows: readonly DocumentRow[] }>({
    rows: [],
  })
  const last = useWorker(documentWorker, isShort ? undefined : text, { text, kind }, pauseMs(text))
  const source = isShort ? text : (last?.answer ?? state.source)
  if (source === undefined || source === state.source) return state.rows
  const rows = withIds(state.rows, typeof source === 'string' ? parseDocument(source, kind) : source)
  setState({ source, rows })
  return rows
}

let lastId = 0

/** Gives rows the ids of the rows that they equal or replace, and keeps unchanged rows. */
export function withIds(before: readonly DocumentRow[], rows: readonly Row[]): DocumentRow[] {
  const maxEqual = Math.min(before.length, rows.length)
  let head = 0
  while (head < maxEqual && isSameRow(before[head], rows[head])) head += 1
  let tail = 0
  while (tail < maxEqual - head && isSameRow(before.at(-1 - tail), rows.at(-1 - tail))) tail += 1
  return rows.map((row, index) => {
    const isInTail = index >= rows.length - tail
    const old = before[isInTail ? index - rows.length + before.length : index]
    const isReused = isInTail || index < before.length - tail
    if (!isReused || !old) return { ...row, id: (lastId += 1) }
    const isUnchanged = old.line === row.line && old.continues === row.continues && isSameRow(old, row)
    return isUnchanged ? old : { ...row, id: old.id }
  })
}

function isSameRow(one: Row | undefined, other: Row | undefined): boolean {
  if (one?.kind !== other?.kind || one?.text !== other?.text) return false
  return (one && 'depth' in one && one.depth) === (other && 'depth' in other && other.depth)
}

/** Returns the 0-based index of the last row that begins at or before a line, or -1. @param line 1-based */
export function rowOfLine(rows: readonly Row[], line: number): number {
  // Footnotes come last, regardless of their line.
  return rows.findLastIndex((row) => row.kind !== 'footnote' && row.line <= line)
}

/** Typical width of the text, px. */
export const documentWidth = 700
const charactersPerLine = documentWidth / 7.2

export function estimateHeight({ kind, text }: Row): number {
  const lines = text.split('\n').length
  if (kind === 'properties') return 40 + 30 * Math.min(lines, 40)
  if (kind === 'code') return 46 + 20 * Math.min(lines, 800)
  return 12 + 23 * Math.max(lines, text.length / charactersPerLine)
}

/** Returns the labels of the footnotes in the order of their numbers, separated by spaces. */
export function footnoteLabels(rows: readonly Row[]): string {
  return rows.flatMap((row) => (row.kind === 'footnote' ? row.label : [])).join(' ')
}
