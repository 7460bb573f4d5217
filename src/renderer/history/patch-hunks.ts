/** A unified diff in its hunks. Pure. */
import { parseLargeChange } from '../../shared/large-change.ts'

/** A unified diff of one file, taken apart into diffs of one hunk each; one that shows no lines stays whole. Pure. */
export function splitHunks(patch: string): string[] {
  const lines = patch.split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  if (first < 0) return parseLargeChange(patch) ? [patch] : []
  const header = lines.slice(0, first)
  const hunks: string[][] = []
  for (const line of lines.slice(first)) {
    if (line.startsWith('@@')) hunks.push([])
    hunks.at(-1)?.push(line)
  }
  return hunks.map((hunk) => `${[...header, ...hunk].join('\n').trimEnd()}\n`)
}

/** A name for a hunk that stays while its lines do. */
export function hunkKey(hunk: string): string {
  let hash = 5381
  for (const letter of hunk) hash = ((hash * 33) ^ (letter.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}
