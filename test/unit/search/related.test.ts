import { describe, expect, it } from 'vitest'
import { expandWithSynonyms } from '../../../src/main/search/query/keyword-plan.ts'
import type { KnownTerm } from '../../../src/main/search/keyword/vocabulary.ts'

const counts: Record<string, number> = { lake: 4, pond: 2, sea: 1, '房 租': 3 }
const vocabulary = {
  documents: ({ term }: { term: string }) => counts[term] ?? 0,
  spellings: { has: () => false, nearest: () => [] },
}
const near = [
  { word: 'ponds', cosine: 0.8 },
  { word: 'pond', cosine: 0.75 },
  { word: 'sea', cosine: 0.6 },
  { word: 'ocean', cosine: 0.58 },
  { word: 'lake', cosine: 0.57 },
]
const lake: KnownTerm = {
  shown: 'lake',
  role: 'word',
  readings: [{ kind: 'word', term: 'lake', weight: 1 }],
  documents: 4,
}

describe('withRelated', () => {
  it('adds similar words of the memory, each stem once, weighted by similarity', () => {
    const { readings, alike, documents } = expandWithSynonyms(lake, vocabulary, () => near)
    expect(readings.map(({ term }) => term)).toEqual(['lake', 'pond', 'sea'])
    expect(readings.map(({ weight }) => Number(weight.toFixed(3)))).toEqual([1, 0.358, 0.151])
    expect([alike, documents]).toEqual(['ponds, sea', 4])
  })

  it('replaces an unknown word by similar words instead of spelling corrections', () => {
    const unknown: KnownTerm = {
      ...lake,
      shown: 'mere',
      readings: [{ kind: 'word', term: 'more', weight: 0.4 }],
      documents: 9,
      instead: 'more',
      isRespelt: true,
    }
    const term = expandWithSynonyms(unknown, vocabulary, () => near)
    expect(term).toMatchObject({ alike: 'ponds, sea, lake', documents: 4 })
    expect(term.instead).toBeUndefined()
    expect(expandWithSynonyms(unknown, vocabulary, () => [])).toBe(unknown)
  })

  it.each(['name', 'figure', 'function'] as const)('adds no similar words to a %s', (role) => {
    const term = { ...lake, role }
    expect(expandWithSynonyms(term, vocabulary, () => near)).toBe(term)
  })

  it('adds a Chinese word only if it is nearly synonymous', () => {
    const rent: KnownTerm = {
      shown: '租金',
      role: 'word',
      readings: [{ kind: 'cjk', term: '租 金', weight: 1 }],
      documents: 0,
    }
    expect(expandWithSynonyms(rent, vocabulary, () => [{ word: '房租', cosine: 0.95 }]).alike).toBe('房租')
    expect(expandWithSynonyms(rent, vocabulary, () => [{ word: '房租', cosine: 0.75 }])).toBe(rent)
  })
})
