/**
 * Serves the interface on the loopback address: static files over HTTP, the contract over a WebSocket. Nobody gets in
 * without the token, which the first URL carries and a cookie keeps; every request's Host and Origin are checked, so
 * that no other page of the same browser can reach in.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import sirv from 'sirv'
import { WebSocketServer, type WebSocket } from 'ws'
import { AppError, isSystemError } from '../../shared/errors.ts'
import type { Log } from '../log.ts'
import { securityHeaders } from './headers.ts'
import { Rate } from './rate.ts'

export interface HostOptions {
  /** Given each WebSocket that was let in; what is spoken over it is not the host's business. */
  readonly accept: (socket: WebSocket) => void
  /** Path of the folder of the built interface. */
  readonly folder: string
  readonly log: Log
  /** 0 for any free one. */
  readonly port: number
}

export interface Host {
  readonly url: string
  close(): Promise<void>
}

const address = '127.0.0.1'
const cookieName = 'commonplace'
const mostMessageBytes = 64 * 1024 * 1024
/** Windows that are open at once. */
const mostSockets = 64
/** Wrong keys in a minute; guessing 256 bits is hopeless all the same. */
const mostWrongKeys = 20
/** Messages of one window in ten seconds: far above what a person causes, far below what would starve the others. */
const mostMessages = 5000
const messagesMs = 10_000
const minuteMs = 60_000

/** @throws AppError `port_in_use` */
export async function serve({ accept, folder, log, port: wanted }: HostOptions): Promise<Host> {
  const token = randomBytes(32).toString('base64url')
  const fileOptions = { etag: true, setHeaders }
  const assets = sirv(folder, fileOptions)
  // Every other address is a view of the one page, also those that end like a file (/file/MEMORY.md).
  const pages = sirv(folder, { ...fileOptions, single: true, ignores: false })
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${address}`)
    if (!isLocalHost(request, port()) || !isOwnOrigin(request, port()))
      return refuse(response, 403, 'This address is only for the app itself.')
    if (url.searchParams.has('token')) return enter(url, response)
    if (!isAllowed(request.headers.cookie, cookie(), token))
      return refuse(response, 401, 'Open the address that the terminal shows; it carries the key to this memory.')
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 405, 'Only reading is possible here.')
    const files = url.pathname.startsWith('/assets/') ? assets : pages
    files(request, response, () => refuse(response, 404, 'There is nothing here.'))
  })
  const wrongKeys = new Rate(mostWrongKeys, minuteMs)
  const sockets = new WebSocketServer({ noServer: true, maxPayload: mostMessageBytes })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const mayEnter =
      request.url === '/rpc' &&
      isLocalHost(request, port()) &&
      isOwnOrigin(request, port()) &&
      request.headers.origin !== undefined &&
      isAllowed(request.headers.cookie, cookie(), token)
    if (!mayEnter) return void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
    if (sockets.clients.size >= mostSockets)
      return void socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, (client) => {
      const rate = new Rate(mostMessages, messagesMs)
      client.on('message', () => {
        if (!rate.take()) client.close(1008, 'too many messages')
      })
      client.on('error', (error) => log.warn({ reason: error.message }, 'a window’s connection failed'))
      accept(client)
    })
  })
  await listen(server, wanted)

  function port(): number {
    const bound = server.address()
    return typeof bound === 'object' && bound !== null ? bound.port : 0
  }

  /** Cookies do not know ports: two hosts on one machine need two names. */
  function cookie(): string {
    return `${cookieName}-${port()}`
  }

  function enter(url: URL, response: ServerResponse): void {
    if (!isSame(url.searchParams.get('token') ?? '', token)) {
      if (!wrongKeys.take()) return refuse(response, 429, 'Too many wrong keys. Wait a minute.')
      return refuse(response, 401, 'This key is not (or no longer) right. Open the address that the terminal shows.')
    }
    url.searchParams.delete('token')
    setHeaders(response)
    response.writeHead(303, {
      Location: url.pathname + url.search,
      'Set-Cookie': `${cookie()}=${token}; HttpOnly; SameSite=Strict; Path=/`,
    })
    response.end()
  }

  return {
    url: `http://${address}:${port()}/?token=${token}`,
    async close() {
      for (const client of sockets.clients) client.terminate()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, address, () => resolve())
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

/** A page elsewhere can make a name of its own point at this machine; it cannot change the Host header. */
function isLocalHost(request: IncomingMessage, port: number): boolean {
  return request.headers.host === `${address}:${port}` || request.headers.host === `localhost:${port}`
}

function isOwnOrigin(request: IncomingMessage, port: number): boolean {
  const { origin } = request.headers
  return origin === undefined || origin === `http://${address}:${port}` || origin === `http://localhost:${port}`
}

function isAllowed(header: string | undefined, name: string, token: string): boolean {
  return (header ?? '')
    .split(/;\s*/)
    .some((pair) => pair.startsWith(`${name}=`) && isSame(pair.slice(name.length + 1), token))
}

function isSame(given: string, token: string): boolean {
  const one = Buffer.from(given)
  const other = Buffer.from(token)
  return one.length === other.length && timingSafeEqual(one, other)
}

function setHeaders(response: ServerResponse): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  setHeaders(response)
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' })
  response.end(`${reason}\n`)
}
