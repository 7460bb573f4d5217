import { describe, expect, it } from 'vitest'
import { requiredPhrases } from '../../../../src/main/search/query/parse-query.ts'
import { UnitFilters } from '../../../../src/main/search/ranking/unit-filters.ts'
import { createSearchIndex } from '../../../support/search-index.ts'
import { createUnitIndex } from '../../../support/unit-index.ts'

const lines = [
  'Amber and birch stand here.',
  'Birch and amber stand there; the data is in 数据库里.',
  'the staging server is up',
  'the server for staging',
  'set POSTGRES_URL now',
  'Monthly reports, weekly report',
]

function withPhrases(query: string): string[] | undefined {
  const { db, put, reader, textOf } = createUnitIndex()
  put('a.md', lines.map((line) => `- ${line}`).join('\n'))
  const found = new UnitFilters(db).unitsWithPhrases(requiredPhrases(query), reader().lexicon())
  return found && Array.from(found, textOf)
}

describe('quoted phrases', () => {
  it.each([
    ['"amber and birch"', [lines[0]]],
    ['stand "birch and amber"', [lines[1]]],
    ['“staging server”', [lines[2]]],
    ['"数据库里"', [lines[1]]],
    ['"POSTGRES_URL"', [lines[4]]],
    ['"cedar"', []],
  ])('%s is in %j', (query, expected) => {
    expect(withPhrases(query)).toEqual(expected)
  })

  it('restrict nothing if there are none', () => {
    expect(withPhrases('amber and birch')).toBeUndefined()
  })

  it('do not cross from a heading into the text', async () => {
    const { find } = createSearchIndex({ 'a.md': '# The amber\n\nbirch stands here', 'b.md': 'amber birch' })
    expect(await find('"the amber"')).toEqual(['a.md:3'])
    expect(await find('"amber birch"')).toEqual(['b.md:1'])
  })
})

describe('filters of a search', () => {
  const notes = {
    'a.md': '# Boats\n\n- The boat is blue. #sail\n- The boat is a draft.\n- The secret boat. #secret ^[local]',
    'b.md': 'status:: open\nThe boat is red. #sail/race',
  }

  it.each([
    ['boat -draft', ['a.md:3', 'a.md:5', 'b.md:1']],
    ['boat tag:sail', ['a.md:3', 'a.md:4', 'a.md:5', 'b.md:1']],
    ['boat tag:sail/race', ['b.md:1']],
    ['boat -tag:sail', []],
    ['boat status:open', ['b.md:1']],
  ])('%s', async (query, expected) => {
    expect((await createSearchIndex(notes).find(query, { minScore: 0.001 })).sort()).toEqual(expected)
  })

  it('ignore tags and properties of private lines for readers without access', async () => {
    const open = { minScore: 0.001, hasPrivate: false }
    const { find, search } = createSearchIndex({
      ...notes,
      'c.md': '# Diary ^[local]\n\nmood:: low\n\nThe boat is gone.',
    })
    expect(await find('boat tag:secret', open)).toEqual([])
    expect((await find('boat tag:sail', open)).sort()).toEqual(['a.md:3', 'a.md:4', 'b.md:1'])
    expect((await search('boat mood:low', open)).conditions).toBeUndefined()
    expect((await search('boat mood:low')).conditions).toMatchObject([{ kind: 'property' }])
  })
})
