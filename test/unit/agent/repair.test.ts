import { describe, expect, it } from 'vitest'
import { entrySchema } from '../../../src/main/agent/sessions/transcript-entries.ts'

const read = (message: object) => {
  const entry = entrySchema.parse({ type: 'message', id: 'a', timestamp: '2026-01-20T10:00:00.000Z', message })
  return entry.type === 'message' ? entry.message : undefined
}

describe('messages of other programs', () => {
  it.each([
    ['end_turn', 'stop'],
    [null, 'stop'],
    ['length', 'length'],
  ])('reads the stop reason %j as %s', (stopReason, expected) => {
    const message = { role: 'assistant', content: 'hello', provider: 7, model: 'm', usage: null, stopReason }
    expect(read(message)).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
      provider: '7',
      usage: { input: 0, totalTokens: 0 },
      stopReason: expected,
      timestamp: Date.parse('2026-01-20T10:00:00.000Z'),
    })
  })

  it('fills the missing fields of calls and results, and drops invalid parts', () => {
    const calls = [{ type: 'toolCall', arguments: 'x' }, { type: 'audio' }, { type: 'text' }, 7]
    expect(read({ role: 'assistant', content: calls, usage: { input: 3, cost: {} }, timestamp: 5 })).toMatchObject({
      content: [{ id: 'call_0', name: 'unnamed', arguments: {} }],
      usage: { input: 3, output: 0 },
      timestamp: 5,
    })
    expect(read({ role: 'toolResult', content: 'done' })).toMatchObject({
      toolCallId: '',
      toolName: 'unnamed',
      content: [{ type: 'text', text: 'done' }],
      isError: false,
    })
    expect(read({ role: 'user' })).toMatchObject({ content: [] })
  })
})
