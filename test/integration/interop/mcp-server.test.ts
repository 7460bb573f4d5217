/** The memory as an MCP server, with official clients of both protocol generations. */
import { Client as NewClient } from '@modelcontextprotocol/client'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../../src/main/app/server/start-server.ts'
import type { AppEvent, ContractClient } from '../../../src/shared/contract/index.ts'
import { openTestServer, prepareFolders } from '../../support/app.ts'
import { cli, mainFolder } from '../../support/built.ts'
import { connect } from '../../support/client.ts'
import { folderWith, until } from '../../support/folder.ts'
import { connectClient, kinds } from '../../support/mcp-clients.ts'
import { logLines } from '../../support/log-lines.ts'

const files = { 'projects/acme.md': '# Acme\n\nThe database is PostgreSQL 17, decided in May.\n' }

/** Starts an app, and returns the address and token for a program of this name. */
async function openWithToken(notes: Readonly<Record<string, string>> = files) {
  const server = await openTestServer({ files: notes })
  const app = await connect(server.url)
  const id = 'test-program'
  const { token } = await app.clients.issueToken({ client: id, name: 'Test program', agent: 'main' })
  return { ...server, app, id, where: { url: new URL('/mcp', server.url).href, token } }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('MCP over stdio', () => {
  it('a client of 2025 reads and writes without the app, in a new state folder', async () => {
    const workspace = await folderWith(files)
    const args = ['--home', join(workspace, '.state'), '--workspace', workspace]
    const { client, call } = await connectClient('v1', { args }, 'codex-mcp-client')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'memory_search',
      'memory_get',
      'memory_explain',
      'remember',
      'memory_recent',
      'search',
      'fetch',
    ])
    for (const { name, annotations } of tools)
      expect(annotations, name).toMatchObject({
        readOnlyHint: name !== 'remember',
        destructiveHint: false,
        openWorldHint: false,
      })
    const found = await call('memory_search', { query: 'Acme database PostgreSQL' })
    expect(found.structuredContent).toBeUndefined()
    expect(found.content[0]?.text).toMatch(
      /\nprojects\/acme\.md:3 · \d\.\d\d · The database is PostgreSQL 17, decided in May\.\nEmbeddings: builtin \S+$/,
    )
    const explained = await call('memory_explain', { query: 'Acme database PostgreSQL' })
    expect(explained.structuredContent).toMatchObject({
      weights: null,
      candidates: [
        {
          path: 'projects/acme.md',
          startLine: 3,
          verdict: 'returned as #1',
          bm25: expect.any(Number),
          parts: expect.arrayContaining([{ name: 'ownWords', contribution: expect.any(Number) }]),
          matched: expect.arrayContaining(['PostgreSQL']),
        },
      ],
    })
    expect(JSON.parse(explained.content[0]?.text ?? '')).toEqual(explained.structuredContent)

    const noted = await call('remember', { text: 'Acme goes live on Friday' })
    const { path, startLine, undo } = noted.structuredContent as { path: string; startLine: number; undo: number }
    const log = () => readFile(join(workspace, path), 'utf8')
    expect((await log()).split('\n')[startLine - 1]).toMatch(
      /^- \d\d:\d\d Acme goes live on Friday \^\[mcp: [Cc]odex[^,]*, [\d-]+\]$/,
    )
    await until(async () => (await call('memory_recent')).content[0]?.text.includes('"by":"Codex"') ?? false)
    expect((await call('remember', { undo })).structuredContent).toMatchObject({ path, done: 'taken back' })
    // The log contained only that note, so it is in the trash.
    await expect(log()).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await call('remember', { undo })).content[0]?.text).toContain('unknown or used undo id')
  })

  it('writes titles and days as every entrance does, and names an earlier line that is not private', async () => {
    const { app, workspace } = await openWithToken()
    await app.clients.meet({ client: 'codex', name: 'Codex' })
    const note = (text: string) => app.clients.remember({ client: 'codex', agent: 'main', text })
    const { path } = await note('# Decisions\n\nThe release is tomorrow.\n\n## Later\n- docs')
    const log = await readFile(join(workspace, path), 'utf8')
    expect(log).toMatch(/^## \d\d:\d\d - Decisions \^\[mcp: Codex, [\d-]+\]$/m)
    expect(log).toMatch(/^The release is tomorrow \(\d{4}-\d\d-\d\d\)\. \^\[mcp: Codex/m)
    await note('The boiler was serviced by Mr. Okafor')
    const again = await note('The boiler was serviced by Mr. Okafor')
    expect(again.alike).toMatchObject({ path, text: expect.stringContaining('Okafor') })
    await writeFile(join(workspace, 'attic.md'), 'The spare key hangs behind the lamp ^[private]\n')
    expect((await note('The spare key hangs behind the lamp')).alike).toBeUndefined()
  })

  it('does not write a note twice after a lost answer, in a section either', async () => {
    const { app, workspace } = await openWithToken()
    const wanted = { client: 'codex', agent: 'main', text: 'Ann likes tea\nwithout milk', section: 'People' }
    await app.clients.meet({ client: 'codex', name: 'Codex' })
    await app.clients.update({ client: 'codex', mayKeep: true })
    const first = await app.clients.remember(wanted)
    const { change, ...place } = await app.clients.remember({ ...wanted, mayBeThere: true })
    expect({ ...place, change: first.change }).toEqual(first)
    expect(change).toBeNull()
    expect((await readFile(join(workspace, 'MEMORY.md'), 'utf8')).split('Ann likes tea')).toHaveLength(2)
    await app.clients.remember(wanted)
    expect((await readFile(join(workspace, 'MEMORY.md'), 'utf8')).split('Ann likes tea')).toHaveLength(3)
  })

  it("undoes notes separately under the program's name, and keeps other notes and their headings", async () => {
    const { app, workspace } = await openWithToken()
    await app.clients.meet({ client: 'codex', name: 'Codex' })
    await app.clients.update({ client: 'codex', mayKeep: true })
    const note = (text: string, section?: string) =>
      app.clients.remember({ client: 'codex', agent: 'main', text, ...(section === undefined ? {} : { section }) })
    const undo = ({ change }: { change: number | null }) =>
      app.clients.undo({ client: 'codex', agent: 'main', change: change ?? 0 })
    const memory = () => readFile(join(workspace, 'MEMORY.md'), 'utf8')
    const made = await note('a hammer', '## Tools')
    const saw = await note('a saw', 'tools')
    const again = await note('a saw', 'TOOLS')
    await undo(made)
    expect((await memory()).replaceAll(/ \^\[mcp: Codex, [\d-]+\]/g, '')).toBe(
      '# Long-term memory\n\n## Tools\n\n- a saw\n- a saw\n',
    )
    await undo(again)
    await undo(saw)
    expect(await memory()).not.toContain('saw')
    const [first, second] = [await note('tea'), await note('coffee')]
    await app.clients.meet({ client: 'other', name: 'Other' })
    const byOther = app.clients.undo({ client: 'other', agent: 'main', change: first.change ?? 0 })
    await expect(byOther).rejects.toMatchObject({ code: 'undo_conflict' })
    await undo(first)
    const log = () => readFile(join(workspace, second.path), 'utf8')
    expect(await log()).toMatch(/^# [-\d]+\n\n- [:\d]+ coffee \^\[mcp: Codex, [-\d]+\]\n$/)
    await writeFile(join(workspace, second.path), (await log()).replace('coffee', 'cocoa'))
    await expect(undo(second)).rejects.toThrow(/has changed since/)
    await expect(note('x', 'a\n# b')).rejects.toThrow(/one line/)
    const changes = await app.history.timeline({ agent: 'main' })
    const takenBack = changes.filter(({ isUndo }) => isUndo)
    expect(takenBack).not.toHaveLength(0)
    for (const change of takenBack) expect(change).toMatchObject({ cause: 'client', client: 'Codex' })
  })

  it.skipIf(process.platform === 'win32')('leaves no process behind after its client was killed', async () => {
    const { home } = await prepareFolders({ files })
    const client = `
      const mcp = require('node:child_process').spawn(process.execPath, ${JSON.stringify([cli, 'mcp', '--home', home])}, {
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      console.log(mcp.pid)
      setInterval(() => undefined, 1000)`
    const child = spawn(process.execPath, ['-e', client], { stdio: ['ignore', 'pipe', 'inherit'] })
    const pid = Number(await new Promise((resolve) => child.stdout.once('data', resolve)))
    await until(() => existsSync(join(home, 'owner')), 20_000)
    child.kill('SIGKILL')
    await until(() => !isAlive(pid), 20_000)
  })

  it('the running app does the work and gets the events; after it ends nothing is lost or doubled', async () => {
    const server = await openTestServer({ files })
    const app = await connect(server.url)
    const heard: Extract<AppEvent, { type: 'captured' }>[] = []
    void followCaptured(app, heard)
    const { call } = await connectClient('v2', { args: ['--home', server.home] }, 'claude-code')
    await call('remember', { text: 'The deploy key is in the vault' })
    await until(() => heard.length === 1)
    const [{ path, change, client } = { path: '', change: null }] = heard
    expect(client).toBe('Claude Code')
    await app.history.revert({ agent: 'main', change: change ?? 0 })
    const log = () => readFile(join(server.workspace, path), 'utf8')
    // The log contained only that note, so it is in the trash.
    await expect(log()).rejects.toMatchObject({ code: 'ENOENT' })
    // The report of a change goes to this program and lists no other.
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(await app.clients.list()).toMatchObject([{ id: 'claude-code', name: 'Claude Code', writes: 1 }])

    const closing = server.close()
    const rest = await Promise.all(['two', 'three', 'four'].map((text) => call('remember', { text })))
    await closing
    expect(rest.filter(({ isError }) => isError)).toEqual([])
    const lines = logLines(await log())
    for (const text of ['two', 'three', 'four'])
      expect(lines.filter((line) => line.startsWith(`${text} ^[mcp: `))).toHaveLength(1)
  })

  it('reads only the new memory after the user assigns another one to the program', async () => {
    const { app, home, workspace } = await openTestServer({ files }).then(async (server) => ({
      ...server,
      app: await connect(server.url),
    }))
    const { call } = await connectClient('v2', { args: ['--home', home] }, 'roaming')
    const found = async () => (await call('memory_search', { query: 'database decided' })).content[0]?.text
    expect(await found()).toContain('PostgreSQL 17')
    const other = await app.agents.create({ name: 'Other', workspace: `${workspace}-other`, locale: 'en' })
    const text = '# Theirs\n\nThe database is SQLite, decided in June.\n'
    await app.workspace.write({ agent: other.agent, path: 'theirs.md', text, expectedHash: null })
    await app.search.settle({ agent: other.agent })
    await app.clients.update({ client: 'roaming', agent: other.agent })
    const after = await found()
    expect(after).toContain('SQLite')
    expect(after).not.toContain('PostgreSQL')
  })

  it('read-only offers no way to write; a client of 2025 gets events of subscribed notes', async () => {
    const { home, workspace } = await prepareFolders({ files })
    const { client, call } = await connectClient('v2 of 2025', { args: ['--home', home, '--read-only'] })
    expect((await call('memory_search', { query: 'Acme' })).isError).toBeUndefined()
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('remember')
    await expect(call('remember', { text: 'x' })).rejects.toThrow(/remember/)
    const told: string[] = []
    if (!(client instanceof NewClient)) throw new Error('another client')
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
    await client.subscribeResource({ uri: 'note://projects/acme.md' })
    await writeFile(join(workspace, 'projects/acme.md'), '# Acme\n\nchanged\n')
    await until(() => told.length > 0, 15_000)
    expect(new Set(told)).toEqual(new Set(['note://projects/acme.md']))
  })
})

/** Simulates a window, which shows permission requests. */
async function openWindow(app: ContractClient): Promise<void> {
  const events = await app.events.subscribe({ language: 'en' })
  await events[Symbol.asyncIterator]().next()
}

/** Collects events until the app ends. */
async function followCaptured(app: ContractClient, heard: Extract<AppEvent, { type: 'captured' }>[]): Promise<void> {
  try {
    for await (const event of await app.events.subscribe()) if (event.type === 'captured') heard.push(event)
  } catch (error) {
    expect(error).toMatchObject({ name: 'AbortError' })
  }
}

describe('MCP over HTTP', () => {
  it.each(kinds)('with the app open, a client of %s does the same over HTTP under its name', async (kind) => {
    const { app, id, where, workspace } = await openWithToken()
    const { client, call } = await connectClient(kind, where)
    expect((await client.listTools()).tools).toHaveLength(7)
    const { results } = (await call('search', { query: 'Acme database' })).structuredContent as {
      results: { id: string; url: string }[]
    }
    expect(results[0]).toMatchObject({ id: 'projects/acme.md:3', url: 'note://projects/acme.md#L3' })
    const fetched = await call('fetch', { id: results[0]?.id })
    expect(fetched.structuredContent).toMatchObject({ text: expect.stringContaining('PostgreSQL 17') })
    await app.clients.update({ client: id, mayKeep: true })
    const kept = await call('remember', { text: 'Prefers short answers', section: 'Preferences' })
    expect(kept.structuredContent).toMatchObject({ path: 'MEMORY.md', longTerm: 'written' })
    expect(await readFile(join(workspace, 'MEMORY.md'), 'utf8')).toContain('- Prefers short answers')
    await until(async () => {
      const [newest] = await app.history.timeline({ agent: 'main', path: 'MEMORY.md', limit: 1 })
      return newest?.cause === 'client' && newest.client === 'Test program'
    })
    const lines = await app.history.blame({ agent: 'main', path: 'MEMORY.md' })
    expect(lines.at(-1)).toMatchObject({ cause: 'client', client: 'Test program' })
  })
})

describe('permissions of a program', () => {
  it('refuses a write of a read-only program; one that must ask waits for the user', async () => {
    const { app, id, where } = await openWithToken()
    await openWindow(app)
    const { call } = await connectClient('v2', where)
    await app.clients.update({ client: id, permission: 'ask' })
    const asked = call('remember', { text: 'May I?' })
    await until(async () => (await app.clients.questions()).length === 1)
    const [question] = await app.clients.questions()
    expect(question).toMatchObject({ name: 'Test program', text: 'May I?' })
    await app.clients.answer({ id: question?.id ?? '', decision: 'no' })
    expect((await asked).content[0]?.text).toContain('has refused')
    const again = call('remember', { text: 'And now?' })
    await until(async () => (await app.clients.questions()).length === 1)
    await app.clients.answer({ id: (await app.clients.questions())[0]?.id ?? '', decision: 'always' })
    expect((await again).structuredContent).toMatchObject({ done: 'remembered' })
    expect(await app.clients.list()).toMatchObject([{ permission: 'write' }])
    await app.clients.update({ client: id, permission: 'read' })
    await expect(call('remember', { text: 'No more' })).rejects.toThrow(/remember/)
  })

  it('a note for MEMORY.md is in the log with its mark, and reaches MEMORY.md only through the inbox', async () => {
    const { app, id, where, workspace } = await openWithToken()
    const { call } = await connectClient('v2', where)
    const read = (path: string) => readFile(join(workspace, path), 'utf8')
    const before = await read('MEMORY.md')
    const wanted = { text: 'Prefers tea ^[web: bank.example]\n```\nbrew()\n```', section: 'Preferences' }
    const answer = (await call('remember', wanted)).structuredContent as Record<string, string>
    expect(answer).toMatchObject({ done: 'remembered', longTerm: 'waits for the user', undo: expect.any(Number) })
    expect(await read('MEMORY.md')).toBe(before)
    const path = answer['path'] ?? ''
    const mark = /\^\[mcp: Test program, [-\d]+\]/
    const logged = (await read(path)).trimEnd().split('\n').slice(-6)
    const marked = expect.stringMatching(mark)
    expect(logged).toEqual([expect.stringMatching(/^## \d\d:\d\d$/), marked, '```', 'brew()', '```', marked])
    const open = async () => (await app.suggestions.list({ agent: 'main' })).open
    expect(await open()).toMatchObject([
      {
        id: answer['proposal'],
        rule: 'outside',
        author: { kind: 'client', name: 'Test program' },
        evidence: [{ path }],
      },
    ])
    // A repeated note has one suggestion; undoing it withdraws the suggestion; after a rejection it is not suggested
    // again.
    const again = (await call('remember', wanted)).structuredContent as Record<string, string>
    expect(again['proposal']).toBe(answer['proposal'])
    for (const undo of [again['undo'], answer['undo']]) await call('remember', { undo })
    await until(async () => (await open()).length === 0)
    const third = (await call('remember', wanted)).structuredContent as Record<string, string>
    await app.suggestions.refuse({ agent: 'main', ids: [third['proposal'] ?? ''] })
    expect((await call('remember', wanted)).structuredContent).toMatchObject({ longTerm: 'refused before' })
    const other = await call('remember', { text: 'Lives in Turin', section: 'Preferences' })
    const { proposal: suggestion } = other.structuredContent as { proposal: string }
    await app.suggestions.accept({ agent: 'main', ids: [suggestion] })
    expect(await read('MEMORY.md')).toMatch(/## Preferences\n\n- Lives in Turin \^\[mcp: Test program, [-\d]+\]\n/)
    // Allowed text goes into MEMORY.md, and so does all text of a program with that permission.
    await openWindow(app)
    await app.clients.update({ client: id, permission: 'ask' })
    const asked = call('remember', { text: 'Has a cat', section: 'Preferences' })
    await until(async () => (await app.clients.questions()).length === 1)
    await app.clients.answer({ id: (await app.clients.questions())[0]?.id ?? '', decision: 'once' })
    expect((await asked).structuredContent).toMatchObject({ path: 'MEMORY.md', longTerm: 'written' })
    await app.clients.update({ client: id, permission: 'write', mayKeep: true })
    await call('remember', { text: 'Has a dog', section: 'Preferences' })
    expect(await read('MEMORY.md')).toMatch(/- Has a cat \^\[mcp: [^\]]+\]\n- Has a dog \^\[mcp: /)
  })

  it('programs must ask first after the file of permissions was damaged', async () => {
    const { home } = await prepareFolders({ files })
    await writeFile(join(home, 'clients.json'), '[{"id": "codex", "permi')
    const server = await startServer({ mainFolder, env: {}, home })
    onTestFinished(() => server.close())
    const app = await connect(server.url)
    await app.clients.meet({ client: 'codex', name: 'Codex' })
    expect(await app.clients.list()).toMatchObject([{ id: 'codex', permission: 'ask' }])
    expect(JSON.stringify(await app.health.problems({ agent: 'main' }))).toContain('damaged')
    await app.clients.update({ client: 'codex', permission: 'write' })
    expect(JSON.parse(await readFile(join(home, 'clients.json'), 'utf8'))).toMatchObject({
      isCautious: true,
      clients: [{ permission: 'write' }],
    })
  })

  it('an archived agent serves no program until it is restored', async () => {
    const { app, where } = await openWithToken()
    const other = await folderWith({ 'MEMORY.md': '# Long-term memory\n' })
    await app.agents.create({ name: 'Other', workspace: other, locale: 'en' })
    const { call } = await connectClient('v2', where)
    expect((await call('memory_search', { query: 'Acme' })).isError).not.toBe(true)
    await app.agents.update({ agent: 'main', archived: true })
    const refused = await call('memory_get', { path: 'projects/acme.md' }).catch((error: unknown) => error)
    expect(`${JSON.stringify(refused)} ${String(refused)}`).not.toContain('PostgreSQL')
    expect(`${JSON.stringify(refused)} ${String(refused)}`).toContain('archived')
    await app.agents.update({ agent: 'main', archived: false })
    expect(JSON.stringify(await call('memory_get', { path: 'projects/acme.md' }))).toContain('PostgreSQL')
  })

  it('a token gives access until it is revoked, and is stored as a hash', async () => {
    const { app, home, id, where } = await openWithToken()
    const { call } = await connectClient('v2', where)
    await call('memory_search', { query: 'Acme' })
    expect(await app.clients.list()).toMatchObject([{ id, hasToken: true, usedAt: expect.any(Number) }])
    expect(await readFile(join(home, 'clients.json'), 'utf8')).not.toContain(where.token)
    await app.clients.remove({ client: id })
    await expect(call('memory_search', { query: 'Acme' })).rejects.toThrow(/401|token/i)
  })

  it('refuses requests without a token, from another host or page, and after too many guesses', async () => {
    const { where, url } = await openWithToken()
    const ask = (headers: Record<string, string>) =>
      fetch(where.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ Authorization: `Bearer ${new URL(url).searchParams.get('token')}` })).status).toBe(401)
    expect((await ask({ Authorization: `Bearer ${where.token}`, Origin: 'https://evil.example' })).status).toBe(403)
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => ask({ Authorization: `Bearer x${index}` })),
    )
    expect(guesses.at(-1)?.status).toBe(429)
    expect((await ask({ Authorization: `Bearer ${where.token}` })).status).toBe(200)
  })
})

describe('notes as resources', () => {
  it('a client can list them in pages, read and complete them', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 130 }, (_, index) => [`notes/n${index}.md`, `note ${index}\n`]),
    )
    const { where } = await openWithToken({ ...many, 'notes/日本 語?.md': 'ネコ\n' })
    const { client } = await connectClient('v2', where)
    const uris: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await client.listResources(cursor === undefined ? {} : { cursor })
      uris.push(...page.resources.map(({ uri }) => uri))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(new Set(uris).size).toBe(132)
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: 'note://{+path}' }])
    const odd = uris.find((uri) => uri.endsWith('%3F.md')) ?? ''
    expect((await client.readResource({ uri: odd })).contents).toMatchObject([
      { uri: odd, text: expect.stringContaining('<memory>\nネコ\n</memory>') },
    ])
    await expect(client.readResource({ uri: 'note://../../etc/passwd' })).rejects.toThrow()
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'note://{+path}' },
      argument: { name: 'path', value: 'notes/n12' },
    })
    expect(completion.values).toEqual(['notes/n12.md', ...Array.from({ length: 10 }, (_, n) => `notes/n12${n}.md`)])
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      'recall_first',
      'session_notes',
      'weekly_review',
    ])
    const prompt = await client.getPrompt({ name: 'recall_first', arguments: { task: 'the login page' } })
    expect(JSON.stringify(prompt.messages)).toContain('the login page')
  })
})
