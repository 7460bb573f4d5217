import { describe, expect, it } from 'vitest'
import { findCanonicalForms, fold, lineTerms } from '../../../src/main/search/text/terms.ts'
import { parseNumeral } from '../../../src/main/search/text/language/dates.ts'
import { queryTerms } from '../../../src/main/search/query/parse-query.ts'

const termsOf = (text: string) => new Set(lineTerms(text).terms)
const askedOf = (text: string) => findCanonicalForms(fold(text)).map(({ searchTerms }) => searchTerms[0])

describe('canonical form of days', () => {
  it.each([
    ['10月3号', '--10-03'],
    ['10월 3일', '--10-03'],
    ['Oct 3rd', '--10-03'],
    ['the 3rd of October', '--10-03'],
    ['2026-10-03', '2026-10-03'],
    ['10/3/2026', '2026-10-03'],
    ['2026年10月3日', '2026-10-03'],
  ])('%s becomes %s', (text, form) => {
    expect(askedOf(text)).toEqual([form])
    expect(termsOf(`- ${text}: dentist`)).toContain(form)
  })

  it.each(['三个月', 'it may rain 3 times', '1.10.2003.4', '月租'])('%s is not a day', (text) =>
    expect(askedOf(text).filter((form) => form?.includes('-'))).toEqual([]),
  )

  it('a day in a query is one term', () => {
    expect(queryTerms('10月3号去了哪里').filter(({ role }) => role === 'figure')).toMatchObject([
      { shown: '10月3号', readings: [{ term: '--10-03' }] },
    ])
  })
})

describe('canonical form of numbers', () => {
  it.each([
    ['三千五', 3500],
    ['三百二十万', 3_200_000],
    ['4.5万', 45_000],
    ['一百零八', 108],
    ['만오천', 15_000],
    ['3,260', 3260],
  ])('%s is %d', (text, value) => expect(parseNumeral(text)).toBe(value))

  it.each([
    ['3,260 元', '3260'],
    ['三千五', '3500'],
    ['139-1766-2045', '13917662045'],
    ['64GB', '64gb'],
    ['七十分钟', '70min'],
  ])('a note with %s has the term %s', (text, term) => expect(termsOf(text)).toContain(term))
})

describe('folding and camelCase', () => {
  it('indexes traditional characters as simplified ones, and shows them as written', () => {
    expect(lineTerms('資料庫').runs).toEqual(lineTerms('资料库').runs)
    expect(queryTerms('資料庫').map(({ shown }) => shown)).toContain('資料庫')
  })

  it('indexes the parts of camelCase names', () => {
    expect([...termsOf('LazyInitializationException')]).toEqual(
      expect.arrayContaining(['lazyinitializationexcept', 'lazi', 'except']),
    )
  })
})
