import { describe, expect, it } from 'vitest'
import { parseDay } from '../../../src/main/search/text/language/dates.ts'
import { failedFilters, parseFilters } from '../../../src/main/search/query/filters.ts'

const today = parseDay('2026-11-18')
const read = (query: string, off: string[] = []) => parseFilters(query, today, off)
const told = (query: string) =>
  read(query).conditions.map(({ kind, text, from, to, isUnread }) =>
    [kind, text, isUnread ? 'unread' : (from ?? '…'), isUnread ? '' : (to ?? '…')].join(' ').trim(),
  )

describe('query filters', () => {
  it.each([
    ['in:2024-05', 'in in:2024-05 2024-05-01 2024-05-31'],
    ['after:2024-05', 'after after:2024-05 2024-06-01 …'],
    ['on:yesterday', 'on on:yesterday 2026-11-17 2026-11-17'],
    ['in:"last week"', 'in in:"last week" 2026-11-09 2026-11-15'],
    ['path:projects/', 'path path:projects/ … …'],
    ['source:chats', 'source source:chats … …'],
    ['-draft', 'not -draft … …'],
    ['-笔记', 'not -笔记 … …'],
  ])('understands %s', (query, expected) => {
    expect(told(`walrus ${query}`)).toEqual([expected])
    expect(read(`walrus ${query}`).words).toMatch(/^walrus ?，?$/)
  })

  it.each(['after:soon', 'in:2024-13', 'on:2023-02-29', 'source:moon', 'path:""', '-in:2024'])(
    'reports %s as not understood and searches for it as a word',
    (query) => {
      expect(told(`walrus ${query}`)).toEqual([expect.stringMatching(/unread$/)])
      expect(read(`walrus ${query}`)).toMatchObject({ words: `walrus ${query}`, filters: [] })
    },
  )

  it.each(['rm -g x', 'a - b', '-5 degrees', 'https://x.y/in:2024'])('finds no filter in %s', (query) => {
    expect(told(query)).toEqual([])
  })

  it('lists filters and time expressions in the order of the query', () => {
    expect(told('-draft what about the walrus last week in:2026')).toEqual([
      'not -draft … …',
      'time last week 2026-11-09 2026-11-15',
      'in in:2026 2026-01-01 2026-12-31',
    ])
  })

  it('a condition that is turned off neither filters nor boosts nor is searched', () => {
    const { words, filters, boosts, conditions } = read('walrus -draft last week', ['-draft', 'last week'])
    expect({ words, filters, lifts: boosts }).toEqual({ words: 'walrus', filters: [], lifts: [] })
    expect(conditions.map(({ isOff }) => isOff)).toEqual([true, true])
  })

  const properties = new Set(['status', 'rating', 'source', 'due-by'])
  const said = (query: string) => parseFilters(query, today, [], (name) => properties.has(name.toLowerCase()))

  it.each([
    ['tag:work', 'tag tag:work'],
    ['-tag:work', 'tag -tag:work'],
    ['status:open', 'property status:open'],
    ['rating:>3', 'property rating:>3'],
    ['[status:in progress]', 'property [status:in progress]'],
    ['[status]', 'property [status]'],
  ])('understands %s', (query, expected) => {
    const { conditions, words, filters } = said(`walrus ${query}`)
    expect(conditions.map(({ kind, text }) => `${kind} ${text}`)).toEqual([expected])
    expect(words).toMatch(/^walrus ?,?$/)
    expect(filters).toHaveLength(1)
  })

  it.each(['https://x.y/', 'error:open', '12:30', '[x] done', '"status:open"'])(
    'finds no property filter in %s',
    (query) => expect(said(query)).toMatchObject({ words: query, conditions: [] }),
  )

  it.each(['tag:#', 'rating:>many'])('reports %s as not understood and searches for it as a word', (query) => {
    expect(said(query)).toMatchObject({ words: query, filters: [], conditions: [{ isUnread: true }] })
  })

  const day = (date: string) => ({ first: parseDay(date), last: parseDay(date) })
  const passage = {
    path: 'Projects/Zoo.md',
    source: 'memory' as const,
    days: [day('2024-05-03')],
    excludedBy: new Set<string>(),
    having: new Set<string>(),
  }

  it.each([
    ['in:2024-06', ['in:2024-06']],
    ['path:projects', []],
    ['path:pro*.md', ['path:pro*.md']],
    ['-path:zoo', ['-path:zoo']],
    ['source:chats', ['source:chats']],
    ['source:chats source:notes', []],
    ['on:2024-05-03 path:moon source:shared', ['path:moon', 'source:shared']],
  ])('for a note of 3 May 2024, %s fails %j', (query, failed) => {
    expect(failedFilters(read(query).filters, passage)).toEqual(failed)
  })

  it('a passage without a date fails every day filter', () => {
    expect(failedFilters(read('in:2024').filters, { ...passage, days: [] })).toEqual(['in:2024'])
  })

  it('two day filters must match the same day', () => {
    const days = [day('2024-01-01'), day('2024-12-31')]
    expect(failedFilters(read('after:2024-03 before:2024-09').filters, { ...passage, days })).toEqual([
      'after:2024-03',
      'before:2024-09',
    ])
  })
})
