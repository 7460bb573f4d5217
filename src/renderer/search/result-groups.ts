import type { Candidate } from '#shared/contract/index.ts'

/** Weak matches that are shown, and the score that each must have, except those that fill the first rows. */
const maxWeak = 20
const minWeakScore = 0.02
const firstRows = 3

interface ResultGroup {
  readonly name: 'notes' | 'chats' | 'weak'
  readonly candidates: readonly Candidate[]
}

/** Groups candidates in the order of the page. @param candidates notes, best first, then chats, best first */
export function resultGroups(candidates: readonly Candidate[]): ResultGroup[] {
  const withVerdict = (kind: Candidate['verdict']['kind']) => candidates.filter(({ verdict }) => verdict.kind === kind)
  const returned = withVerdict('returned')
  const weak = withVerdict('weak').toSorted((one, other) => other.score - one.score)
  const likely = weak.filter(({ score }) => score >= minWeakScore)
  const shown = Math.min(maxWeak, Math.max(likely.length, firstRows - returned.length))
  return [
    { name: 'notes', candidates: returned.filter(({ source }) => source !== 'sessions') },
    { name: 'chats', candidates: returned.filter(({ source }) => source === 'sessions') },
    { name: 'weak', candidates: weak.slice(0, shown) },
  ]
}
