import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expandRows } from '../../../src/main/agent/chat/context-meter.ts'
import type { SendInput } from '../../../src/shared/contract/index.ts'
import { toolItem } from '../../../src/shared/chat/context-items.ts'
import { openTestApp } from '../../support/app.ts'
import { startModelServer, type ModelServer } from '../../support/model-server.ts'

const key = 'sk-wire-0123456789"\\key'
const gateway = 'gateway-9876543210-secret'

/** A repeated pixel, longer than the stored part of an image. */
const picture = Buffer.alloc(600, 'picture').toString('base64')

interface Wire {
  readonly name: string
  readonly model: string
  readonly hasResponses: boolean
  readonly path: string
}

const wires: Wire[] = [
  { name: 'Anthropic Messages', model: 'anthropic/test-model', hasResponses: false, path: '/v1/messages' },
  { name: 'OpenAI Responses', model: 'openai/test-model', hasResponses: true, path: '/v1/responses' },
  {
    name: 'Chat Completions',
    model: 'openai-compatible/test-model',
    hasResponses: false,
    path: '/v1/chat/completions',
  },
]

async function open(server: ModelServer, model: string) {
  const config = `providers:
  anthropic: { baseUrl: "${server.url}", headers: { X-Gateway: "\${GATEWAY_PASS}", X-Title: "Commonplace" } }
  openai: { baseUrl: "${server.openAiUrl}", headers: { X-Gateway: "\${GATEWAY_PASS}", X-Title: "Commonplace" } }
  openai-compatible: { baseUrl: "${server.openAiUrl}", headers: { X-Gateway: "\${GATEWAY_PASS}", X-Title: "Commonplace" } }
models: { ${model}: { images: true } }
agents:
  defaults: { session: { reset: { mode: "off" } }, memory: { sessions: false } }
  list: [{ id: main, workspace: "{{workspace}}", model: ${model} }]
`
  const env = {
    ANTHROPIC_API_KEY: key,
    OPENAI_API_KEY: key,
    OPENAI_COMPATIBLE_API_KEY: key,
    GATEWAY_PASS: gateway,
  }
  const files = {
    'USER.md': '# User\n\nAnn “of” Lisbon. 喜欢喝茶。\n',
    'MEMORY.md': `# Long-term memory\n\n${'- Ann has a “blue” boat\\.\n'.repeat(40)}`,
    'memory/2026-11-22.md': `# 2026-11-22\n\nThe passport lies in the desk. 🍵\n\n\n\n${'- Rain and tea.\n'.repeat(60)}`,
  }
  const test = await openTestApp({ config, env, files, now: () => new Date('2026-11-22T12:00:00') })
  const agent = await test.app.agents.get('main')
  let session: string | undefined
  const say = async (input: Pick<SendInput, 'text' | 'attachments'>) => {
    const sent = await agent.chat.send({ ...input, session })
    await sent.ended
    session = sent.session
    return sent.session
  }
  return { ...test, agent, say }
}

/** Returns the contents of all files below a folder, decompressed. */
async function everything(folder: string): Promise<string> {
  return (await textsIn(folder)).join('\n')
}

async function textsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const bytes = await readFile(join(entry.parentPath, entry.name))
      return String(entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes)
    })
  return Promise.all(texts)
}

describe.each(wires)('$name', ({ model, hasResponses, path }) => {
  it('stores exactly what the server received in the last attempt', async () => {
    const server = await startModelServer(
      { status: 529, message: 'overloaded', headers: { 'retry-after-ms': '1' } },
      { calls: [{ name: 'read', arguments: { path: 'USER.md' } }] },
      { text: 'Tea, then.' },
    )
    server.hasResponses = hasResponses
    const { agent, say } = await open(server, model)
    const session = await say({ text: 'What does Ann like?\n“Quotes”, \\ and 茶 🍵.' })
    expect(server.requests).toHaveLength(3)
    for (const [number, received] of [
      [1, server.requests[1]],
      [2, server.requests[2]],
    ] as const) {
      const { count, request } = await agent.sessions.requestWithWire(session, number)
      expect(count).toBe(2)
      expect(request?.model).toBe(model)
      const wire = request?.wire
      expect(wire?.method).toBe('POST')
      expect(wire?.url).toBe(server.url + received?.address)
      expect(received?.path).toBe(path)
      expect(wire?.body).toBe(received?.text)
      expect(wire?.leftOut).toBe(0)
      const hidden: string[] = []
      for (const [name, value] of wire?.headers ?? []) {
        if (value === '[redacted]') hidden.push(name)
        else expect(value, name).toBe(received?.headers[name])
      }
      expect(hidden).toEqual(['authorization', 'x-gateway'])
      // Only headers that the connection adds are missing.
      const shown = new Set(wire?.headers.map(([name]) => name))
      const others = Object.keys(received?.headers ?? {}).filter((name) => !shown.has(name))
      const connection = /^(host|connection|content-length|accept-encoding|accept-language|sec-fetch-mode)$/
      expect(others.filter((name) => !connection.test(name))).toEqual([])
    }
  })

  it('stores each version of a file once for all requests of a chat', async () => {
    const server = await startModelServer({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })
    server.hasResponses = hasResponses
    const { agent, workspace, say } = await open(server, model)
    const session = await say({ text: 'hello' })
    await say({ text: 'hello again' })
    await appendFile(join(workspace, 'memory/2026-11-22.md'), '- Another line.\n')
    await say({ text: 'and again' })
    const stored = await textsIn(agent.sessions.requestsFolder(session))
    const filesWith = (text: string) => stored.filter((file) => file.includes(text)).length
    expect(filesWith('passport')).toBe(1)
    expect(filesWith('blue')).toBe(1)
    // The formats of the app and of the provider.
    expect(filesWith('"memory_search"')).toBe(2)
    for (const number of [1, 2, 3]) {
      const { request } = await agent.sessions.requestWithWire(session, number)
      const sent = server.requests.find(({ text }) => text === request?.wire?.body)
      expect(sent?.text).toContain('passport')
      expect(JSON.stringify(sent?.body).includes('Another line')).toBe(number === 3)
      const { system, tools } = JSON.parse(request?.json ?? '') as { system: string[]; tools: object[] }
      expect(system[1]).toMatch(/^<file path="[^\0]*<\/file>$/)
      expect(system[1]).toContain('desk. 🍵\n\n\n\n- Rain')
      expect(tools.length).toBeGreaterThan(3)
    }
  })

  it('redacts keys everywhere in stored and shown requests', async () => {
    const server = await startModelServer({ text: 'Done.' })
    server.hasResponses = hasResponses
    const { agent, app, home, say } = await open(server, model)
    const session = await say({ text: 'hello' })
    const { request } = await agent.sessions.requestWithWire(session)
    const received = server.requests[0]
    expect(JSON.stringify(received?.headers)).toContain(gateway)
    app.log.warn({}, 'the last line')
    const written = `${await everything(home)}\n${JSON.stringify(request)}`
    expect(written).toContain('the last line')
    expect(written).toContain('[redacted]')
    for (const secret of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), gateway])
      expect(written).not.toContain(secret)
  })

  it('stores only the beginning of an image and the number of omitted characters', async () => {
    const server = await startModelServer({ text: 'A picture.' })
    server.hasResponses = hasResponses
    const { agent, say } = await open(server, model)
    const session = await say({
      text: 'Look at this.',
      attachments: [{ type: 'image', name: 'p.png', mimeType: 'image/png', data: picture }],
    })
    const { request } = await agent.sessions.requestWithWire(session)
    const received = server.requests[0]?.text ?? ''
    expect(received).toContain(picture)
    const { body = '', leftOut } = request?.wire ?? {}
    expect(leftOut).toBe(picture.length - 64)
    const note = `… [${leftOut} characters of base64 left out]`
    expect(body.replace(picture.slice(0, 64) + note, picture)).toBe(received)
    expect(() => JSON.parse(body)).not.toThrow()
  })
})

describe('stored requests and their rows', () => {
  it('moves to the trash and back with their chat', async () => {
    const server = await startModelServer({ text: 'Yes.' })
    const { agent, home, say } = await open(server, 'anthropic/test-model')
    const session = await say({ text: 'hello' })
    const before = await agent.sessions.requestWithWire(session)
    const sessions = join(home, 'agents/main/sessions')
    const partFolders = async () =>
      (await readdir(sessions, { recursive: true })).filter((path) => path.endsWith('parts'))
    await agent.sessions.remove(session)
    expect(await partFolders()).toEqual([join('deleted', `${session}.requests`, 'parts')])
    expect((await agent.sessions.requestWithWire(session)).request).toBeNull()
    await agent.sessions.restore(session)
    expect(await partFolders()).toEqual([join(`${session}.requests`, 'parts')])
    expect(await agent.sessions.requestWithWire(session)).toEqual(before)
    expect(before.request?.wire?.body).toContain('passport')
  })

  it('opens requests that were stored whole, and new ones after them', async () => {
    const server = await startModelServer({ text: 'Yes.' }, { text: 'No.' })
    const { agent, say } = await open(server, 'anthropic/test-model')
    const session = await say({ text: 'hello' })
    const folder = agent.sessions.requestsFolder(session)
    const { request } = await agent.sessions.requestWithWire(session)
    const { json = '', wire, sentAt } = request ?? {}
    const whole = { sentAt, request: JSON.parse(json) as unknown }
    await writeFile(join(folder, '000001.json.gz'), gzipSync(JSON.stringify(whole)))
    await writeFile(join(folder, '000001.wire.json.gz'), gzipSync(JSON.stringify(wire)))
    await say({ text: 'hello again' })
    expect(await agent.sessions.requestWithWire(session, 1)).toEqual({ count: 2, request })
    const text = await agent.chat.meter.text(session, 1, 'logs', 'memory/2026-11-22.md')
    expect(text).toContain('passport')
    expect(await agent.chat.meter.text(session, 2, 'logs', 'memory/2026-11-22.md')).toBe(text)
  })

  it('shows a request whose parts are gone, with a placeholder for each', async () => {
    const server = await startModelServer({ text: 'Yes.' })
    const { agent, say } = await open(server, 'anthropic/test-model')
    const session = await say({ text: 'hello' })
    const { meter } = agent.chat
    const { request: number } = await meter.report(session, undefined)
    const parts = join(agent.sessions.requestsFolder(session), 'parts')
    for (const name of await readdir(parts)) await writeFile(join(parts, name), 'damaged')
    const { request } = await agent.sessions.requestWithWire(session)
    for (const text of [request?.json, request?.wire?.body]) {
      expect(text).toContain('[this part was removed]')
      expect(text).toContain('hello')
      expect(text).not.toContain('passport')
    }
    expect(JSON.parse(request?.wire?.body ?? '')).toMatchObject({ tools: '[this part was removed]' })
    const report = await meter.report(session, undefined)
    expect(report).toMatchObject({ request: number })
    expect(await meter.text(session, number, 'system', 'system prompt')).toBe('[this part was removed]')
  })

  it('stores the offline model’s request without an HTTP request', async () => {
    const { app } = await openTestApp()
    const agent = await app.agents.get('main')
    const sent = await agent.chat.send({ text: 'What do you know about tea?' })
    await sent.ended
    const { request } = await agent.sessions.requestWithWire(sent.session)
    expect(request).toMatchObject({ model: 'offline', wire: null })
    expect(request?.json).toContain('about tea')
  })

  it('stores a failed request as it was sent', async () => {
    const server = await startModelServer({ status: 400, message: 'no' })
    const { agent, say } = await open(server, 'anthropic/test-model')
    const session = await say({ text: 'hello there' })
    const { request } = await agent.sessions.requestWithWire(session)
    expect(request?.wire?.body).toBe(server.requests[0]?.text)
  })

  it('shows a row for each tool and turn, which sum to the total and can be read', async () => {
    const server = await startModelServer({ text: 'It is so.' })
    const { agent, say } = await open(server, 'anthropic/test-model')
    let session = ''
    for (let turn = 0; turn < 30; turn += 1) session = await say({ text: `Question ${turn} is about number ${turn}.` })
    const { meter } = agent.chat
    const report = await meter.report(session, undefined)
    const sent = server.requests.at(-1)?.body['tools'] as { name: string }[]
    const system = report.items.filter(({ layer }) => layer === 'system').map(({ name }) => name)
    expect(system).toEqual(['system prompt', ...sent.map(({ name }) => toolItem(name))])
    expect(report.items.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(report.estimatedTokens)
    const turns = report.items.filter(({ layer }) => layer === 'conversation')
    expect(turns).toHaveLength(24)
    expect(turns[0]?.name).toBe('messages 1-12')
    expect(turns.at(-1)).toMatchObject({ name: 'messages 57-58', about: 'Question 28 is about number 28.' })
    const read = await Promise.all(
      report.items.map(({ layer, name }) => meter.text(session, report.request, layer, name)),
    )
    const missing = report.items.filter((item, at) => read[at] === '' && item.note !== 'missing')
    expect(missing).toEqual([])
    const last = read[report.items.findIndex(({ name }) => name === 'messages 57-58')]
    expect(last).toContain('about number 28')
    expect(last).not.toContain('about number 27')
    const memory = report.items.findIndex(({ name }) => name === toolItem('memory_search'))
    expect(JSON.parse(read[memory] ?? '')).toMatchObject({ name: 'memory_search' })
    // A report without a stored request stays unchanged.
    expect(expandRows(report, { system: [], messages: [], tools: [] })).toEqual(report)
  }, 60_000)
})
