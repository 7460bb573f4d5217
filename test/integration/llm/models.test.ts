import { describe, expect, it } from 'vitest'
import { createAnthropicModel, createOpenAiModel } from '../../support/provider-models.ts'
import { proxyFetch } from '../../../src/main/platform/index.ts'
import { objectSchema, withAnswerSchema } from '../../../src/main/llm/middleware/provider-failures.ts'
import { withIdleTimeout, withRetries } from '../../../src/main/llm/middleware/retry.ts'
import type { ChatModel, ModelRequest } from '../../../src/main/llm/model.ts'
import { messageText, type AssistantMessage, type Message } from '../../../src/shared/chat/messages.ts'
import { until } from '../../support/folder.ts'
import { assistantMessage, toolResult, userMessage } from '../../support/messages.ts'
import { startProxy } from '../../support/proxy.ts'
import { startModelServer, type ModelServer, type ScriptedAnswer } from '../../support/model-server.ts'

const providers: [string, (server: ModelServer) => ChatModel][] = [
  ['anthropic', (server) => createAnthropicModel('test-model', { baseUrl: server.url })],
  ['openai', (server) => createOpenAiModel('openai', 'test-model', { baseUrl: server.openAiUrl })],
  [
    'openai (Responses)',
    (server) => {
      server.hasResponses = true
      return createOpenAiModel('openai', 'test-model', { baseUrl: server.openAiUrl })
    },
  ],
  [
    'openai-compatible',
    (server) => createOpenAiModel('openai-compatible', 'test-model', { baseUrl: server.openAiUrl }),
  ],
]

const request: ModelRequest = {
  purpose: { kind: 'chat', today: '2026-01-20', time: '10:00', todaysLog: 'memory/2026-01-20.md' },
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
    else if (event.type === 'done') message = event.message
  }
  return { text, thinking, message }
}

describe.each(providers)('%s', (name, create) => {
  const provider = name.replace(/ .*/, '')

  it('does not follow a redirect, which would pass on the conversation and the key', async () => {
    const elsewhere = await startModelServer({ text: 'I have it all now.' })
    for (const status of [301, 302, 303, 307, 308]) {
      const headers = { Location: `${elsewhere.url}/v1?key=secret` }
      const server = await startModelServer({ status, message: 'over there', headers })
      await expect(collect(create(server))).rejects.toMatchObject({
        code: 'provider_redirected',
        data: { provider, target: `${elsewhere.url}/v1` },
      })
    }
    expect(elsewhere.requests).toEqual([])
  })

  const run = async (answer: ScriptedAnswer) => {
    const server = await startModelServer(answer)
    const model = create(server)
    return { server, ...(await collect(model)) }
  }

  it('streams text and thinking, and reports usage', async () => {
    const { text, thinking, message } = await run({ text: 'Hello, 世界 👋!', thinking: 'let me see' })
    expect(text).toBe('Hello, 世界 👋!')
    expect(thinking).toBe('let me see')
    expect(message).toMatchObject({
      provider,
      model: 'test-model',
      stopReason: 'stop',
      usage: { output: 20, cacheRead: 40, totalTokens: 170 },
    })
    const { input = 0, cacheRead = 0, cacheWrite = 0 } = message?.usage ?? {}
    expect(input + cacheRead + cacheWrite).toBe(150)
    expect(message && messageText(message)).toBe(text)
  })

  it('collects parallel tool calls', async () => {
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

  it('closes the request when it is aborted', async () => {
    const server = await startModelServer({ text: 'a long answer '.repeat(50), delayMs: 20 })
    const stop = new AbortController()
    let text = ''
    const read = async () => {
      for await (const event of create(server).stream(request, stop.signal)) {
        if (event.type !== 'text') continue
        text += event.delta
        stop.abort()
      }
    }
    await expect(read()).rejects.toThrow()
    expect(text).toMatch(/^a long/)
    expect(text.length).toBeLessThan(100)
    await until(() => server.aborted.count === 1)
  })

  it('retries after 429 and 529', async () => {
    const server = await startModelServer(
      { status: 429, message: 'slow down', headers: { 'retry-after': '0' } },
      { status: 529, message: 'overloaded', headers: { 'retry-after': '0' } },
      { text: 'there' },
    )
    const retries: string[] = []
    let text = ''
    for await (const event of withRetries(create(server)).stream(request, new AbortController().signal)) {
      if (event.type === 'retry') retries.push(event.code)
      else if (event.type === 'text') text += event.delta
    }
    expect(text).toBe('there')
    expect(retries).toEqual(['provider_rate_limited', 'provider_overloaded'])
    expect(server.requests).toHaveLength(3)
  })

  it('retries background requests once, and not after a long wait', async () => {
    const quiet = { ...request, purpose: { kind: 'title' } } as const
    const ask = async (afterMs: string) => {
      const server = await startModelServer({ status: 503, message: 'later', headers: { 'retry-after-ms': afterMs } })
      const events = withRetries(create(server)).stream(quiet, new AbortController().signal)
      await expect(Array.fromAsync(events)).rejects.toMatchObject({ code: 'provider_overloaded' })
      return server.requests.length
    }
    expect(await ask('1')).toBe(2)
    expect(await ask('20000')).toBe(1)
  })

  it('reports a refusal and keeps the text before it', async () => {
    const { message } = await run({ text: 'I would rather not', stop: 'refusal' })
    expect(message).toMatchObject({ stopReason: 'error', errorCode: 'provider_refused' })
    expect(message && messageText(message)).toBe('I would rather not')
  })

  it('drops a call cut off by the limit and names its tool', async () => {
    const calls = [{ name: 'memory_search', arguments: {} }]
    const { message } = await run({ text: 'Let me look.', calls, rawArguments: '{"query":"the ki', stop: 'length' })
    expect(message).toMatchObject({ stopReason: 'length', cutCall: 'memory_search' })
    expect(message?.content.map(({ type }) => type)).toEqual(['text'])
  })

  it('gives up on a silent provider', async () => {
    const server = await startModelServer({ text: 'a beginning that goes nowhere', stallAfter: 4 })
    const silent = withIdleTimeout(create(server), 150)
    await expect(collect(silent)).rejects.toMatchObject({ code: 'provider_timeout' })
    await until(() => server.aborted.count === 1)
  })

  it('does not retry an answer that broke off after its first words', async () => {
    const server = await startModelServer({ text: 'this will not be finished at all', cutAfter: 6 }, { text: 'again' })
    await expect(collect(withRetries(create(server), [1]))).rejects.toMatchObject({ code: 'provider_cut' })
    expect(server.requests).toHaveLength(1)
  })

  it('sends images to the model', async () => {
    const server = await startModelServer({ text: 'a cat' })
    const content = [
      { type: 'text' as const, text: 'what is it?' },
      { type: 'image' as const, data: 'QUJD', mimeType: 'image/png' },
    ]
    await collect(create(server), undefined, [{ role: 'user', content, timestamp: 0 }])
    const sent = JSON.stringify(server.requests[0]?.body)
    expect(sent).toContain(provider === 'anthropic' ? '"media_type":"image/png"' : 'data:image/png;base64,QUJD')
  })

  it('sends configured headers and uses a proxy', async () => {
    const server = await startModelServer({ text: 'ok' })
    const proxy = await startProxy()
    const options = {
      headers: { 'x-team': 'blue' },
      fetch: proxyFetch(proxy.url, {}) ?? fetch,
    }
    const model =
      provider === 'anthropic'
        ? createAnthropicModel('m', { ...options, baseUrl: server.url })
        : createOpenAiModel('openai-compatible', 'm', { ...options, baseUrl: server.openAiUrl })
    expect((await collect(model)).text).toBe('ok')
    expect(server.requests[0]?.headers['x-team']).toBe('blue')
    expect(proxy.hosts).toEqual([new URL(server.url).host])
  })

  it('sends the schema of the answer, and no more once the server has refused it', async () => {
    const server = await startModelServer({ text: '{"notes": []}' })
    const model = withAnswerSchema(create(server), server.url)
    const answerSchema = objectSchema({ notes: { type: 'array', items: { type: 'string' } } })
    const ask = async (question: Partial<ModelRequest> = {}) => {
      const events = model.stream({ ...request, answerSchema, ...question }, new AbortController().signal)
      for await (const event of events) if (event.type === 'done') return messageText(event.message)
      return undefined
    }
    const bodies = () => server.requests.filter(({ path }) => !path.endsWith('/models')).map(({ body }) => body)
    const field = { anthropic: 'output_config', 'openai (Responses)': 'text' }[name] ?? 'response_format'
    expect(await ask()).toBe('{"notes": []}')
    expect(JSON.stringify(bodies().at(-1)?.[field])).toContain('"required":["notes"],"additionalProperties":false')
    server.unknownOptions = [field]
    expect(await ask()).toBe('{"notes": []}')
    expect(
      bodies()
        .slice(-2)
        .map((body) => field in body),
    ).toEqual([true, false])
    const sent = bodies().length
    expect(await ask()).toBe('{"notes": []}')
    expect(bodies()).toHaveLength(sent + 1)
    // Some servers refuse a schema beside tools only.
    server.unknownOptions = []
    await ask({ tools: [] })
    expect(field in (bodies().at(-1) ?? {})).toBe(true)
  })

  it('reports an unreachable server', async () => {
    const server = await startModelServer()
    const model = create({ ...server, url: 'http://127.0.0.1:9', openAiUrl: 'http://127.0.0.1:9/v1' })
    await expect(collect(model)).rejects.toMatchObject({ code: 'provider_unavailable' })
  })

  it('sends the history with calls and results in the provider’s format', async () => {
    const server = await startModelServer({ text: 'ok' })
    const call = { type: 'toolCall' as const, name: 'read', arguments: {} }
    const content = [
      { type: 'text' as const, text: 'Looking.' },
      { ...call, id: 'a' },
      { ...call, id: 'b' },
    ]
    await collect(create(server), undefined, [
      userMessage('q'),
      assistantMessage(content, { provider, stopReason: 'toolUse' }),
      toolResult('a', 'found'),
      toolResult('b', 'found'),
    ])
    const sent = server.requests[0]?.body['messages'] as { role: string; content: unknown }[]
    if (provider === 'anthropic') {
      expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
      expect(sent[2]?.content).toMatchObject([
        { type: 'tool_result', tool_use_id: 'a' },
        { type: 'tool_result', tool_use_id: 'b' },
      ])
    } else if (name === provider) {
      expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool'])
    } else {
      const items = server.requests[0]?.body['input'] as { role?: string; type?: string }[]
      expect(items.map(({ role, type }) => type ?? role)).toEqual([
        'user',
        'assistant',
        'function_call',
        'function_call',
        'function_call_output',
        'function_call_output',
      ])
    }
  })
})

describe('quirks', () => {
  const compatible = (server: ModelServer) => createOpenAiModel('openai-compatible', 'm', { baseUrl: server.openAiUrl })

  it('repeats the request without the usage option if the server refuses it', async () => {
    const server = await startModelServer({ text: 'ok' })
    server.unknownOptions = ['stream_options']
    expect((await collect(compatible(server))).text).toBe('ok')
    expect(server.requests).toHaveLength(2)
  })

  it('sends OpenAI’s thinking back as encrypted items', async () => {
    const server = await startModelServer({ text: 'ok', thinking: 'I think' })
    server.hasResponses = true
    const model = createOpenAiModel('openai', 'm', { baseUrl: server.openAiUrl })
    const { message } = await collect(model)
    await collect(model, undefined, message ? [...request.messages, message, ...request.messages] : [])
    expect(server.requests[1]?.body['input']).toContainEqual(
      expect.objectContaining({ type: 'reasoning', encrypted_content: 'sealed' }),
    )
  })

  it('sends Anthropic’s thinking back signed, including redacted blocks', async () => {
    const server = await startModelServer({ text: 'ok', thinking: 'I think', redacted: true })
    const model = createAnthropicModel('m', { baseUrl: server.url })
    const { message } = await collect(model)
    await collect(model, undefined, message ? [...request.messages, message, ...request.messages] : [])
    const sent = server.requests[1]?.body['messages'] as { content: object[] }[]
    expect(sent[1]?.content).toMatchObject([
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'thinking', thinking: 'I think', signature: 'signed' },
      { type: 'text' },
    ])
  })

  it.each([
    ['claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 8192 } }],
    ['claude-opus-5', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } }],
    ['claude-3-5-haiku', {}],
  ])('sends the thinking parameter of %s in its own form', async (name, params) => {
    const server = await startModelServer({ text: 'ok' })
    const model = createAnthropicModel(name, { baseUrl: server.url })
    const asked: ModelRequest = { ...request, maxOutput: 20_000, thinking: 'medium' }
    for await (const event of model.stream(asked, new AbortController().signal)) void event
    const { thinking, output_config } = server.requests[0]?.body ?? {}
    expect({ ...(thinking ? { thinking } : {}), ...(output_config ? { output_config } : {}) }).toEqual(params)
  })
})
