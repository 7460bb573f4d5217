import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { rankingModels } from '../../../../src/main/search/ranking/rank.ts'
import { resultsOf } from '../../../../src/main/search/ranking/search-answer.ts'
import { UnitSearcher, type UnitSearchOptions } from '../../../../src/main/search/ranking/unit-searcher.ts'
import { builtinFile } from '../../../recall/judged-set.ts'
import { createUnitIndex } from '../../../support/unit-index.ts'

const day = [
  '# 2026-03-02',
  '',
  '- 08:12 Mara is allergic to penicillin, tell every new doctor.',
  '- 08:40 Guest wifi at the office: network Heron-Guest, the code hangs behind the coffee machine.',
  '- 09:55 We decided on PostgreSQL for the billing service, MySQL is out.',
  '- 13:10 The plumber who fixed the boiler: Jansen & Zn, ask for Piet.',
  '- 17:20 Landlord raised the rent to 1,480 from April.',
].join('\n')
const options: UnitSearchOptions = {
  scope: { isChat: false, hasPrivate: false },
  minScore: null,
  maxResults: 20,
  maxCharacters: 1600,
}
const provider = createBuiltinEmbeddings(builtinFile)

function open(notes: Readonly<Record<string, string>>) {
  const { db, put } = createUnitIndex({ model: provider.similarity, folders: [] })
  for (const [path, text] of Object.entries(notes)) put(path, text)
  const searcher = new UnitSearcher(db, provider, rankingModels, () => new Date(2026, 2, 9, 12))
  const find = async (query: string, changes: Partial<UnitSearchOptions> = {}) => {
    const [vector] = await provider.embed([searcher.parse(query, changes.without).words])
    return resultsOf(searcher.rank(query, vector, { ...options, ...changes }), searcher)
  }
  return { searcher, find }
}

describe('filters', () => {
  const notes = {
    'memory/2026-03-02.md': day,
    'memory/2026-03-05.md': '# 2026-03-05\n\n- 09:00 The rent goes up again, said the landlord.\n- 10:00 Bought paint.',
    'projects/kitchen.md': '---\ntags: [home]\nstatus: open\n---\n\nThe rent of the scaffold is 90 a week.',
  }
  it('raise the days of a time phrase, and hide nothing', async () => {
    const { find } = open(notes)
    const plain = await find('what about the rent', { minScore: 0 })
    const dated = await find('what about the rent last thursday', { minScore: 0 })
    expect(dated[0]?.path).toBe('memory/2026-03-05.md')
    expect(dated.length).toBe(plain.length)
  })

  it('lists the notes of a day, newest first, if the query has no other words', async () => {
    expect((await open(notes).find('last thursday')).map(({ startLine }) => startLine)).toEqual([3, 4])
    expect(await open(notes).find('on:2026-03-04', {})).toEqual([])
  })

  it('lists the notes of the nearest day if a day has none, and says so', () => {
    const { searcher } = open(notes)
    const ask = (query: string) => {
      const ranking = searcher.rank(query, undefined, options)
      const [condition] = ranking.query.conditions
      return [condition?.from, condition?.nearest, [...new Set(resultsOf(ranking, searcher).map(({ path }) => path))]]
    }
    expect(ask('what did I do on Wednesday')).toEqual(['2026-03-04', '2026-03-05', ['memory/2026-03-05.md']])
    expect(ask('周二我做了什么')).toEqual(['2026-03-03', '2026-03-02', ['memory/2026-03-02.md']])
    expect(ask('on Thursday')).toEqual(['2026-03-12', '2026-03-05', ['memory/2026-03-05.md']])
  })

  it.each([
    ['What do I have tomorrow?', 'memory/2026-03-08.md', 3],
    ['明天有什么事', 'memory/2026-03-08.md', 3],
    ['next friday', 'a.md', 1],
    ['下周', 'a.md', 1],
  ])('find the line that names the coming day of %j', async (query, path, startLine) => {
    const { find, searcher } = open({
      ...notes,
      'memory/2026-03-08.md':
        '# 2026-03-08\n\n- 08:00 Call Mum at 6pm tomorrow (2026-03-10)\n- 09:00 I have a new rent contract',
      'a.md': '- The quarterly report is due next Friday (2026-03-20)',
    })
    expect((await find(query))[0]).toMatchObject({ path, startLine })
    expect(searcher.rank(query, undefined, options).query.conditions).toMatchObject([{ kind: 'time' }])
    expect(searcher.rank(query, undefined, options).query.conditions[0]?.nearest).toBeUndefined()
  })

  it('lower old units if the settings ask for it', async () => {
    const { searcher } = open(notes)
    const first = (days: number | null) =>
      resultsOf(
        searcher.rank('rent landlord', undefined, { ...options, recencyHalfLifeDays: days, minScore: 0 }),
        searcher,
      )
    const scoreOf = (days: number | null) => first(days).find(({ path }) => path.endsWith('03-02.md'))?.score ?? 0
    expect(scoreOf(1)).toBeLessThan(scoreOf(null))
  })
})
