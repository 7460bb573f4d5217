import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { once } from 'node:events'
import { WebSocketServer, type WebSocket } from 'ws'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { hostTexts } from '#shared/i18n/host-texts.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import type { McpEndpoint } from '#interop'
import type { Log } from '#platform'
import { accessDeniedPage, accessDeniedPolicy, keyFromInput, type AccessDeniedReason } from './access-denied-page.ts'
import { loopbackAddress, Authenticator } from './authentication.ts'
import { closeServer } from '../instance-lock/primary-connection.ts'
import { securityHeaders } from './security-headers.ts'
import { isMcpPath } from './mcp-endpoint.ts'
import { hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

interface HostOptions {
  readonly accept: (socket: WebSocket) => void
  readonly mcp: McpEndpoint
  readonly folder: string
  readonly log: Log
  readonly port: number
}

export interface RunningHost {
  readonly url: string
  /** Returns an address with a one-time token, for places that other users can read. */
  oneTimeUrl(): string
  close(): Promise<void>
}

/** Path of the WebSocket. A plain GET tells a page whether its key is valid. */
const socketPath = '/rpc'
/** WebSocket subprotocol. A page sends its key as a second one: browsers allow no custom headers for sockets. */
const protocol = 'commonplace'
const maxConnections = 1024
const clearCookies = 'Clear-Site-Data: "cookies"\r\n'
/** Interval of pings, ms; a peer that does not answer one before the next is disconnected. */
const pingMs = 30_000

export async function startHttpServer({ accept, mcp, folder, log, port }: HostOptions): Promise<RunningHost> {
  const findFile = interfaceFiles(folder)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: () => protocol,
  })
  const server = createServer({
    // Large, because browsers send the cookies of all servers on this machine.
    maxHeaderSize: 64 * 1024,
    headersTimeout: 3000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false,
  })
  server.maxConnections = maxConnections
  const authenticator = new Authenticator(() => portOf(server))
  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()))
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
    const isTimeout = code === 'ERR_HTTP_REQUEST_TIMEOUT'
    // Browsers preconnect: they would take an early response as the response to their next request.
    if (isTimeout && 'bytesRead' in socket && socket.bytesRead === 0) return void socket.destroy()
    // Too many cookies lock the browser out until they are cleared.
    if (code === 'HPE_HEADER_OVERFLOW') refuseSocket(socket, '431 Request Header Fields Too Large', clearCookies)
    else refuseSocket(socket, isTimeout ? '408 Request Timeout' : '400 Bad Request')
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuseSocket(socket, '405 Method Not Allowed'))
  server.on('request', (request, response) => {
    handleRequest(request, response).catch((error: unknown) => {
      const reference = log.fault(error, 'serving the interface')
      refuse(response, 500, `Internal error. See the log for details (reference ${reference}).`)
    })
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
    const key = offered.length === 2 && offered[0] === protocol ? (offered[1] ?? '') : ''
    const isAllowed =
      request.url === socketPath &&
      request.method === 'GET' &&
      authenticator.isAllowedOrigin(request) &&
      request.headers.origin !== undefined &&
      authenticator.mayConnect(request, key)
    if (!isAllowed) return refuseSocket(socket, '403 Forbidden')
    sockets.handleUpgrade(request, socket, head, (client) => {
      keepAlive(client, log)
      accept(client)
    })
  })
  await listen(server, port)
  // An error of one connection, such as too many open files, must not stop the server.
  server.on('error', (error) => log.fault(error, 'the browser host'))

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isMcpPath(request.url)) return mcp.handle(request, response)
    if (!authenticator.isAllowedOrigin(request)) return refuse(response, 403, 'Access denied: wrong host or origin.')
    // Other targets, such as absolute addresses, are no paths.
    const target = request.url?.startsWith('/') ? URL.parse(`http://${loopbackAddress}${request.url}`) : null
    if (!target) return refuse(response, 400, 'Invalid address.')
    const token = target.searchParams.get('token')
    if (token) return signIn(token, target, request, response)
    // An address with an empty token requests the page with the sign-in form.
    if (token !== null || !authenticator.isAuthenticated(request)) return denyAccess('none', target, request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 405, 'Only GET and HEAD are allowed here.')
    if (target.pathname === socketPath) return reportAccess(request, response)
    const file = await findFile(target.pathname)
    if (!file) return refuse(response, 404, 'Not found.')
    const { bytes, type, etag } = file
    const cacheHeaders = { 'Cache-Control': 'no-cache', ETag: etag }
    if (request.headers['if-none-match'] === etag) return respond(response, 304, cacheHeaders)
    const headers = { ...cacheHeaders, 'Content-Type': type, 'Content-Length': bytes.length }
    respond(response, 200, headers, request.method === 'HEAD' ? undefined : bytes)
  }

  function signIn(token: string, target: URL, request: IncomingMessage, response: ServerResponse): void {
    const authResult = authenticator.exchangeToken(keyFromInput(token), request)
    if (!authResult) return denyAccess('wrong', target, request, response)
    target.searchParams.delete('token')
    respond(response, 303, {
      // Browsers do not send fragments to servers.
      Location: `${target.pathname.replace(/^\/+/, '/')}${target.search}#key=${authResult.key}`,
      'Set-Cookie': authResult.cookie,
      'Cache-Control': 'no-store',
    })
  }

  /** Responds with the status that a socket would get: browsers hide the status of a refused socket from pages. */
  function reportAccess(request: IncomingMessage, response: ServerResponse): void {
    const key = request.headers['commonplace-key']
    if (typeof key !== 'string' || !authenticator.mayConnect(request, key))
      return refuse(response, 401, hostTexts.en.access.reason.none)
    respond(response, 204, { 'Cache-Control': 'no-store' })
  }

  return {
    url: `http://${loopbackAddress}:${portOf(server)}/?token=${authenticator.token}`,
    oneTimeUrl: () => `http://${loopbackAddress}:${portOf(server)}/?token=${authenticator.issueOneTimeToken()}`,
    async close() {
      for (const client of sockets.clients) client.terminate()
      await closeServer(server)
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
  // The library has already closed the socket after an invalid frame or a too large message.
  socket.on('error', (error) => log.warn({ reason: error.message }, 'a connection to the interface was closed'))
  socket.on('close', () => clearInterval(timer))
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    server.listen(port, loopbackAddress)
    await once(server, 'listening')
  } catch (error) {
    if (!isSystemError(error, 'EADDRINUSE', 'EACCES')) throw error
    const message =
      error.code === 'EACCES'
        ? `no permission to use port ${port}; choose one above 1023 with --port`
        : `port ${port} is in use; choose another with --port, or omit the option`
    throw new AppError('port_in_use', message, { port }, { cause: error })
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function respond(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body?: string | Uint8Array) {
  response.writeHead(status, { ...securityHeaders, ...headers }).end(body)
}

function denyAccess(reason: AccessDeniedReason, target: URL, request: IncomingMessage, response: ServerResponse): void {
  const isPageRequest = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
  if (!isPageRequest || response.headersSent) return refuse(response, 401, hostTexts.en.access.reason[reason])
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': accessDeniedPolicy,
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  const page = accessDeniedPage(reason, request.headers['accept-language'] ?? '', target.searchParams)
  respond(response, 401, headers, page)
}

/** Closes the connection: further data from an unauthorised client is not read. */
function refuse(response: ServerResponse, status: number, reason: string): void {
  if (response.headersSent) return void response.destroy()
  respond(response, status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }, `${reason}\n`)
}

function refuseSocket(socket: Duplex, status: string, headers = ''): void {
  if (!socket.writable) return void socket.destroy()
  socket.end(`HTTP/1.1 ${status}\r\n${headers}Connection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

/**
 * @returns a function that returns a file of the built interface by URL path, or index.html for a view such as
 * `/file/MEMORY.md`; undefined for a file in `/assets/` that did not exist at the start
 */
export function interfaceFiles(folder: string) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const paths = new Set(names.map((name) => `/${name.split(sep).join('/')}`))
  return async (path: string) => {
    const name = extname(path) !== '' && paths.has(path) ? path : '/index.html'
    if (path.startsWith('/assets/') && name !== path) return undefined
    const bytes = await readFile(join(folder, name))
    const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`
    return { bytes, type: contentTypes[extname(name)] ?? 'application/octet-stream', etag }
  }
}
