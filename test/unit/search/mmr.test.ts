/** Compares the incremental algorithm with the definition of maximal marginal relevance. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rerankByMmr } from '../../../src/main/search/ranking/mmr.ts'

interface Candidate {
  readonly score: number
  readonly words: ReadonlySet<string>
}

const candidates = fc
  .array(
    fc.record({
      // Few scores and words, because ties and near-copies are the difficult cases.
      score: fc.nat(20).map((tenths) => tenths / 10),
      words: fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 6 }).map((words) => new Set(words)),
    }),
    { maxLength: 25 },
  )
  .map((all) => all.sort((one, other) => other.score - one.score))

function similarity(one: Candidate, other: Candidate): number {
  return one.words.intersection(other.words).size / Math.max(1, one.words.union(other.words).size)
}

/** Compares every pair again for every selected candidate. */
function byDefinition(all: readonly Candidate[], lambda: number, maxResults: number) {
  const left = [...all]
  const picked: { candidate: Candidate; factor: number }[] = []
  while (left.length > 0 && picked.length < maxResults) {
    const factors = left.map((one) => {
      const closest = Math.max(0, ...picked.map(({ candidate }) => similarity(one, candidate)))
      return 1 - (1 - lambda) * closest
    })
    const scores = left.map(({ score }, index) => score * (factors[index] ?? 0))
    const best = scores.indexOf(Math.max(...scores))
    picked.push(...left.splice(best, 1).map((candidate) => ({ candidate, factor: factors[best] ?? 0 })))
  }
  return [...picked, ...left.map((candidate) => ({ candidate, factor: 1 }))]
}

describe('maximal marginal relevance', () => {
  it('selects the same candidates as the definition, in the same order with the same factors', () => {
    fc.assert(
      fc.property(candidates, fc.nat(10), fc.nat(30), (all, tenths, maxResults) => {
        const lambda = tenths / 10
        const wordsOf = ({ words }: Candidate) => words
        expect(rerankByMmr(all, { lambda, maxResults, wordsOf })).toEqual(byDefinition(all, lambda, maxResults))
      }),
    )
  })

  it('reads the words of each candidate once', () => {
    const all = Array.from({ length: 20 }, (_, index) => ({ score: 1, words: new Set([`${index % 3}`]) }))
    let asked = 0
    rerankByMmr(all, { lambda: 0.5, maxResults: 10, wordsOf: ({ words }) => ((asked += 1), words) })
    expect(asked).toBe(all.length)
  })
})
