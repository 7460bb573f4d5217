import { describe, expect, it } from 'vitest'
import { createAnthropicModel } from '../../src/main/models/anthropic.ts'
import { createOpenAiModel } from '../../src/main/models/openai.ts'
import type { ChatModel, ModelRequest } from '../../src/main/models/model.ts'
import { messageText, type AssistantMessage, type Message } from '../../src/shared/messages.ts'
import { until } from '../support/folder.ts'
import { startModelServer, type ModelServer, type ScriptedAnswer } from '../support/model-server.ts'

const providers: [string, (server: ModelServer) => ChatModel][] = [
  ['anthropic', (server) => createAnthropicModel('test-model', { apiKey: 'k', baseUrl: server.url, timeoutMs: 5000 })],
  [
    'openai',
    (server) => createOpenAiModel('openai', 'test-model', { apiKey: 'k', baseUrl: server.openAiUrl, timeoutMs: 5000 }),
  ],
  [
    'openai-compatible',
    (server) =>
      createOpenAiModel('openai-compatible', 'test-model', { apiKey: 'k', baseUrl: server.openAiUrl, timeoutMs: 5000 }),
  ],
]

const request: ModelRequest = {
  system: ['You are main.'],
  messages: [{ role: 'user', content: 'hello', timestamp: 0 }],
  tools: [
    { name: 'read', description: 'Reads.', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
  ],
  maxOutput: 1000,
}

async function collect(model: ChatModel, signal = new AbortController().signal, messages?: readonly Message[]) {
  let text = ''
  let thinking = ''
  let message: AssistantMessage | undefined
  for await (const event of model.stream(messages ? { ...request, messages } : request, signal)) {
    if (event.type === 'text') text += event.delta
    else if (event.type === 'thinking') thinking += event.delta
    else message = event.message
  }
  return { text, thinking, message }
}

describe.each(providers)('M39 %s', (provider, create) => {
  const run = async (answer: ScriptedAnswer) => {
    const server = await startModelServer(answer)
    return { server, ...(await collect(create(server))) }
  }

  it('M39: streams text and thinking, and reports usage', async () => {
    const { text, thinking, message } = await run({ text: 'Hello, 世界 👋!', thinking: 'let me see' })
    expect(text).toBe('Hello, 世界 👋!')
    expect(thinking).toBe('let me see')
    expect(message).toMatchObject({
      provider,
      model: 'test-model',
      stopReason: 'stop',
      usage: { output: 20, cacheRead: 40 },
    })
    expect(message && messageText(message)).toBe(text)
  })

  it('M39: reads a stream that arrives byte by byte, also through characters', async () => {
    expect((await run({ text: '多字节 ✅ text', pieceBytes: 3 })).text).toBe('多字节 ✅ text')
  })

  it('M39: collects parallel tool calls', async () => {
    const { message } = await run({
      text: 'Looking.',
      calls: [
        { name: 'read', arguments: { path: 'MEMORY.md' } },
        { name: 'read', arguments: { path: '记忆.md' } },
      ],
    })
    const calls = message?.content.filter((part) => part.type === 'toolCall')
    expect(calls?.map((call) => call.arguments)).toEqual([{ path: 'MEMORY.md' }, { path: '记忆.md' }])
    expect(new Set(calls?.map(({ id }) => id)).size).toBe(2)
    expect(message?.stopReason).toBe('toolUse')
  })

  it('M39: aborting ends the request', async () => {
    const server = await startModelServer({ text: 'a long answer '.repeat(50), delayMs: 20 })
    const stop = new AbortController()
    const answer = collect(create(server), stop.signal)
    await until(() => server.requests.length === 1)
    setTimeout(() => stop.abort(), 60)
    await expect(answer.then(() => stop.signal.throwIfAborted())).rejects.toThrow()
    await until(() => server.aborted.count === 1)
  })

  it.each([
    [401, 'invalid x-api-key', 'provider_auth'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'context_overflow'],
    [400, "This model's maximum context length is 8192 tokens", 'context_overflow'],
    [400, 'the request exceeds the available context size', 'context_overflow'],
    [400, 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', 'context_overflow'],
    [400, 'something else', 'provider_error'],
  ])('M39: status %i "%s" is %s', async (status, message, code) => {
    await expect(run({ status, message })).rejects.toMatchObject({ code, data: { provider } })
  })

  it('M39: tries again after 429 and 529, and not with a tool', async () => {
    const server = await startModelServer(
      { status: 429, message: 'slow down', headers: { 'retry-after': '0' } },
      { status: 529, message: 'overloaded', headers: { 'retry-after': '0' } },
      { text: 'there' },
    )
    expect((await collect(create(server))).text).toBe('there')
    expect(server.requests).toHaveLength(3)
  })

  it('M39: a stream that is cut is an error, not an answer', async () => {
    await expect(run({ text: 'this will not be finished', cutAfter: 5 })).rejects.toMatchObject({
      code: 'provider_unavailable',
    })
  })

  it('M39: a server that is not there is told as such', async () => {
    const server = await startModelServer()
    const model = create({ ...server, url: 'http://127.0.0.1:9', openAiUrl: 'http://127.0.0.1:9/v1' })
    await expect(collect(model)).rejects.toMatchObject({ code: 'provider_unavailable' })
  })

  it('M39: sends history with its calls and results in the provider’s own form', async () => {
    const server = await startModelServer({ text: 'ok' })
    const assistant = {
      role: 'assistant' as const,
      provider,
      model: 'm',
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
      stopReason: 'toolUse' as const,
      timestamp: 0,
    }
    const result = (toolCallId: string) => ({
      role: 'toolResult' as const,
      toolCallId,
      toolName: 'read',
      content: [{ type: 'text' as const, text: 'found' }],
      isError: false,
      timestamp: 0,
    })
    await collect(create(server), undefined, [
      { role: 'user', content: 'q', timestamp: 0 },
      {
        ...assistant,
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'toolCall', id: 'a', name: 'read', arguments: {} },
          { type: 'toolCall', id: 'b', name: 'read', arguments: {} },
        ],
      },
      result('a'),
      result('b'),
    ])
    const sent = server.requests[0]?.body['messages'] as { role: string; content: unknown }[]
    if (provider === 'anthropic') {
      expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
      expect(sent[2]?.content).toMatchObject([
        { type: 'tool_result', tool_use_id: 'a' },
        { type: 'tool_result', tool_use_id: 'b' },
      ])
    } else expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool'])
  })
})

describe('M39 quirks', () => {
  it('M39: gives calls without an id one of their own', async () => {
    const server = await startModelServer({ calls: [{ name: 'read', arguments: {} }], noIds: true })
    const { message } = await collect(
      createOpenAiModel('openai-compatible', 'm', { apiKey: 'k', baseUrl: server.openAiUrl, timeoutMs: 5000 }),
    )
    expect(message?.content[0]).toMatchObject({ type: 'toolCall', id: expect.stringMatching(/^call_/) })
  })

  it('M33: marks the system prompt as a prefix to cache, for Anthropic', async () => {
    const server = await startModelServer({ text: 'ok' })
    await collect(createAnthropicModel('m', { apiKey: 'k', baseUrl: server.url, timeoutMs: 5000 }))
    expect(server.requests[0]?.body['system']).toMatchObject([{ cache_control: { type: 'ephemeral' } }])
  })
})
