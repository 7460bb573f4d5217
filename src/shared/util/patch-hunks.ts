import { parseLargeChange } from './large-change.ts'

/** Diffs of one hunk each; one that shows no lines stays whole. */
export function splitHunks(patch: string): string[] {
  const { header, hunks } = parts(patch)
  if (hunks.length === 0) return parseLargeChange(patch) ? [patch] : []
  return hunks.map((hunk) => `${[...header, ...hunk].join('\n').trimEnd()}\n`)
}

/** The diff with some of its hunks only; by their places, 0-based. */
export function pickHunks(patch: string, isPicked: (place: number) => boolean): string {
  const { header, hunks } = parts(patch)
  if (hunks.length === 0) return patch
  const picked = hunks.filter((_, place) => isPicked(place)).flat()
  return `${[...header, ...picked].join('\n').trimEnd()}\n`
}

/** A name for a hunk that stays while its lines do. */
export function hunkKey(hunk: string): string {
  let hash = 5381
  for (const letter of hunk) hash = ((hash * 33) ^ (letter.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}

function parts(patch: string): { header: string[]; hunks: string[][] } {
  const lines = patch.split('\n')
  const first = lines.findIndex((line) => line.startsWith('@@'))
  if (first < 0) return { header: lines, hunks: [] }
  const hunks: string[][] = []
  for (const line of lines.slice(first)) {
    if (line.startsWith('@@')) hunks.push([])
    hunks.at(-1)?.push(line)
  }
  return { header: lines.slice(0, first), hunks }
}
