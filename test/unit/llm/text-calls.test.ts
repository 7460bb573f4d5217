import { expect, it } from 'vitest'
import { noUsage } from '../../../src/shared/chat/messages.ts'
import { parseTextCalls } from '../../../src/main/llm/middleware/call-formats.ts'
import { withTextCalls } from '../../../src/main/llm/middleware/text-calls.ts'
import type { ModelRequest } from '../../../src/main/llm/model.ts'
import { scriptedModel } from '../../support/scripted-model.ts'

const names = new Set(['memory_search', 'remember'])
const search = { name: 'memory_search', arguments: { query: 'tea' } }

/** One call in the format of each family of models. */
const formats = [
  '<tool_call>\n{"name": "memory_search", "arguments": {"query": "tea"}}\n</tool_call>',
  '<function=memory_search>{"query": "tea"}</function>',
  '[TOOL_CALLS][{"name": "memory_search", "arguments": {"query": "tea"}}]',
  '<|python_tag|>{"name": "memory_search", "parameters": {"query": "tea"}}',
  '```json\n{"name": "memory_search", "arguments": {"query": "tea"}}\n```',
  '<tool_call>{"name": "memory_search", "arguments": {"query": "tea",}}</tool_call>',
  '[TOOL_CALLS]memory_search[ARGS]{"query": "tea"}',
  // Qwen3-Coder, GLM 4.5 and 4.7
  '<tool_call>\n<function=memory_search>\n<parameter=query>\ntea\n</parameter>\n</function>\n</tool_call>',
  '<tool_call>memory_search\n<arg_key>query</arg_key>\n<arg_value>tea</arg_value>\n</tool_call>',
  // LFM2, Llama 4, Gemma 3
  '<|tool_call_start|>[memory_search(query="tea")]<|tool_call_end|>',
  "[memory_search(query='tea')]",
  '```tool_code\nprint(memory_search(query="tea"))\n```',
  // Kimi K2
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.memory_search:0<|tool_call_argument_begin|>{"query": "tea"}<|tool_call_end|><|tool_calls_section_end|>',
  // DeepSeek V3 and V3.1
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>memory_search\n```json\n{"query": "tea"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>memory_search<｜tool▁sep｜>{"query": "tea"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  // MiniMax M2, Claude
  '<minimax:tool_call>\n<invoke name="memory_search">\n<parameter name="query">tea</parameter>\n</invoke>\n</minimax:tool_call>',
  '<function_calls>\n<invoke name="memory_search">\n<parameter name="query">tea</parameter>\n</invoke>\n</function_calls>',
  // Nemotron, Qwen 2.5 Coder
  '<TOOLCALL>[{"name": "memory_search", "arguments": {"query": "tea"}}]</TOOLCALL>',
  '<tools>\n{"name": "memory_search", "arguments": {"query": "tea"}}\n</tools>',
  // FunctionGemma, gpt-oss
  '<start_function_call>call:memory_search{query:<escape>tea<escape>}<end_function_call>',
  '<|channel|>commentary to=functions.memory_search <|constrain|>json<|message|>{"query":"tea"}<|call|>',
]

it.each(formats)('reads the call %j', (text) => expect(parseTextCalls(text, names)).toMatchObject([search]))

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
  question = '',
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
  let isUnread = false
  const messages = question === '' ? [] : [{ role: 'user', content: question, timestamp: 0 }]
  const request = { purpose: { kind: 'title' }, system: [], messages, tools, maxOutput: 1 } as unknown as ModelRequest
  for await (const event of withTextCalls(model).stream(request, new AbortController().signal)) {
    if (event.type === 'text') {
      shown += event.delta
      onText(event.delta)
    }
    if (event.type === 'calling') onCalling()
    if (event.type === 'done') {
      ;({ content } = event.message)
      isUnread = event.message.unreadCall === true
    }
  }
  return { shown, content, isUnread }
}

it.each(formats)(
  'runs the call %j in pieces of one, three and all characters, and shows no part of it',
  async (text) => {
    for (const size of [1, 3, text.length]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
        text.slice(at * size, (at + 1) * size),
      )
      const { shown, content } = await answer(pieces)
      expect([shown, content]).toMatchObject(['', [search]])
    }
  },
)

it('reads the values of Python and of Gemma', () => {
  const remember = (text: string) => parseTextCalls(text, names)[0]?.arguments
  const values = { text: "Lena's (new)\nflat", tags: ['a', 'b'], count: 3, isDone: true, none: null }
  expect(
    remember(`[remember(text='Lena\\'s (new)\\nflat', tags=["a", 'b'], count=3, isDone=True, none=None)]`),
  ).toEqual(values)
  expect(
    remember(
      "<start_function_call>call:remember{text:<escape>Lena's (new)\nflat<escape>,tags:[<escape>a<escape>,<escape>b<escape>],count:3,isDone:true,none:null}<end_function_call>",
    ),
  ).toEqual(values)
  expect(
    parseTextCalls('<|tool_call_start|>[remember(text="a"), memory_search(query="tea")]<|tool_call_end|>', names),
  ).toMatchObject([{ name: 'remember' }, search])
})

it('says that a call was not read, but not of a text that the user wrote', async () => {
  const unknown = '<tool_call>{"name":"send_mail","arguments":{}}</tool_call>'
  const known = '<tool_call>{"name":"memory_search","arguments":{"query":"tea"}}</tool_call>'
  expect(await answer([unknown])).toMatchObject({ shown: unknown, isUnread: true })
  for (const quoted of [unknown, known])
    expect(await answer([quoted], [...names], undefined, undefined, `Explain ${quoted}`)).toMatchObject({
      shown: quoted,
      content: [{ type: 'text', text: quoted }],
      isUnread: false,
    })
})

it('leaves a call within a sentence, and removes one whose end mark is already removed', async () => {
  const call = '<tool_call>{"name":"memory_search","arguments":{"query":"tea"}}</tool_call>'
  for (const sentence of [`You wrote ${call} which is a call.`, `You write \`${call}\` in the text.`])
    expect(await answer([sentence])).toMatchObject({ shown: sentence, content: [{ type: 'text', text: sentence }] })
  const harmony =
    '<|start|>assistant<|channel|>commentary to=functions.memory_search <|constrain|>json<|message|>{"query":"tea"}'
  const model = scriptedModel(async function* (draft) {
    draft.addText(harmony)
    yield { type: 'text', delta: `${harmony}<|call|>` }
    yield { type: 'done', message: draft.finish('stop', noUsage) }
  })
  const request = { messages: [], tools: [{ name: 'memory_search' }] } as unknown as ModelRequest
  const events = await Array.fromAsync(withTextCalls(model).stream(request, new AbortController().signal))
  expect(events.at(-1)).toMatchObject({ message: { content: [search] } })
})

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
  expect(await answer(prose)).toMatchObject({
    shown: prose.join(''),
    content: [{ type: 'text', text: prose.join('') }],
  })
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
