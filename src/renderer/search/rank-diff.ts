import type { Candidate } from '#shared/contract/index.ts'

/** Places gained (positive) or lost by a candidate; `new` when it was not returned before, `gone` when it no longer is. */
export type Move = number | 'new' | 'gone'
export type Moves = ReadonlyMap<string, Move>

/** A name for a candidate that is the same in every ranking of a query. */
export function keyOf({ source, path, startLine, endLine, snippet }: Candidate): string {
  return `${source}/${path}/${startLine}-${endLine}/${snippet.length}`
}

/** @param before the ranking in force @param after the one that is tried; candidates that stay are left out */
export function movesBetween(before: readonly Candidate[], after: readonly Candidate[]): Moves {
  const old = placesOf(before)
  const now = placesOf(after)
  const moves = new Map<string, Move>()
  for (const candidate of after) {
    const key = keyOf(candidate)
    const [from, to] = [old.get(key), now.get(key)]
    if (from === undefined && to !== undefined) moves.set(key, 'new')
    else if (from !== undefined && to === undefined) moves.set(key, 'gone')
    else if (from !== undefined && to !== undefined && from !== to) moves.set(key, from - to)
  }
  return moves
}

/** The same for rankings of chunks that were cut otherwise: a chunk is the one that it shares most lines with. */
export function movesOfRechunk(before: readonly Candidate[], after: readonly Candidate[]): Moves {
  const returned = (candidates: readonly Candidate[]) => candidates.filter(({ verdict }) => verdict.kind === 'returned')
  const old = returned(before)
  const moves = new Map<string, Move>()
  for (const [index, candidate] of returned(after).entries()) {
    const shared = old.map((other) => sharedLines(candidate, other))
    const from = shared.indexOf(Math.max(0, ...shared))
    if (from < 0 || shared[from] === 0) moves.set(keyOf(candidate), 'new')
    else if (from !== index) moves.set(keyOf(candidate), from - index)
  }
  return moves
}

function sharedLines(one: Candidate, other: Candidate): number {
  if (one.path !== other.path || one.source !== other.source) return 0
  return Math.max(0, Math.min(one.endLine, other.endLine) - Math.max(one.startLine, other.startLine) + 1)
}

/** Places of what is returned, from 1 on. */
function placesOf(candidates: readonly Candidate[]): Map<string, number> {
  const returned = candidates.filter(({ verdict }) => verdict.kind === 'returned')
  return new Map(returned.map((candidate, index) => [keyOf(candidate), index + 1]))
}
