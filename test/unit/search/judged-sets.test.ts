import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { isHit } from '../../../src/main/search/evaluation/judged-questions.ts'
import { builtinFile, defaults, openJudgedSet } from '../../recall/judged-set.ts'

const provider = createBuiltinEmbeddings(builtinFile)

/** Returns the share of questions with a judged line among the first three results, and of off-topic ones with any. */
async function measure(name: string, split: string | undefined, vectors: 'builtin' | 'none') {
  const folder = fileURLToPath(new URL(`../../recall/${name}/`, import.meta.url))
  const { searcher, questions, offTopic } = openJudgedSet(folder, split, vectors === 'none' ? undefined : provider)
  const search = async (query: string) => (await searcher.search(query, defaults, {}, false)).results
  let found = 0
  for (const { query, relevant } of questions) {
    const first = (await search(query)).slice(0, 3)
    found += Number(first.some((result) => relevant.some((lines) => isHit(result, lines))))
  }
  let answered = 0
  for (const { query } of offTopic) answered += Number((await search(query)).length > 0)
  return { inThree: found / questions.length, answered: answered / offTopic.length, questions: questions.length }
}

describe('recall on judged questions', { timeout: 60_000 }, () => {
  it.each([
    ['short-notes', 'dev', 'builtin', 0.95, 0.28],
    ['short-notes', 'held', 'builtin', 0.96, 0.44],
    ['short-notes', undefined, 'none', 0.92, 0.17],
    ['other-words', 'dev', 'builtin', 0.5, 0.35],
    ['other-words', 'held', 'builtin', 0.5, 0.42],
    ['everyday-en', undefined, 'builtin', 0.88, 0.69],
    ['everyday-en', undefined, 'none', 0.82, 0.56],
    ['everyday-zh', undefined, 'builtin', 0.82, 0.52],
    ['everyday-zh', undefined, 'none', 0.71, 0.36],
  ] as const)(
    'does not fall below its level: %s %s, vectors %s',
    async (name, split, vectors, minInThree, maxAnswered) => {
      const { inThree, answered, questions } = await measure(name, split, vectors)
      process.stdout.write(
        `${name} ${split ?? 'all'} ${vectors}: ${questions} questions, in three ${inThree.toFixed(3)}, off-topic answered ${answered.toFixed(3)}\n`,
      )
      expect(questions).toBeGreaterThan(40)
      expect(inThree).toBeGreaterThan(minInThree)
      expect(answered).toBeLessThan(maxAnswered)
    },
  )

  it('words alone, with the table of related words, find few lines that share no word with the question', async () => {
    expect((await measure('other-words', undefined, 'none')).inThree).toBeLessThan(0.2)
  })
})
