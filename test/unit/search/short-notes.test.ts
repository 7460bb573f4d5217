import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { evaluate } from '../../../src/main/search/evaluation/evaluate.ts'
import { defaults, openJudgedSet } from '../../recall/judged-set.ts'

const folder = fileURLToPath(new URL('../../recall/short-notes/', import.meta.url))

async function measure(split: 'dev' | 'held') {
  const { searcher, questions, offTopic } = await openJudgedSet(folder, split)
  const search = (minScore: number, maxResults: number) => (query: string) =>
    searcher.search(query, defaults, { minScore, maxResults }, false)
  const { minScore, maxResults } = defaults
  const evaluated = { rank: search(0, 10), search: search(minScore, maxResults), minScore, maxResults }
  return evaluate(evaluated, questions, offTopic, () => undefined)
}

describe('recall on short notes', () => {
  it.each(['dev', 'held'] as const)('does not fall below its level in the %s half', async (split) => {
    const { n, returned, offTopic } = await measure(split)
    expect(n).toBeGreaterThan(90)
    expect(returned.precision).toBeGreaterThan(0.9)
    expect(returned.recallAt5).toBeGreaterThan(0.93)
    expect(offTopic?.answered).toBeLessThan(0.12)
  })
})
