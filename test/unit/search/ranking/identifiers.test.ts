/** Identifiers that the notes have, in whole or in part, and others that resemble them. */
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { createSearchIndex } from '../../../support/search-index.ts'

const provider = createBuiltinEmbeddings(builtinFile)

const lines = [
  '`MYSQL_HOST` is set in the compose file of the staging server.',
  'TRK-4417: the invoice shows the old address. Ida looks into it.',
  'EL-905 is merged, the export has a header now.',
  'Released v4.1.0 on the small machines.',
  'The iPhone 15 of the test lab needs a new cable.',
  'MAX_UPLOAD_MB is 200, the proxy must allow it too.',
  '搜索服务的地址放在 SEARCH_HOST 里。',
]
const notes = {
  'memory/2025-04-08.md': `# 2025-04-08\n\n${lines.map((line) => `- ${line}`).join('\n')}\n`,
  'memory/2025-04-09.md': '# 2025-04-09\n\n- Lunch with Ida by the river.\n- The server was slow this morning.\n',
}
const index = createSearchIndex(notes, provider)
const snippets = async (query: string) => (await index.search(query)).results.map(({ snippet }) => snippet)

describe('an identifier', () => {
  it.each(['REDIS_HOST', 'TRK-4418', 'EL-120', 'v4.1.1', 'CACHE_HOST是什么'])(
    'that no note has finds nothing: %s',
    async (query) => {
      expect(await snippets(query)).toEqual([])
    },
  )

  it.each([
    ['MYSQL_HOST', 0],
    ['mysql host', 0],
    ['TRK-4417', 1],
    ['v4.1.0', 3],
    ['iPhone-15', 4],
    ['SEARCH_HOST在哪', 6],
  ] as const)('finds its line: %s', async (query, line) => {
    expect((await snippets(query))[0]).toBe(lines[line])
  })

  it.each([
    ['MYSQL_H', 0],
    ['TRK-44', 1],
  ] as const)('is found by its beginning: %s', async (query, line) => {
    expect((await snippets(query))[0]).toBe(lines[line])
  })

  it('that no note has counts as an unknown name beside other words', async () => {
    const [known] = (await index.search('the old address on the invoice in TRK-4417')).results
    const [other] = (await index.search('the old address on the invoice in TRK-9000')).results
    expect(known).not.toHaveProperty('missing')
    expect(other).toMatchObject({ snippet: lines[1], missing: ['trk-9000'] })
    expect(other?.score).toBeLessThan(known?.score ?? 0)
  })

  it('that is two plain words is found by either of them', async () => {
    const { find } = createSearchIndex({ 'n.md': '- The part-time contract ends in May.\n- Bought oil.' }, provider)
    expect(await find('full-time contract')).toEqual(['n.md:1'])
  })
})
