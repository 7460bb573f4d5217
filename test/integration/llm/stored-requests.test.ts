import { readdir, readFile } from 'node:fs/promises'
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
})
