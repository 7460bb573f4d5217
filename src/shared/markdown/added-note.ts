/** A note that was added to a file; used to find and remove it again. Blank lines are ignored. */
export interface AddedNote {
  /** Headings created for it, outermost first, as written. */
  readonly headings: readonly string[]
  /** Title of the heading above it, without `#`. */
  readonly under: string
  readonly body: readonly string[]
  /** 1-based line of the body when it was added; if several places match, the closest one applies. */
  readonly at: number
}
