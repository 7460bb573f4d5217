import type { Range } from '../links/hidden-text.ts'

export interface Property {
  /** As it is written. */
  readonly name: string
  /** As they are written, without the brackets of a link; none for a property that says nothing. */
  readonly values: readonly string[]
  readonly isList: boolean
  /** It stands at the beginning: of the note as a whole, not of a block in it. */
  readonly isTop: boolean
  /** 1-based. */
  readonly line: number
}

export interface Tag {
  /** As it is written, without `#`. */
  readonly name: string
  /** 1-based. */
  readonly line: number
  /** Offsets of the name; null where it stands otherwise than it reads (`"a\u0062"`). */
  readonly place: Range | null
}

export interface NoteProperties {
  /** In the order of the text, bounded. */
  readonly properties: readonly Property[]
  readonly tags: readonly Tag[]
  /** There are more tags than these, or may be. */
  readonly isPartial: boolean
}
