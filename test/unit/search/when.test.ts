import { describe, expect, it } from 'vitest'
import { formatDay, parseDay } from '../../../src/main/search/text/language/dates.ts'
import { parseTemporalExpressions } from '../../../src/main/search/text/language/times.ts'

/** A Wednesday. */
const today = parseDay('2026-11-18')

function told(query: string): string {
  const shown = (day: number) => (Number.isFinite(day) ? formatDay(day) : '…')
  return parseTemporalExpressions(query, today)
    .map(({ text, first, last }) => `${text}: ${shown(first)} ${shown(last)}`)
    .join(' | ')
}

describe('time expressions in a query', () => {
  it.each([
    ['What did I do yesterday?', 'yesterday: 2026-11-17 2026-11-17'],
    ['what happened last week', 'last week: 2026-11-09 2026-11-15'],
    ['the past three days', 'the past three days: 2026-11-15 2026-11-18'],
    ['who came last Friday', 'last Friday: 2026-11-13 2026-11-13'],
    ['周三我见了谁', '周三: 2026-11-18 2026-11-18'],
    ['三天后', '三天后: 2026-11-21 2026-11-21'],
    ['December 9', 'December 9: 2026-12-09 2026-12-09'],
    ['What was decided on 9 December?', '9 December: 2025-12-09 2025-12-09'],
    ['May last year', 'May last year: 2025-05-01 2025-05-31'],
    ['before 2024', '2024: … 2023-12-31'],
    ['on 2024-02-29', '2024-02-29: 2024-02-29 2024-02-29'],
    ['昨天说了什么', '昨天: 2026-11-17 2026-11-17'],
    ['去年五月去了哪里', '去年五月: 2025-05-01 2025-05-31'],
    ['上個月的帳單', '上個月: 2026-10-01 2026-10-31'],
    ['先週の金曜日', '先週の金曜日: 2026-11-13 2026-11-13'],
    ['작년 5월', '작년 5월: 2025-05-01 2025-05-31'],
    ['yesterday or last week', 'yesterday: 2026-11-17 2026-11-17 | last week: 2026-11-09 2026-11-15'],
  ])('reads the time in %s', (query, expected) => {
    expect(told(query)).toBe(expected)
  })

  it.each(['I may go', '"last week"', '2月30日', '每周一', 'every Tuesday', 'the march of time'])(
    'finds no time in %s',
    (query) => {
      expect(told(query)).toBe('')
    },
  )

  it('handles the ends of weeks, months and years', () => {
    const at = (date: string, query: string) =>
      parseTemporalExpressions(query, parseDay(date)).map(({ first, last }) => [formatDay(first), formatDay(last)])
    expect(at('2027-01-01', 'last week')).toEqual([['2026-12-21', '2026-12-27']])
    expect(at('2026-11-16', 'last week')).toEqual([['2026-11-09', '2026-11-15']])
    expect(at('2026-01-31', 'last month')).toEqual([['2025-12-01', '2025-12-31']])
    expect(at('2024-03-01', 'yesterday')).toEqual([['2024-02-29', '2024-02-29']])
  })
})
