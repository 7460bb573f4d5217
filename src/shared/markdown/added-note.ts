/** What was added for a note, apart from empty lines. */
export interface AddedNote {
  /** Headings that were made for it, outermost first, as they were written. */
  readonly headings: readonly string[]
  /** The heading above it, without its marks. */
  readonly under: string
  /** Its own lines. */
  readonly body: readonly string[]
  /** 1-based, where the body stood then: of several that say the same the nearest is taken. */
  readonly at: number
}
