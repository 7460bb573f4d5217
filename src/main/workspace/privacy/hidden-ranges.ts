/** Local lines that a search must leave out. */
import type { LocalNote } from './privacy-rules.ts'

/** Notes with local text and their 0-based local lines, null for all lines. */
export type Unseen = readonly (readonly [path: string, lines: readonly number[] | null])[]

/** Returns undefined if there are none. */
export function unseenOf(notes: ReadonlyMap<string, LocalNote>): Unseen | undefined {
  if (notes.size === 0) return undefined
  return [...notes].map(([path, note]) => [path, note.isFullyLocal ? null : [...note.localLines]] as const)
}
