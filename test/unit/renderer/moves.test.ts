import { describe, expect, it } from 'vitest'
import type { Candidate } from '../../../src/shared/contract/index.ts'
import { candidateKey, diffRanks } from '../../../src/renderer/search/candidates.ts'

/** Builds a ranking: upper-case letters are returned candidates, lower-case ones are not. */
function ranking(letters: string): Candidate[] {
  return [...letters].map((letter, index) => ({
    path: `${letter.toLowerCase()}.md`,
    startLine: 1,
    endLine: 2,
    heading: '',
    snippet: 'text',
    matched: [],
    source: 'memory',
    vector: null,
    text: null,
    logit: null,
    parts: [],
    score: 1 / (index + 1),
    verdict: letter === letter.toLowerCase() ? { kind: 'weak' } : { kind: 'returned', rank: index + 1 },
  }))
}

describe('rank changes', () => {
  it.each([
    ['ABc', 'BAc', { a: -1, b: 1 }],
    ['ABc', 'AbC', { b: 'gone', c: 'new' }],
    ['A', 'AB', { b: 'new' }],
  ])('from %s to %s', (before, after, expected) => {
    const moves = diffRanks(ranking(before), ranking(after))
    const named = Object.fromEntries(
      ranking(after).flatMap((candidate) => {
        const move = moves.get(candidateKey(candidate))
        return move === undefined ? [] : [[candidate.path[0], move]]
      }),
    )
    expect(named).toEqual(expected)
  })
})
