import { describe, expect, it } from 'vitest'
import { repairEntry } from '../../../src/main/agent/sessions/repair-messages.ts'
import { assistantMessageSchema } from '../../../src/shared/chat/message-schemas.ts'

describe('messages of older versions', () => {
  it.each([
    ['end_turn', 'stop'],
    [null, 'stop'],
    [undefined, 'stop'],
    ['aborted', 'aborted'],
    ['length', 'length'],
  ])('reads the stop reason %j as %s', (stopReason, expected) => {
    const message = { role: 'assistant', content: 'hello', provider: 7, model: 'm', usage: null, stopReason }
    const entry = repairEntry({ timestamp: '2026-01-20T10:00:00.000Z', message }) as { message: unknown }
    expect(assistantMessageSchema.parse(entry.message)).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
      provider: '7',
      usage: { input: 0, totalTokens: 0 },
      stopReason: expected,
    })
  })
})
