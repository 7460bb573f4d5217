import { describe, expect, it } from 'vitest'
import { findDuplicates } from '../../../src/main/curation/similarity/duplicates.ts'
import { featuresOf } from '../../../src/main/curation/similarity/line-features.ts'

async function nearDuplicates(texts: readonly string[]) {
  const features = featuresOf(texts)
  const lines = features.map((lineFeatures, index) => ({ index, text: texts[index] ?? '', features: lineFeatures }))
  const pairs = await findDuplicates(lines, undefined, () => true)
  return pairs.map(({ original, duplicate, similarity }) => ({ lines: [original.index, duplicate.index], similarity }))
}

describe('near-duplicates', () => {
  it('finds repeated lines despite list marks and case, in any script', async () => {
    const pairs = await nearDuplicates([
      '- The staging database listens on port 5433',
      'Ann prefers tea in the morning and coffee after lunch',
      '* **the staging database** listens on port 5433.',
      '数据库的备份每天晚上十一点运行',
      'The staging database listens on port 5434',
      '- 数据库的备份每天晚上十一点运行。',
      'Bob moved to Lisbon in the spring of last year',
      '- A staging database listens on port 5433',
    ])
    expect(pairs).toEqual([
      { lines: [0, 2], similarity: 1 },
      { lines: [0, 7], similarity: expect.closeTo(0.9, 1) },
      { lines: [3, 5], similarity: 1 },
    ])
  })

  it('ignores short lines', async () => {
    expect(await nearDuplicates(['- done', '- done', '好的', '好的'])).toEqual([])
  })

  it('does not match a line with a longer one that contains it', async () => {
    const line = 'violin passport saddle before noon'
    const longer = `${line} lantern violins again`
    expect(await nearDuplicates([line, longer])).toEqual([])
    expect(await nearDuplicates([longer, line])).toEqual([])
  })
})
