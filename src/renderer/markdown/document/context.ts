import { createContext, useContext } from 'react'
import type { Components } from 'react-markdown'
import type { NoteLinks } from '../citations/use-note-links.ts'
import type { LineChange } from '../parse/line-edits.ts'
import type { Syntax } from '../parse/plugins.ts'

/** Data and functions for the rows of an answer or a note. */
export interface DocumentContextValue {
  readonly agent: string
  /** Path of the note; empty in answers. */
  readonly path: string
  /** The notes in which this one is embedded, outermost first, and this note. */
  readonly ancestors: readonly string[]
  readonly syntax: Syntax
  /** In the context to avoid an import cycle: embeds render rows, and rows render embeds. */
  readonly components: Components
  /** The link functions of the note; undefined in answers. */
  readonly links: NoteLinks | undefined
  /** Footnote labels in the order of their numbers, which start at 1. */
  readonly footnotes: readonly string[]
  readonly onFootnote: (label: string) => void
  /** Undefined if the text is read-only. `line` is 1-based. */
  readonly onEdit: ((line: number, change: LineChange) => void) | undefined
}

export const emptyContext: DocumentContextValue = {
  agent: '',
  path: '',
  ancestors: [],
  syntax: 'answer',
  components: {},
  links: undefined,
  footnotes: [],
  onFootnote: () => undefined,
  onEdit: undefined,
}

export const DocumentContext = createContext<DocumentContextValue>(emptyContext)

export function useDocumentContext(): DocumentContextValue {
  return useContext(DocumentContext)
}

/** Maps a 1-based line of the row to the current line of the note, or undefined if that is unknown. */
export const RowLineContext = createContext<(line: number) => number | undefined>(() => undefined)
