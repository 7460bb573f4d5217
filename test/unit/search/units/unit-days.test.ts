import { describe, expect, it } from 'vitest'
import { daysOfText, daysOfPath } from '../../../../src/main/search/units/unit-days.ts'
import { formatDay } from '../../../../src/main/search/text/language/dates.ts'
import { transcriptDays } from '../../../../src/main/search/indexing/transcript-text.ts'

const shown = (spans: readonly { first: number; last: number }[]) =>
  spans.map(({ first, last }) => (first === last ? formatDay(first) : `${formatDay(first)} ${formatDay(last)}`))

describe('days of a text', () => {
  it.each([
    ['memory/2026-01-20.md', ['2026-01-20']],
    ['journal/20240503 trip.md', ['2024-05-03']],
    ['2024/05/plans.md', ['2024-05-01 2024-05-31']],
    ['weekly/2026-W03.md', ['2026-01-12 2026-01-18']],
    ['May 3, 2024.md', ['2024-05-03']],
    ['notes/202605031030.md', ['2026-05-03']],
    ['notes/20260503103059 call.md', ['2026-05-03']],
    ['calls/209912345678.md', []],
    ['memory/2026-02-30.md', []],
    ['2001 A Space Odyssey.md', []],
  ])('%s has the days %j', (path, days) => {
    expect(shown(daysOfPath(path))).toEqual(days)
  })

  it('daily notes have the day that their format tells', () => {
    const privateRules = { roots: [], rules: [] }
    const daily = (format: string) => [{ prefix: '', privateRules, daily: { folder: 'Daily', format } }]
    expect(shown(daysOfPath('Daily/12-11-2026.md', daily('DD-MM-YYYY')))).toEqual(['2026-11-12'])
    expect(shown(daysOfPath('Daily/12-11-2026.md', daily('MM-DD-YYYY')))).toEqual(['2026-12-11'])
  })

  it.each([
    ['', '# Notes\n\n## 2024-05-03 Trip\nWe went.', ['2024-05-03']],
    ['2024年 › 5月3日', '出发。', ['2024-01-01 2024-12-31', '2024-05-03']],
    [
      '',
      '- 2026-01-15: Chose PostgreSQL\n- **2026-01-20** REST\n- [ ] 2026-02-01 later',
      ['2026-01-15', '2026-01-20', '2026-02-01'],
    ],
    ['', 'The contract of 2026-01-15 was signed.', []],
    ['18. November 2026', 'Rain.', ['2026-11-18']],
    ['', '- 2026-01-15T10:30 met Ann', ['2026-01-15']],
  ])('with the heading %j, %j has the expected days', (heading, text, days) => {
    expect(shown(daysOfText({ heading, text }, []))).toEqual(days)
  })

  it('a day without a year takes the year of the file name, and the span of the file remains', () => {
    const ofPath = daysOfPath('reviews/2023.md')
    expect(shown(daysOfText({ heading: '', text: '## March 3rd\nRain.' }, ofPath))).toEqual([
      '2023-01-01 2023-12-31',
      '2023-03-03',
    ])
  })

  it('a transcript has the days of its messages', () => {
    const lines = [
      '{"type":"session","id":"s","timestamp":"2026-01-19T12:00:00.000Z"}',
      '{"type":"message","id":"a","timestamp":"2026-01-20T12:00:00.000Z","message":{"role":"user","content":"hi"}}',
      '{"type":"message","id":"b","message":{"role":"user","content":"hi","timestamp":1769083200000}}',
      'torn {"message"',
    ]
    expect(transcriptDays(lines.join('\n'))).toEqual([undefined, '2026-01-20', '2026-01-22', undefined])
  })
})
