import type { Candidate, Explanation } from '#shared/contract/index.ts'

export const columns = ['entry', 'vector', 'text', 'score', 'verdict'] as const

export interface CandidateOrder {
  readonly column: (typeof columns)[number]
  /** True for the worst or last first. */
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
