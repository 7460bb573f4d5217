import { describe, expect, it } from 'vitest'
import {
  assemble,
  type ContextFile,
  pairToolResults,
  withUniqueCallIds,
} from '../../../src/main/agent/context/assemble.ts'
import { budgetOf } from '../../../src/main/agent/context/context-budget.ts'
import type { Message } from '../../../src/shared/chat/messages.ts'
import { defaultSettings } from '../../support/default-settings.ts'
import { assistantMessage, toolResult } from '../../support/messages.ts'

const at = new Date(2026, 0, 20, 9, 5).getTime()
const user = (content: string): Message => ({ role: 'user', content, timestamp: at })

function assembled(files: ContextFile[], messages: Message[]) {
  return assemble({
    purpose: { kind: 'chat', today: '2026-01-20', time: '10:30', todaysLog: 'memory/2026-01-20.md' },
    model: { contextWindow: 32_000, maxOutput: 2000, id: 'offline' },
    systemPrompt: 'You are main.',
    files,
    tools: [{ name: 'read', description: 'Reads.', parameters: { type: 'object' } }],
    summary: undefined,
    pruned: { trimmed: new Set(), cleared: new Set() },
    settings: defaultSettings,
    messages,
    now: at,
  })
}

describe('assembly', () => {
  it('orders the layers, and its items sum to the total', () => {
    const { report } = assembled(
      [
        { path: 'AGENTS.md', text: 'Rules.', layer: 'project' },
        { path: 'memory/2026-01-20.md', text: 'Log.', layer: 'logs', day: 'today' },
      ],
      [user('hello'), assistantMessage([{ type: 'text', text: 'hi' }]), user('again')],
    )
    expect(report.items.map(({ layer }) => layer)).toEqual([
      'system',
      'system',
      'project',
      'logs',
      'conversation',
      'message',
    ])
    expect(report.items.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(report.estimatedTokens)
  })

  it('prefixes each user message with its time', () => {
    const { request } = assembled([], [user('hello')])
    expect(request.messages[0]?.content).toBe('[Tue 2026-01-20 09:05] hello')
  })

  it('cuts a long file for the request only: head 70 %, marker, tail 20 %', () => {
    const text = `${'a'.repeat(15_000)}${'b'.repeat(15_000)}`
    const { report, request } = assembled([{ path: 'MEMORY.md', text, layer: 'project' }], [user('x')])
    expect(report.items.find(({ name }) => name === 'MEMORY.md')).toMatchObject({ note: 'cut', rawCharacters: 30_000 })
    expect(request.system.join('\n')).toContain(`${'a'.repeat(14_000)}\n\n[… 12000 characters left out`)
    expect(request.system.join('\n')).toContain('b'.repeat(4000))
    expect(request.system.join('\n')).not.toContain('b'.repeat(4001))
  })

  it('never sends more than 60,000 characters of files', () => {
    const files = Array.from({ length: 5 }, (_, index): ContextFile => ({
      path: `F${index}.md`,
      text: 'x'.repeat(19_000),
      layer: 'project',
    }))
    const sent = assembled(files, [user('x')]).report.items.filter(({ layer }) => layer === 'project')
    expect(sent.reduce((sum, { sentCharacters }) => sum + sentCharacters, 0)).toBeLessThanOrEqual(60_200)
  })

  it('marks a missing file', () => {
    const { report, request } = assembled([{ path: 'SOUL.md', text: null, layer: 'project' }], [user('x')])
    expect(report.items.find(({ name }) => name === 'SOUL.md')?.note).toBe('missing')
    expect(request.system.join('\n')).toContain('<file path="SOUL.md" missing="true"/>')
  })
})

describe('maxOutput', () => {
  it('shrinks to the space that the request leaves', () => {
    const { request } = assembled([], [user('x'.repeat(4 * 31_000))])
    expect(request.maxOutput).toBe(256)
    expect(assembled([], [user('x')]).request.maxOutput).toBe(2000)
  })
})

describe('budget', () => {
  it.each([
    [200_000, 32_000, 32_000, 4000],
    [8192, 4096, 2048, 1000],
    [2048, 1024, 307, 0],
  ])('a window of %i with %i of output keeps %i free', (contextWindow, maxOutput, reserveTokens, flushMargin) => {
    const budget = budgetOf({ contextWindow, maxOutput }, defaultSettings.compaction)
    expect(budget.reserveTokens).toBe(reserveTokens)
    expect(budget.compactAt).toBe(contextWindow - reserveTokens)
    expect(budget.flushAt).toBe(budget.compactAt - flushMargin)
  })
})

describe('tool calls and results', () => {
  const call = { type: 'toolCall' as const, id: 'c1', name: 'read', arguments: {} }
  const asks = assistantMessage([call], { stopReason: 'toolUse' })

  it('gives an interrupted call a substitute result, and drops a result without a call', () => {
    expect(pairToolResults([user('x'), asks]).map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult'])
    expect(pairToolResults([user('x'), toolResult('c1', '')])).toEqual([user('x')])
  })

  it('keeps results of calls with equal ids apart, and makes new ids unique', () => {
    const paired = pairToolResults([user('x'), asks, toolResult('c1', 'one'), asks, toolResult('c1', 'two')])
    expect(paired.flatMap((message) => (message.role === 'toolResult' ? message.content : []))).toEqual([
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ])
    const fresh = withUniqueCallIds(assistantMessage([call, call], { stopReason: 'toolUse' }), [asks])
    expect(fresh.content.map((part) => (part.type === 'toolCall' ? part.id : ''))).toEqual(['c1_2', 'c1_3'])
  })
})
