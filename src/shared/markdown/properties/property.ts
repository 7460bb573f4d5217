import type { Range } from '../links/hidden-text.ts'

export interface Property {
  readonly name: string
  /** Raw values without link brackets; empty if the property has no value. */
  readonly values: readonly string[]
  readonly isList: boolean
  /** True if the property applies to the whole note: front matter or leading lines; false for a property of a block. */
  readonly isTop: boolean
  /** 1-based. */
  readonly line: number
}

export interface Tag {
  /** Raw name without `#`. */
  readonly name: string
  /** 1-based. */
  readonly line: number
  /** UTF-16 offsets of the name; null if the source differs from the name (`"a\u0062"`). */
  readonly place: Range | null
}

export interface NoteProperties {
  /** In text order; truncated for large notes. */
  readonly properties: readonly Property[]
  readonly tags: readonly Tag[]
  /** True if the note has, or may have, more tags than listed. */
  readonly isPartial: boolean
}
