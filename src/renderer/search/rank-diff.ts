import type { Candidate } from '#shared/contract/index.ts'

/** Ranks gained (positive) or lost. `new`: was not returned before; `gone`: is no longer returned. */
export type RankChange = number | 'new' | 'gone'
export type RankChanges = ReadonlyMap<string, RankChange>

/** Returns a key that identifies a candidate in every ranking of a query. */
export function keyOf({ source, path, startLine, endLine, snippet }: Candidate): string {
  return `${source}/${path}/${startLine}-${endLine}/${snippet.length}`
}

/**
 * Returns the changes of rank; candidates with the same rank are omitted.
 * @param before current ranking
 * @param after ranking under the settings being tried
 */
export function diffRanks(before: readonly Candidate[], after: readonly Candidate[]): RankChanges {
  const old = placesOf(before)
  const now = placesOf(after)
  const moves = new Map<string, RankChange>()
  for (const candidate of after) {
    const key = keyOf(candidate)
    const [from, to] = [old.get(key), now.get(key)]
    if (from === undefined && to !== undefined) moves.set(key, 'new')
    else if (from !== undefined && to === undefined) moves.set(key, 'gone')
    else if (from !== undefined && to !== undefined && from !== to) moves.set(key, from - to)
  }
  return moves
}

/** Returns the 1-based ranks of the returned candidates. */
function placesOf(candidates: readonly Candidate[]): Map<string, number> {
  const returned = candidates.filter(({ verdict }) => verdict.kind === 'returned')
  return new Map(returned.map((candidate, index) => [keyOf(candidate), index + 1]))
}
