import { describe, expect, it } from 'vitest'
import { reduceChatEvent, idle, toTurns } from '../../../src/renderer/chat/turns.ts'
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
})

describe('speakers', () => {
  it('are translated in a transcript, and nothing else changes', () => {
    const names = { User: '用户：', Assistant: '智能体：' }
    expect(nameSpeakers('- User: 你好 User: x\n- Assistant: hi', names)).toBe('- 用户：你好 User: x\n- 智能体：hi')
    expect(nameSpeakers('The User: field', names)).toBe('The User: field')
  })
})
