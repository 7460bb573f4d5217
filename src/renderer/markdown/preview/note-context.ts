import { createContext, useContext, type ReactNode } from 'react'
import type { Row } from '../parse/parse-document.ts'
import type { LineChange } from './line-edits.ts'
import type { PreviewRow } from '../parse/preview-rows.ts'

export interface Note {
  readonly agent: string
  readonly path: string
  /** The notes in which this one is embedded, outermost first, and this note. */
  readonly ancestors: readonly string[]
  /** True if a single newline renders as a line break. */
  readonly hasLineBreaks: boolean
  /** Footnote numbers by label, from 1. */
  readonly footnotes: ReadonlyMap<string, number>
  readonly onFootnote: (label: string) => void
  /** Undefined if the note is read-only. `line` is 1-based. */
  readonly onEdit: ((line: number, change: LineChange) => void) | undefined
  /** Returns the current 1-based source line of a row. */
  readonly lineOf: (row: PreviewRow) => number
  /** In the context to avoid an import cycle: embeds render rows, and rows render embeds. */
  readonly renderRow: (row: Row) => ReactNode
}

export const emptyNote: Note = {
  agent: '',
  path: '',
  ancestors: [],
  hasLineBreaks: false,
  footnotes: new Map(),
  onFootnote: () => undefined,
  onEdit: undefined,
  lineOf: () => 1,
  renderRow: () => null,
}

export const NoteContext = createContext<Note>(emptyNote)

export function useNote(): Note {
  return useContext(NoteContext)
}

/** Maps a 1-based line of the row to the current line of the note, or undefined if that is unknown. */
export const RowLineContext = createContext<(line: number) => number | undefined>(() => undefined)
