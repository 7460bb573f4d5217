/** Words that decide a question and that its results lack. */
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { createSearchIndex } from '../../../support/search-index.ts'

const provider = createBuiltinEmbeddings(builtinFile)
const notes = {
  'memory/2026-01-12.md': `# 2026-01-12

- The coffee grinder cost 34 euros
- Noa wears shoe size 38
- 孩子的钢琴老师是阮老师，周三下午
- Plumber Jansen: 020 555 0142
- The tent from Skarn leaks at the seam
`,
}

const index = createSearchIndex(notes, provider)

async function search(query: string) {
  const { results, absent } = await index.search(query)
  return { first: results[0], absent }
}

describe('missing words', () => {
  it.each([
    ['How much was the kayak?', ['kayak']],
    ["What's the number of the electrician?", ['electrician']],
    ['孩子的游泳老师是谁？', ['游泳']],
  ])('are absent if no note has them: %s', async (query, words) => {
    const { absent } = await search(query)
    expect(absent).toEqual(words)
  })

  it('are named on the result if only another note has them', async () => {
    const { results, absent } = await index.search('How many euros did the tent cost?', { minScore: 0 })
    expect(absent ?? []).toEqual([])
    const grinder = results.find(({ snippet }) => snippet.includes('grinder'))
    expect(grinder?.missing).toEqual(['tent'])
  })

  it.each([
    'What did the coffee grinder cost?',
    'phone number of the plumber',
    'Which shoe size does Noa wear?',
    '谁教孩子弹钢琴？',
  ])('are none of an answer: %s', async (query) => {
    const { first, absent } = await search(query)
    expect(first).toBeDefined()
    expect(first?.missing ?? []).toEqual([])
    expect(absent ?? []).toEqual([])
  })
})
