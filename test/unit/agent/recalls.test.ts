import { describe, expect, it } from 'vitest'
import { recallsIn } from '../../../src/main/agent/sessions/transcript-file.ts'
import type { Message } from '../../../src/shared/chat/messages.ts'
import { compareResults } from '../../../src/renderer/search/candidates.ts'
import { assistantMessage, userMessage as said } from '../../support/messages.ts'

const answered = (text: string, ...calls: { name: string; path: string }[]) =>
  assistantMessage([
    { type: 'text', text },
    ...calls.map(({ name, path }, at) => ({ type: 'toolCall' as const, id: `c${at}`, name, arguments: { path } })),
  ])
const searched = (query: string, places: [path: string, startLine: number, endLine: number][]): Message => ({
  role: 'toolResult',
  toolCallId: `search ${query}`,
  toolName: 'memory_search',
  content: [],
  details: {
    kind: 'recall',
    recall: {
      query,
      results: places.map(([path, startLine, endLine]) => ({
        path,
        startLine,
        endLine,
        heading: '',
        score: 0.5,
        snippet: '',
        source: 'memory',
      })),
      candidates: 3,
      provider: 'none',
      model: '',
      stale: false,
      minScore: 0.25,
      weights: null,
      notice: null,
    },
  },
  isError: false,
  timestamp: 2,
})

function uses(...messages: Message[]) {
  const recalls = recallsIn(messages.map((message, index) => ({ id: `e${index}`, message })))
  return recalls.map(({ query, question, results }) => ({ query, question, use: results.map(({ use }) => use) }))
}

describe('recalls of a conversation', () => {
  it.each([
    ['It is so [a.md:4].', ['cited', null]],
    ['It is so [a.md:9].', [null, null]],
    ['Both [a.md:1-2] and [b.md].', ['cited', 'cited']],
  ])(' %s', (text, use) => {
    const found = searched('q', [
      ['a.md', 1, 5],
      ['b.md', 7, 8],
    ])
    expect(uses(said('why?'), found, answered(text))).toEqual([{ query: 'q', question: 'why?', use }])
  })

  it('counts a result as used if it is read later in the same turn', () => {
    const one = searched('one', [['a.md', 1, 5]])
    const two = searched('two', [['b.md', 1, 5]])
    expect(
      uses(
        said('1'),
        one,
        answered('', { name: 'memory_get', path: 'a.md:1-5' }),
        said('2'),
        two,
        answered('[a.md:2]', { name: 'write', path: 'b.md' }),
      ),
    ).toEqual([
      { query: 'one', question: '1', use: ['read'] },
      { query: 'two', question: '2', use: [null] },
    ])
  })
})

describe('compareResults', () => {
  it('matches an entry that moved, and puts new results last', () => {
    const then = [
      { path: 'a.md', startLine: 1, endLine: 5, score: 0.9, snippet: '', use: 'cited' as const },
      { path: 'b.md', startLine: 1, endLine: 2, score: 0.5, snippet: '', use: null },
    ]
    const now = [
      { path: 'c.md', startLine: 1, endLine: 3, score: 0.8 },
      { path: 'a.md', startLine: 4, endLine: 9, score: 0.7 },
    ]
    expect(compareResults(then, now)).toEqual([
      { path: 'a.md', startLine: 4, endLine: 9, scoreThen: 0.9, scoreNow: 0.7, use: 'cited' },
      { path: 'b.md', startLine: 1, endLine: 2, scoreThen: 0.5, scoreNow: undefined, use: null },
      { path: 'c.md', startLine: 1, endLine: 3, scoreThen: undefined, scoreNow: 0.8, use: null },
    ])
  })
})
