import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { nearDuplicates } from '../../../src/main/curation/similarity/near-duplicates.ts'
import { duplicatesAmong } from '../../../src/main/curation/insights/duplicate-report.ts'
import { countRecalls } from '../../../src/main/curation/insights/recalled-lines.ts'

describe('M44 lines that were recalled', () => {
  const passage = (search: string, startLine: number, snippet: string) => ({ search, startLine, snippet })

  it('M44: a line counts once a search, wherever it went since, and no more when it was rewritten', () => {
    const lines = ['# Plans', '', '- new first line', '- call Ann', '- buy milk']
    const counts = countRecalls(lines, [
      passage('a', 3, '- call Ann\n- buy milk'),
      passage('a', 3, '- call Ann'),
      passage('b', 3, '- call Ann\n- an old line'),
    ])
    expect([...counts]).toEqual([
      [3, 2],
      [4, 1],
    ])
  })

  it('M44: of equal lines the one nearest to where it was shown is meant', () => {
    const lines = ['- done', 'x', 'y', '- done']
    expect([...countRecalls(lines, [passage('a', 4, '- done')])]).toEqual([[3, 1]])
  })

  it('M44: a snippet that was cut within a line still names it', () => {
    const lines = ['short', '这一行非常长，搜索结果里只显示了开头']
    expect([...countRecalls(lines, [passage('a', 2, '这一行非常长，搜…')])]).toEqual([[1, 1]])
    expect([...countRecalls(lines, [passage('a', 2, '…搜索结果里…')])]).toEqual([[1, 1]])
    expect([...countRecalls(lines, [passage('a', 2, '…只显示了开头')])]).toEqual([[1, 1]])
    expect([...countRecalls(lines, [passage('a', 2, '搜索结果里…')])]).toEqual([])
  })
})

describe('M44 near-duplicates', () => {
  it('M44: finds what is said twice, whatever its marks and case, in any script', () => {
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

  it('M44: short lines are alike by chance and are no finding', () => {
    expect(nearDuplicates(['- done', '- done', '好的', '好的'])).toEqual([])
  })

  it('M44: a line that stands whole within a longer one is no double of it, whichever comes first', () => {
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

  it('M44: agrees with the comparison of every pair on made lines', () => {
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
    // Every third one again, with one word more.
    const all = [...lines, ...lines.filter((_, index) => index % 3 === 0).map((line) => `${line} today`)]
    const found = new Set(nearDuplicates(all).flatMap(({ lines: group }) => group))
    const expected = lines.flatMap((_, index) => (index % 3 === 0 ? [index] : []))
    expect(expected.filter((index) => !found.has(index))).toEqual([])
  })
})

describe('M44 M52 lines that say the same in other words', () => {
  const model = fileURLToPath(new URL('../../../resources/models/builtin/model.bin', import.meta.url))
  const all = [
    '- Ben keeps his bike in the shed',
    '- Ben keeps his bicycle in the shed',
    '- The boiler code upstairs is 7781',
    '- The boiler code upstairs is 7782',
    '- Anna prefers green tea with honey in the morning',
    '- Karl prefers green tea with honey in the morning',
  ].map((text, index) => ({ path: 'memory/a.md', line: index + 1, text }))

  it('M44 M52: are told beside those that are alike letter by letter, and two facts are not', async () => {
    const found = await duplicatesAmong(all, model)
    const meant = found.filter(({ isInOtherWords }) => isInOtherWords)
    expect(meant.map(({ lines }) => lines.map(({ line }) => line))).toEqual([[1, 2]])
    expect(meant[0]?.similarity).toBeGreaterThan(0.7)
  })

  it('M44 M52: without the model words alone tell', async () => {
    expect((await duplicatesAmong(all, '/nowhere/model.bin')).filter(({ isInOtherWords }) => isInOtherWords)).toEqual(
      [],
    )
  })
})
