import { parseLargeChange } from '#shared/util/large-change.ts'

export interface PatchLine {
  readonly kind: 'added' | 'removed' | 'same'
  readonly text: string
}

const kinds = { '+': 'added', '-': 'removed', ' ': 'same' } as const

/** Returns the lines of a unified diff without headers, from the first to the last non-blank change. */
export function patchLines(patch: string): PatchLine[] {
  const lines: PatchLine[] = []
  let isInHunk = false
  for (const line of patch.split('\n')) {
    if (line.startsWith('@@')) {
      isInHunk = true
      continue
    }
    const kind = kinds[line[0] as keyof typeof kinds]
    if (isInHunk && kind) lines.push({ kind, text: line.slice(1) })
  }
  const isChange = ({ kind, text }: PatchLine) => kind !== 'same' && text.trim() !== ''
  const first = lines.findIndex(isChange)
  const last = lines.findLastIndex(isChange)
  return first < 0 ? lines : lines.slice(first, last + 1)
}

/**
 * Splits a patch into patches of one hunk each.
 * @returns the patch itself for a large-change header; empty if there are no hunks
 */
export function splitHunks(patch: string): string[] {
  const lines = patch.split('\n')
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'))
  if (firstHunk < 0) return parseLargeChange(patch) ? [patch] : []
  const header = lines.slice(0, firstHunk)
  const hunks: string[][] = []
  for (const line of lines.slice(firstHunk)) {
    if (line.startsWith('@@')) hunks.push([])
    hunks.at(-1)?.push(line)
  }
  return hunks.map((hunk) => `${[...header, ...hunk].join('\n').trimEnd()}\n`)
}

/** Returns a hash of the hunk's text (djb2, base 36). */
export function hunkKey(hunk: string): string {
  let hash = 5381
  for (const character of hunk) hash = ((hash * 33) ^ (character.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}
