import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { openForWriting } from '../../../../src/main/search/indexing/index-schema.ts'
import { rankingModels } from '../../../../src/main/search/ranking/rank.ts'
import { formatResult } from '../../../../src/shared/util/format-result.ts'
import { resultsOf } from '../../../../src/main/search/ranking/search-answer.ts'
import { UnitSearcher, type UnitSearchOptions } from '../../../../src/main/search/ranking/unit-searcher.ts'
import { createUnitTables } from '../../../../src/main/search/units/unit-schema.ts'
import { UnitStore } from '../../../../src/main/search/units/unit-store.ts'
import { builtinFile } from '../../../recall/judged-set.ts'

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
  const db = openForWriting(':memory:')
  createUnitTables(db)
  const store = new UnitStore(db, { model: provider.similarity, folders: [] })
  let mtime = 0
  const write = (path: string, text: string) => {
    const source = path.startsWith('sessions/') ? ('sessions' as const) : ('memory' as const)
    store.replaceFile(store.prepare({ path, source, hash: text, mtime: (mtime += 1), size: text.length, text }))
  }
  for (const [path, text] of Object.entries(notes)) write(path, text)
  const searcher = new UnitSearcher(db, provider, rankingModels, () => new Date(2026, 2, 9, 12))
  const find = async (query: string, changes: Partial<UnitSearchOptions> = {}) => {
    const [vector] = await provider.embed([searcher.parse(query, changes.without).words])
    return resultsOf(searcher.rank(query, vector, { ...options, ...changes }), searcher)
  }
  return { db, store, write, searcher, find }
}

describe('a search of units', () => {
  const notes = { 'memory/2026-03-02.md': day, 'MEMORY.md': '# Me\n\n- I am vegetarian and cannot stand coriander.' }

  it.each([
    ['allergy', 3],
    ['code of the guest wifi', 4],
    ['which database did we choose', 5],
    ['plumbr', 6],
    ['landl', 7],
  ])('returns the line, not the note: %s', async (query, line) => {
    const [first] = await open(notes).find(query)
    expect(first).toMatchObject({ path: 'memory/2026-03-02.md', startLine: line, endLine: line, date: '2026-03-02' })
  })

  it('returns nothing for a stop word, and for what no note says', async () => {
    const { find } = open(notes)
    expect(await find('the')).toEqual([])
    expect(await find('how to cook rice')).toEqual([])
    expect(await find('piano')).toEqual([])
  })

  it('finds a line as soon as it is written, and not after it is gone', async () => {
    const { write, find } = open(notes)
    write('a.md', '- The spare key hangs behind the blue door.')
    expect((await find('spare key'))[0]?.path).toBe('a.md')
    write('a.md', '- Nothing here.')
    expect(await find('spare key')).toEqual([])
  })

  it('keeps within the characters of the output', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `- The boiler of house number ${at} was serviced.`).join('\n')
    const results = await open({ 'boilers.md': many }).find('boiler serviced', { maxResults: 100, maxCharacters: 800 })
    const characters = results.reduce((sum, result) => sum + formatResult(result).length + 1, 0)
    expect(characters).toBeLessThanOrEqual(800)
    expect(characters).toBeGreaterThan(700)
  })

  it('returns the parts of a divided entry as one result', async () => {
    const sentence = (at: number) => `The heron number ${at} stands in the shallow water of the northern lake. `
    const long = Array.from({ length: 12 }, (_, at) => sentence(at)).join('')
    const results = await open({ 'birds.md': long }).find('heron in the shallow water of the northern lake')
    expect(results).toHaveLength(1)
    expect(results[0]?.snippet.length).toBeGreaterThan(500)
  })

  it('ranks a list item before its children, and returns the children too', async () => {
    const list =
      '- Marta runs the pottery class in the old mill.\n  - She charges 22 pounds for two hours.\n  - The kiln is fired on the last Sunday.'
    const { find } = open({ 'a.md': `- Paid the dentist.\n${list}`, 'b.md': '- Running: 8 km along the canal.' })
    const lines = (await find('run')).map(({ path, startLine }) => `${path}:${startLine}`)
    expect(lines.slice(0, 2).sort()).toEqual(['a.md:2', 'b.md:1'])
    expect((await find('how much is the pottery class')).map(({ startLine }) => startLine)).toEqual([2, 3, 4])
  })

  it('joins the parts of one line in their order, and marks what is left out', async () => {
    const filler = 'The kettle was descaled and the cups went back on the shelf of the kitchen. '.repeat(5)
    const text = `The plumber Piet repairs the boiler. ${filler}The plumber sent the bill of the boiler.`
    const results = await open({ 'house.md': text }).find('plumber boiler')
    expect(results).toHaveLength(1)
    const snippet = results[0]?.snippet ?? ''
    expect(snippet.indexOf('Piet')).toBeLessThan(snippet.indexOf('sent the bill'))
    const isWhole = snippet.replace(/\s+/g, ' ') === text.replace(/\s+/g, ' ')
    expect(isWhole || snippet.includes(' … ')).toBe(true)
  })

  it('does not let a chat change the scores of notes', async () => {
    const { write, find } = open(notes)
    const before = await find('code of the guest wifi')
    write('sessions/a.jsonl', '- User: code of the guest wifi\n- Assistant: The wifi code is unknown, the wifi code …')
    expect(await find('code of the guest wifi')).toEqual(before)
    const chats = await find('code of the guest wifi', { scope: { isChat: true, hasPrivate: false }, minScore: 0 })
    expect(chats.map(({ path }) => path)).toContain('sessions/a.jsonl')
  })
})

describe('filters', () => {
  const notes = {
    'memory/2026-03-02.md': day,
    'memory/2026-03-05.md': '# 2026-03-05\n\n- 09:00 The rent goes up again, said the landlord.\n- 10:00 Bought paint.',
    'projects/kitchen.md': '---\ntags: [home]\nstatus: open\n---\n\nThe rent of the scaffold is 90 a week.',
  }
  const paths = async (query: string, changes: Partial<UnitSearchOptions> = {}) =>
    [...new Set((await open(notes).find(query, changes)).map(({ path }) => path))].sort()

  it.each([
    ['rent path:projects', ['projects/kitchen.md']],
    ['rent -path:memory', ['projects/kitchen.md']],
    ['rent on:2026-03-05', ['memory/2026-03-05.md']],
    ['rent before:2026-03-04', ['memory/2026-03-02.md']],
    ['rent tag:home', ['projects/kitchen.md']],
    ['rent status:open', ['projects/kitchen.md']],
    ['on:2026-03-05', ['memory/2026-03-05.md']],
    ['tag:home', ['projects/kitchen.md']],
    ['rent tag:garden', []],
  ])('restrict the results: %s', async (query, expected) => {
    expect(await paths(query)).toEqual(expected)
  })

  it('exclude units with a word', async () => {
    const results = await open(notes).find('rent -scaffold')
    expect(results.map(({ snippet }) => snippet).join()).toContain('rent')
    expect(results.map(({ snippet }) => snippet).join()).not.toContain('scaffold')
  })

  it('apply no longer once they are turned off', async () => {
    expect(await paths('rent path:projects', { without: ['path:projects'] })).toContain('memory/2026-03-02.md')
  })

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
    expect(ask('on Thursday')).toEqual(['2026-03-05', undefined, ['memory/2026-03-05.md']])
  })

  it.each([
    ['What do I have tomorrow?', 'memory/2026-03-08.md', 3],
    ['what do I have planned tomorrow', 'memory/2026-03-08.md', 3],
    ['明天有什么事', 'memory/2026-03-08.md', 3],
    ['next friday', 'a.md', 1],
    ['what happens next week?', 'a.md', 1],
    ['下周', 'a.md', 1],
    ['appointments next week', 'a.md', 1],
    ['what is due on 20 March?', 'a.md', 1],
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

  it('find a line with the parts of a word only weakly if they stand apart', async () => {
    const log = `# 2026-03-08

- 08:00 Interviewed Sofia Lindgren for the data engineer role, base salary 60k
- 08:20 I decided to use PostgreSQL instead of MongoDB
- 08:30 The quarterly report is due on Friday
- 08:50 Charged my mac book in the office`
    const { find } = open({ 'memory/2026-03-08.md': log })
    const results = await find('Which database did we pick?')
    expect(results[0]?.startLine).toBe(4)
    // The offline model quotes from 0.4 on.
    expect(results.find(({ startLine }) => startLine === 3)?.score ?? 0).toBeLessThan(0.4)
    expect((await find('macbook')).map(({ startLine }) => startLine)).toEqual([6])
  })

  it('find a date that a note mentions', async () => {
    const { find } = open({ ...notes, 'a.md': '- The dentist moved my check-up to 19 March.' })
    expect((await find('19 March')).map(({ path }) => path)).toEqual(['a.md'])
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

describe('formatResult', () => {
  const content = { path: 'memory/2026-03-02.md', startLine: 3, endLine: 3, score: 0.8712 }

  it('is one line with the score, without a date that the path has', () => {
    expect(formatResult({ ...content, snippet: 'one\n  two', date: '2026-03-02' })).toBe(
      'memory/2026-03-02.md:3 · 0.87 · one two',
    )
    expect(formatResult({ ...content, path: 'a.md', endLine: 5, snippet: 'one', date: '2026-03-02' })).toBe(
      'a.md:3-5 · 0.87 · 2026-03-02 · one',
    )
  })
})
