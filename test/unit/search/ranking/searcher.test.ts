import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createBuiltinEmbeddings } from '../../../../src/main/search/embeddings/builtin/builtin-provider.ts'
import { openForReading } from '../../../../src/main/search/indexing/index-schema.ts'
import { Searcher } from '../../../../src/main/search/ranking/searcher.ts'
import { builtinFile, defaults } from '../../../recall/judged-set.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { createSearchIndex } from '../../../support/search-index.ts'

const builtin = createBuiltinEmbeddings(builtinFile)
const classic = { weights: { vector: 0.7, text: 0.3 }, minScore: 0 }

const notes = {
  'MEMORY.md': '# Me\n\n- I am vegetarian and cannot stand coriander.\n- My boat is called Persephone.',
  'memory/2026-03-02.md': [
    '# 2026-03-02',
    '',
    '- 08:12 Mara is allergic to penicillin, tell every new doctor.',
    '- 08:40 Guest wifi at the office: network Heron-Guest, the code hangs behind the coffee machine.',
    '- 09:55 We decided on PostgreSQL for the billing service, MySQL is out.',
    '- 13:10 The boiler was serviced by Kettlewell Heating, set LazyInitException aside.',
  ].join('\n'),
  'projects/paint.md':
    '# Paint\n\n- Paint: Skimming Stone.\n- Number plate LK19 VTU.\n- 数据库里的密码是七七八一。\n- The greenhouse needs POSTGRES_URL.',
}

describe('a search by words', () => {
  it.each([
    ['the boiler', 'memory/2026-03-02.md:6'],
    ['who services the bolier?', 'memory/2026-03-02.md:6'],
    ['skimmingstone', 'projects/paint.md:3'],
    ['POSTGRES_URL', 'projects/paint.md:6'],
    ['数据库', 'projects/paint.md:5'],
    ['penicilin', 'memory/2026-03-02.md:3'],
  ])('finds the line: %s', async (query, place) => {
    expect((await createSearchIndex(notes).find(query))[0]).toBe(place)
  })

  it.each(['the', '的', '？！ "" - * NEAR(', 'NEAR(a b) OR'])('returns nothing for %j', async (query) => {
    expect(await createSearchIndex(notes).find(query)).toEqual([])
  })

  it.each(['2026-02-11', '2026年2月11日'])('finds the log of a day by %s', async (query) => {
    const { find } = createSearchIndex({ ...notes, 'memory/2026-02-11.md': '- Bought oil.\n- Saw a film.' })
    expect((await find(query)).toSorted()).toEqual(['memory/2026-02-11.md:1', 'memory/2026-02-11.md:2'])
  })

  it('shows one state of an index that changes meanwhile', async () => {
    const path = 'memory/2026-03-02.md'
    const { search, put, store } = createSearchIndex(notes)
    for (let steps = 0; steps < 20; steps += 1) {
      put(path, notes[path])
      const answer = search('boiler', { showWeak: true })
      for (let step = 0; step < steps; step += 1) await undefined
      store.removeFile('memory', path)
      const { results, candidates } = await answer
      expect(results.length > 0).toBe(candidates > 0)
    }
  })

  it('returns the whole unit with its lines, heading, date and matched words', async () => {
    const { results } = await createSearchIndex(notes).search('who services the bolier?')
    expect(results[0]).toMatchObject({
      path: 'memory/2026-03-02.md',
      startLine: 6,
      endLine: 6,
      heading: '2026-03-02',
      date: '2026-03-02',
      source: 'memory',
      snippet: '13:10 The boiler was serviced by Kettlewell Heating, set LazyInitException aside.',
      matched: ['boiler', 'serviced'],
      vectorScore: null,
    })
    expect(results[0]?.textScore).toBeGreaterThan(0)
  })

  it('finds a line as soon as the transaction that writes it is over', async () => {
    const file = join(await temporaryFolder(), 'index.db')
    const { db, put } = createSearchIndex({ 'a.md': '- The amber note.' }, undefined, file)
    const reading = openForReading(file)
    const searcher = new Searcher(reading, undefined)
    const find = async (query: string) =>
      (await searcher.search(query, defaults, {}, false)).results.map(({ path }) => path)
    expect(await find('amber')).toEqual(['a.md'])
    db.exec('BEGIN IMMEDIATE')
    put('a.md', '- The kestrel note.')
    expect([await find('amber'), await find('kestral')]).toEqual([['a.md'], []])
    db.exec('COMMIT')
    expect([await find('amber'), await find('kestral')]).toEqual([[], ['a.md']])
    reading.close()
    db.close()
  })
})

describe('classic weights', () => {
  it('give exactly the weighted sum of the two scores, to the results and to the candidates', async () => {
    const { search, explain } = createSearchIndex(notes, builtin)
    const { results, weights } = await search('code of the guest wifi', classic)
    expect(weights).toEqual(classic.weights)
    expect(results.length).toBeGreaterThan(1)
    for (const { score, vectorScore, textScore } of results)
      expect(score).toBe(0.3 * (textScore ?? NaN) + 0.7 * (vectorScore ?? NaN))
    for (const { score, logit, vector, text, parts } of (await explain('code of the guest wifi', classic)).candidates) {
      expect(logit).toBeNull()
      expect(score).toBe(0.3 * (text?.score ?? NaN) + 0.7 * (vector?.score ?? NaN))
      expect(parts.map(({ name, contribution }) => [name, contribution])).toEqual([
        ['text', 0.3 * (text?.score ?? NaN)],
        ['vector', 0.7 * (vector?.score ?? NaN)],
      ])
    }
  })
})

describe('the breakdown of a score', () => {
  const queries = [
    'code of the guest wifi',
    'who services the bolier?',
    'rent',
    '数据库',
    'on:2026-03-02',
    'allergy last week',
  ]

  it.each([
    ['the ranking model', {}],
    ['classic weights', classic],
  ])('adds up with %s, and has the score of the search', async (_name, overrides) => {
    for (const provider of [undefined, builtin]) {
      const { search, explain } = createSearchIndex(notes, provider)
      for (const query of queries) {
        const { results, candidates: count, minScore } = await search(query, overrides)
        const explained = await explain(query, overrides)
        expect(explained.candidates).toHaveLength(count)
        expect(explained.minScore).toBe(minScore)
        const returned = explained.candidates.filter(({ verdict }) => verdict.kind === 'returned')
        expect(returned.map(({ path, startLine, score }) => [path, startLine, score])).toEqual(
          results.map(({ path, startLine, score }) => [path, startLine, score]),
        )
        for (const { parts, logit, score, text, vector } of explained.candidates) {
          const sum = parts.reduce((all, { contribution }) => all + contribution, 0)
          expect(sum).toBeCloseTo(logit ?? score, 9)
          if (logit !== null) expect(score).toBeCloseTo(1 / (1 + Math.exp(-logit)), 12)
          for (const { features, contribution, name } of parts)
            if (logit !== null)
              expect(
                features.reduce((all, one) => all + one.contribution, 0),
                name,
              ).toBeCloseTo(contribution, 9)
          if (text) expect(text.terms.reduce((all, { share }) => all + share, 0)).toBeCloseTo(text.raw, 9)
          if (vector?.terms) expect(vector.terms.reduce((all, { share }) => all + share, 0)).toBeCloseTo(vector.raw, 3)
        }
      }
    }
  })
})

describe('the reason why a line is not returned', () => {
  const sentence = (at: number) => `The heron number ${at} stands in the shallow water of the northern lake. `
  const index = () =>
    createSearchIndex({
      ...notes,
      'birds.md': Array.from({ length: 12 }, (_, at) => sentence(at)).join(''),
      'copy.md': '- 08:12 Mara is allergic to penicillin, tell every new doctor.',
      'boilers.md': Array.from({ length: 30 }, (_, at) => `- The kettle of house number ${at} was cleaned.`).join('\n'),
    })
  const why = async (query: string, path: string, line: number, overrides = {}) =>
    (await index().explain(query, overrides, { path, line })).why

  it('is that it is returned', async () => {
    expect(await why('boiler', 'memory/2026-03-02.md', 6)).toMatchObject({ reason: 'returned', rank: 1 })
  })

  it('is that it repeats another result', async () => {
    const { candidates } = await index().explain('penicillin')
    expect(candidates.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
      { kind: 'returned', rank: 1 },
      { kind: 'duplicate', rank: 1 },
    ])
    const { path = '', startLine = 0 } = candidates[1] ?? {}
    expect(await why('penicillin', path, startLine)).toMatchObject({ reason: 'duplicate', rank: 2 })
  })

  it('is that its score is too low', async () => {
    expect(await why('penicillin doctor', 'memory/2026-03-02.md', 4)).toMatchObject({ reason: 'weak' })
    expect(await why('boiler', 'memory/2026-03-02.md', 6, { minScore: 1 })).toMatchObject({
      reason: 'weak',
      rank: 1,
    })
  })

  it('is that others used up the limits', async () => {
    const { candidates } = await index().explain('kettle cleaned', { maxResults: 3 })
    const last = candidates.findLast(({ path }) => path === 'boilers.md')
    expect(await why('kettle cleaned', 'boilers.md', last?.startLine ?? 0, { maxResults: 3 })).toMatchObject({
      reason: 'overLimit',
      candidate: { verdict: { kind: 'overLimit' } },
    })
  })

  it('is that a filter or a quoted phrase excludes it', async () => {
    const excluded = (by: string[]) => ({ reason: 'outsideFilter', rank: null, candidate: { verdict: { by } } })
    expect(await why('penicillin path:projects', 'memory/2026-03-02.md', 3)).toMatchObject(excluded(['path:projects']))
    expect(await why('penicillin -doctor', 'memory/2026-03-02.md', 3)).toMatchObject(excluded(['-doctor']))
    expect(await why('"penicillin doctor"', 'memory/2026-03-02.md', 3)).toMatchObject(excluded(['"penicillin doctor"']))
    expect(await why('path:projects', 'memory/2026-03-02.md', 3)).toMatchObject(excluded(['path:projects']))
  })

  it('is that it has nothing in common with the query', async () => {
    expect(await why('penicillin', 'projects/paint.md', 3)).toMatchObject({ reason: 'noMatch', rank: null })
    expect(await why('the', 'projects/paint.md', 3)).toMatchObject({ reason: 'noMatch', rank: null })
  })

  it('is that it is not indexed', async () => {
    const reason = { reason: 'notIndexed', candidate: null, rank: null }
    expect(await why('penicillin', 'nowhere.md', 3)).toMatchObject(reason)
    expect(await why('penicillin', 'MEMORY.md', 2)).toMatchObject(reason)
  })
})

describe('the number of matching units', () => {
  const boilers = Array.from({ length: 300 }, (_, at) => `- The boiler of house ${at} is old.`)
  const memory = {
    'boilers.md': boilers.join('\n'),
    'soups.md': Array.from({ length: 40 }, (_, at) => `- Soup ${at} needs salt. #soup`).join('\n'),
    'heating.md': '# Boiler\n\nLeaks in winter.\n\n# Garden\n\n- Roses.\n- Tulips.',
  }
  const count = async (query: string, overrides = {}) => {
    const { matched, candidates } = await createSearchIndex(memory).explain(query, overrides)
    return { matched, examined: candidates.length }
  }

  it('counts all units with a word, though only the best are examined', async () => {
    expect(await count('boiler')).toEqual({ matched: 300, examined: 110 })
  })

  it('counts the units that pass the filters', async () => {
    expect(await count('boiler path:heating.md')).toEqual({ matched: 0, examined: 0 })
    expect(await count('tag:soup')).toEqual({ matched: 40, examined: 40 })
    expect((await count('path:boilers.md')).matched).toBe(300)
  })
})
