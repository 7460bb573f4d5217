import { describe, expect, it } from 'vitest'
import { logEntries } from '../../../src/shared/markdown/log-entry.ts'
import { isoDate, startOfDay } from '../../../src/renderer/lib/i18n/format.ts'

describe('start page', () => {
  it('lists the entries of a daily log, newest first, by title or first line', () => {
    const log = [
      '# 2026-11-22',
      '',
      '## 07:40',
      'Bought green tea.',
      '',
      '## 08:05 - Call with the landlord',
      'He sends somebody on Thursday.',
      '- and the boiler leaks',
      '',
      '## 9:10 – 会议',
      '房东来了。',
      '',
      '- 09:30 Rust over C',
      '- 09:31 Tea',
    ].join('\n')
    expect(logEntries(log)).toEqual([
      { time: '09:31', text: 'Tea', line: 14 },
      { time: '09:30', text: 'Rust over C', line: 13 },
      { time: '9:10', text: '会议', line: 10 },
      { time: '08:05', text: 'Call with the landlord', line: 6 },
      { time: '07:40', text: 'Bought green tea.', line: 3 },
    ])
  })

  it.each([
    ['', []],
    ['# 2026-11-22\n', []],
    ['Just a line\nand another', [{ time: '', text: 'Just a line', line: 1 }]],
    ['## 10:00\n\n## 11:00\nsaid', [{ time: '11:00', text: 'said', line: 3 }]],
  ])('reads from %j the entries %j', (log, entries) => {
    expect(logEntries(log)).toEqual(entries)
  })

  it('starts yesterday at local midnight, also across months', () => {
    const now = new Date(2026, 2, 1, 15, 30)
    expect(isoDate(new Date(startOfDay(0, now)))).toBe('2026-03-01')
    expect(isoDate(new Date(startOfDay(1, now)))).toBe('2026-02-28')
    expect(new Date(startOfDay(1, now)).getHours()).toBe(0)
  })
})
