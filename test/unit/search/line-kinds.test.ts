import { describe, expect, it } from 'vitest'
import { searchTerms } from '../../../src/main/search/query/parse-query.ts'
import { lineKindsOf } from '../../../src/main/search/text/line-kinds.ts'

describe('the kinds of a line', () => {
  it.each([
    ['we chose rest over graphql', ''],
    ['logins go through keycloak from now on', ''],
    ['数据库选用 postgresql', ''],
    ['stripe, because the fees are lower', 'payments › decision'],
  ])('include a decision: %s', (text, heading) => {
    expect(lineKindsOf(text, heading)).toEqual(['§decision'])
  })

  it.each(['fixed the login bug', '登录的 bug 修好了'])('include an outcome: %s', (text) => {
    expect(lineKindsOf(text, '')).toEqual(['§outcome'])
  })

  it.each([
    'rate limits: no decision yet',
    "we couldn't agree on the date picker",
    '限流还没有结论',
    '缓存用什么还没定',
  ])('include an open decision: %s', (text) => {
    expect(lineKindsOf(text, 'decisions')).toEqual(['§decision?'])
  })

  it.each(['我们再三考虑后决定用 kafka', '没问题就定了 kafka'])(
    'include a decision although it resembles an open one: %s',
    (text) => {
      expect(lineKindsOf(text, '')).toEqual(['§decision'])
    },
  )

  it.each([
    'picked up the kids at four',
    "i couldn't agree more",
    'no decision on the queue. we went with stripe for payments',
  ])('are none for %s', (text) => {
    expect(lineKindsOf(text, 'decisions › api')).toEqual([])
  })
})

describe('the words of a question for a kind', () => {
  const kindsOf = (query: string) =>
    searchTerms(query).flatMap(({ role, readings }) => (role === 'lineKind' ? (readings[0]?.term ?? []) : []))

  it.each([
    'What did we decide about the API?',
    'What are we using for payments?',
    '那个数据库的事',
    '我们之前选了什么数据库',
  ])('ask for a decision: %s', (query) => {
    expect(kindsOf(query)).toEqual(['§decision'])
  })

  it.each(['Was the bug fixed?', '昨天那个Bug修好了吗'])('ask for an outcome: %s', (query) => {
    expect(kindsOf(query)).toEqual(['§outcome'])
  })

  it.each(['Which software do the architects use?', '5月1号我遇到了什么开心的事情'])('ask for none: %s', (query) => {
    expect(kindsOf(query)).toEqual([])
  })
})
