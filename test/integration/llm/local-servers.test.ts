/** Chats with servers that answer byte for byte like llama-cpp-python 0.3.36 and Ollama, as recorded. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { messageText } from '../../../src/shared/chat/messages.ts'
import { openAgent } from '../../support/agent.ts'
import { openTestApp } from '../../support/app.ts'
import { listen } from '../../support/listen.ts'
import { startModelServer } from '../../support/model-server.ts'

type Body = { stream: boolean; tools?: unknown[]; messages: { role: string; content: unknown }[] }
type Reply = { status?: number; type?: string; body: string }

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\r\n\r\n`
const answer = (text: string): Reply => ({
  type: 'text/event-stream; charset=utf-8',
  body: `${event({ role: 'assistant' })}${event({ content: text })}${event({}, 'stop')}data: [DONE]\r\n\r\n`,
})
const refused = (status: number, error: object): Reply => ({ status, body: JSON.stringify({ error }) })

async function openChat(reply: (body: Body, bodies: Body[]) => Reply, window = 32_768) {
  const bodies: Body[] = []
  const answerTo = async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const body = JSON.parse(text || '{}') as Body
    const isTitle = text.includes('You title conversations')
    if (!isTitle) bodies.push(body)
    const { status = 200, type = 'application/json', body: sent } = isTitle ? answer('Title') : reply(body, bodies)
    response.writeHead(status, { 'content-type': type })
    response.end(sent)
  }
  const server = createServer((request, response) => void answerTo(request, response))
  const url = await listen(server)
  const { app, agent, send, messagesOf } = await openAgent(
    { url, openAiUrl: url },
    {
      model: 'openai-compatible/m',
      settings: `models: { openai-compatible/m: { contextWindow: ${window} } }\n`,
      files: {
        'memory/2026-01-05.md':
          '# 2026-01-05\n\n- 09:10 The gate code is 4711\n- 10:00 Bought hiking boots\n- 11:00 Ana likes green tea\n',
      },
    },
  )
  await agent.memory.settle(20_000)
  let session: string | undefined
  async function ask(text: string) {
    session = await send(text, session)
    const message = (await messagesOf(session)).at(-1)
    return message?.role === 'assistant' ? { ...message, text: messageText(message) } : undefined
  }
  return { app, agent, ask, bodies, transcript: () => agent.sessions.get(session ?? '') }
}

it('learns the window from an empty stream, which llama-cpp-python sends for a request that is too long', async () => {
  const tooLong = {
    message:
      "This model's maximum context length is 2048 tokens. However, you requested 3047 tokens (3031 in the messages, 16 in the completion). Please reduce the length of the messages or completion.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  }
  const { ask, bodies, agent } = await openChat((body) => {
    if (JSON.stringify(body.messages).length + JSON.stringify(body.tools ?? []).length < 4000) return answer('Hello.')
    return body.stream ? { type: 'text/event-stream; charset=utf-8', body: '' } : refused(400, tooLong)
  })
  expect(await ask('hi')).toMatchObject({ stopReason: 'stop', text: 'Hello.' })
  expect(bodies.map(({ stream }) => stream)).toEqual([true, false, true])
  expect((await agent.chat.meter.report(undefined, undefined)).contextWindow).toBe(2048)
})

it('uses the answer if a server answers only without streaming', async () => {
  const whole = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Whole.' }, finish_reason: 'stop' }],
  }
  const { ask } = await openChat(({ stream }) =>
    stream ? { type: 'text/event-stream', body: '' } : { body: JSON.stringify(whole) },
  )
  expect(await ask('hi')).toMatchObject({ stopReason: 'stop', text: 'Whole.' })
})

it('asks again without tools if the server refuses them', async () => {
  const error = { message: 'registry.ollama.ai/library/gemma:2b does not support tools', type: 'api_error' }
  const { ask, bodies, transcript } = await openChat(({ tools }) => (tools ? refused(400, error) : answer('Hello.')))
  expect(await ask('hi')).toMatchObject({ stopReason: 'stop', text: 'Hello.' })
  expect(bodies.map(({ tools }) => tools !== undefined)).toEqual([true, false])
  // Recall reads, and a rule writes.
  await ask('What is the gate code?')
  expect(String(bodies.at(-1)?.messages.at(-1)?.content)).toMatch(
    /memory\/2026-01-05\.md:3 · \d\.\d\d · 09:10 The gate code is 4711/,
  )
  expect(bodies.at(-1)?.tools).toBeUndefined()
  expect(String(bodies.at(-1)?.messages[0]?.content)).not.toContain('memory_search')
  const notices = (await transcript()).branch().filter((entry) => JSON.stringify(entry).includes('withoutTools'))
  expect(notices).toHaveLength(1)
})

it('sends no null beside tool calls, and carries out a call that is written as text', async () => {
  const call =
    '<tool_call>\n{"name": "memory_search", "arguments": {"query": "gate code", "maxResults": "3"}}\n</tool_call>'
  const { ask, bodies } = await openChat((_body, all) => answer(all.length === 1 ? call : 'It is 4711.'))
  expect(await ask('Please look it up')).toMatchObject({ text: 'It is 4711.' })
  expect(bodies[1]?.messages.map(({ role, content }) => [role, typeof content])).toEqual([
    ['system', 'string'],
    ['user', 'string'],
    ['assistant', 'string'],
    ['tool', 'string'],
  ])
  expect(String(bodies[1]?.messages.at(-1)?.content)).toContain('The gate code is 4711')
})

it('ends an answer that repeats itself, and keeps its beginning', async () => {
  const { ask } = await openChat(() => answer(`Well, ${'tea '.repeat(2000)}`))
  expect(await ask('hi')).toMatchObject({
    stopReason: 'error',
    errorCode: 'answer_repeats',
    text: 'Well, tea tea tea',
  })
})

it('names the models that there are if the server does not have the chosen one', async () => {
  const unknown = refused(404, { message: 'model "m" not found, try pulling it first', type: 'api_error' })
  const listed = ['gemma3:1b', 'nomic-embed-text', 'qwen2.5:7b'].map((id) => ({ id, object: 'model' }))
  const { ask } = await openChat(({ messages }) =>
    messages ? unknown : { body: JSON.stringify({ object: 'list', data: listed }) },
  )
  expect(await ask('hi')).toMatchObject({
    stopReason: 'error',
    errorCode: 'unknown_model',
    errorData: { model: 'm', models: 'qwen2.5:7b, gemma3:1b' },
  })
})

it('finds servers of this machine at their ports, and ignores other programs', async () => {
  const model = await startModelServer()
  model.models = [{ id: 'nomic-embed-text' }, { id: 'qwen3:1.7b' }, { id: 'qwen3:8b' }]
  const { port } = new URL(model.url)
  const env: NodeJS.ProcessEnv = { OLLAMA_HOST: `models.example:${port}` }
  const { app } = await openTestApp({ env })
  const findOllama = async () => (await app.models.localServers()).find(({ name }) => name === 'Ollama')
  expect(await findOllama()).toEqual({
    name: 'Ollama',
    baseUrl: `http://localhost:${port}/v1`,
    models: ['openai-compatible/qwen3:8b', 'openai-compatible/qwen3:1.7b'],
  })
  expect(app.models.providers().find(({ name }) => name === 'openai-compatible')?.baseUrl).toBeNull()
  const other = createServer((_, response) => response.end('<html>A web page</html>'))
  const silent = createServer(() => undefined)
  for (const server of [other, silent]) {
    env['OLLAMA_HOST'] = (await listen(server)).replace('http://127.0.0.1', '0.0.0.0')
    const started = performance.now()
    expect(await findOllama()).toBeUndefined()
    expect(performance.now() - started).toBeLessThan(5000)
  }
})
