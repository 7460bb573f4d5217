import { describe, expect, it } from 'vitest'
import { sessionEvents } from '../../../src/main/agent/sessions/session-events.ts'
import type { TranscriptEntry } from '../../../src/main/agent/sessions/transcript-entries.ts'

const base = { parentId: null, timestamp: '2026-01-20T10:00:00.000Z' }
const change = { path: 'memory/2026-01-20.md', added: 1, removed: 0, startLine: 1, patch: '' }

function flush(id: string, status: 'wrote' | 'nothing' | 'failed'): TranscriptEntry {
  const changes = status === 'wrote' ? [change] : []
  return { ...base, type: 'flush', id, status, throughEntryId: 'm', changes, lines: [] }
}

function message(id: string): TranscriptEntry {
  return { ...base, type: 'message', id, message: { role: 'user', content: 'hello', timestamp: 0 } }
}

describe('events of a chat', () => {
  it('show the parts of a flush as one', () => {
    const events = sessionEvents([message('m'), flush('1', 'wrote'), flush('2', 'nothing'), flush('3', 'wrote')])
    expect(events).toMatchObject([{ id: '3', after: 'm', event: { status: 'wrote', changes: [change, change] } }])
  })

  it('show flushes apart that a message or a failure separates', () => {
    const events = sessionEvents([flush('1', 'wrote'), message('m'), flush('2', 'wrote'), flush('3', 'failed')])
    expect(events.map(({ id }) => id)).toEqual(['1', '2', '3'])
  })
})
