import { parseLargeChange } from './large-change.ts'

/**
 * Splits a patch into patches of one hunk each.
 * @returns the patch itself for a large-change header; empty if there are no hunks
 */
export function splitHunks(patch: string): string[] {
  const { header, hunks } = splitPatch(patch)
  if (hunks.length === 0) return parseLargeChange(patch) ? [patch] : []
  return hunks.map((hunk) => `${[...header, ...hunk].join('\n').trimEnd()}\n`)
}

/** Removes the hunks whose 0-based index `isPicked` rejects; a patch without hunks stays unchanged. */
export function pickHunks(patch: string, isPicked: (index: number) => boolean): string {
  const { header, hunks } = splitPatch(patch)
  if (hunks.length === 0) return patch
  const picked = hunks.filter((_, index) => isPicked(index)).flat()
  return `${[...header, ...picked].join('\n').trimEnd()}\n`
}

/** Returns a hash of the hunk's text (djb2, base 36). */
export function hunkKey(hunk: string): string {
  let hash = 5381
  for (const character of hunk) hash = ((hash * 33) ^ (character.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}

function splitPatch(patch: string): { header: string[]; hunks: string[][] } {
  const lines = patch.split('\n')
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'))
  if (firstHunk < 0) return { header: lines, hunks: [] }
  const hunks: string[][] = []
  for (const line of lines.slice(firstHunk)) {
    if (line.startsWith('@@')) hunks.push([])
    hunks.at(-1)?.push(line)
  }
  return { header: lines.slice(0, firstHunk), hunks }
}
