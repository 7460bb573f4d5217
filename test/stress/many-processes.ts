/**
 * Several processes use one memory, and some are killed: two hosts with a window each, and commands, write notes, save
 * files and chat in one conversation. Finally looks for everything acknowledged in the files, the history and the chat,
 * and compares both windows.
 *
 *   node test/stress/many-processes.ts [--seconds 30] [--kills 0] [--terminals 4] [--seed 1]
 *
 * `--kills N` kills a random process every second, N times. Hosts are restarted.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import type { ContractClient } from '../../src/shared/contract/index.ts'
import { messageText } from '../../src/shared/chat/messages.ts'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import { WebSocket } from 'ws'
import { enter, socketOf, type Admission } from '../support/client.ts'
import { logLines } from '../support/log-lines.ts'
import { isLogSound } from '../support/log-integrity.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    kills: { type: 'string', default: '0' },
    terminals: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
  },
})
const kills = Number(values.kills)
const seconds = Math.max(Number(values.seconds), kills)
const cli = fileURLToPath(new URL('../../src/main/launch.mjs', import.meta.url))
const built = fileURLToPath(new URL('../../out/main/cli/index.js', import.meta.url))
const root = await mkdtemp(join(tmpdir(), 'commonplace-stress-'))
const home = join(root, 'state')
const workspace = join(root, 'workspace')

/** Acknowledged writes. */
const acknowledged = { notes: new Set<string>(), saves: new Set<string>(), messages: new Set<string>() }
const failures = new Map<string, number>()
const random = generator(Number(values.seed))
const alive = new Set<ChildProcess>()
const over = new AbortController()
let session: string | undefined
let count = 0

/** A `serve` process, restarted whenever it is killed, with a window. */
class Host {
  readonly name: string
  #child: ChildProcess | undefined
  #url: Promise<string> | undefined
  #admission: Promise<Admission> | undefined
  #window: { readonly socket: WebSocket; readonly client: ContractClient } | undefined
  #isEnding = false

  constructor(name: string) {
    this.name = name
  }

  /** Returns a client that signs in once and reconnects after its socket is lost, like a page. */
  async client(): Promise<ContractClient> {
    this.#url ??= this.#start()
    const url = await this.#url
    this.#admission ??= enter(url)
    const admission = await this.#admission
    if (this.#window?.socket.readyState !== WebSocket.OPEN) {
      const socket = await socketOf(url, admission)
      this.#window = { socket, client: createORPCClient(new RPCLink({ websocket: socket as never })) }
    }
    return this.#window.client
  }

  /** Waits until all queued messages are answered. */
  async settled(): Promise<void> {
    const talked = session
    if (talked === undefined) return
    for (let tries = 0; tries < 100; tries += 1) {
      const stop = new AbortController()
      try {
        const client = await this.client()
        let isIdle = false
        for await (const event of await client.chat.watch(
          { agent: 'main', session: talked },
          { signal: stop.signal },
        )) {
          if (event.type !== 'partial') continue
          isIdle = !event.running && event.queue.length === 0
          if (!event.running && event.queue.length > 0) await client.chat.sendQueued({ agent: 'main', session: talked })
          break
        }
        if (isIdle) return
      } catch (error) {
        note(`settling: ${error instanceof Error ? error.message : String(error)}`)
      } finally {
        stop.abort()
      }
      await sleep(200)
    }
  }

  /** Returns the conversation as the window shows it. */
  async view(): Promise<unknown> {
    const client = await this.client()
    return session === undefined ? [] : (await client.sessions.get({ agent: 'main', session })).messages
  }

  async end(): Promise<void> {
    this.#isEnding = true
    const child = this.#child
    if (!child) return
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  /** @returns the URL */
  async #start(): Promise<string> {
    const child = spawn(process.execPath, [built, 'serve', '--no-open', '--home', home], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    alive.add(child)
    let said = ''
    child.stderr.on('data', (data) => (said += data))
    child.once('exit', (code) => {
      alive.delete(child)
      this.#url = undefined
      this.#admission = undefined
      if (!this.#isEnding && code !== null) note(`host ended with ${code}: ${said.trim()}`)
    })
    return new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', (line) =>
        resolve((JSON.parse(line) as { url: string }).url),
      )
      child.once('exit', () => reject(new Error('the host ended while it started')))
    })
  }
}

await mkdir(workspace, { recursive: true })
await mkdir(home)
await writeFile(join(workspace, 'MEMORY.md'), '# Long-term memory\n')
await writeFile(join(home, 'config.yaml'), `agents:\n  list:\n    - { id: main, workspace: "${workspace}" }\n`)
// Builds once if needed, so that later starts do not wait for the build.
await promisify(execFile)(process.execPath, [cli, 'status', '--home', home])

const started = Date.now()
const hosts = [new Host('a'), new Host('b')]
const work = [
  ...hosts.flatMap((host) => [captures(host), saves(host), chats(host)]),
  ...Array.from({ length: Number(values.terminals) }, () => terminal()),
]
const killing = kill()
await sleep(seconds * 1000)
over.abort()
const killed = await killing
await Promise.all([...work, ...hosts.map((host) => host.settled())])
const ms = Date.now() - started

await sleep(500)
const windows = await Promise.all(hosts.map((host) => host.view()))
await Promise.all(hosts.map((host) => host.end()))
const report = await look()
await rm(root, { recursive: true, force: true, maxRetries: 5 })
process.stdout.write(
  `${JSON.stringify({ ...report, killed, seconds: Math.round(ms / 1000), failures: Object.fromEntries(failures) }, null, 1)}\n`,
)
process.exitCode =
  report.lost === 0 && report.missingFromHistory === 0 && report.windowsEqual && report.isLogSound ? 0 : 1

/** Looks for everything after all processes have ended, with a new process that updates history and index. */
async function look() {
  const last = new Host('last')
  const client = await last.client()
  await client.search.settle({ agent: 'main' })
  const files = await client.workspace.list({ agent: 'main' })
  const texts = await Promise.all(
    files.map(async ({ path }) => (await client.workspace.read({ agent: 'main', path })).text),
  )
  const lines = new Map<string, number>()
  for (const line of texts.flatMap(logLines)) lines.set(line, (lines.get(line) ?? 0) + 1)
  // Queued messages are shown as queued: they are not lost.
  const said = session === undefined ? [] : [...(await messages(client, session)), ...(await queued(client, session))]
  const recorded = new Set<string>()
  for (const { path } of files) {
    const request = { agent: 'main', path, at: Date.now(), includesPrivate: true }
    const { text } = await client.history.textAt(request)
    for (const line of logLines(text ?? '')) recorded.add(line)
  }
  await last.end()
  const written = [...acknowledged.notes, ...acknowledged.saves]
  const lost = [
    ...written.filter((line) => !lines.has(line)),
    ...[...acknowledged.messages].filter((text) => !said.includes(text)),
  ]
  const missing = written.filter((line) => !recorded.has(line))
  for (const line of lost.slice(0, 5)) process.stderr.write(`lost: ${line}\n`)
  for (const line of missing.slice(0, 5)) process.stderr.write(`not in the history: ${line}\n`)
  return {
    acknowledged: written.length + acknowledged.messages.size,
    notes: acknowledged.notes.size,
    saves: acknowledged.saves.size,
    messages: acknowledged.messages.size,
    lost: lost.length,
    missingFromHistory: missing.length,
    twice: written.filter((line) => (lines.get(line) ?? 0) > 1).length,
    windowsEqual: JSON.stringify(windows[0]) === JSON.stringify(windows[1]),
    isLogSound: isLogSound(home, workspace),
  }
}

/** Captures notes through a window. */
async function captures(host: Host): Promise<void> {
  while (!over.signal.aborted) {
    const text = `note ${host.name} ${(count += 1)}`
    await attempt('capture', async () => {
      await (await host.client()).workspace.remember({ agent: 'main', text })
      acknowledged.notes.add(text)
    })
  }
}

/** Appends lines to a few files like an editor: read, change, save with the text that was read. */
async function saves(host: Host): Promise<void> {
  while (!over.signal.aborted) {
    const path = `memory/shared-${Math.floor(random() * 3)}.md`
    const line = `save ${host.name} ${(count += 1)}`
    await attempt('save', async () => {
      const client = await host.client()
      const before = await client.workspace.read({ agent: 'main', path }).catch(() => undefined)
      await client.workspace.write({
        agent: 'main',
        path,
        text: `${before?.text ?? ''}${line}\n`,
        expectedHash: before?.hash ?? null,
        ...(before ? { baseText: before.text } : {}),
        onConflict: 'both',
      })
      acknowledged.saves.add(line)
    })
  }
}

/** Sends messages to one conversation from both windows. */
async function chats(host: Host): Promise<void> {
  while (!over.signal.aborted) {
    const text = `What is message ${host.name} ${(count += 1)}?`
    await attempt('chat', async () => {
      const client = await host.client()
      const answer = await client.chat.send({
        agent: 'main',
        text,
        ...(session === undefined ? {} : { session }),
        delivery: 'after',
      })
      session ??= answer.session
      if (answer.session === session) acknowledged.messages.add(text)
    })
    await sleep(150)
  }
}

async function terminal(): Promise<void> {
  while (!over.signal.aborted) {
    const text = `terminal ${(count += 1)}`
    const child = spawn(process.execPath, [built, 'remember', text, '--home', home], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    alive.add(child)
    let said = ''
    child.stderr.on('data', (data) => (said += data))
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    alive.delete(child)
    if (code === 0) acknowledged.notes.add(text)
    else note(signal ? 'terminal killed' : `terminal: ${said.trim()}`)
  }
}

async function kill(): Promise<number> {
  let done = 0
  for (; done < kills && !over.signal.aborted; done += 1) {
    await sleep(1000)
    const choices = [...alive]
    choices[Math.floor(random() * choices.length)]?.kill('SIGKILL')
  }
  return done
}

async function attempt(what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    note(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    await sleep(50)
  }
}

function note(failure: string): void {
  const kind = failure
    .replaceAll(/Queue\[\w+\]/g, 'Queue')
    .replaceAll(/\d+/g, 'N')
    .slice(0, 120)
  failures.set(kind, (failures.get(kind) ?? 0) + 1)
}

async function messages(client: ContractClient, id: string): Promise<string[]> {
  const { messages: all } = await client.sessions.get({ agent: 'main', session: id })
  return all.map(({ message }) => messageText(message))
}

async function queued(client: ContractClient, id: string): Promise<string[]> {
  const stop = new AbortController()
  try {
    for await (const event of await client.chat.watch({ agent: 'main', session: id }, { signal: stop.signal }))
      if (event.type === 'partial') return event.queue.map(({ text }) => text)
    return []
  } finally {
    stop.abort()
  }
}

function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
