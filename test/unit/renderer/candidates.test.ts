import { describe, expect, it } from 'vitest'
import { candidateKey, candidateRows, diffRanks, type CandidateOrder } from '../../../src/renderer/search/candidates.ts'
import type { Candidate } from '../../../src/shared/contract/index.ts'

type Figures = Partial<Pick<Candidate, 'score' | 'verdict' | 'startLine'>> & { vector?: number; text?: number }

function candidate(path: string, { vector, text, ...changes }: Figures): Candidate {
  return {
    path,
    startLine: 1,
    endLine: 1,
    heading: '',
    snippet: path,
    matched: [],
    source: path.startsWith('sessions/') ? 'sessions' : 'memory',
    vector: vector === undefined ? null : { raw: vector, score: Math.max(0, vector), rank: 1 },
    text: text === undefined ? null : { raw: text, score: text / (1 + text), rank: 1, terms: [] },
    logit: null,
    parts: [],
    score: 0,
    verdict: { kind: 'weak' },
    ...changes,
  }
}

/** Notes, best first, then chats, best first. */
const candidates = [
  candidate('b.md', { score: 0.9, vector: 0.5, text: 2, verdict: { kind: 'returned', rank: 1 } }),
  candidate('d.md', { score: 0.5, vector: 0.7, text: 1, verdict: { kind: 'duplicate', rank: 1 } }),
  candidate('a.md', { score: 0.06, vector: -0.1, text: 0, verdict: { kind: 'returned', rank: 2 } }),
  candidate('c.md', { score: 0.04, text: 3 }),
  candidate('sessions/x.jsonl', { score: 0.2, vector: 0.6, text: 1.5, verdict: { kind: 'returned', rank: 3 } }),
  candidate('sessions/y.jsonl', { score: 0.08, vector: 0.4 }),
]
const thresholds = { notes: 0.05, chats: 0.1 }

const rowsBy = (column: CandidateOrder['column'], isReversed = false, from = candidates, limits = thresholds) =>
  candidateRows({ candidates: from, thresholds: limits }, { column, isReversed })
const namesOf = (rows: ReturnType<typeof rowsBy>) =>
  rows.map((row) => row.candidate.path.replace(/^sessions\/|\..*$/g, ''))
const linesOf = (rows: ReturnType<typeof rowsBy>) =>
  rows.flatMap(({ candidate: { path }, thresholds: lines }) =>
    lines.map(({ source = 'all', score }) => `${path} ${source} ${score}`),
  )

describe('the order of candidates', () => {
  it('begins with the results by rank, then those left out, then the weak ones by score', () => {
    expect(namesOf(rowsBy('verdict'))).toEqual(['b', 'a', 'x', 'd', 'y', 'c'])
  })

  it('by a figure begins with the highest and ends with the missing ones', () => {
    expect(namesOf(rowsBy('vector'))).toEqual(['d', 'x', 'b', 'y', 'a', 'c'])
    expect(namesOf(rowsBy('text'))).toEqual(['c', 'b', 'x', 'd', 'a', 'y'])
    expect(namesOf(rowsBy('score'))).toEqual(['b', 'd', 'x', 'y', 'a', 'c'])
  })
})

describe('the threshold', () => {
  it('separates the weak candidates from the others in the order of verdicts', () => {
    expect(linesOf(rowsBy('verdict'))).toEqual(['sessions/y.jsonl notes 0.05', 'sessions/y.jsonl chats 0.1'])
  })

  it('of notes and that of chats each have their place in the order of scores', () => {
    expect(linesOf(rowsBy('score'))).toEqual(['sessions/y.jsonl chats 0.1', 'c.md notes 0.05'])
  })

  it('is one if notes and chats have the same', () => {
    const classic = { notes: 0.35, chats: 0.35 }
    expect(linesOf(rowsBy('score', false, candidates, classic))).toEqual(['sessions/x.jsonl all 0.35'])
  })
})

describe('rank changes', () => {
  /** Builds a ranking: upper-case letters are returned candidates, lower-case ones are not. */
  const ranking = (letters: string) =>
    [...letters].map((letter, at) =>
      candidate(letter.toLowerCase(), {
        verdict: letter === letter.toLowerCase() ? { kind: 'weak' } : { kind: 'returned', rank: at + 1 },
      }),
    )

  it.each([
    ['ABc', 'BAc', { a: -1, b: 1 }],
    ['ABc', 'AbC', { b: 'gone', c: 'new' }],
    ['A', 'AB', { b: 'new' }],
  ])('from %s to %s', (before, after, expected) => {
    const moves = diffRanks(ranking(before), ranking(after))
    const named = ranking(after).map((one) => [one.path, moves.get(candidateKey(one))] as const)
    expect(Object.fromEntries(named.filter(([, move]) => move !== undefined))).toEqual(expected)
  })
})
