import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { SendInput } from '../../../src/shared/contract/index.ts'
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
})
