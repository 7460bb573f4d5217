import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../src/main/embeddings/builtin.ts'
import { isHit } from '../../../src/main/memory/judged.ts'
import { builtinFile, defaults, openJudgedSet } from '../../recall/judged-set.ts'

const folder = fileURLToPath(new URL('../../recall/other-words', import.meta.url))

/** Share of the questions with a right place among the first five. */
async function foundInFive(split: 'dev' | 'held', isByMeaning: boolean): Promise<number> {
  const provider = isByMeaning ? createBuiltinEmbeddings(builtinFile) : undefined
  const { searcher, questions } = await openJudgedSet(folder, split, provider)
  expect(questions.length).toBeGreaterThan(40)
  let found = 0
  for (const { query, relevant } of questions) {
    const { results } = await searcher.search(query, defaults, { minScore: 0, maxResults: 5 }, false)
    if (results.some((one) => relevant.some((lines) => isHit(one, lines)))) found += 1
  }
  return found / questions.length
}

describe('M52 questions in other words than the note', () => {
  it.each(['dev', 'held'] as const)('M52: the %s half is found by meaning, and hardly by words', async (split) => {
    expect(await foundInFive(split, false)).toBeLessThan(0.25)
    expect(await foundInFive(split, true)).toBeGreaterThan(0.7)
  })
})
