import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DeletionOutcome } from '../../../src/shared/contract/index.ts'
import { openAppOn, openTestApp, type TestApp } from '../../support/app.ts'
import { until } from '../../support/folder.ts'
import { logContent } from '../../support/log-content.ts'
import { startModelServer } from '../../support/model-server.ts'
import { logLines } from '../../support/log-lines.ts'

type Client = TestApp['client']

const main = { agent: 'main' }
const now = () => new Date('2026-11-22T12:00:00')
const secret = 'Lisa Kessler'

const files = {
  'MEMORY.md': `# Long-term memory\n\n## People\n\n- ${secret} has diabetes.\n- Anna leads design.\n`,
  'memory/2026-11-02.md': `# 2026-11-02\n\n## 09:00 - Call\n\nlisa  kessler called about the results.\nThe plumber came.\n`,
  'memory/2026-11-03-lisa-kessler.md': '# A talk\n\nNothing else.\n',
  'notes/garden.md': '# Garden\n\nThe roses are planted.\n\nLisa\nKessler gave us seeds.\n',
  'notes/doctor.md': '# Doctor\n\nThe insulin pump was ordered for her on Monday.\n',
}

/** Returns every file whose bytes, raw or unpacked, match the pattern. */
async function filesWith(folder: string, pattern: RegExp): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    // Temporary files can disappear during the search.
    const bytes = await readFile(file).catch(() => undefined)
    if (!bytes) continue
    const forms = [bytes.toString('utf8'), bytes.toString('latin1'), bytes.toString('utf16le'), file]
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) forms.push(gunzipSync(bytes).toString('utf8'))
    if (/history.*\.sqlite$/.test(file)) forms.push(logContent(file))
    if (forms.some((text) => pattern.test(text))) found.push(file)
  }
  return found
}

const trace = /lisa(?:\s|\\n|[-_])*kessler/i

async function openForget(more: Record<string, string> = {}) {
  const server = await startModelServer({ text: `I will keep in mind that ${secret} has diabetes.` })
  const config = `providers: { anthropic: { baseUrl: "${server.url}" } }
agents:
  defaults: { memory: { embedding: { provider: builtin } } }
  list: [{ id: main, workspace: "{{workspace}}", model: anthropic/test-model }]
`
  const env = { ANTHROPIC_API_KEY: 'sk-test-anthropic' }
  const test = await openTestApp({ files: { ...files, ...more }, config, env, now, watch: true })
  return { ...test, env }
}

/** Writes the secret to every place where the app stores text. */
async function spread({ app, client, workspace, home }: TestApp) {
  const agent = await app.agents.get('main')
  const read = async (path: string) => (await agent.workspace.read(path)).text
  await agent.workspace.write('notes/garden.md', `${await read('notes/garden.md')}\n${secret} moved to Graz.\n`, {
    cause: 'user',
  })
  await agent.workspace.write('notes/gone.md', `${secret} was here.\n`, { cause: 'user' })
  await agent.workspace.remove('notes/gone.md', { cause: 'user' })
  await agent.history.flush()
  const { session } = await client.chat.send({ ...main, text: `The word is ${secret}.` })
  for await (const event of await client.chat.watch({ ...main, session })) if (event.type === 'turnEnd') break
  await client.suggestions.flag({ ...main, path: 'MEMORY.md', line: 5, fault: 'outdated' })
  const [first] = (await client.suggestions.list(main)).open
  await client.suggestions.accept({ ...main, ids: [first?.id ?? ''] })
  await client.suggestions.flag({ ...main, path: 'notes/garden.md', line: 5, fault: 'wrong' })
  await mkdir(join(home, 'agents/main/drafts'), { recursive: true })
  await writeFile(join(home, 'agents/main/drafts/left.json'), JSON.stringify({ text: `Ask ${secret}` }))
  await agent.memory.settle(5000)
  expect((await filesWith(workspace, trace)).length).toBeGreaterThan(3)
  expect((await filesWith(home, trace)).length).toBeGreaterThan(6)
}

async function run(client: Client, lines: string[] = [], keep: string[] = []): Promise<DeletionOutcome> {
  for await (const step of await client.permanentDeletion.run({ ...main, texts: [secret, ...lines], keep }))
    if ('left' in step) return step
  throw new Error('the deletion did not finish')
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

describe('permanent deletion', () => {
  it('searches without a request to a model, and lists models that received the text for embeddings', async () => {
    const server = await startModelServer({ text: 'yes' })
    const { app, client } = await openTestApp({
      watch: true,
      files,
      config: `agents:
  defaults:
    memory: { embedding: { provider: openai-compatible, model: e, baseUrl: "${server.openAiUrl}", reach: remote } }
  list: [{ id: main, workspace: "{{workspace}}" }]
`,
    })
    const agent = await app.agents.get('main')
    await agent.memory.settle(10_000)
    await agent.memory.waitForVectors()
    const before = server.requests.length
    expect(before).toBeGreaterThan(0)
    const found = await client.permanentDeletion.find({ ...main, words: secret })
    expect(found.places.length).toBeGreaterThan(0)
    expect(server.requests.slice(before).map(({ text }) => text)).toEqual([])
    expect(found.models).toContain('openai-compatible/e')
    // A normal search does send the query.
    await agent.memory.search(secret)
    expect(server.requests.slice(before).some(({ text }) => text.includes(secret))).toBe(true)
  })

  it('removes the text from every byte of the workspace and the state folder, and changes nothing else', async () => {
    const test = await openForget()
    const { client, workspace, home, app } = test
    await spread(test)
    const found = await client.permanentDeletion.find({ ...main, words: secret })
    expect(new Set(found.places.map(({ kind }) => kind))).toEqual(
      new Set([
        'note',
        'trash',
        'chat',
        'request',
        'history',
        'proposal',
        'draft',
        'index',
        ...found.places.map(({ kind }) => kind),
      ]),
    )
    expect(
      found.places
        .filter(({ kind }) => kind === 'note')
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['MEMORY.md', 'memory/2026-11-02.md', 'memory/2026-11-03-lisa-kessler.md', 'notes/garden.md'])
    expect(found.models).toEqual(['anthropic/test-model'])
    const outcome = await run(client)
    expect(outcome).toMatchObject({ left: [], isStopped: false })
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toBe(
      '# Long-term memory\n\n## People\n\n- Anna leads design.\n',
    )
    expect(await readFile(join(workspace, 'notes/garden.md'), 'utf8')).toBe('# Garden\n\nThe roses are planted.\n\n\n')
    // The agent is open again and does not have the text.
    await client.search.query({ ...main, query: 'plumber' })
    const agent = await app.agents.get('main')
    await agent.history.flush()
    const timeline = agent.history.timeline({ limit: 100 })
    expect(timeline.length).toBeGreaterThan(0)
    expect(timeline.filter(({ cause, at }) => cause === 'outside' && at > now().getTime() + 1000)).toEqual([])
    const before = await agent.history.diff(timeline[0]?.change ?? 0, timeline[0]?.path ?? '')
    expect(JSON.stringify(before)).not.toMatch(trace)
    expect((await client.chats.list(main)).length).toBeGreaterThan(0)
    await client.suggestions.list(main)
    await app.close()
    expect(await filesWith(workspace, trace)).toEqual([])
    expect(await filesWith(home, trace)).toEqual([])
    expect(hashOf(await readFile(join(workspace, 'notes/doctor.md'), 'utf8'))).toBe(hashOf(files['notes/doctor.md']))
  }, 60_000)

  it('removes chosen lines with other wording, and keeps notes that the user excludes', async () => {
    const test = await openForget()
    const { client, workspace, app, home } = test
    const line = 'The insulin pump was ordered for her on Monday.'
    const outcome = await run(client, [line], ['notes/garden.md'])
    expect(outcome.left.map(({ path }) => path)).toContain('notes/garden.md')
    expect(await readFile(join(workspace, 'notes/doctor.md'), 'utf8')).toBe('# Doctor\n\n')
    expect(await readFile(join(workspace, 'notes/garden.md'), 'utf8')).toBe(files['notes/garden.md'])
    await app.close()
    expect(await filesWith(home, /insulin pump/i)).toEqual([])
  }, 60_000)

  it('erases stored requests: each text once, and no name is left that confirms a guess of it', async () => {
    const day = 'memory/2026-11-22.md'
    const test = await openForget({
      [day]: `# 2026-11-22\n\n${secret} called.\n${'The plumber came.\n'.repeat(40)}`,
    })
    const { client, app, home } = test
    let session: string | undefined
    const say = async (text: string) => {
      const sent = await client.chat.send({ ...main, text, ...(session === undefined ? {} : { session }) })
      session = sent.session
      for await (const event of await client.chat.watch({ ...main, session })) if (event.type === 'turnEnd') break
      return sent.session
    }
    for (const text of ['hello', 'hello again', 'once more']) await say(text)
    const requests = (await app.agents.get('main')).sessions.requestsFolder(session ?? '')
    const parts = join(requests, 'parts')
    const keyBefore = await readFile(join(parts, 'key'), 'utf8')
    const found = (await client.permanentDeletion.find({ ...main, words: `${secret} called` })).places
    expect(found.filter(({ kind }) => kind === 'request')).toEqual([
      {
        kind: 'request',
        path: expect.stringMatching(/\.requests\/parts\/[0-9a-f]{32}\.json\.gz$/) as string,
        count: 1,
        lines: [{ text: `${secret} called.` }],
      },
    ])
    const outcome = await run(client)
    expect(outcome.left).toEqual([])
    expect(outcome.removed.map(({ path }) => path)).toContain(found.find(({ kind }) => kind === 'request')?.path)
    expect(await filesWith(home, trace)).toEqual([])
    expect(await readdir(parts)).not.toContain('key')
    const { request } = await client.context.request({ ...main, session: session ?? '', number: 1 })
    for (const text of [request?.json, request?.wire?.body]) {
      expect(text).toContain('[forgotten]')
      expect(text).toContain('The plumber came.')
    }
    expect(() => JSON.parse(request?.wire?.body ?? '')).not.toThrow()
    // Text that is written again is stored again, and not taken from the erased part.
    const agent = await app.agents.get('main')
    await agent.workspace.write(day, files['MEMORY.md'] + 'The plumber came.\n'.repeat(40), { cause: 'user' })
    await say('hello')
    const { request: last } = await client.context.request({ ...main, session: session ?? '' })
    expect(last?.wire?.body).toContain(`${secret} has diabetes`)
    expect(await readFile(join(parts, 'key'), 'utf8')).not.toBe(keyBefore)
  }, 60_000)

  it('finishes an interrupted deletion at the next start, before anything is read', async () => {
    const test = await openForget()
    const { workspace, home, env, app } = test
    await spread(test)
    await app.close()
    await writeFile(
      join(home, 'agents/main/forgetting.json'),
      JSON.stringify({ texts: [secret], keep: [], deleteOldHistory: false }),
    )
    const again = await openAppOn(home, { env, now })
    await again.app.agents.get('main')
    await again.app.close()
    expect(await filesWith(workspace, trace)).toEqual([])
    expect(await filesWith(home, trace)).toEqual([])
  }, 60_000)

  it('a stop reports removed and remaining text, and the next start does not continue', async () => {
    const test = await openForget()
    const { home, app, env } = test
    await spread(test)
    const request = { texts: [secret], keep: [], deleteOldHistory: false }
    const outcome = await app.agents.deletion.run('main', request, () => void app.agents.deletion.stop('main'))
    expect(outcome).toMatchObject({ isStopped: true })
    expect('left' in outcome && outcome.left.length).toBeGreaterThan(0)
    await app.close()
    const before = await filesWith(home, trace)
    const again = await openAppOn(home, { env, now })
    await again.app.agents.get('main')
    await again.app.close()
    expect((await filesWith(home, trace)).length).toBeGreaterThanOrEqual(before.length - 3)
    expect(before.length).toBeGreaterThan(0)
  }, 60_000)

  it('loses no concurrent write of another process, neither in notes nor in the history', async () => {
    const test = await openForget()
    const { client, workspace, home, app } = test
    await spread(test)
    const log = join(workspace, 'memory/2026-01-20.md')
    const script = fileURLToPath(new URL('../../support/bare-writer.ts', import.meta.url))
    const writer = spawn(process.execPath, [script, home, 'other', '20'], { stdio: ['pipe', 'pipe', 'inherit'] })
    let said = ''
    writer.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const count = () => said.split('\n').length - 1
    await until(() => count() > 2, 30_000)
    const before = count()
    // An editor of another program takes no lock.
    const type = () => void appendFile(join(workspace, 'notes/garden.md'), 'A line.\n').catch(() => undefined)
    const editor = setInterval(type, 50)
    onTestFinished(() => {
      clearInterval(editor)
      writer.kill()
    })
    const outcome = await run(client)
    clearInterval(editor)
    expect(count(), 'wrote during the deletion').toBeGreaterThan(before)
    writer.stdin.end()
    expect(await once(writer, 'close')).toEqual([0, null])
    expect(outcome).toMatchObject({ left: [], isStopped: false })
    const notes = said.split('\n').filter(Boolean)
    const lines = logLines(await readFile(log, 'utf8'))
    for (const note of notes)
      expect(
        lines.filter((line) => line === note),
        note,
      ).toHaveLength(1)
    const agent = await app.agents.get('main')
    await agent.history.flush()
    const blamed = await agent.history.blame('memory/2026-01-20.md')
    for (const [index, line] of lines.entries())
      if (line.startsWith('note-')) expect(blamed[index]?.cause, line).toBe('capture')
    await app.close()
    expect(await filesWith(workspace, trace)).toEqual([])
    expect(await filesWith(home, trace)).toEqual([])
  }, 120_000)

  it('keeps other content of agents and folders with that name, and leaves files that are not UTF-8', async () => {
    const test = await openForget({ 'main street/one.md': 'Nothing.\n', 'notes/main street.md': 'Also nothing.\n' })
    const { client, workspace, app, home } = test
    const bytes = Buffer.from([
      0x4d, 0x61, 0x69, 0x6e, 0x20, 0x73, 0x74, 0x72, 0x65, 0x65, 0x74, 0x0a, 0xff, 0xfe, 0x0a,
    ])
    await writeFile(join(workspace, 'notes/old.md'), bytes)
    const { session } = await client.chat.send({ ...main, text: 'Where do I live? Main!' })
    for await (const event of await client.chat.watch({ ...main, session })) if (event.type === 'turnEnd') break
    const outcomes: DeletionOutcome[] = []
    for await (const step of await client.permanentDeletion.run({ ...main, texts: ['main street'] }))
      if ('left' in step) outcomes.push(step)
    expect(outcomes[0]?.left).toMatchObject([{ kind: 'note', path: 'notes/old.md' }])
    expect(await readFile(join(workspace, 'notes/old.md'))).toEqual(bytes)
    expect(await readdir(workspace)).not.toContain('main street')
    for await (const step of await client.permanentDeletion.run({ ...main, texts: ['main'] }))
      if ('left' in step) outcomes.push(step)
    const { messages } = await client.chats.get({ ...main, session })
    expect(messages.length, 'the chat is there').toBeGreaterThan(0)
    expect(JSON.stringify(messages)).not.toContain('Where do I live')
    await app.close()
    expect(await readdir(join(home, 'agents/main/sessions'))).not.toEqual([])
  }, 60_000)

  it('refuses a text that would match nearly everywhere', async () => {
    const { client, workspace } = await openForget()
    await expect(client.permanentDeletion.find({ ...main, words: 'a' })).rejects.toMatchObject({
      code: 'input_invalid',
    })
    await expect(
      (async () => {
        for await (const _ of await client.permanentDeletion.run({ ...main, texts: ['- .'] }));
      })(),
    ).rejects.toMatchObject({ code: 'input_invalid' })
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toBe(files['MEMORY.md'])
  })
})
