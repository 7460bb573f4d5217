import type { Candidate, Explanation, RecalledLines, SearchResult } from '#shared/contract/index.ts'

export const columns = ['entry', 'vector', 'text', 'score', 'verdict'] as const

export interface CandidateOrder {
  readonly column: (typeof columns)[number]
  readonly isReversed: boolean
}

export interface CandidateTableRow {
  readonly candidate: Candidate
  /** Thresholds between this row and the one before; if the order is reversed, the one after. */
  readonly thresholds: readonly { readonly score: number; readonly source?: 'notes' | 'chats' }[]
}

/** Returns all candidates, with thresholds between scores above and below them, or before the verdicts that are weak. */
export function candidateRows(
  { candidates, thresholds: { notes, chats } }: Pick<Explanation, 'candidates' | 'thresholds'>,
  { column, isReversed }: CandidateOrder,
): CandidateTableRow[] {
  const both = [
    { score: notes, source: 'notes' as const },
    { score: chats, source: 'chats' as const },
  ]
  const limits = notes === chats ? [{ score: notes }] : both
  const isBelow = (limit: number, candidate: Candidate | undefined) =>
    candidate !== undefined &&
    (column === 'score' ? candidate.score < limit : column === 'verdict' && candidate.verdict.kind === 'weak')
  const sorted = candidates.toSorted((one, other) => compare(one, other, column))
  const rows = sorted.map((candidate, at) => ({
    candidate,
    thresholds: limits.filter(({ score }) => isBelow(score, candidate) && !isBelow(score, sorted[at - 1])),
  }))
  return isReversed ? rows.reverse() : rows
}

/** Compares paths and lines; figures, the highest first and missing ones last; or verdicts, in the order of the results. */
function compare(one: Candidate, other: Candidate, column: CandidateOrder['column']): number {
  if (column === 'entry') return one.path.localeCompare(other.path) || one.startLine - other.startLine
  if (column === 'score') return other.score - one.score
  if (column === 'verdict') return groupOf(one) - groupOf(other) || (groupOf(one) === 2 ? other.score - one.score : 0)
  // Below every cosine and BM25.
  const missing = -2
  return (other[column]?.raw ?? missing) - (one[column]?.raw ?? missing)
}

/** Returns 0 for results, 1 for candidates that were left out, 2 for weak ones. */
function groupOf({ verdict }: Candidate): number {
  return verdict.kind === 'returned' ? 0 : verdict.kind === 'weak' ? 2 : 1
}

/** Ranks gained (positive) or lost. `new`: was not returned before; `gone`: is no longer returned. */
export type RankChange = number | 'new' | 'gone'
export type RankChanges = ReadonlyMap<string, RankChange>

export function candidateKey({ source, path, startLine, endLine, snippet }: Candidate): string {
  return `${source}/${path}/${startLine}-${endLine}/${snippet.trim()}`
}

/** Returns the changes of rank by candidate key; omits candidates whose rank stays the same. */
export function diffRanks(before: readonly Candidate[], after: readonly Candidate[]): RankChanges {
  const oldRanks = ranksOf(before)
  const newRanks = ranksOf(after)
  const changes = new Map<string, RankChange>()
  for (const candidate of after) {
    const key = candidateKey(candidate)
    const [from, to] = [oldRanks.get(key), newRanks.get(key)]
    if (from === to) continue
    changes.set(key, from === undefined ? 'new' : to === undefined ? 'gone' : from - to)
  }
  return changes
}

/** Returns the 1-based ranks of the returned candidates. */
function ranksOf(candidates: readonly Candidate[]): Map<string, number> {
  const returned = candidates.filter(({ verdict }) => verdict.kind === 'returned')
  return new Map(returned.map((candidate, index) => [candidateKey(candidate), index + 1]))
}

/** Weak matches that are shown, and the score that each must have, except those that fill the first rows. */
const maxWeak = 20
const minWeakScore = 0.02
const firstRows = 3

/** Groups candidates in the order of the page. @param candidates notes, best first, then chats, best first */
export function resultGroups(candidates: readonly Candidate[]) {
  const withVerdict = (kind: Candidate['verdict']['kind']) => candidates.filter(({ verdict }) => verdict.kind === kind)
  const returned = withVerdict('returned')
  const weak = withVerdict('weak').toSorted((one, other) => other.score - one.score)
  const likely = weak.filter(({ score }) => score >= minWeakScore)
  const shown = Math.min(maxWeak, Math.max(likely.length, firstRows - returned.length))
  return [
    { name: 'notes', candidates: returned.filter(({ source }) => source !== 'sessions') },
    { name: 'chats', candidates: returned.filter(({ source }) => source === 'sessions') },
    { name: 'weak', candidates: weak.slice(0, shown) },
  ] as const
}

/**
 * Compares stored results with current ones. Overlapping lines of the same file count as the same result,
 * since edits shift lines. A score is undefined if that search did not return the lines.
 */
export function compareResults(
  stored: readonly RecalledLines[],
  current: readonly Pick<SearchResult, 'path' | 'startLine' | 'endLine' | 'score'>[],
) {
  const unmatched = [...current]
  const compared = stored.map(({ path, startLine, endLine, score, use }) => {
    const index = unmatched.findIndex(
      (other) => other.path === path && other.startLine <= endLine && startLine <= other.endLine,
    )
    const [match] = index < 0 ? [] : unmatched.splice(index, 1)
    const lines = match ?? { startLine, endLine }
    return { path, startLine: lines.startLine, endLine: lines.endLine, scoreThen: score, scoreNow: match?.score, use }
  })
  const added = unmatched.map(({ path, startLine, endLine, score }) => {
    return { path, startLine, endLine, scoreThen: undefined, scoreNow: score, use: null }
  })
  return [...compared, ...added]
}
