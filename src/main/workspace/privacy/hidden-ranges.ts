/** What somebody does not see of a memory, as whoever searches it is told (M64). Pure. */
import type { LocalNote } from './privacy-rules.ts'

/** Notes of which anything stays here: their 0-based lines that do, null for all. */
export type Unseen = readonly (readonly [path: string, lines: readonly number[] | null])[]

/** @returns undefined where nothing does */
export function unseenOf(notes: ReadonlyMap<string, LocalNote>): Unseen | undefined {
  if (notes.size === 0) return undefined
  return [...notes].map(([path, { isWhole, lines }]) => [path, isWhole ? null : [...lines]] as const)
}
