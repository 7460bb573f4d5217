import { expect, it } from 'vitest'
import { noUsage } from '../../../src/shared/chat/messages.ts'
import { parseTextCalls, withTextCalls } from '../../../src/main/llm/middleware/text-calls.ts'
import type { ModelRequest } from '../../../src/main/llm/model.ts'
import { scriptedModel } from '../../support/scripted-model.ts'

const names = new Set(['memory_search', 'remember'])
const search = { name: 'memory_search', arguments: { query: 'tea' } }

it.each([
  '<tool_call>\n{"name": "memory_search", "arguments": {"query": "tea"}}\n</tool_call>',
  '<function=memory_search>{"query": "tea"}</function>',
  '[TOOL_CALLS][{"name": "memory_search", "arguments": {"query": "tea"}}]',
  '<|python_tag|>{"name": "memory_search", "parameters": {"query": "tea"}}',
  '```json\n{"name": "memory_search", "arguments": {"query": "tea"}}\n```',
  '<tool_call>{"name": "memory_search", "arguments": {"query": "tea",}}</tool_call>',
  '[TOOL_CALLS]memory_search[ARGS]{"query": "tea"}',
])('reads the call %j', (text) => expect(parseTextCalls(text, names)).toMatchObject([search]))

it('reads several calls', () => {
  const text =
    '<tool_call>{"name":"memory_search","arguments":{"query":"tea"}}</tool_call>\n<tool_call>{"name":"remember","arguments":{"text":"x"}}</tool_call>'
  expect(parseTextCalls(text, names)).toMatchObject([search, { name: 'remember', arguments: { text: 'x' } }])
})

it.each([
  '```json\n{"name": "Lena", "age": 5}\n```',
  '{"name": "send_mail", "arguments": {}}',
  '{"name": "memory_search", "arguments": {"query": "tea"}} is how a call looks.',
])('leaves the text %j', (text) => expect(parseTextCalls(text, names)).toEqual([]))

async function answer(
  pieces: readonly string[],
  offered: readonly string[] = [...names],
  onText: (delta: string) => void = () => undefined,
  onCalling: () => void = () => undefined,
) {
  const model = scriptedModel(async function* (draft) {
    for (const delta of pieces) {
      if (delta === 'cut') throw new Error('cut')
      draft.addText(delta)
      yield { type: 'text', delta }
    }
    yield { type: 'done', message: draft.finish('stop', noUsage) }
  })
  const tools = offered.map((name) => ({ name, description: '', parameters: {} }))
  let shown = ''
  let content: unknown
  const request = { purpose: { kind: 'title' }, system: [], messages: [], tools, maxOutput: 1 } as ModelRequest
  for await (const event of withTextCalls(model).stream(request, new AbortController().signal)) {
    if (event.type === 'text') {
      shown += event.delta
      onText(event.delta)
    }
    if (event.type === 'calling') onCalling()
    if (event.type === 'done') ({ content } = event.message)
  }
  return { shown, content }
}

it('calls two tools written one after the other, and an array', async () => {
  const call = '{"name":"memory_search","arguments":{"query":"tea"}}'
  for (const pieces of [
    [call, `\n${call}`],
    ['[', `${call}, `, `${call}]`],
  ]) {
    const { shown, content } = await answer(pieces)
    expect(shown).toBe('')
    expect(content).toMatchObject([search, search])
  }
  expect((await answer(['[', '1, 2]'])).shown).toBe('[1, 2]')
})

it('holds back only what may be a call', async () => {
  const call = '<tool_call>{"name":"memory_search","arguments":{"query":"tea"}}</tool_call>'
  expect(await answer(['Let me look. <to', 'ol_call>', call.slice(11)])).toMatchObject({
    shown: 'Let me look. ',
    content: [
      { type: 'text', text: 'Let me look.' },
      { type: 'toolCall', ...search },
    ],
  })
  const prose = ['A < B, and ', '```js\nx\n```', ' is code.']
  expect(await answer(prose)).toEqual({ shown: prose.join(''), content: [{ type: 'text', text: prose.join('') }] })
  expect((await answer([call], [])).shown).toBe(call)
})

it('shows code blocks while they arrive', async () => {
  const events: string[] = []
  const pieces = ['Look:\n', '```ts', '\nconst a = 1\n', 'const b = 2\n', '```\n', 'Done, and ', 'more.']
  await answer(pieces, [...names], (delta) => events.push(delta))
  expect(events.join('')).toBe(pieces.join(''))
  expect(events.length).toBeGreaterThanOrEqual(5)
})

it('reports progress while it holds text back, and shows this text if the answer is cut off', async () => {
  let shown = ''
  let count = 0
  const pieces = ['```json\n', '{"name": "memory_', 'cut']
  const cut = answer(
    pieces,
    [...names],
    (delta) => (shown += delta),
    () => (count += 1),
  )
  await expect(cut).rejects.toThrow('cut')
  expect(shown).toBe('```json\n{"name": "memory_')
  expect(count).toBe(2)
})
