import type { Candidate } from '#shared/contract/index.ts'

/** Ranks gained (positive) or lost. `new`: was not returned before; `gone`: is no longer returned. */
export type RankChange = number | 'new' | 'gone'
export type RankChanges = ReadonlyMap<string, RankChange>

/** Returns a key that identifies a candidate in every ranking of a query. */
export function keyOf({ source, path, startLine, endLine, snippet }: Candidate): string {
  return `${source}/${path}/${startLine}-${endLine}/${snippet.trim()}`
}

/**
 * Returns the changes of rank by candidate key; omits candidates whose rank stays the same.
 * @param before current ranking
 * @param after ranking under the settings being tried
 */
export function diffRanks(before: readonly Candidate[], after: readonly Candidate[]): RankChanges {
  const oldRanks = ranksOf(before)
  const newRanks = ranksOf(after)
  const changes = new Map<string, RankChange>()
  for (const candidate of after) {
    const key = keyOf(candidate)
    const [from, to] = [oldRanks.get(key), newRanks.get(key)]
    if (from === undefined && to !== undefined) changes.set(key, 'new')
    else if (from !== undefined && to === undefined) changes.set(key, 'gone')
    else if (from !== undefined && to !== undefined && from !== to) changes.set(key, from - to)
  }
  return changes
}

/** Returns the 1-based ranks of the returned candidates. */
function ranksOf(candidates: readonly Candidate[]): Map<string, number> {
  const returned = candidates.filter(({ verdict }) => verdict.kind === 'returned')
  return new Map(returned.map((candidate, index) => [keyOf(candidate), index + 1]))
}
