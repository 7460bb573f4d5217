import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAnthropicModel, createOpenAiModel } from '../../support/provider-models.ts'
import type { ChatModel } from '../../../src/main/llm/model.ts'
import { Transcript } from '../../../src/main/agent/sessions/transcript.ts'
import { assistantMessageSchema } from '../../../src/shared/chat/message-schemas.ts'
import { messageText, type AssistantMessage } from '../../../src/shared/chat/messages.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startModelServer, type ModelServer } from '../../support/model-server.ts'

const chunk = (delta: unknown, rest: object = {}) => ({ choices: [{ index: 0, delta, finish_reason: null }], ...rest })
const said = chunk({ content: 'said' })
const end = (finish: unknown = 'stop', rest: object = {}) => ({
  choices: [{ index: 0, delta: {}, finish_reason: finish }],
  ...rest,
})
const read = { name: 'read', arguments: '{"path":"a.md"}' }

/** Chat Completions events with the expected message. */
const chats: [string, (object | string)[], Partial<AssistantMessage>][] = [
  [
    'null in usage',
    [said, end(), { choices: [], usage: { prompt_tokens: null, completion_tokens: null } }],
    { usage: usage(0, 0) },
  ],
  [
    'a surrogate pair split between two chunks',
    [
      'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"\\ude00"}}]}\n\n',
      end(),
    ],
    { content: [{ type: 'text', text: '\u{1f600}' }] },
  ],
  [
    'two calls with one id',
    [
      chunk({
        tool_calls: [
          { index: 0, id: 'a', function: read },
          { index: 1, id: 'a', function: read },
        ],
      }),
      end('tool_calls'),
    ],
    calls('a', expect.stringMatching(/^call_/)),
  ],
]

function usage(input: number, output: number) {
  return { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output }
}

function calls(...ids: string[]): Partial<AssistantMessage> {
  return { content: ids.map((id) => ({ type: 'toolCall', id, name: 'read', arguments: { path: 'a.md' } })) }
}

async function answer(create: (server: ModelServer) => ChatModel, raw: (object | string)[]) {
  const server = await startModelServer({ raw })
  server.hasResponses = true
  const request = {
    purpose: { kind: 'title' as const },
    system: [],
    messages: [{ role: 'user' as const, content: 'x', timestamp: 0 }],
    tools: [],
    maxOutput: 9,
  }
  for await (const event of create(server).stream(request, new AbortController().signal))
    if (event.type === 'done') return event.message
  throw new Error('no answer')
}

/** Stores the message and reads it back, as after a restart. */
async function survives(message: AssistantMessage): Promise<void> {
  expect(assistantMessageSchema.safeParse(JSON.parse(JSON.stringify(message))).error).toBeUndefined()
  const file = join(await temporaryFolder(), 'a.jsonl')
  await (await Transcript.create(file, '/w', new Date(0))).appendMessage(message)
  const again = await Transcript.open(file)
  expect(again.skippedLines).toEqual([])
  expect(again.messages().map((entry) => entry.message)).toEqual([message])
}

const chat = (server: ModelServer) => createOpenAiModel('openai-compatible', 'm', { baseUrl: server.openAiUrl })
const responses = (server: ModelServer) => createOpenAiModel('openai', 'm', { baseUrl: server.openAiUrl })
const anthropic = (server: ModelServer) => createAnthropicModel('m', { baseUrl: server.url })

describe('malformed answers', () => {
  it.each(chats)('chat completions: %s', async (_name, raw, expected) => {
    const message = await answer(chat, raw)
    expect(message).toMatchObject(expected)
    if (!expected.content && message.stopReason === 'stop') expect(messageText(message)).toBe('said')
    await survives(message)
  })

  it('Messages: null as usage and name', async () => {
    const wire = { input_tokens: null, output_tokens: null }
    const message = await answer(anthropic, [
      { type: 'message_start', message: { usage: wire } },
      { type: 'content_block_start', index: '0', content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: '0', delta: { type: 'text_delta', text: 'said' } },
      { type: 'content_block_delta', index: 0, delta: null },
      { type: 'content_block_delta' },
      { type: 'content_block_start', index: 1, content_block: null },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: null, name: null } },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: null } },
      { type: 'content_block_stop', index: 2 },
      { type: 'content_block_stop', index: 9 },
      { type: 'message_delta', delta: null, usage: wire },
      { type: 'message_stop' },
    ])
    expect(message.content[0]).toEqual({ type: 'text', text: 'said' })
    expect(message.content[1]).toMatchObject({ type: 'toolCall', arguments: {} })
    await survives(message)
  })

  it('Responses: null as everything', async () => {
    const response = { status: null, usage: null, incomplete_details: null, output: null }
    const message = await answer(responses, [
      { type: 'response.output_text.delta', delta: null },
      { type: 'response.output_text.delta', delta: 'said' },
      { type: 'response.output_item.done', item: null },
      { type: 'response.output_item.done', item: { type: 'function_call', call_id: 7, name: null, arguments: null } },
      { type: 'response.completed', response },
    ])
    expect(messageText(message)).toBe('said')
    expect(message.content[1]).toEqual({ type: 'toolCall', id: '7', name: 'unnamed', arguments: {} })
    await survives(message)
  })

  it.each([
    ['anthropic', anthropic, 'event: content_block_delta\ndata: {"type":"content_bl\n\n'],
    ['chat completions', chat, 'data: {"choices":[{"del\n\n'],
    ['responses', responses, 'event: response.completed\ndata: {"type":"resp\n\n'],
  ])('%s: reports an event with invalid JSON as a cut stream', async (_name, create, event) => {
    await expect(answer(create, [event])).rejects.toMatchObject({ code: 'provider_cut' })
  })
})

describe('bodies that are no answer', () => {
  const clients: [string, (server: ModelServer) => ChatModel][] = [
    ['chat completions', chat],
    ['messages', anthropic],
    ['responses', responses],
  ]
  const bodies: [body: string, words: string][] = [
    ['upstream connect error or disconnect/reset before headers', 'upstream connect error or disconnect/reset'],
    ['<html><head><title>Hotel Wi-Fi</title></head><body>Please log in</body></html>', 'Please log in'],
  ]
  it.each(clients.flatMap(([name, create]) => bodies.map(([body, words]) => [name, body, words, create] as const)))(
    '%s: quotes %j in the failure',
    async (_name, body, words, create) => {
      const failure = await answer(create, [body]).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'provider_garbled', data: { reason: expect.stringContaining(words) } })
    },
  )
})
