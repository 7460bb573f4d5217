/** The unit of index, ranking and results: an entry of a note or a part of a long one, or a chunk of lines. */
export interface Unit {
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** The entry's Markdown without list markers, quote markers and indentation; the lines of a chunk as they are. */
  readonly text: string
  /** Titles of the headings above, outermost first, joined by `headingSeparator`; empty for a chunk. */
  readonly heading: string
  /** Text of the parent list items or of the table's header; empty if the unit has neither. */
  readonly context: string
  /** Speaker of a dialogue line (`Ana: …`); empty if the text has none. */
  readonly label: string
  readonly kind: 'text' | 'heading' | 'code'
  /** Number of the entry within the note; the parts of a divided entry share it. */
  readonly entry: number
}

export const headingSeparator = ' › '
