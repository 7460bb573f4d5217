/**
 * Connects a program to the process that has the memory open, without the code of the app: passes the messages of stdio
 * on through the socket of that process, and starts one if there is none. If that process ends, the relay connects to
 * the next one, repeats the handshake and sends unanswered requests again, marked so that a note that was saved meanwhile
 * is not saved twice.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rm, rmdirSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ageOf } from '#platform'

/** Time for finding or starting a process, ms. */
const connectMs = 4500
const pollMs = 25
/** Time for a start, ms: a process that has just been started can end because another one has the lock. */
const restartMs = 2000
const maxAttempts = 3
/** The limit of `serveOverStdio`. */
const maxMessageLength = 4 * 1024 * 1024

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly uri?: string; readonly requestId?: string | number; readonly _meta?: object }
}

interface Request {
  readonly line: string
  /** True for a subscription, which only the end of the connection answers. */
  readonly isOpen: boolean
  attempts: number
}

const options = {
  agent: { type: 'string' },
  client: { type: 'string' },
  home: { type: 'string' },
  'read-only': { type: 'boolean' },
  connector: { type: 'boolean' },
} as const

/**
 * @param args after `mcp`
 * @returns false if this process must serve the program itself: for other options, or if no process can be reached
 */
export async function relay(args: readonly string[], givenHome: string): Promise<boolean> {
  const home = resolve(givenHome)
  const query = queryOf(args)
  if (query === undefined) return false
  const socket = await findOwner(home, query)
  if (!socket) {
    process.stderr.write('commonplace: no process can keep the memory open; this one serves it alone.\n')
    return false
  }
  await new Relay(home, query).run(socket)
  return true
}

/** Returns undefined for options that need the app. */
function queryOf(args: readonly string[]): string | undefined {
  try {
    const { home: _home, ...values } = parseArgs({ args: [...args], options }).values
    return new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString()
  } catch {
    return undefined
  }
}

async function findOwner(home: string, query: string): Promise<Socket | undefined> {
  const deadline = performance.now() + connectMs
  const startFolder = join(home, 'owner/start')
  while (performance.now() < deadline) {
    const socket = await connectToOwner(home, query)
    if (socket) {
      // The next start need not wait.
      rm(startFolder, { recursive: true }, () => undefined)
      return socket
    }
    const isChosen = mayStart(startFolder)
    if (isChosen === undefined) return undefined
    if (isChosen) startOwner(home)
    await sleep(pollMs * (0.5 + Math.random()))
  }
  return undefined
}

/** Chooses one of several relays to start a process. @returns undefined if the state folder cannot be written */
function mayStart(startFolder: string): boolean | undefined {
  try {
    const earlier = statSync(startFolder, { throwIfNoEntry: false })
    if (earlier && ageOf(earlier) < restartMs) return false
    // Only one of the relays that find an old folder can rename it.
    if (earlier) renameSync(startFolder, `${startFolder}-${process.pid}`)
    if (earlier) rmdirSync(`${startFolder}-${process.pid}`)
    mkdirSync(dirname(startFolder), { recursive: true, mode: 0o700 })
    mkdirSync(startFolder)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'EEXIST' || code === 'ENOENT' ? false : undefined
  }
}

/** Clients can end their process group, and the working directory can be removed. For the limits, see `launch.mjs`. */
function startOwner(home: string): void {
  const args = ['--max-semi-space-size=4', process.argv[1] ?? '', 'own', '--home', home]
  const limits = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '65536' }
  const env = { ...limits, ...process.env }
  const options = { detached: true, stdio: 'ignore', cwd: homedir(), env, windowsHide: true } as const
  try {
    const child = spawn(process.execPath, args, options)
    child.on('error', () => undefined)
    child.unref()
  } catch {
    // A sandbox can forbid it; then `relay` returns false.
  }
}

/** @returns undefined if there is no process, or one that is starting or ending */
function connectToOwner(home: string, query: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const info = ownerInfo(join(home, 'owner/app.json'))
    if (!info) return resolve(undefined)
    const socket = connect(info.address)
    let head = Buffer.alloc(0)
    const give = (result: Socket | undefined) => {
      socket.removeAllListeners()
      socket.setTimeout(0)
      socket.on('error', () => socket.destroy())
      if (!result) socket.destroy()
      resolve(result)
    }
    socket.setTimeout(connectMs, () => give(undefined))
    socket.once('error', () => give(undefined)).once('close', () => give(undefined))
    socket.on('data', (data) => {
      head = Buffer.concat([head, data])
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      if (!head.toString('latin1', 0, end).includes(' 101 ')) return give(undefined)
      socket.pause()
      give(socket)
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4))
    })
    const request = [
      `GET /mcp?${query} HTTP/1.1`,
      'Host: owner',
      'Connection: Upgrade',
      'Upgrade: mcp',
      `Authorization: Bearer ${info.key}`,
    ]
    socket.write(`${request.join('\r\n')}\r\n\r\n`)
  })
}

/** @returns undefined if the file is missing or incomplete */
function ownerInfo(file: string): { readonly address: string; readonly key: string } | undefined {
  try {
    const { address, key } = JSON.parse(readFileSync(file, 'utf8'))
    return typeof address === 'string' && typeof key === 'string' ? { address, key } : undefined
  } catch {
    return undefined
  }
}

class Relay {
  readonly #home: string
  readonly #query: string
  /** Undefined while there is no connection. */
  #socket: Socket | undefined
  #isConnecting = false
  /** Messages of the handshake, and subscriptions by URI, which each process needs to know. */
  #initialize: { readonly id: unknown; readonly line: string } | undefined
  #initialized = ''
  readonly #subscriptions = new Map<string, string>()
  /** Unanswered requests by id. */
  readonly #requests = new Map<unknown, Request>()
  /** Ids of repeated messages, whose answers the program has. */
  readonly #repeated = new Set<unknown>()
  readonly #ended = Promise.withResolvers<void>()
  #hasInputEnded = false

  constructor(home: string, query: string) {
    this.#home = home
    this.#query = query
  }

  /** Ends when the program has closed the input and all requests are answered. */
  async run(socket: Socket): Promise<void> {
    this.#follow(socket)
    readLines(process.stdin, (line) => this.#onLineOfProgram(line))
    process.stdin.once('end', () => {
      this.#hasInputEnded = true
      for (const [id, { isOpen }] of this.#requests) if (isOpen) this.#requests.delete(id)
      if (this.#socket) this.#socket.end()
      else if (!this.#isConnecting) this.#ended.resolve()
    })
    // The program has ended.
    process.stdout.on('error', () => process.exit())
    await this.#ended.promise
  }

  #follow(socket: Socket): void {
    this.#socket = socket
    readLines(socket, (line) => this.#onLineOfOwner(line))
    socket.once('close', () => {
      this.#socket = undefined
      if (this.#hasInputEnded && this.#requests.size === 0) this.#ended.resolve()
      else if (this.#requests.size > 0 || this.#subscriptions.size > 0) void this.#reconnect()
    })
    if (this.#hasInputEnded) socket.end()
  }

  #onLineOfProgram(line: string): void {
    const { id, method, params } = messageIn(line)
    if (method === 'initialize') this.#initialize = { id, line }
    if (method === 'notifications/initialized') this.#initialized = line
    if (method === 'resources/subscribe') this.#subscriptions.set(params?.uri ?? '', line)
    if (method === 'resources/unsubscribe') this.#subscriptions.delete(params?.uri ?? '')
    if (method === 'notifications/cancelled') this.#requests.delete(params?.requestId)
    if (method !== undefined && id !== undefined)
      this.#requests.set(id, { line, attempts: 1, isOpen: method === 'subscriptions/listen' })
    if (!this.#socket) void this.#reconnect()
    else if (!this.#socket.write(line)) pauseUntilDrained(process.stdin, this.#socket)
  }

  #onLineOfOwner(line: string): void {
    const { id, method } = messageIn(line)
    if (method === undefined && id !== undefined) {
      this.#requests.delete(id)
      if (this.#repeated.delete(id)) return
    }
    if (!process.stdout.write(line) && this.#socket) pauseUntilDrained(this.#socket, process.stdout)
  }

  async #reconnect(): Promise<void> {
    if (this.#isConnecting) return
    this.#isConnecting = true
    const socket = await findOwner(this.#home, this.#query)
    this.#isConnecting = false
    for (const [id, request] of this.#requests) if (!socket || request.attempts >= maxAttempts) this.#refuse(id)
    if (!socket) {
      if (this.#hasInputEnded) this.#ended.resolve()
      return
    }
    if (this.#initialize && !this.#requests.has(this.#initialize.id)) {
      this.#repeated.add(this.#initialize.id)
      socket.write(this.#initialize.line + this.#initialized)
    }
    for (const line of this.#subscriptions.values()) {
      const { id } = messageIn(line)
      if (!this.#requests.has(id)) this.#repeated.add(id)
      if (!this.#requests.has(id)) socket.write(line)
    }
    for (const request of this.#requests.values()) {
      request.attempts += 1
      socket.write(repeated(request.line))
    }
    this.#follow(socket)
  }

  #refuse(id: unknown): void {
    this.#requests.delete(id)
    const message = 'The process that has the memory open has ended before it answered. Try again.'
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message } })}\n`)
  }
}

/** @param onLine receives each line with its end; also a last one without an end */
function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = text.split('\n')
    lines[0] = rest + (lines[0] ?? '')
    rest = lines.pop() ?? ''
    if (rest.length > maxMessageLength) {
      process.stderr.write('commonplace: a message exceeded maximum size (4 MB); the connection is closed\n')
      process.exit(1)
    }
    for (const line of lines) onLine(`${line}\n`)
  })
  stream.once('end', () => {
    if (rest !== '') onLine(`${rest}\n`)
  })
  stream.resume()
}

/** Marks a call that may have had its effect already, see `mcp-server.ts`. */
function repeated(line: string): string {
  const message = messageIn(line)
  if (message.method !== 'tools/call') return line
  const params = { ...message.params, _meta: { ...message.params?._meta, 'commonplace/repeated': true } }
  return `${JSON.stringify({ ...message, params })}\n`
}

function messageIn(line: string): Message {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : {}
  } catch {
    return {}
  }
}

function pauseUntilDrained(source: NodeJS.ReadableStream, target: NodeJS.WritableStream): void {
  source.pause()
  target.once('drain', () => source.resume())
}
