import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { rm, stat, unlink, rename } from 'node:fs/promises'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { systemClock, FileLock, makeFolder, appVersion, damagedPath, writeDurably } from '#platform'
import {
  type ClientKind,
  clientKindHeader,
  closeServer,
  type LockInfo,
  type LockPaths,
  readLockInfo,
} from './primary-connection.ts'

const repairIntervalMs = 2000

/** Saves 20 ms at start: an `import` of node:http also evaluates `WebSocket` and Node's network stack. */
const { createServer } = process.getBuiltinModule('node:http')

export class PrimaryInstance {
  readonly lockPaths: LockPaths
  readonly #lock: FileLock
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes })
  readonly #clients = new Map<WebSocket, ClientKind>()
  /** Relays of programs, see `relay.ts`. */
  readonly #programs = new Set<Duplex>()
  #server: Server | undefined
  #lockInfo: LockInfo | undefined
  #repairTimer: NodeJS.Timeout | undefined

  constructor(lockPaths: LockPaths, lock: FileLock) {
    this.lockPaths = lockPaths
    this.#lock = lock
  }

  get programs(): number {
    return this.#programs.size
  }

  /**
   * @param serve serves a program over a socket with the messages of stdio; undefined in a process that ends soon
   * @returns the reason why other processes cannot connect; undefined on success
   */
  async listen(
    accept: (socket: WebSocket) => void,
    serve: ((socket: Duplex, query: URLSearchParams) => void) | undefined,
    isOwner: boolean,
  ): Promise<string | undefined> {
    const key = randomBytes(32).toString('base64url')
    const { address } = this.lockPaths
    this.#lockInfo = { pid: process.pid, version: appVersion, since: systemClock().getTime(), address, key, isOwner }
    try {
      await this.#listen(accept, serve, key)
      await this.#writeLockInfo()
      this.#repairTimer = setInterval(() => void this.#repairFiles(), repairIntervalMs)
      this.#repairTimer.unref()
      return undefined
    } catch (error) {
      // This process works without connections, for example on a full disk.
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Restores the lock file and its info if a cleanup tool deleted them. */
  async #repairFiles(): Promise<void> {
    try {
      if (!this.#lock.isFileCurrent) {
        this.#lock.close()
        this.#lock.tryAcquire()
      }
      const storedInfo = await readLockInfo(this.lockPaths.infoFile)
      if (this.#lockInfo && storedInfo?.key !== this.#lockInfo.key && this.#lock.isHeld) await this.#writeLockInfo()
    } catch {
      // The next check tries again.
    }
  }

  async #writeLockInfo(): Promise<void> {
    const { folder, infoFile } = this.lockPaths
    await makeFolder(folder)
    const info = await stat(infoFile).catch(() => undefined)
    if (info && !info.isFile()) await rename(infoFile, damagedPath(infoFile))
    // The file contains the access key.
    await writeDurably(infoFile, JSON.stringify(this.#lockInfo), { newMode: 0o600 })
  }

  async #listen(
    accept: (socket: WebSocket) => void,
    serve: ((socket: Duplex, query: URLSearchParams) => void) | undefined,
    key: string,
  ): Promise<void> {
    const { address } = this.lockPaths
    // This process holds the lock, so an existing socket file is a leftover of a crashed process.
    if (process.platform !== 'win32') await rm(address, { force: true })
    const server = createServer({ headersTimeout: 5000 }, (_request, response) => response.writeHead(404).end())
    server.maxConnections = 256
    server.on('clientError', (_error, socket) => socket.destroy())
    server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      const kind = authenticateClient(request, key)
      if (!kind) return void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
      const [path, query] = (request.url ?? '').split('?')
      if (path === '/mcp') {
        if (!serve) return void socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n')
        this.#programs.add(socket)
        socket.once('close', () => this.#programs.delete(socket))
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: mcp\r\n\r\n')
        if (head.length > 0) socket.unshift(head)
        return serve(socket, new URLSearchParams(query))
      }
      this.#sockets.handleUpgrade(request, socket, head, (client) => {
        this.#clients.set(client, kind)
        client.on('error', () => client.terminate())
        client.on('close', () => this.#clients.delete(client))
        accept(client)
      })
    })
    server.listen(address)
    await once(server, 'listening')
    this.#server = server
  }

  /** Stops accepting connections and waits until connected commands have ended. */
  async drain(): Promise<void> {
    clearInterval(this.#repairTimer)
    await unlink(this.lockPaths.infoFile).catch(() => undefined)
    const commands = [...this.#clients].flatMap(([client, kind]) => (kind === 'command' ? [client] : []))
    await Promise.all(commands.map((client) => new Promise<void>((resolve) => client.once('close', () => resolve()))))
  }

  /** Reads no further requests, so that connected processes send them to the next primary instance. */
  pause(): void {
    for (const client of [...this.#clients.keys(), ...this.#programs]) client.pause()
  }

  async release(): Promise<void> {
    clearInterval(this.#repairTimer)
    const server = this.#server
    if (server) {
      await unlink(this.lockPaths.infoFile).catch(() => undefined)
      for (const client of this.#clients.keys()) client.terminate()
      for (const socket of this.#programs) socket.destroy()
      await closeServer(server)
    }
    this.#lock.close()
  }
}

/**
 * @returns undefined if another process holds the lock; `lockFailure`: the reason why there are no locks, so that other
 * processes can open the memory, too
 */
export async function acquirePrimary(lockPaths: LockPaths) {
  try {
    const lock = await takeLock(lockPaths)
    return lock && { primaryInstance: new PrimaryInstance(lockPaths, lock), lockFailure: undefined }
  } catch (error) {
    return { primaryInstance: undefined, lockFailure: error instanceof Error ? error.message : String(error) }
  }
}

async function takeLock({ folder, lockFile }: LockPaths): Promise<FileLock | undefined> {
  await makeFolder(folder)
  const lock = new FileLock(lockFile)
  try {
    if (lock.tryAcquire()) return lock
  } catch {
    // Some network drives have no locks. A lock in the folder for locks keeps out the processes of this machine.
    const localLock = FileLock.forName(lockFile)
    if (localLock.tryAcquire()) return localLock
  }
  lock.close()
  return undefined
}

/** Returns undefined without the key from the lock info. */
function authenticateClient({ headers }: IncomingMessage, key: string): ClientKind | undefined {
  const received = Buffer.from(headers.authorization ?? '')
  const expected = Buffer.from(`Bearer ${key}`)
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined
  return headers[clientKindHeader] === 'command' ? 'command' : 'resident'
}
