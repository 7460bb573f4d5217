import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localDate } from '../../../src/main/workspace/index.ts'
import { temporaryFolder, until, writeFiles } from '../../support/folder.ts'
import { startModelServer } from '../../support/model-server.ts'
import { cli } from '../../support/built.ts'

async function openTerminal(reach = 'auto', titles = false) {
  const server = await startModelServer({ text: 'ok' })
  const root = await temporaryFolder()
  const workspace = join(root, 'w')
  const home = join(root, 'state')
  await writeFiles(workspace, { 'MEMORY.md': '# Long-term memory\n\nThe gate code is 4711.\n' })
  await writeFiles(home, {
    'config.yaml': `providers: { anthropic: { baseUrl: "${server.url}", reach: ${reach} } }
agents: { list: [{ id: main, workspace: "${workspace}", model: anthropic/test-model, chat: { titles: ${titles} } }] }
`,
  })
  const start = (...args: string[]) =>
    spawn(process.execPath, [cli, ...args, '--home', home], {
      env: { ...process.env, HOME: root, ANTHROPIC_API_KEY: 'k' },
    })
  const run = async (...args: string[]) => {
    const child = start(...args)
    const pieces: string[] = []
    let stderr = ''
    child.stdout.on('data', (data) => pieces.push(String(data)))
    child.stderr.on('data', (data) => (stderr += data))
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    return { code, stdout: pieces.join(''), pieces, stderr }
  }
  const log = () => readFile(join(home, 'logs/commonplace.log'), 'utf8')
  return { server, run, start, log, workspace }
}

describe('a chat in a terminal', { timeout: 60_000 }, () => {
  it('streams the answer to stdout and tool calls to stderr; --json prints one value', async () => {
    const { server, run } = await openTerminal()
    const words = 'The gate code is 4711, as your memory says, in the place where you had written it down.'
    server.script = [
      { calls: [{ name: 'memory_search', arguments: { query: 'gate code' } }], text: 'Let me look.' },
      { text: words, delayMs: 60 },
    ]
    const { code, stdout, pieces, stderr } = await run('ask', 'What is the gate code?')
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Let me look.\n${words}\n` })
    expect(pieces.length).toBeGreaterThan(4)
    expect(stderr).toBe('· memory_search {"query":"gate code"}\n')
    server.script = [{ calls: [{ name: 'read', arguments: { path: 'none.md' } }] }, { text: 'There is none.' }]
    const json = await run('ask', 'And the other?', '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ text: 'There is none.' })
    expect(json.stderr).toBe('')
  })

  it('is private in the first command after another program marked a line that it saved', async () => {
    const { run, workspace } = await openTerminal()
    const log = `memory/${localDate(new Date())}.md`
    for (const request of ['note: the divorce lawyer is Jane Roe', '请记住：the notary is Kim Poe']) {
      await run('ask', request)
      const text = await readFile(join(workspace, log), 'utf8')
      await writeFiles(workspace, { [log]: text.replace(/(Roe|Poe)$/m, '$& ^[private]') })
      const { stdout } = await run(...(request.startsWith('note') ? ['search', 'divorce lawyer'] : ['sessions']))
      expect(stdout).not.toMatch(/Jane Roe|Kim Poe/)
    }
    expect((await run('sessions')).stdout.match(/\(private\)/g)).toHaveLength(2)
    expect((await run('search', 'divorce lawyer', '--private')).stdout).toContain('Jane Roe')
  })

  it('--session continues a chat by id, prefix or "last"; sessions lists the chats', async () => {
    const { server, run } = await openTerminal()
    server.script = [{ text: 'Noted.' }]
    const first = JSON.parse((await run('ask', 'My cat is called Minka', '--json')).stdout)
    const second = JSON.parse((await run('ask', 'My dog is called Rex', '--json')).stdout)
    const listed = JSON.parse((await run('sessions', '--json')).stdout)
    expect(listed.sessions.map(({ id }: { id: string }) => id)).toEqual([second.session, first.session])
    expect((await run('sessions')).stdout).toMatch(
      new RegExp(`^${second.session}  .*My dog is called Rex\n${first.session}`),
    )
    const more = JSON.parse(
      (await run('ask', 'Again?', '--session', first.session.split('_')[1].slice(0, 6), '--json')).stdout,
    )
    expect(more).toMatchObject({ session: first.session, text: 'Noted.' })
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages'])
    expect(sent).toContain('Minka')
    expect(sent).not.toContain('Rex')
    const last = JSON.parse((await run('ask', 'And?', '--session', 'last', '--json')).stdout)
    expect(last.session).toBe(first.session)
    // Only this turn: the previous one had its own search.
    expect(last.recalls).toEqual([])
    const asked = server.requests.length
    const command = await run('ask', '/status', '--session', 'last')
    expect(command).toMatchObject({ code: 0, stdout: expect.stringContaining('anthropic/test-model') })
    expect(server.requests.length).toBe(asked)
    const wrong = await run('ask', 'x', '--session', 'nope')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toContain('there is no chat nope')
    server.script = [{ status: 400, message: 'no' }]
    const failed = await run('ask', 'x', '--session', 'last')
    expect(failed.code).toBe(1)
    expect(failed.stdout).toBe('')
  })

  it('reports an empty, a cut and a failed answer on stderr', async () => {
    const { server, run } = await openTerminal()
    server.script = [{ text: '' }]
    const empty = await run('ask', 'hello')
    expect(empty).toMatchObject({ code: 1, stdout: '' })
    expect(empty.stderr).toContain('returned an empty answer')
    server.script = [{ text: 'Once upon', stop: 'length' }]
    const long = await run('ask', 'tell me')
    expect(long).toMatchObject({
      code: 0,
      stdout: 'Once upon\n',
      stderr: '· the answer reached its maximum length\n',
    })
    server.script = [{ text: 'Wait.', calls: [{ name: 'read', arguments: {} }], rawArguments: '{"pa', stop: 'length' }]
    const cut = await run('ask', 'read it')
    expect(cut).toMatchObject({
      code: 0,
      stderr: '· the answer reached its maximum length, before it could use read\n',
    })
    server.script = [{ status: 503, message: 'the bears are asleep' }, { text: 'Awake.' }]
    const again = await run('ask', 'hello?')
    expect(again).toMatchObject({ code: 0, stdout: 'Awake.\n' })
    expect(again.stderr).toMatch(/^· anthropic is overloaded.*the bears are asleep\. Trying again in 1 s …\n$/)
    server.script = [{ status: 503, message: 'are the bears asleep?' }, { text: 'Awake.' }]
    const asked = await run('ask', 'hello?')
    expect(asked.stderr).toMatch(/^· anthropic is overloaded.*are the bears asleep\? Trying again in 1 s …\n$/)
  })

  it('finishes the title and the notes of a chat before it exits, without an error in the log', async () => {
    const { server, run, log, workspace } = await openTerminal('auto', true)
    await writeFiles(workspace, { 'private/code.md': '---\nvisibility: private\n---\n\n- The gate code is new.\n' })
    server.respond = () => ({ text: 'gate code\n- The gate code is 4711. [1]', delayMs: 300 })
    server.title = 'The gate'
    const answered = await run('ask', 'The gate code is 4711, and Ada knows it')
    expect(answered).toMatchObject({ code: 0, stderr: '' })
    expect((await run('sessions')).stdout).toContain('The gate')
    expect(await run('ask', '/new', '--session', 'last')).toMatchObject({ code: 0, stderr: '' })
    const notes = await readdir(join(workspace, 'memory'))
    expect(notes.some((name) => name.endsWith('gate-code.md'))).toBe(true)
    expect(await log()).toBe('')
  })

  it('ends at once at Ctrl+C, also while it waits for the notes of a chat', async () => {
    const { server, run, start, log } = await openTerminal()
    await run('ask', 'The gate code is 4711, and Ada knows it')
    server.respond = () => ({ text: 'never', stallAfter: 0 })
    const child = start('ask', '/new', '--session', 'last')
    await until(() => server.requests.length === 2, 20_000)
    const interruptedAt = performance.now()
    child.kill('SIGINT')
    await once(child, 'close')
    expect(performance.now() - interruptedAt).toBeLessThan(2000)
    expect(await log()).toBe('')
  })

  it('--private says why the offline model answers', async () => {
    const { server, run } = await openTerminal('remote')
    const reason = 'it is answered offline, because anthropic/test-model runs on another machine'
    expect(await run('ask', 'Hello', '--private')).toMatchObject({
      code: 0,
      stderr: `commonplace: ${reason}\n`,
    })
    expect((await run('ask', 'And again', '--session', 'last')).stderr).toContain(reason)
    expect(server.requests).toEqual([])
    expect(await run('ask', 'Hello')).toMatchObject({ stdout: 'ok\n', stderr: '' })
  })

  it('an unknown command is an error, and --as-message sends it', async () => {
    const { server, run } = await openTerminal()
    const refused = await run('ask', '/foo bar')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/there is no command \/foo; there are \/new, .*--as-message/)
    expect(server.requests).toEqual([])
    expect(await run('ask', '/foo bar', '--as-message')).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(await run('ask', '/etc/hosts is empty')).toMatchObject({ code: 0, stdout: 'ok\n' })
    expect(JSON.stringify(server.requests.at(0)?.body['messages'])).toContain('/foo bar')
  })
})
