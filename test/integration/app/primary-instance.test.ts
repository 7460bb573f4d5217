/** One primary instance per memory: several processes and hosts share a state folder, and the primary ends. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { AppEvent, ContractClient } from '../../../src/shared/contract/index.ts'
import { lockPathsOf, readLockInfo } from '../../../src/main/app/instance-lock/primary-connection.ts'
import { startServer } from '../../../src/main/app/server/start-server.ts'
import { mainFolder, prepareFolders } from '../../support/app.ts'
import { connect } from '../../support/client.ts'
import { until } from '../../support/folder.ts'
import { cli } from '../../support/built.ts'
import { runCommand } from '../../support/command.ts'
import { logLines } from '../../support/log-lines.ts'

interface Folders {
  readonly home: string
  readonly workspace: string
}

async function server(folders: Folders, options: { workspace?: string; agent?: string } = {}) {
  const running = await startServer({ mainFolder, env: {}, home: folders.home, ...options })
  onTestFinished(() => running.close())
  return { running, client: await connect(running.url) }
}

/** Runs `serve` in another process. */
async function serverProcess({ home }: Folders): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [cli, 'serve', '--no-open', '--home', home], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  // Exiting without output is an error; waiting would hang.
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`serve ended with ${code}`)))
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string]
  return { child, url: (JSON.parse(line) as { url: string }).url }
}

const terminal = ({ home }: Folders, args: readonly string[]) => runCommand([...args, '--home', home])

function eventsOf(client: ContractClient): AppEvent[] {
  const seen: AppEvent[] = []
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  void (async () => {
    for await (const event of await client.events.subscribe(undefined, { signal: stop.signal })) seen.push(event)
  })().catch(() => undefined)
  return seen
}

describe('the primary instance of a memory', { timeout: 60_000 }, () => {
  it('a second host connects to the first, and both windows show one live conversation', async () => {
    const folders = await prepareFolders({})
    const one = await server(folders)
    const two = await server(folders)
    const events = eventsOf(two.client)
    await until(() => events.some(({ type }) => type === 'hello'))
    const { session } = await one.client.chat.send({
      agent: 'main',
      text: 'Remember that the cellar key is under the pot',
    })
    for await (const event of await two.client.chat.watch({ agent: 'main', session }))
      if (event.type === 'turnEnd' || (event.type === 'partial' && !event.running)) break
    await two.client.chat.send({ agent: 'main', session, text: 'Where is the cellar key?' })
    for await (const event of await one.client.chat.watch({ agent: 'main', session }))
      if (event.type === 'turnEnd' || (event.type === 'partial' && !event.running)) break
    const [seenByOne, seenByTwo] = await Promise.all(
      [one, two].map(({ client }) => client.chats.get({ agent: 'main', session })),
    )
    expect(seenByOne).toEqual(seenByTwo)
    expect(seenByOne?.messages.filter(({ message }) => message.role === 'user')).toHaveLength(2)
    await until(() => events.some(({ type }) => type === 'sessionChanged' || type === 'turnEnded'))
  })

  it('a terminal command asks the running host, whose windows get the event', async () => {
    const folders = await prepareFolders({})
    const { client } = await server(folders)
    const events = eventsOf(client)
    await until(() => events.some(({ type }) => type === 'hello'))
    const remembered = await terminal(folders, ['remember', 'The ferry leaves at noon', '--json'])
    expect(remembered).toMatchObject({ code: 0, stderr: '' })
    await until(() => events.some((event) => event.type === 'captured' && event.note === 'The ferry leaves at noon'))
    const found = await terminal(folders, ['search', 'When does the ferry leave', '--json'])
    expect(JSON.parse(found.stdout)).toMatchObject({ results: [{ path: JSON.parse(remembered.stdout).path }] })
  })

  it('after the primary is killed another process takes over, and a window continues', async () => {
    const folders = await prepareFolders({})
    const owner = await serverProcess(folders)
    const guest = await server(folders)
    const primaryPid = async () => (await readLockInfo(lockPathsOf(folders.home, undefined).infoFile))?.pid
    expect(await primaryPid()).toBe(owner.child.pid)
    await guest.client.workspace.remember({ agent: 'main', text: 'Before the fall' })
    owner.child.kill('SIGKILL')
    await once(owner.child, 'exit')
    await until(async () => (await primaryPid()) === process.pid, 20_000)
    const client = await connect(guest.running.url)
    await client.workspace.remember({ agent: 'main', text: 'After the fall' })
    const log = (await client.workspace.list({ agent: 'main' })).find(({ kind }) => kind === 'log')
    const { text } = await client.workspace.read({ agent: 'main', path: log?.path ?? '' })
    expect(text).toContain('Before the fall')
    expect(text).toContain('After the fall')
  })

  it('refuses connections without the key from the lock info', async () => {
    const folders = await prepareFolders({})
    await server(folders)
    const { address, key } = JSON.parse(await readFile(join(folders.home, 'owner/app.json'), 'utf8')) as {
      address: string
      key: string
    }
    const knock = async (authorization: string | undefined) => {
      const socket = new WebSocket('ws://owner/', {
        createConnection: () => createConnection({ path: address }),
        headers: authorization === undefined ? {} : { authorization },
      })
      const opened = once(socket, 'open').then(() => 'in')
      const refused = once(socket, 'unexpected-response').then(([, response]: unknown[]) => {
        return (response as { statusCode: number }).statusCode
      })
      const answer = await Promise.race([opened, refused])
      socket.terminate()
      return answer
    }
    for (const wrong of [undefined, '', 'Bearer ', key, `Bearer ${'x'.repeat(key.length)}`, `Bearer ${key}x`])
      expect(await knock(wrong), wrong).toBe(403)
    expect(await knock(`Bearer ${key}`)).toBe('in')
  })

  it('writes a note although the primary hangs', async () => {
    const folders = await prepareFolders({})
    const owner = await serverProcess(folders)
    owner.child.kill('SIGSTOP')
    // Each of them waits for its timeout.
    const questions = join(folders.home, 'queries.jsonl')
    await writeFile(questions, JSON.stringify({ query: 'Where?', relevant: [] }))
    const [{ code, stdout }, ...asked] = await Promise.all([
      terminal(folders, ['remember', 'Written past a hanging owner', '--json']),
      terminal(folders, ['search', 'hanging owner']),
      terminal(folders, ['eval', '--provider', 'none', '--queries', questions]),
    ])
    expect(code).toBe(0)
    const place = JSON.parse(stdout) as { path: string; startLine: number; endLine: number }
    const lines = (await readFile(join(folders.workspace, place.path), 'utf8')).split('\n')
    expect(lines.slice(place.startLine - 1, place.endLine).join('\n')).toContain('Written past a hanging owner')
    for (const { code: exitCode, stdout: printed, stderr } of asked) {
      expect({ exitCode, printed }).toEqual({ exitCode: 1, printed: '' })
      expect(stderr).toContain(`process ${owner.child.pid} has this memory open but does not answer`)
    }
  })

  it('writes every one of many notes from many processes once, while a host starts and stops', async () => {
    const folders = await prepareFolders({})
    const owner = await serverProcess(folders)
    const notes = Array.from({ length: 6 }, (_, index) => `Note number ${index} of a storm`)
    const writers = notes.map((note) => terminal(folders, ['remember', note, '--json']))
    await Promise.race(writers)
    owner.child.kill('SIGKILL')
    const results = await Promise.all(writers)
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(notes.map(() => ({ code: 0, stderr: '' })))
    const path = (JSON.parse(results[0]?.stdout ?? '{}') as { path: string }).path
    const lines = logLines(await readFile(join(folders.workspace, path), 'utf8'))
    for (const note of notes)
      expect(
        lines.filter((line) => line === note),
        note,
      ).toHaveLength(1)
  }, 90_000)
})

describe('damage to the files of the primary', { timeout: 60_000 }, () => {
  it('a temporarily missing configuration moves no workspace', async () => {
    const folders = await prepareFolders({})
    const { client } = await server(folders)
    const config = join(folders.home, 'config.yaml')
    const text = await readFile(config, 'utf8')
    await client.workspace.remember({ agent: 'main', text: 'Before' })
    await rm(config)
    await until(async () => (await client.settings.get()).problems.length > 0)
    expect((await client.settings.get()).firstRun).toBe(false)
    const { path } = await client.workspace.remember({ agent: 'main', text: 'While it is gone' })
    expect(await readFile(join(folders.workspace, path), 'utf8')).toContain('While it is gone')
    await client.settings.set({ path: ['interface', 'theme'], value: 'dark' })
    expect(await readFile(config, 'utf8')).toContain(folders.workspace)
    await writeFile(config, text)
    await until(async () => (await client.settings.get()).problems.length === 0)
  })

  it('a primary whose lock info is damaged is found again', async () => {
    const folders = await prepareFolders({})
    const { client } = await server(folders)
    const events = eventsOf(client)
    await until(() => events.length > 0)
    const info = join(folders.home, 'owner/app.json')
    await writeFile(info, 'junk')
    await until(async () => (await readFile(info, 'utf8')).includes('key'), 10_000)
    expect(await terminal(folders, ['remember', 'Through the owner'])).toMatchObject({ code: 0, stderr: '' })
    await until(() => events.some((event) => event.type === 'captured' && event.note === 'Through the owner'))
  })
})

describe('a folder that replaces an agent’s workspace', () => {
  it('hides other agents, and neither suggests nor saves anything for them', async () => {
    const folders = await prepareFolders({
      config:
        'agents:\n  list:\n    - { id: main, workspace: "{{workspace}}" }\n    - { id: work, workspace: "{{workspace}}-work" }\n',
    })
    const other = await prepareFolders({ files: { 'MEMORY.md': '# M\n\nThe kiln is in the yard.\n' } })
    const before = await readFile(join(folders.home, 'config.yaml'), 'utf8')
    const { client } = await server(folders, { workspace: other.workspace, agent: 'work' })
    expect(await client.agents.list()).toMatchObject([{ id: 'work', workspace: other.workspace, ready: true }])
    expect((await client.settings.get()).firstRun).toBe(false)
    await expect(client.workspace.list({ agent: 'main' })).rejects.toMatchObject({ code: 'unknown_agent' })
    await expect(client.agents.create({ name: 'third', locale: 'en' })).rejects.toMatchObject({ code: 'single_folder' })
    expect((await client.search.query({ agent: 'work', query: 'Where is the kiln?' })).results).toHaveLength(1)
    expect(await readFile(join(folders.home, 'config.yaml'), 'utf8')).toBe(before)
  })

  it('opens beside the agent’s workspace with its own lock; the agent’s workspace itself counts as no other folder', async () => {
    const folders = await prepareFolders({})
    const other = await prepareFolders({})
    const own = await server(folders)
    const apart = await server(folders, { workspace: other.workspace })
    const same = await server(folders, { workspace: folders.workspace })
    await apart.client.workspace.remember({ agent: 'main', text: 'Only in the other folder' })
    await same.client.workspace.remember({ agent: 'main', text: 'In the own folder' })
    const log = (await own.client.workspace.list({ agent: 'main' })).find(({ kind }) => kind === 'log')
    const { text } = await own.client.workspace.read({ agent: 'main', path: log?.path ?? '' })
    expect(text).toContain('In the own folder')
    expect(text).not.toContain('Only in the other folder')
  })
})
