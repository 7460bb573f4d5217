import { describe, expect, it } from 'vitest'
import { nearDuplicates } from '../../../src/main/curation/similarity/near-duplicates.ts'

describe('nearDuplicates', () => {
  it('finds repeated lines despite list marks and case, in any script', () => {
    const groups = nearDuplicates([
      '- The staging database listens on port 5433',
      'Ann prefers tea in the morning and coffee after lunch',
      '* **the staging database** listens on port 5433.',
      '数据库的备份每天晚上十一点运行',
      'The staging database listens on port 5434',
      '- 数据库的备份每天晚上十一点运行。',
      'Bob moved to Lisbon in the spring of last year',
    ])
    expect(groups.map(({ lines }) => lines)).toEqual([
      [3, 5],
      [0, 2, 4],
    ])
    expect(groups[0]?.similarity).toBe(1)
    expect(groups[1]?.similarity).toBeGreaterThan(0.7)
  })

  it('ignores short lines', () => {
    expect(nearDuplicates(['- done', '- done', '好的', '好的'])).toEqual([])
  })

  it('does not match a line with a longer one that contains it', () => {
    const words = [
      'violin',
      'garden',
      'harbour',
      'passport',
      'invoice',
      'lantern',
      'orchard',
      'quarry',
      'saddle',
      'tunnel',
    ]
    const pairs = words.map((word, index) => {
      const line = `${word} ${words[(index + 3) % 10]} ${words[(index + 7) % 10]} before noon`
      return [line, `${line} ${words[(index + 5) % 10]} ${word}s again`]
    })
    for (const pair of pairs) {
      expect(nearDuplicates(pair)).toEqual([])
      expect(nearDuplicates([...pair].reverse())).toEqual([])
    }
  })

  it('agrees with a pairwise comparison on generated lines', () => {
    const words = [
      'invoice',
      'garden',
      'Lisbon',
      'deadline',
      'violin',
      'office',
      'flight',
      'recipe',
      'password',
      'team',
    ]
    let seed = 3
    const next = (most: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most
    const lines = Array.from({ length: 150 }, () =>
      Array.from({ length: 9 }, () => words[next(words.length)] ?? '').join(' '),
    )
    // Every third line again, with one more word.
    const all = [...lines, ...lines.filter((_, index) => index % 3 === 0).map((line) => `${line} today`)]
    const found = new Set(nearDuplicates(all).flatMap(({ lines: group }) => group))
    const expected = lines.flatMap((_, index) => (index % 3 === 0 ? [index] : []))
    expect(expected.filter((index) => !found.has(index))).toEqual([])
  })
})
