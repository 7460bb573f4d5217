import { spawn } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../../src/main/app/server/start-server.ts'
import { mainFolder, prepareFolders } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { runCommand } from '../../support/command.ts'
import { folderWith, temporaryFolder, until, writeFiles } from '../../support/folder.ts'
import { cli } from '../../support/built.ts'

const run = (args: readonly string[], { home, input }: { home: string; input?: string }) =>
  runCommand(args, { COMMONPLACE_HOME: join(home, 'state'), HOME: home }, input)

describe('terminal', () => {
  it('warns about a secret that is saved open, and marks a private note', async () => {
    const home = await temporaryFolder()
    const text = 'WiFi password: hunter2'
    const open = await run(['remember', text], { home })
    expect(open).toMatchObject({
      code: 0,
      stderr: 'commonplace: this looks like a secret (password); with --private, only private chats read it\n',
    })
    const marked = await run(['remember', '--private', `In the hall:\n\n${text}`], { home })
    const alike = `commonplace: an earlier note is alike, ${open.stdout.trim()}: ${text}\n`
    expect(marked, 'no warning about the secret').toMatchObject({ code: 0, stderr: alike })
    expect((await run(['remember', 'no secret'], { home })).stderr).toBe('')
    const [, path = ''] = /^(\S+):\d+\n$/.exec(marked.stdout) ?? []
    const log = await readFile(join(home, 'commonplace', path), 'utf8')
    expect(log).toMatch(/\n- \d\d:\d\d WiFi password: hunter2\n/)
    expect(log).toContain('\nIn the hall: ^[private]\n\nWiFi password: hunter2 ^[private]\n')
  })

  it('remembers, finds, asks; all with --json', async () => {
    const home = await temporaryFolder()
    const remembered = JSON.parse(
      (await run(['remember', 'We chose PostgreSQL for the Acme database', '--json'], { home })).stdout,
    )
    expect(remembered).toMatchObject({
      path: expect.stringMatching(/^memory\/\d{4}-\d{2}-\d{2}\.md$/),
      startLine: 3,
      endLine: 3,
    })
    const piped = JSON.parse((await run(['remember', '--json'], { home, input: '从标准输入\n第二行\n' })).stdout)
    expect(piped).toMatchObject({ startLine: 5, endLine: 7 })
    const found = JSON.parse((await run(['search', 'Acme database', '--json'], { home })).stdout)
    expect(found).toEqual({
      query: 'Acme database',
      results: [
        {
          path: remembered.path,
          startLine: 3,
          endLine: 3,
          score: expect.any(Number),
          snippet: expect.stringMatching(/^\d\d:\d\d We chose PostgreSQL for the Acme database$/),
          source: 'memory',
          date: remembered.path.slice('memory/'.length, -'.md'.length),
        },
      ],
      provider: 'builtin',
      model: expect.any(String),
    })
    const asked = JSON.parse((await run(['ask', 'Which database did we choose?', '--json'], { home })).stdout)
    expect(asked.text).toContain(`[${remembered.path}:3]`)
    expect(asked).toMatchObject({
      recalls: [{ query: 'Which database did we choose?' }],
      writes: [],
      usage: { cacheRead: 0 },
    })
    await run(['ask', 'My sister Lena lives in Rotterdam'], { home })
    const printed = async (query: string) => (await run(['search', query], { home })).stdout.split('\n')
    const [note] = await printed('Which database did we choose?')
    expect(note).toMatch(/^memory\/[\d-]+\.md:3 · \d\.\d\d · \d\d:\d\d We chose PostgreSQL for the Acme database$/)
    const chats = await printed('Where does Lena live?')
    expect(chats[chats.indexOf('Chats:') + 1]).toMatch(/^sessions\/[^ ]+\.jsonl:\d+ · .*Lena lives in Rotterdam$/)
    const status = JSON.parse((await run(['status', '--json'], { home })).stdout)
    expect(status).toMatchObject({ agent: 'main', files: 2, indexing: false, stale: false, problems: [] })
  }, 60_000)

  it('explains a result and a missing line', async () => {
    const home = await temporaryFolder()
    const workspace = await folderWith({ 'MEMORY.md': '# M\n\nalpha beta\n', 'memory/2026-01-01.md': '# L\n\ngamma\n' })
    const { stdout, code } = await run(
      ['explain', 'alpha beta', '--workspace', workspace, '--why', 'memory/2026-01-01.md:3', '--json'],
      { home },
    )
    const value = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(value.candidates[0]).toMatchObject({
      path: 'MEMORY.md',
      verdict: { kind: 'returned', rank: 1 },
      text: { terms: [{ term: 'alpha' }, { term: 'beta' }] },
    })
    expect(value.why).toMatchObject({ reason: 'weak', candidate: { path: 'memory/2026-01-01.md' } })
    const why = async (query: string, place: string) =>
      (await run(['explain', query, '--workspace', workspace, '--why', place], { home })).stdout
        .trim()
        .split('\n')
        .at(-1)
    expect(await why('alpha beta', 'memory/2026-01-01.md:3')).toMatch(
      /^memory\/2026-01-01\.md:3: score too low, number \d+ of the candidates$/,
    )
    expect(await why('alpha beta after:2026-04-01', 'memory/2026-01-01.md:3')).toBe(
      'memory/2026-01-01.md:3: outside the filter: after:2026-04-01',
    )
    const printed = (await run(['explain', 'alpha beta', '--workspace', workspace], { home })).stdout
    expect(printed).toMatch(
      /^0\.\d+ {2}MEMORY\.md:3 {2}returned as #1\n {7}.*own words \+[\d.]+.*; sum [-\d.]+, probability 0\.\d+; bm25 [\d.]+/,
    )
  })

  it('evaluates judged questions', async () => {
    const home = await temporaryFolder()
    const workspace = await folderWith({
      'MEMORY.md': '# M\n\nThe walrus lives in the bath.\n',
      'queries.jsonl': `${JSON.stringify({ id: '1', query: 'Where does the walrus live?', relevant: [{ path: 'MEMORY.md', startLine: 3, endLine: 3 }] })}\n`,
      'off.jsonl': `${JSON.stringify({ query: 'Who won the chess game?', relevant: [] })}\n`,
    })
    const { stdout } = await run(
      [
        'eval',
        '--workspace',
        workspace,
        '--queries',
        join(workspace, 'queries.jsonl'),
        '--off-topic',
        join(workspace, 'off.jsonl'),
        '--json',
      ],
      { home },
    )
    expect(JSON.parse(stdout)).toMatchObject({
      n: 1,
      recallAt1: 1,
      recallAt5: 1,
      mrr: 1,
      ndcgAt10: 1,
      answered: 1,
      units: 1,
      offTopic: { n: 1, auc: 1, answered: 0 },
    })
  })

  it.each([
    [['search', 'x', '--workspace', '/no/such/folder'], 2, '/no/such/folder'],
    [['frobnicate'], 2, 'frobnicate'],
    [['remember', '   '], 2, 'nothing to remember'],
    [['status', '--home', '/proc/nowhere'], 1, '/proc/nowhere cannot be used'],
  ])('%j exits with %i and one line with the reason', async (args, code, word) => {
    const result = await run(args, { home: await temporaryFolder() })
    expect(result.code).toBe(code)
    expect(result.stdout).toBe('')
    expect(result.stderr.trim().split('\n')).toHaveLength(1)
    expect(result.stderr).toContain(word)
  })

  it('with an empty config.yaml it uses the settings in force or names the missing file', async () => {
    const { home, workspace } = await prepareFolders({ files: { 'MEMORY.md': 'The walrus is called Odo.\n' } })
    const root = join(home, '..')
    const server = await startServer({ mainFolder, env: {}, home })
    await (await connect(server.url)).search.query({ agent: 'main', query: 'walrus' })
    await writeFile(join(home, 'config.yaml'), '')
    const client = await connect(server.url)
    await until(async () => (await client.settings.get()).problems.length > 0)
    const asked = await run(['search', 'walrus'], { home: root })
    expect(asked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('MEMORY.md:1'),
      stderr: expect.stringContaining('missing or empty'),
    })
    expect(asked.stderr.trim().split('\n')).toHaveLength(1)
    const noted = await run(['remember', 'The seal is called Ida.'], { home: root })
    expect(noted.code).toBe(0)
    expect(await readFile(join(workspace, noted.stdout.trim().replace(/:\d+$/, '')), 'utf8')).toContain('Ida')
    await server.close()
    const lastGood = await run(['search', 'walrus'], { home: root })
    expect(lastGood).toMatchObject({ code: 0, stderr: expect.stringContaining('missing or empty') })
    await rm(join(home, 'config.last-good.yaml'))
    const alone = await run(['search', 'walrus'], { home: root })
    expect(alone.code).toBe(1)
    expect(alone.stderr).toMatch(
      /config\.yaml: it is missing or empty, though this state folder was in use; put it back/,
    )
  })

  it('serve prints its address first, names a broken configuration, and exits cleanly on SIGTERM', async () => {
    const home = await temporaryFolder()
    await writeFiles(join(home, 'state'), { 'config.yaml': 'agents: { list: [\n' })
    const child = spawn(process.execPath, [cli, 'serve', '--no-open'], {
      env: { ...process.env, COMMONPLACE_HOME: join(home, 'state'), HOME: home },
    })
    let said = ''
    child.stderr.on('data', (data) => (said += data))
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))))
    const { url } = JSON.parse(line) as { url: string }
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(303)
    await until(() => said.includes('config.yaml:2: '))
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0)
  })
})

describe('registering with a program from the terminal', () => {
  it('writes every flag into the entry, previews without writing, and writes nothing if the test fails', async () => {
    const home = await temporaryFolder()
    const file = join(home, '.cursor/mcp.json')
    const install = (...args: string[]) => run(['mcp', '--install', 'cursor', ...args], { home })
    const uninstall = (...args: string[]) => run(['mcp', '--uninstall', 'cursor', ...args], { home })
    const nobody = await install('--agent', 'nope')
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no agent nope') })
    await expect(readFile(file, 'utf8')).rejects.toThrow('ENOENT')

    const folder = await folderWith({ 'MEMORY.md': '# Memory\n' })
    const done = await install('--read-only', '--workspace', folder, '--agent', 'main', '--client', 'desk')
    expect(done.stderr).toBe('')
    expect(done.stdout).toMatch(/not found on this machine[^]*It works: 3 tools/)
    const entry = JSON.parse(await readFile(file, 'utf8')).mcpServers.commonplace
    expect(entry.args.slice(entry.args.indexOf('mcp'), -2)).toEqual([
      'mcp',
      '--client',
      'desk',
      '--agent',
      'main',
      '--read-only',
      '--workspace',
      folder,
    ])

    const before = await readFile(file, 'utf8')
    expect((await uninstall('--dry-run')).stdout).toContain('-    "commonplace": {')
    expect(await readFile(file, 'utf8')).toBe(before)
    expect((await uninstall()).stdout).toContain('removed from')
    expect(await readFile(file, 'utf8')).not.toContain('commonplace')
    expect((await uninstall()).stdout).toContain('nothing to remove')
    expect((await run(['mcp', '--dry-run'], { home })).code).toBe(2)
  }, 60_000)
})
