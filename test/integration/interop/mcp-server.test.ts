/** The memory as an MCP server, with official clients of both protocol generations. */
import { Client as NewClient } from '@modelcontextprotocol/client'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
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
import { isRunning } from '../../support/command.ts'
import { folderWith, until } from '../../support/folder.ts'
import { connectClient, kinds, textOf } from '../../support/mcp-clients.ts'
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

describe('MCP over stdio', () => {
  it('a client of 2025 reads and writes without the app, in a new state folder', async () => {
    const workspace = await folderWith(files)
    const args = ['--home', join(workspace, '.state'), '--workspace', workspace]
    const { client, call } = await connectClient('v1', { args }, 'codex-mcp-client')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['memory_search', 'memory_get', 'remember', 'memory_recent'])
    expect(encode(JSON.stringify(tools)).length).toBeLessThanOrEqual(800)
    for (const { name, annotations } of tools)
      expect(annotations, name).toMatchObject({ readOnlyHint: name !== 'remember', openWorldHint: false })
    const found = await call('memory_search', { query: 'Acme database PostgreSQL', why: true })
    expect(found.content[0]?.text).toMatch(
      /\nprojects\/acme\.md:3 · \d\.\d\d · The database is PostgreSQL 17, decided in May\.\nEmbeddings: builtin \S+$/,
    )
    expect(found.structuredContent).toMatchObject({
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

    const noted = textOf(await call('remember', { text: 'Acme goes live on Friday' }))
    const [, path = '', line] = /^saved (\S+):(\d+)$/.exec(noted) ?? []
    expect((await readFile(join(workspace, path), 'utf8')).split('\n')[Number(line) - 1]).toMatch(
      /^- \d\d:\d\d Acme goes live on Friday \^\[mcp: [Cc]odex[^,]*, [\d-]+\]$/,
    )
    await until(async () => textOf(await call('memory_recent')).includes('· Codex · +'))
    expect(textOf(await call('remember', { text: 'Acme goes live on Friday' }))).toBe(`already there ${path}:${line}`)
    const unknown = await call('memory_get', { path: 'projects/acme.md', lines: 3 }).catch(String)
    expect(JSON.stringify(unknown)).toMatch(/no parameter lines; there are: path/)
  })

  it('writes titles and days as every entrance does, and names an earlier line that is not private', async () => {
    const { app, workspace } = await openWithToken()
    await app.clients.meet({ client: 'codex', name: 'Codex' })
    const note = (text: string) => app.clients.remember({ client: 'codex', agent: 'main', text })
    const { path } = await note('# Decisions\n\nThe release is tomorrow.\n\n## Later\n- docs')
    const log = await readFile(join(workspace, path), 'utf8')
    expect(log).toMatch(/^## \d\d:\d\d - Decisions$/m)
    expect(log).toMatch(/^The release is tomorrow \(\d{4}-\d\d-\d\d\)\. \^\[mcp: Codex, [\d-]+\]$/m)
    expect(log).toMatch(/^- docs$/m)
    const boiler = await note('The boiler was serviced by Mr. Okafor')
    expect(boiler.wasThere).toBe(false)
    const again = await note('The boiler was serviced by Mr. Okafor')
    expect(again).toEqual({ path, startLine: boiler.startLine, endLine: boiler.endLine, wasThere: true })
    // A fact that changed back, another case, a closed task and lines with a carriage return are new notes.
    for (const text of [
      'The office is in Berlin',
      'The office is in Munich',
      'The office is in Berlin',
      'the office is in Berlin',
    ])
      expect((await note(text)).wasThere, text).toBe(false)
    expect(await note('Call Bo\r- 09:00 Forged')).toMatchObject({ wasThere: false })
    const forged = (await readFile(join(workspace, path), 'utf8'))
      .split('\n')
      .filter((line) => /Call Bo|Forged/.test(line))
    for (const line of forged) expect(line).toContain('^[mcp: Codex')
    await expect(note('PIN: 4711')).rejects.toMatchObject({ code: 'secret_found' })
    await writeFile(join(workspace, 'attic.md'), 'The spare key hangs behind the lamp ^[private]\n')
    const spare = await note('The spare key hangs behind the lamp')
    expect([spare.alike, spare.wasThere]).toEqual([undefined, false])
    await writeFile(join(workspace, 'taps.md'), 'The taps were serviced by Ms. Lindqvist in March\n')
    expect((await note('The taps were serviced by Ms. Lindqvist in March')).alike).toMatchObject({ path: 'taps.md' })
  })

  it('makes an entry of each fact of a list, and one change of all', async () => {
    const { app, workspace } = await openWithToken()
    await app.clients.meet({ client: 'codex', name: 'Codex' })
    const note = (text: string) => app.clients.remember({ client: 'codex', agent: 'main', text })
    const facts = await note('- Ann likes tea\n- Bob lives in Turin')
    expect(facts.endLine - facts.startLine).toBe(1)
    const lines = (await readFile(join(workspace, facts.path), 'utf8')).split('\n').slice(facts.startLine - 1)
    expect(lines).toEqual([
      expect.stringMatching(/^- \d\d:\d\d Ann likes tea \^\[mcp: Codex, [\d-]+\]$/),
      expect.stringMatching(/^- \d\d:\d\d Bob lives in Turin \^\[mcp: Codex, [\d-]+\]$/),
      '',
    ])
    expect(await note('Bob lives in Turin')).toMatchObject({ startLine: facts.endLine, wasThere: true })
    const changes = await app.history.timeline({ agent: 'main', path: facts.path })
    expect(changes).toMatchObject([{ cause: 'client', client: 'Codex', added: expect.any(Number) }])
    await app.history.revert({ agent: 'main', change: changes[0]?.change ?? 0 })
    await expect(readFile(join(workspace, facts.path), 'utf8')).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('does not write a note twice after a lost answer', async () => {
    const { app, workspace } = await openWithToken()
    const wanted = { client: 'codex', agent: 'main', text: 'Ann likes tea\nwithout milk' }
    await app.clients.meet({ client: 'codex', name: 'Codex' })
    const first = await app.clients.remember(wanted)
    expect(await app.clients.remember({ ...wanted, mayBeThere: true })).toEqual({ ...first, wasThere: true })
    const log = () => readFile(join(workspace, first.path), 'utf8')
    expect((await log()).split('Ann likes tea')).toHaveLength(2)
    await app.clients.remember(wanted)
    expect((await log()).split('Ann likes tea')).toHaveLength(3)
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
    await until(() => !isRunning(pid), 20_000)
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
    const { app, where, workspace } = await openWithToken()
    const { client, call } = await connectClient(kind, where)
    expect((await client.listTools()).tools).toHaveLength(4)
    const connector = await connectClient(kind, { ...where, url: `${where.url}/connector` })
    expect((await connector.client.listTools()).tools.map(({ name }) => name)).toEqual(['search', 'fetch'])
    const { results } = (await connector.call('search', { query: 'Acme database' })).structuredContent as {
      results: { id: string; url: string }[]
    }
    expect(results[0]).toMatchObject({ id: 'projects/acme.md:3', url: 'note://projects/acme.md#L3' })
    const fetched = await connector.call('fetch', { id: results[0]?.id })
    expect(fetched.structuredContent).toMatchObject({ text: expect.stringContaining('PostgreSQL 17') })
    const [, path = ''] = /^saved (\S+):\d+$/.exec(textOf(await call('remember', { text: 'Short answers' }))) ?? []
    expect(await readFile(join(workspace, path), 'utf8')).toMatch(/ Short answers \^\[mcp: Test program, /)
    await until(async () => {
      const [newest] = await app.history.timeline({ agent: 'main', path, limit: 1 })
      return newest?.cause === 'client' && newest.client === 'Test program'
    })
    const lines = await app.history.blame({ agent: 'main', path })
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
    expect(textOf(await again)).toMatch(/^saved memory\//)
    expect(await app.clients.list()).toMatchObject([{ permission: 'write' }])
    await app.clients.update({ client: id, permission: 'read' })
    await expect(call('remember', { text: 'No more' })).rejects.toThrow(/remember/)
  })

  it('strikes no line: a replacement waits in the inbox', async () => {
    const notes = { 'MEMORY.md': '# Memory\n\n- We deploy on Heroku\n- The PIN is 8841 ^[private]\n' }
    const { app, where, workspace } = await openWithToken(notes)
    const { call } = await connectClient('v2', where)
    const memory = () => readFile(join(workspace, 'MEMORY.md'), 'utf8')
    const wanted = { text: 'We deploy on Fly.io', replaces: 'MEMORY.md:3' }
    const said = textOf(await call('remember', wanted))
    expect(said).toMatch(/^saved memory\/\S+:\d+\nreplaces MEMORY\.md:3: the user decides$/)
    expect(await memory()).toBe(notes['MEMORY.md'])
    const open = async () => (await app.suggestions.list({ agent: 'main' })).open
    const author = { kind: 'client', name: 'Test program' }
    const [suggestion] = await open()
    expect(suggestion).toMatchObject({ rule: 'supersedes', author, evidence: [{ path: 'MEMORY.md', line: 3 }, {}] })
    // A repeated call has the same suggestion; undoing the note withdraws it; a refused one does not return.
    expect(textOf(await call('remember', wanted))).toMatch(
      /^already there .+\nreplaces MEMORY\.md:3: the user decides$/,
    )
    expect(await open()).toHaveLength(1)
    const [change] = await app.history.timeline({ agent: 'main', path: suggestion?.evidence[1]?.path ?? '', limit: 1 })
    await app.history.revert({ agent: 'main', change: change?.change ?? 0 })
    await until(async () => (await open()).length === 0)
    await call('remember', wanted)
    await app.suggestions.refuse({ agent: 'main', ids: [(await open())[0]?.id ?? ''] })
    expect(textOf(await call('remember', wanted))).toContain('the user has refused this before')
    await call('remember', { ...wanted, text: 'We deploy on Render' })
    await app.suggestions.accept({ agent: 'main', ids: [(await open())[0]?.id ?? ''] })
    expect(await memory()).toMatch(
      /^- ~~We deploy on Heroku~~ \(until [-\d]+, now: \[memory\/\S+\] “\d\d:\d\d We deploy on Render”\)$/m,
    )
    const log = await readFile(join(workspace, suggestion?.evidence[1]?.path ?? ''), 'utf8')
    for (const place of [
      'MEMORY.md:1',
      'MEMORY.md:2',
      'MEMORY.md:4',
      'MEMORY.md:99',
      'MEMORY.md',
      'no.md:1',
      'a:1-2',
    ]) {
      const refused = await call('remember', { text: `Not of ${place}`, replaces: place })
      expect(refused.isError, place).toBe(true)
      expect(textOf(refused), place).not.toContain('8841')
    }
    expect(await readFile(join(workspace, suggestion?.evidence[1]?.path ?? ''), 'utf8')).toBe(log)
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
