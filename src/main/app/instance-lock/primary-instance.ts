import { randomBytes, timingSafeEqual } from 'node:crypto'
import { rm, stat, unlink } from 'node:fs/promises'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { systemClock, FileLock, makeFolder, setAside, writePrivately, appVersion } from '#platform'
import { type OwnerPlace, guestHeader, readNote, type GuestKind, type OwnerNote } from './lock-info.ts'

const maxConnections = 256
/** Timeout for the headers of a request, ms. */
const headersMs = 5000
/** Interval of checks that the lock file and its info still exist, ms. */
const lookMs = 2000

/**
 * `getBuiltinModule` instead of an import saves 20 ms: an import evaluates `WebSocket` and with it Node's network
 * stack.
 */
const { createServer } = process.getBuiltinModule('node:http')

/** The instance lock of a state folder, with the socket on which other processes reach its holder. */
export class Ownership {
  readonly place: OwnerPlace
  readonly #lock: FileLock
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes })
  readonly #guests = new Map<WebSocket, GuestKind>()
  #server: Server | undefined
  #note: OwnerNote | undefined
  #watch: NodeJS.Timeout | undefined

  private constructor(place: OwnerPlace, lock: FileLock) {
    this.place = place
    this.#lock = lock
  }

  /**
   * Takes the lock without waiting.
   * @returns undefined if another process holds it
   * @throws SQLite's error if the file system has no locks
   */
  static async tryTake(place: OwnerPlace): Promise<Ownership | undefined> {
    await makeFolder(place.folder)
    const lock = new FileLock(place.lock)
    if (lock.tryTake()) return new Ownership(place, lock)
    lock.close()
    return undefined
  }

  /**
   * Starts to accept connections from other processes.
   * @returns the reason why they cannot connect; undefined on success
   */
  async announce(accept: (socket: WebSocket) => void): Promise<string | undefined> {
    const key = randomBytes(32).toString('base64url')
    try {
      await this.#listen(accept, key)
      await this.#leaveNote()
      this.#watch = setInterval(() => void this.#keep(), lookMs)
      this.#watch.unref()
      return undefined
    } catch (error) {
      // This process works without connections, for example on a full disk.
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Restores the lock file and its info if a cleanup tool deleted them. */
  async #keep(): Promise<void> {
    try {
      if (!this.#lock.isIntact) {
        this.#lock.close()
        this.#lock.tryTake()
      }
      const found = await readNote(this.place.note)
      if (this.#note && found?.key !== this.#note.key && this.#lock.isHeld) await this.#leaveNote()
    } catch {
      // The next check tries again. Until then other processes cannot connect.
    }
  }

  async #leaveNote(): Promise<void> {
    const { folder, note } = this.place
    await makeFolder(folder)
    const info = await stat(note).catch(() => undefined)
    if (info && !info.isFile()) await setAside(note)
    // The file contains the access key.
    await writePrivately(note, JSON.stringify(this.#note))
  }

  async #listen(accept: (socket: WebSocket) => void, key: string): Promise<void> {
    const { address } = this.place
    this.#note = { pid: process.pid, version: appVersion, since: systemClock().getTime(), address, key }
    // A leftover of a crashed process: this process holds the lock.
    if (process.platform !== 'win32') await rm(address, { force: true })
    const server = createServer((_request, response) => response.writeHead(404).end())
    server.maxConnections = maxConnections
    server.headersTimeout = headersMs
    server.on('clientError', (_error, socket) => socket.destroy())
    server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      const kind = guestOf(request, key)
      if (!kind) return void socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
      this.#sockets.handleUpgrade(request, socket, head, (guest) => {
        this.#guests.set(guest, kind)
        guest.on('error', () => guest.terminate())
        guest.on('close', () => this.#guests.delete(guest))
        accept(guest)
      })
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(address, resolve)
    })
    this.#server = server
  }

  /** Stops accepting connections and waits until connected commands have ended. */
  async withdraw(): Promise<void> {
    clearInterval(this.#watch)
    await unlink(this.place.note).catch(() => undefined)
    const commands = [...this.#guests].flatMap(([guest, kind]) => (kind === 'command' ? [guest] : []))
    await Promise.all(commands.map((guest) => new Promise<void>((resolve) => guest.once('close', () => resolve()))))
  }

  /** Releases the lock and closes all connections. */
  async release(): Promise<void> {
    clearInterval(this.#watch)
    const server = this.#server
    if (server) {
      await unlink(this.place.note).catch(() => undefined)
      for (const guest of this.#guests.keys()) guest.terminate()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    }
    this.#lock.close()
  }
}

export interface Claim {
  /** Undefined if the file system has no locks, as on some network drives. */
  readonly ownership: Ownership | undefined
  /** Reason why other processes are not locked out; undefined if they are. */
  readonly unguarded: string | undefined
}

/** @returns undefined if another process holds the lock */
export async function claimOwnership(place: OwnerPlace): Promise<Claim | undefined> {
  try {
    const ownership = await Ownership.tryTake(place)
    return ownership && { ownership, unguarded: undefined }
  } catch (error) {
    return { ownership: undefined, unguarded: error instanceof Error ? error.message : String(error) }
  }
}

/** Returns the kind of a connecting process; undefined without the key from the lock info. */
function guestOf({ headers }: IncomingMessage, key: string): GuestKind | undefined {
  const given = Buffer.from(headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${key}`)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  return headers[guestHeader] === 'command' ? 'command' : 'resident'
}
