import { describe, expect, it } from 'vitest'
import { reduceChatEvent, idle, toTurns } from '../../../src/renderer/chat/turns.ts'
import { nameSpeakers } from '../../../src/renderer/search/unit-text.tsx'
import { splitCitations } from '../../../src/shared/markdown/citation.ts'
import { assistantMessage, toolResult, userMessage } from '../../support/messages.ts'

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
  it('groups messages into turns and gives each call its result', () => {
    const call = { type: 'toolCall' as const, id: 'c', name: 'read', arguments: {} }
    const result = toolResult('c', '')
    const turns = toTurns([
      { id: '1', message: userMessage('a') },
      { id: '2', message: assistantMessage([call], { stopReason: 'toolUse' }) },
      { id: '3', message: result },
      { id: '4', message: userMessage('b') },
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
    turn = reduceChatEvent(turn, { type: 'message', id: '1', message: assistantMessage([]) })
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
