import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { SearchOptions } from '../../../src/shared/contract/index.ts'
import { createBuiltinEmbeddings } from '../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { isHit } from '../../../src/main/search/evaluation/judged-questions.ts'
import { builtinFile, defaults, openJudgedSet, type JudgedSet } from '../../recall/judged-set.ts'

const folder = fileURLToPath(new URL('../../recall/other-words/', import.meta.url))

/** Returns the share of questions with a right result among the first five. */
async function foundBy({ searcher, questions }: JudgedSet, options: SearchOptions): Promise<number> {
  expect(questions.length).toBeGreaterThan(40)
  let count = 0
  for (const { query, relevant } of questions) {
    const { results } = await searcher.search(query, defaults, { maxResults: 5, ...options }, false)
    if (results.some((one) => relevant.some((lines) => isHit(one, lines)))) count += 1
  }
  return count / questions.length
}

describe('questions that share no word with the note', () => {
  it('vector search answers more than half, and few off-topic questions', async () => {
    const set = await openJudgedSet(folder, 'held', createBuiltinEmbeddings(builtinFile))
    expect(await foundBy(set, {})).toBeGreaterThan(0.55)
    let answered = 0
    for (const { query } of set.offTopic)
      answered += Number((await set.searcher.search(query, defaults, {}, false)).results.length > 0)
    expect(answered / set.offTopic.length).toBeLessThan(0.15)
  })

  it('keyword search finds hardly any', async () => {
    expect(await foundBy(await openJudgedSet(folder, 'held'), { minScore: 0 })).toBeLessThan(0.25)
  })
})
