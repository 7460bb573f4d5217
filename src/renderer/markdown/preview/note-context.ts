import { createContext, useContext, type ReactNode } from 'react'
import type { Row } from '../parse/parse-document.ts'
import type { LineChange } from './line-edits.ts'
import type { ShownRow } from '../parse/preview-rows.ts'

export interface Note {
  readonly agent: string
  readonly path: string
  /** Notes that this one is embedded in, outermost first; itself last. */
  readonly within: readonly string[]
  /** The end of a line in a paragraph is one that is seen. */
  readonly hasLineBreaks: boolean
  /** Numbers by label. */
  readonly footnotes: ReadonlyMap<string, number>
  readonly onFootnote: (label: string) => void
  /** Undefined where the note cannot be written. `line` is 1-based. */
  readonly onEdit: ((line: number, change: LineChange) => void) | undefined
  /** The line that a row begins at now, 1-based. */
  readonly lineOf: (row: ShownRow) => number
  /** What embeds is part of what is embedded. */
  readonly draw: (row: Row) => ReactNode
}

export const emptyNote: Note = {
  agent: '',
  path: '',
  within: [],
  hasLineBreaks: false,
  footnotes: new Map(),
  onFootnote: () => undefined,
  onEdit: undefined,
  lineOf: () => 1,
  draw: () => null,
}

export const NoteContext = createContext<Note>(emptyNote)

export function useNote(): Note {
  return useContext(NoteContext)
}

/** The line of the note that a line of the row (1-based) is now; undefined where that cannot be told. */
export const RowLine = createContext<(line: number) => number | undefined>(() => undefined)
