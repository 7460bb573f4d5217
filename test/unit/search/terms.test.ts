import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queryTerms } from '../../../src/main/search/query/parse-query.ts'
import { lineTerms, type LineTerms } from '../../../src/main/search/text/terms.ts'
import { rounds } from '../../support/thorough.ts'

const wordsOf = (text: string) => lineTerms(text).terms

describe('words and identifiers', () => {
  it.each([
    ['decides', 'deciding', 'decid'],
    ['chose', 'choose', 'choos'],
    ['children', 'child', 'child'],
    ['CAFÉ', 'cafe', 'cafe'],
  ])('%s and %s have the same term: %s', (one, other, term) => {
    expect(wordsOf(one)).toEqual([term])
    expect(wordsOf(other)).toEqual([term])
  })

  it.each([
    ['POSTGRES_URL', ['postgres_url', 'postgr', 'url']],
    ['v2.3.0', ['v2.3.0', 'v2', '3', '0']],
    ['src/main/app/composition/create-app.ts', ['src/main/app/composition/create-app.ts', 'src', 'main', 'app', 'ts']],
    ['LazyInitException', ['lazi', 'init', 'except']],
  ])('indexes %s whole and in parts', (identifier, expected) => {
    const terms = wordsOf(`set ${identifier} now`)
    for (const term of expected) expect(terms).toContain(term)
  })

  it('drops the possessive in the term and keeps it in the displayed word', () => {
    expect(queryTerms("Caroline's databases")).toMatchObject([
      { readings: [{ term: 'carolin' }], shown: "caroline's" },
      { readings: [{ term: 'databas' }], shown: 'databases' },
    ])
  })

  it('an ASCII line has the same terms as one with other characters', () => {
    const piece = fc.oneof(
      fc.constantFrom(..."aZ09'_-./:@#+\\ ,(!", "don't-stop", "o'may", 'LazyInit', '3,260', '2026-10-03', '500 g'),
      fc.constantFrom('may', 'Sept', 'in march', '12/18', 'v2.3.0', 'ann@example.com', '139-1766-2045', "it's", 'x--y'),
      fc.string({ unit: 'binary-ascii', maxLength: 6 }),
    )
    const read = (line: string): LineTerms & { readonly spelt: readonly unknown[] } => {
      const spelt: [string, string][] = []
      return { ...lineTerms(line, (word, term) => spelt.push([word, term])), spelt }
    }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const line = pieces.join('').replaceAll('\n', ' ')
        expect(read(`x-y ${line}`)).toEqual(read(`。x-y ${line}`))
      }),
      { numRuns: rounds(600, 3000) },
    )
  })
})

describe('Chinese, Japanese, Korean', () => {
  it('separates runs of CJK characters', () => {
    expect(lineTerms('数据库 PostgreSQL 选型')).toEqual({
      runs: ['数据库', '选型'],
      terms: ['postgresql'],
    })
  })

  it.each([
    ['我们选择了哪个数据库？', ['选择', '数据库']],
    ['飞书插件怎么配置', ['飞书', '插件', '配置']],
  ])('finds the content words of %s', (query, expected) => {
    const joined = queryTerms(query)
      .filter(({ role }) => role !== 'function')
      .map(({ shown }) => shown)
    for (const word of expected) expect(joined.join('')).toContain(word)
    expect(joined).not.toContain('了')
    expect(joined).not.toContain('哪个')
  })

  it('strips Korean particles and Japanese endings', () => {
    expect(queryTerms('데이터베이스를')[0]?.readings[0]?.term).toBe('데이터베이스')
    expect(queryTerms('食べました').map(({ shown }) => shown)).toContain('食')
  })
})
