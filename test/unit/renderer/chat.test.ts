import { describe, expect, it } from 'vitest'
import { citationHref, parseCitationHref } from '../../../src/renderer/markdown/parse/mdast.ts'
import { reduceChatEvent, idle, searchesOf, toTurns } from '../../../src/renderer/chat/turns.ts'
import { patchLines } from '../../../src/renderer/lib/diff-view/patch.tsx'
import type { RecordedSearch } from '../../../src/shared/contract/index.ts'
import { withUniqueName } from '../../../src/renderer/chat/composer/attachments.tsx'
import { nameSpeakers } from '../../../src/renderer/search/unit-text.tsx'
import { splitCitations } from '../../../src/shared/markdown/citation.ts'
import { noUsage } from '../../../src/shared/chat/messages.ts'

describe('citations', () => {
  it('finds paths with and without lines, in any script', () => {
    expect(splitCitations('See [MEMORY.md:12] and [memory/会议 记录.md:3-8]. [not one] [x](y)')).toEqual([
      'See ',
      { path: 'MEMORY.md', line: 12, endLine: 12 },
      ' and ',
      { path: 'memory/会议 记录.md', line: 3, endLine: 8 },
      '. [not one] [x](y)',
    ])
  })

  it('encodes and parses an address unchanged', () => {
    const citation = { path: 'memory/a b:c.md', line: 7 }
    expect(parseCitationHref(citationHref(citation))).toEqual(citation)
    expect(parseCitationHref('https://example.com')).toBeUndefined()
  })
})

describe('conversation', () => {
  const assistant = {
    role: 'assistant' as const,
    provider: 'p',
    model: 'm',
    usage: noUsage,
    stopReason: 'toolUse' as const,
    timestamp: 0,
  }

  it('groups messages into turns and gives each call its result', () => {
    const call = { type: 'toolCall' as const, id: 'c', name: 'read', arguments: {} }
    const result = {
      role: 'toolResult' as const,
      toolCallId: 'c',
      toolName: 'read',
      content: [],
      isError: false,
      timestamp: 0,
    }
    const turns = toTurns([
      { id: '1', message: { role: 'user', content: 'a', timestamp: 0 } },
      { id: '2', message: { ...assistant, content: [call] } },
      { id: '3', message: result },
      { id: '4', message: { role: 'user', content: 'b', timestamp: 0 } },
    ])
    expect(turns.map(({ id }) => id)).toEqual(['1', '4'])
    expect(turns[0]?.answers[0]?.tools[0]?.result).toBe(result)
  })

  it('shows only an answer’s own searches and merges identical ones', () => {
    const recall = (query: string, line: number) => ({
      query,
      results: [{ path: 'MEMORY.md', startLine: line, endLine: line, score: 0.5 }],
      candidates: 1,
      minScore: 0.35,
    })
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `call_${index}`)
    const answer = (id: string, count: number) => ({
      id,
      message: {
        ...assistant,
        content: ids(count).map((call) => ({
          type: 'toolCall' as const,
          id: call,
          name: 'memory_search',
          arguments: {},
        })),
      },
    })
    const result = (id: string, call: string, query: string, line: number) => ({
      id,
      message: {
        role: 'toolResult' as const,
        toolCallId: call,
        toolName: 'memory_search',
        content: [],
        isError: false,
        timestamp: 0,
        details: { kind: 'recall' as const, recall: recall(query, line) as unknown as RecordedSearch },
      },
    })
    const turns = toTurns([
      { id: 'q1', message: { role: 'user', content: 'a', timestamp: 0 } },
      answer('a1', 1),
      result('r1', 'call_0', 'the garden', 3),
      { id: 'q2', message: { role: 'user', content: 'b', timestamp: 0 } },
      answer('a2', 3),
      result('r2', 'call_0', 'the cat', 7),
      result('r3', 'call_1', 'the cat ', 7),
      result('r4', 'call_2', 'the cat', 8),
    ])
    const looked = turns.map((turn) =>
      searchesOf(turn).map(({ query, results }) => [query.trim(), results[0]?.startLine]),
    )
    expect(looked).toEqual([
      [['the garden', 3]],
      [
        ['the cat', 7],
        ['the cat', 8],
      ],
    ])
  })

  it('turns a stream into text and then a message', () => {
    let turn = reduceChatEvent(idle, {
      type: 'partial',
      running: true,
      queue: [],
      permissions: [],
      retrying: null,
      keeping: null,
      text: 'He',
      thinking: '',
    })
    turn = reduceChatEvent(turn, { type: 'text', delta: 'llo' })
    expect(turn).toMatchObject({ isRunning: true, text: 'Hello' })
    turn = reduceChatEvent(turn, { type: 'message', id: '1', message: { ...assistant, content: [] } })
    expect(turn).toMatchObject({ isRunning: true, text: 'Hello', messageId: '1' })
    expect(reduceChatEvent(turn, { type: 'text', delta: 'Next' })).toMatchObject({ text: 'Next', messageId: undefined })
    expect(reduceChatEvent(turn, { type: 'turnEnd', reason: 'done' }).isRunning).toBe(false)
  })

  it('returns the changed lines of a patch without headers', () => {
    const patch = '===\n--- a\n+++ a\n@@ -1,2 +1,4 @@\n # Log\n+\n+## 10:00 - x\n+y\n'
    expect(patchLines(patch)).toEqual([
      { kind: 'added', text: '## 10:00 - x' },
      { kind: 'added', text: 'y' },
    ])
  })
})

describe('attachments', () => {
  it('get unique names', () => {
    const picture = { type: 'file' as const, name: 'image.png', text: '' }
    const names = [picture, picture, { ...picture, name: 'notes' }, { ...picture, name: 'notes' }, picture]
      .reduce<ReturnType<typeof withUniqueName>>((known, one) => withUniqueName(known, one), [])
      .map(({ name }) => name)
    expect(names).toEqual(['image.png', 'image 2.png', 'notes', 'notes 2', 'image 3.png'])
  })
})

describe('speakers', () => {
  it('are translated in a transcript, and nothing else changes', () => {
    const names = { User: '用户：', Assistant: '智能体：' }
    expect(nameSpeakers('- User: 你好 User: x\n- Assistant: hi', names)).toBe('- 用户：你好 User: x\n- 智能体：hi')
    expect(nameSpeakers('The User: field', names)).toBe('The User: field')
  })
})
