import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import type { Log } from '#platform'
import { doorPage, doorPolicy, keyOf, type DoorReason } from './access-denied-page.ts'
import { address, Entry } from './authentication.ts'
import { securityHeaders } from './security-headers.ts'
import { mcpPath, type McpDoor } from './mcp-endpoint.ts'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

export interface HostOptions {
  readonly accept: (socket: WebSocket) => void
  readonly mcp: McpDoor
  readonly folder: string
  readonly log: Log
  /** 0 for any free one. */
  readonly port: number
}

export interface Host {
  /** Holds the token; whoever has it has the memory. */
  readonly url: string
  /** One that lets a single browser in, and only soon: for what others can read. */
  urlOnce(): string
  close(): Promise<void>
}

/** The path of the WebSocket. Asked for as a page it says whether the page's key is (still) right. */
const socketPath = '/rpc'
/** The one protocol; a page offers its key beside it, for a page can send a socket no header of its own. */
const protocol = 'commonplace'
const maxSockets = 64
/** Connections at once, those that say nothing included; a browser opens a handful. */
const maxConnections = 512
/** Cookies know no ports: those of every other server on this machine come along. */
const maxHeaderBytes = 64 * 1024
const clearCookies = 'Clear-Site-Data: "cookies"\r\n'
/** Whoever does not say what it wants within this time is cut off. */
const headersMs = 5000
const requestMs = 10_000
const lookMs = 1000
/** A peer that has not answered one ping by the next is gone. */
const pingMs = 30_000

/** @throws AppError `port_in_use` */
export async function serve({ accept, mcp, folder, log, port: wanted }: HostOptions): Promise<Host> {
  const files = new InterfaceFiles(folder)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: () => protocol,
  })
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: lookMs,
    requireHostHeader: false,
  })
  server.maxConnections = maxConnections
  const entry = new Entry(() => portOf(server))
  // Whoever goes away in the middle of anything is no error of ours.
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    // A browser opens connections before it has anything to ask: an answer to nothing would be its next page.
    if (isLate && 'bytesRead' in socket && socket.bytesRead === 0) return void socket.destroy()
    if (isLate) return refuseSocket(socket, '408 Request Timeout')
    // More cookies than anybody needs keep this browser out until they are gone.
    if (error.code === 'HPE_HEADER_OVERFLOW') refuseSocket(socket, '431 Request Header Fields Too Large', clearCookies)
    else refuseSocket(socket, '400 Bad Request')
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuseSocket(socket, '405 Method Not Allowed'))
  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      const reference = log.fault(error, 'a page of the interface')
      refuse(response, 500, `Something went wrong here. The log has the details (reference ${reference}).`)
    })
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const key = keyOfProtocols(request.headers['sec-websocket-protocol'])
    const mayEnter =
      request.url === socketPath &&
      request.method === 'GET' &&
      entry.isOurs(request) &&
      request.headers.origin !== undefined &&
      entry.mayConnect(request, key)
    if (!mayEnter) return refuseSocket(socket, '403 Forbidden')
    if (sockets.clients.size >= maxSockets) return refuseSocket(socket, '503 Service Unavailable')
    sockets.handleUpgrade(request, socket, head, (client) => {
      keepAlive(client, log)
      accept(client)
    })
  })
  await listen(server, wanted)
  // Once it listens, what goes wrong with one connection (no more file handles, say) ends nothing.
  server.on('error', (error) => log.fault(error, 'the browser host'))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === mcpPath) return mcp.handle(request, response)
    if (!entry.isOurs(request)) return refuse(response, 403, 'This address is only for the app itself.')
    const target = targetOf(request)
    if (!target) return refuse(response, 400, 'This address cannot be read.')
    const token = target.searchParams.get('token')
    if (token) return admit(token, target, request, response)
    // With an empty token somebody asks for the page where one is entered.
    if (token !== null || !entry.isIn(request)) return turnAway('none', target, request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 405, 'Only reading is possible here.')
    if (target.pathname === socketPath) return tellAccess(request, response)
    const file = await files.find(target.pathname)
    if (!file) return refuse(response, 404, 'There is nothing here.')
    setHeaders(response)
    response.setHeader('Cache-Control', 'no-cache')
    response.setHeader('ETag', file.etag)
    if (request.headers['if-none-match'] === file.etag) return void response.writeHead(304).end()
    response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': file.bytes.length })
    response.end(request.method === 'HEAD' ? undefined : file.bytes)
  }

  function admit(token: string, target: URL, request: IncomingMessage, response: ServerResponse): void {
    const admission = entry.admit(keyOf(token), request)
    if (admission === 'wait' || admission === 'wrong') return turnAway(admission, target, request, response)
    target.searchParams.delete('token')
    setHeaders(response)
    response.writeHead(303, {
      // The fragment stays in the browser: no server is ever sent it.
      Location: `${target.pathname.replace(/^\/+/, '/')}${target.search}#key=${admission.key}`,
      'Set-Cookie': admission.cookie,
      'Cache-Control': 'no-store',
    })
    response.end()
  }

  /** A page cannot see why a socket was refused; so it asks here. */
  function tellAccess(request: IncomingMessage, response: ServerResponse): void {
    const key = request.headers['commonplace-key']
    if (typeof key !== 'string' || !entry.mayConnect(request, key))
      return refuse(response, 401, 'Open the address that the terminal shows; it carries the key to this memory.')
    setHeaders(response)
    response.writeHead(sockets.clients.size >= maxSockets ? 503 : 204, { 'Cache-Control': 'no-store' }).end()
  }

  return {
    url: `http://${address}:${portOf(server)}/?token=${entry.token}`,
    urlOnce: () => `http://${address}:${portOf(server)}/?token=${entry.issueOnce()}`,
    async close() {
      for (const client of sockets.clients) client.terminate()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

function keepAlive(socket: WebSocket, log: Log): void {
  let isAlive = true
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, pingMs)
  timer.unref()
  socket.on('pong', () => (isAlive = true))
  // The library has closed the socket already: an invalid frame, or a message over the limit.
  socket.on('error', (error) => log.warn({ reason: error.message }, 'a connection of the interface was closed'))
  socket.on('close', () => clearInterval(timer))
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, address, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    if (isSystemError(error, 'EADDRINUSE')) {
      throw new AppError(
        'port_in_use',
        `port ${port} is in use; choose another with --port, or leave it out`,
        { port },
        { cause: error },
      )
    }
    if (isSystemError(error, 'EACCES')) {
      throw new AppError(
        'port_in_use',
        `port ${port} may not be used; choose one above 1023 with --port`,
        { port },
        { cause: error },
      )
    }
    throw error
  }
}

function portOf(server: Server): number {
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? bound.port : 0
}

/** Only a path of ours: no other server's address, no `*`, nothing that begins like a host. */
function targetOf({ url }: IncomingMessage): URL | null {
  if (url === undefined || !url.startsWith('/')) return null
  return URL.parse(`http://${address}${url}`)
}

function keyOfProtocols(header: string | undefined): string {
  const offered = (header ?? '').split(',').map((name) => name.trim())
  return offered.length === 2 && offered[0] === protocol ? (offered[1] ?? '') : ''
}

function setHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
}

const turnedAway: Readonly<Record<DoorReason, { readonly status: number; readonly told: string }>> = {
  none: { status: 401, told: 'Open the address that the terminal shows; it carries the key to this memory.' },
  wrong: { status: 401, told: 'This key is not (or no longer) right. Open the address that the terminal shows.' },
  wait: { status: 429, told: 'Too many wrong keys. Wait a minute.' },
}

/** A person gets a page that says what to do; a program a line. */
function turnAway(reason: DoorReason, target: URL, request: IncomingMessage, response: ServerResponse): void {
  const { status, told } = turnedAway[reason]
  const isRead = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
  if (!isRead || response.headersSent) return refuse(response, status, told)
  setHeaders(response)
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': doorPolicy,
    'Cache-Control': 'no-store',
    Connection: 'close',
  })
  response.end(doorPage(reason, request.headers['accept-language'], target.searchParams))
}

/** The connection ends with it: what may follow was sent by somebody who does not belong here. */
function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) return void response.destroy()
  setHeaders(response)
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' })
  response.end(`${reason}\n`)
}

function refuseSocket(socket: Duplex, status: string, headers = ''): void {
  if (!socket.writable) return void socket.destroy()
  socket.end(`HTTP/1.1 ${status}\r\n${headers}Connection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}

interface InterfaceFile {
  readonly bytes: Buffer
  readonly type: string
  readonly etag: string
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

export class InterfaceFiles {
  readonly #folder: string
  /** Paths as in an address, such as `/assets/index.js`; read when they are first asked for. */
  readonly #files = new Map<string, Promise<InterfaceFile> | undefined>()

  /** @param folder of the built interface; its list of files is read now */
  constructor(folder: string) {
    this.#folder = folder
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = relative(folder, join(entry.parentPath, entry.name))
      this.#files.set(`/${path.split(sep).join('/')}`, undefined)
    }
  }

  /**
   * What an address shows: a file of the interface, or else the one page, whose views have addresses of their own (also
   * some that end like a file, such as `/file/MEMORY.md`).
   * @param path of the address, not decoded: our files have plain names
   * @throws the system's error where a file can no longer be read
   */
  async find(path: string): Promise<InterfaceFile | undefined> {
    const name = this.#files.has(path) || path.startsWith('/assets/') ? path : '/index.html'
    if (!this.#files.has(name)) return undefined
    const known = this.#files.get(name)
    if (known) return known
    const read = this.#read(name)
    this.#files.set(name, read)
    // What failed once may work again.
    read.catch(() => this.#files.set(name, undefined))
    return read
  }

  async #read(name: string): Promise<InterfaceFile> {
    const bytes = await readFile(join(this.#folder, name))
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    return { bytes, type: types[extname(name)] ?? 'application/octet-stream', etag }
  }
}
