import { isDeepStrictEqual } from 'node:util'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, readFile, stat, truncate } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Outbound } from '../../../src/main/platform/index.ts'
import { createLocalEmbeddings } from '../../../src/main/search/embeddings/create-embeddings.ts'
import type { OutboundRequest } from '../../../src/shared/contract/index.ts'
import { openTestServer } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { dot } from '../../support/dot.ts'
import { folderWith, temporaryFolder, textsIn, until } from '../../support/folder.ts'
import { listen } from '../../support/listen.ts'
import { startModelServer } from '../../support/model-server.ts'

/** This address leads to this machine, but is not a loopback address, so it counts as another machine. */
const asRemote = (url: string) => url.replace('127.0.0.1', '0.0.0.0')

async function startPictures(onHeaders?: (headers: IncomingHttpHeaders) => void): Promise<string> {
  const server = createServer((request, response) => {
    onHeaders?.(request.headers)
    if (request.url?.startsWith('/moved')) response.writeHead(302, { location: '/a.png?session=secret' }).end()
    else response.writeHead(200, { 'content-type': 'image/png' }).end(dot)
  })
  return asRemote(await listen(server))
}

async function startTools(): Promise<string> {
  const script = fileURLToPath(new URL('../../support/mcp-server.mjs', import.meta.url))
  const server = spawn(process.execPath, [script, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill())
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  return asRemote(line.toString().trim())
}

const openNote = { agent: 'main', path: 'memory/a.md' }

const originOf = (url: string) => new URL(url).origin

async function openAll() {
  const [model, vectors] = [await startModelServer({ text: 'ok' }), await startModelServer()]
  const [pictures, tools] = [await startPictures(), await startTools()]
  const config = `providers:
  anthropic: { baseUrl: "${model.url}", reach: remote }
mcp:
  servers:
    calculator: { url: "${tools}", permission: always }
    here: { command: "${process.execPath}", args: ["${fileURLToPath(new URL('../../support/mcp-server.mjs', import.meta.url))}"], permission: always }
agents:
  defaults:
    model: anthropic/claude-test
    session: { memoryHook: { enabled: false } }
    memory: { embedding: { provider: openai-compatible, model: hashed, baseUrl: "${vectors.openAiUrl}", reach: remote } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`
  const server = await openTestServer({
    files: {
      'memory/a.md': 'The walrus lives in the bath.\n',
      'memory/mixed.md': '- open\n- hidden ^[local]\n',
      'memory/own.md': '---\nvisibility: local\n---\nhidden\n',
    },
    config,
    env: { ANTHROPIC_API_KEY: 'sk-test-key' },
    isOpenAddress: () => true,
  })
  const client = await connect(server.url)
  const requests = async (purpose?: OutboundRequest['purpose']) =>
    (await client.settings.outbound()).requests.filter(
      (request) => purpose === undefined || request.purpose === purpose,
    )
  return { ...server, client, model, vectors, pictures, tools, requests, file: join(server.home, 'outbound.jsonl') }
}

describe('requests to other machines', () => {
  it('are each recorded before they are sent, without their content', async () => {
    const { client, model, vectors, pictures, tools, requests, file } = await openAll()
    model.script = [
      {
        calls: [
          { name: 'mcp__calculator__add', arguments: { a: 2, b: 3 } },
          { name: 'mcp__here__add', arguments: { a: 40, b: 2 } },
        ],
      },
      { text: 'five' },
    ]
    const { session } = await client.chat.send({ agent: 'main', text: 'Add the teapots, please.' })
    await until(async () => (await requests('title')).some(({ outcome }) => outcome === 200))
    await client.pictures.remote({ ...openNote, address: `${pictures}/moved?teapots=2`, isAllowed: false })
    await until(async () => (await requests('embedding')).some(({ outcome }) => outcome === 200))
    await client.settings.testProvider({ provider: 'anthropic' })

    const chat = (await requests('chat')).toReversed()
    expect(chat).toMatchObject(
      model.requests.map(({ text }) => ({
        host: originOf(model.url),
        chat: session,
        characters: text.length,
        outcome: 200,
      })),
    )
    expect(chat).toHaveLength(2)
    expect(await requests('title')).toMatchObject([
      { host: originOf(model.url), chat: session, characters: model.titleRequests[0]?.length, outcome: 200 },
    ])
    expect(await requests('models')).toMatchObject([{ host: originOf(model.url), outcome: 200 }])
    await until(async () => {
      // A search gives up a request for a query that takes too long; it may have been recorded, but not sent.
      const answered = (await requests('embedding')).toReversed().filter(({ outcome }) => outcome === 200)
      return isDeepStrictEqual(
        answered.map(({ characters }) => characters),
        vectors.requests.map(({ text }) => text.length),
      )
    })
    expect(await requests('picture')).toMatchObject([
      { host: pictures, characters: '/a.png?session=secret'.length, outcome: 200 },
      { host: pictures, characters: '/moved?teapots=2'.length, outcome: 302 },
    ])
    const toolRequests = await requests('tools')
    expect(toolRequests.length).toBeGreaterThan(2)
    for (const request of toolRequests) expect(request).toMatchObject({ host: originOf(tools), chat: session })
    expect(toolRequests[0]).toMatchObject({ outcome: 200 })
    // The oldest one is the start of the program.
    expect(await requests('program')).toMatchObject([
      { host: 'program:here', chat: session, characters: '{"a":40,"b":2}'.length, outcome: 'ok' },
      { host: 'program:here', chat: session, characters: 0, outcome: 'ok' },
    ])
    const text = await readFile(file, 'utf8')
    expect(text).not.toMatch(/teapots|walrus|secret|sk-test-key|png/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('are not sent if they cannot be recorded, and say so', async () => {
    const { client, model, pictures, file } = await openAll()
    // No agent is open yet, so nothing was sent.
    await mkdir(file)
    const before = model.requests.length
    await expect(
      client.pictures.remote({ ...openNote, address: `${pictures}/a.png`, isAllowed: false }),
    ).rejects.toMatchObject({
      code: 'outbound_unrecorded',
    })
    await expect(client.settings.testProvider({ provider: 'anthropic' })).rejects.toMatchObject({
      code: 'outbound_unrecorded',
      data: { path: file },
    })
    expect(model.requests).toHaveLength(before)
  })

  it('do not load an image of a note with private text, unless the user allows it', async () => {
    const { client, pictures, requests } = await openAll()
    const address = `${pictures}/a.png`
    for (const path of ['memory/own.md', 'memory/mixed.md', 'memory/unknown.md'])
      await expect(
        client.pictures.remote({ agent: 'main', path, address, isAllowed: false }),
        path,
      ).rejects.toMatchObject({ code: 'private_stays_here', data: { host: pictures } })
    expect(await requests('picture')).toEqual([])
    await client.pictures.remote({ agent: 'main', path: 'memory/own.md', address, isAllowed: true })
    await client.pictures.remote({ ...openNote, address, isAllowed: false })
    const [fromOpen, fromPrivate] = await requests('picture')
    expect(fromPrivate).toMatchObject({ host: pictures, isPrivate: true, outcome: 200 })
    expect(fromOpen).not.toHaveProperty('isPrivate')
  })

  it('are not recorded if they stay on this machine', async () => {
    const local = await startModelServer({ text: 'ok' })
    const config = `providers: { openai-compatible: { baseUrl: "${local.openAiUrl}" } }
agents: { defaults: { model: openai-compatible/m, memory: { embedding: { provider: none } } }, list: [{ id: main, workspace: "{{workspace}}" }] }
`
    const client = await connect((await openTestServer({ config })).url)
    await client.chat.send({ agent: 'main', text: 'hello' })
    await until(() => local.titleRequests.length === 1)
    expect(await client.settings.outbound()).toEqual({ requests: [], total: 0 })
  })
})

/** Replaces transformers.js, which is not installed. Downloads one file with the `fetch` of its argument. */
const downloader = (url: string, hasFetch: boolean) => `
const env = ${hasFetch ? '{ fetch }' : '{}'}
module.exports = {
  env,
  async pipeline() {
    if (!env.allowRemoteModels) throw new Error('no download allowed')
    const response = await env.fetch('${url}', { headers: { authorization: 'Bearer hub' } })
    return async () => ({ tolist: () => [[response.status, 1]] })
  },
}`

describe('downloads of a model', () => {
  async function openModel(url: string, hasFetch: boolean) {
    const modelsFolder = await folderWith({
      'package.json': '{}',
      'node_modules/@huggingface/transformers/package.json': '{ "main": "index.cjs" }',
      'node_modules/@huggingface/transformers/index.cjs': downloader(url, hasFetch),
    })
    const outbound = new Outbound(join(modelsFolder, 'outbound.jsonl'))
    const options = { model: 'a/b', modelsFolder, allowDownload: true, batchSize: 1, onDownload: () => undefined }
    return { outbound, provider: createLocalEmbeddings({ ...options, outbound }) }
  }

  it('are recorded, also those on servers to which the hub redirects, which get no key', async () => {
    const keys: (string | undefined)[] = []
    const pictures = await startPictures(({ authorization }) => keys.push(authorization))
    const { provider, outbound } = await openModel(`${pictures}/moved`, true)
    expect(await provider.embed(['x'])).toHaveLength(1)
    expect((await outbound.requests(9)).requests).toMatchObject([
      { purpose: 'download', host: pictures, outcome: 200 },
      { purpose: 'download', host: pictures, outcome: 302 },
    ])
    expect(keys).toEqual(['Bearer hub', undefined])
  })
})

describe('the gate', () => {
  async function openGate(maxBytes?: number) {
    const file = join(await temporaryFolder(), 'outbound.jsonl')
    const server = await startModelServer()
    const gate = new Outbound(file, () => new Date('2026-01-20T10:00:00Z'), maxBytes)
    return { file, gate, server, url: `${asRemote(server.url)}/models` }
  }

  it('refuses private text for another machine, but not for this one or one that the user trusts', async () => {
    const { file, gate, server, url } = await openGate()
    const send = gate.fetch({ purpose: 'chat', isPrivate: true })
    await expect(send(url)).rejects.toMatchObject({ code: 'private_stays_here', data: { host: originOf(url) } })
    await expect(
      gate.fetch({ purpose: 'chat', isPrivate: true, isLocal: false })(`${server.url}/models`),
    ).rejects.toMatchObject({ code: 'private_stays_here' })
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await send(`${server.url}/models`)).status).toBe(200)
    expect((await gate.fetch({ purpose: 'chat', isPrivate: true, isLocal: true })(url)).status).toBe(200)
    expect((await gate.requests(9)).requests).toMatchObject([{ purpose: 'chat', host: originOf(url), outcome: 200 }])
  })

  it('does not follow a redirect', async () => {
    const { gate } = await openGate()
    const pictures = await startPictures()
    expect((await gate.fetch({ purpose: 'tools' })(`${pictures}/moved`, { redirect: 'follow' })).status).toBe(302)
    expect((await gate.requests(9)).total).toBe(1)
  })

  it('keeps a request whose answer was never recorded, and the lines around a cut one', async () => {
    const { file, gate, url } = await openGate()
    await gate.fetch({ purpose: 'chat' })(url)
    // Cuts into the outcome, as a crash would.
    await truncate(file, (await stat(file)).size - 5)
    await gate.fetch({ purpose: 'title' })(url)
    await appendFile(file, 'not JSON\n{"id":"x","at":1}\n')
    await gate.fetch({ purpose: 'flush' })(url)
    const { requests, total } = await gate.requests(2)
    expect(total).toBe(3)
    expect(requests.map(({ purpose, outcome }) => [purpose, outcome])).toEqual([
      ['flush', 200],
      ['title', 200],
    ])
    expect((await gate.requests(9)).requests[2]).toMatchObject({ purpose: 'chat' })
    expect((await gate.requests(9)).requests[2]).not.toHaveProperty('outcome')
  })

  it('keeps the lines of several processes apart', async () => {
    const { file, gate, url } = await openGate()
    const script = `
      const { Outbound } = await import(${JSON.stringify(new URL('../../../src/main/platform/index.ts', import.meta.url).href)})
      const gate = new Outbound(${JSON.stringify(file)}, undefined, 15000)
      const send = gate.fetch({ purpose: 'chat' }, async () => new Response('', { status: 201 }))
      await Promise.all(Array.from({ length: 50 }, () => send(${JSON.stringify(url)})))`
    const processes = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' }),
    )
    expect(await Promise.all(processes.map(async (child) => (await once(child, 'exit'))[0] as number))).toEqual([
      0, 0, 0,
    ])
    // The file was full once, so no line is lost.
    expect(existsSync(`${file}.old`)).toBe(true)
    const { requests, total } = await gate.requests(1000)
    expect(total).toBe(150)
    expect(requests.every(({ outcome }) => outcome === 201)).toBe(true)
    const lines = Object.values(await textsIn(dirname(file))).flatMap((text) => text.split('\n').filter(Boolean))
    expect(lines).toHaveLength(300)
  })
})
