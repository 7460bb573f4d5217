import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelRequest } from '../../../src/main/llm/model.ts'
import { createAnthropicModel, createOpenAiModel } from '../../support/provider-models.ts'
import type { AssistantMessage, Message } from '../../../src/shared/chat/messages.ts'
import { assistantMessage, toolResult, userMessage as user } from '../../support/messages.ts'
import { readTable } from '../../streams/facts.ts'
import { startLoopback, type Asked, type Loopback, type Reply } from '../../streams/loopback.ts'
import { asList, asRecord, readRecordings, type Wire } from '../../streams/recording.ts'
import { compare, cutsOf, checkCutStream, play } from '../../streams/streams.ts'
import { rounds } from '../../support/thorough.ts'

const streams = new URL('../../streams/', import.meta.url)
const recordings = await readRecordings(new URL('own', streams).pathname)
const table = readTable(readFileSync(new URL('own.json', streams), 'utf8'), true)
const named = recordings.map((recording) => ({ name: recording.name, recording, row: table.get(recording.name) }))

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

describe('recorded answers', () => {
  it('each have one row in the table', () => {
    expect(recordings.map(({ name }) => name).sort()).toEqual([...table.keys()].sort())
  })

  it.each(named)('$name gives the same result in eight choppings', async ({ recording, row }) => {
    expect(row && (await compare(recording, row, loopback))).toEqual([])
  })

  it.each(named)('$name, cut anywhere, loses no text and makes no incomplete call', async ({ recording }) => {
    const problems: string[] = []
    // Three cuts for each event, of different kinds.
    const cuts = [...cutsOf(recording)].filter((_, at) => at % rounds(8, 1) === 0)
    for (const cut of cuts) problems.push(...(await checkCutStream(recording, cut, loopback)))
    expect(problems).toEqual([])
  })
})

function replyWith(text: string, status = 200): Reply {
  return { status, pieces: [new TextEncoder().encode(text)] }
}

describe('error responses', () => {
  const gemini = (error: object) => [{ error }]
  it.each<[string, Wire, number, unknown, string]>([
    [
      'OpenRouter moderates',
      'chat',
      403,
      {
        error: {
          code: 403,
          message: 'Your chosen model requires moderation and your input was flagged',
          metadata: { reasons: ['x'] },
        },
      },
      'provider_refused',
    ],
    [
      'Gemini does not serve the country',
      'chat',
      400,
      gemini({ code: 400, message: 'User location is not supported for the API use.', status: 'FAILED_PRECONDITION' }),
      'provider_region',
    ],
    [
      'Gemini refuses the key',
      'chat',
      400,
      gemini({ code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' }),
      'provider_auth',
    ],
    [
      'a request is too large',
      'anthropic',
      413,
      { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
      'context_overflow',
    ],
    [
      'Gemini limits the rate',
      'chat',
      429,
      gemini({
        code: 429,
        message: 'You exceeded your current quota. Quota exceeded for metric: requests per minute',
        status: 'RESOURCE_EXHAUSTED',
      }),
      'provider_rate_limited',
    ],
    [
      'OpenAI has no credit',
      'chat',
      429,
      {
        error: {
          message: 'You exceeded your current quota, please check your plan and billing details.',
          type: 'insufficient_quota',
          code: 'insufficient_quota',
        },
      },
      'provider_quota',
    ],
    [
      'a router passes on the upstream error',
      'chat',
      400,
      {
        error: {
          code: 400,
          message: 'Provider returned error',
          metadata: {
            raw: '{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}',
          },
        },
      },
      'context_overflow',
    ],
  ])(' %s', async (_name, wire, status, body, code) => {
    expect((await play(wire, loopback, replyWith(JSON.stringify(body), status))).failure).toBe(code)
  })

  it.each<[Wire, unknown, string]>([
    [
      'anthropic',
      { type: 'error', error: { type: 'invalid_request_error', message: 'tools.0: no such thing' } },
      'tools.0: no such thing',
    ],
    ['chat', [{ error: { code: 400, message: 'No such thing.' } }], 'No such thing.'],
  ])('quotes %s: %j', async (wire, body, reason) => {
    loopback.reply = () => replyWith(JSON.stringify(body), 400)
    await expect(answer(wire, [])).rejects.toMatchObject({ code: 'provider_error', data: { reason } })
  })
})

describe('errors within a stream', () => {
  const begun = 'data: {"choices":[{"index":0,"delta":{"content":"Hi "}}]}\n\n'
  const plain = (data: object) => `data: ${JSON.stringify(data)}\n\n`
  const event = (data: { readonly type: string; readonly [field: string]: unknown }) =>
    `event: ${data.type}\n${plain(data)}`
  it.each<[Wire, string, string, string]>([
    ['chat', begun + plain({ error: { message: 'Worker 7 died', code: 500 } }), 'provider_failed', 'Worker 7 died'],
    ['chat', '{"error":{"message":"<h1>Bad\\n gateway</h1>","code":502}}', 'provider_failed', 'Bad gateway'],
    [
      'anthropic',
      '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
      'provider_overloaded',
      'Overloaded',
    ],
    [
      'responses',
      event({
        type: 'response.failed',
        response: { status: 'failed', error: { code: 'server_error', message: 'Gone' } },
      }),
      'provider_failed',
      'Gone',
    ],
  ])('%s: %j', async (wire, text, code, reason) => {
    loopback.reply = () => replyWith(text)
    await expect(answer(wire, [])).rejects.toMatchObject({ code, data: { reason } })
  })
})

const result = toolResult('c1', 'x')

function thought(model: string, signature: string, provider = 'openai-compatible'): AssistantMessage {
  const call = { type: 'toolCall' as const, id: 'c1', name: 'read', arguments: {} }
  const thinking = { type: 'thinking' as const, thinking: 'I look.', thinkingSignature: signature }
  return assistantMessage([thinking, call], { provider, model, stopReason: 'toolUse' })
}

async function answer(wire: Wire, messages: readonly Message[], more: Partial<ModelRequest> = {}, name = 'm') {
  const options = { baseUrl: wire === 'anthropic' ? loopback.url : `${loopback.url}/v1` }
  const model =
    wire === 'anthropic'
      ? createAnthropicModel(name, options)
      : createOpenAiModel(wire === 'chat' ? 'openai-compatible' : 'openai', name, options)
  const request = { purpose: { kind: 'title' as const }, system: [], tools: [], maxOutput: 9000, ...more, messages }
  for await (const event of model.stream(request, new AbortController().signal)) if (event.type === 'done') return
}

const said = 'data: {"choices":[{"index":0,"delta":{"content":"said"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
const sent = (asked: Asked | undefined) => asList(asked?.body['messages']).map(asRecord)

describe('thinking sent back', () => {
  const turn = (model: string, signature: string) => [user('look'), thought(model, signature), result]

  it('goes only to the model that produced it', async () => {
    for (const [model, signature] of [
      ['other', 'reasoning_content'],
      ['m', 'reasoning_content'],
    ] as const) {
      loopback.reply = () => replyWith(said)
      await answer('chat', turn(model, signature))
      expect(sent(loopback.asked.at(-1))[2]?.['reasoning_content']).toBe(model === 'm' ? 'I look.' : undefined)
    }
    loopback.reply = () => replyWith('', 500)
    await expect(answer('anthropic', [user('look'), thought('m', 'sig', 'openai'), result])).rejects.toThrow()
    await expect(answer('anthropic', [user('look'), thought('m', 'sig', 'anthropic'), result])).rejects.toThrow()
    const types = loopback.asked
      .slice(-2)
      .map((asked) => asList(sent(asked)[1]?.['content']).map((part) => asRecord(part)['type']))
    expect(types).toEqual([['tool_use'], ['thinking', 'tool_use']])
  })

  it('is left out from then on if the server refuses it', async () => {
    const refusal = {
      error: { message: "property 'messages.2.assistant.reasoning' is unsupported", code: 'wrong_api_format' },
    }
    loopback.reply = ({ body }) =>
      JSON.stringify(body).includes('"reasoning"') ? replyWith(JSON.stringify(refusal), 400) : replyWith(said)
    const before = loopback.asked.length
    await answer('chat', turn('strict', 'reasoning'), {}, 'strict')
    await answer('chat', turn('strict', 'reasoning'), {}, 'strict')
    expect(loopback.asked.slice(before).map((asked) => 'reasoning' in (sent(asked)[2] ?? {}))).toEqual([
      true,
      false,
      false,
    ])
  })

  it('is sent with every answer if the server demands it', async () => {
    const demand = {
      error: {
        message: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
        type: 'invalid_request_error',
      },
    }
    loopback.reply = (asked) =>
      sent(asked).some((message) => message['role'] === 'assistant' && !('reasoning_content' in message))
        ? replyWith(JSON.stringify(demand), 400)
        : replyWith(said)
    await answer('chat', turn('another', 'reasoning_content'), {}, 'demanding')
    expect(sent(loopback.asked.at(-1))[2]?.['reasoning_content']).toBe('')
    const before = loopback.asked.length
    await answer('chat', turn('another', 'reasoning_content'), {}, 'kimi-k2.5')
    await answer('chat', turn('another', 'reasoning_content'), {}, 'deepseek/deepseek-v4-pro')
    expect(loopback.asked.length - before).toBe(2)
  })

  it('disables the thinking budget in a turn that another model began', async () => {
    const thinking = { thinking: 'medium' as const }
    loopback.reply = () => replyWith('', 500)
    const name = 'claude-sonnet-4-5'
    for (const model of ['other', name])
      await expect(
        answer('anthropic', [user('look'), thought(model, 'sig', 'anthropic'), result], thinking, name),
      ).rejects.toThrow()
    expect(loopback.asked.slice(-2).map(({ body }) => asRecord(body['thinking'])['type'])).toEqual([
      undefined,
      'enabled',
    ])
  })
})
