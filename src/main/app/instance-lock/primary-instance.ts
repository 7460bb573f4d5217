import { randomBytes, timingSafeEqual } from 'node:crypto'
import { rm, stat, unlink } from 'node:fs/promises'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { systemClock, FileLock, makeFolder, setAside, writePrivately, appVersion } from '#platform'
import { type OwnerPlace, guestHeader, readNote, type GuestKind, type OwnerNote } from './lock-info.ts'

const maxConnections = 256
/** Whoever does not say what it wants within this time is cut off, ms. */
const headersMs = 5000
/** How often it is seen to that others can find the owner, ms. */
const lookMs = 2000

/** Not imported: an import reads all that it exports, and for its `WebSocket` Node loads the network of the web, 20 ms. */
const { createServer } = process.getBuiltinModule('node:http')

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
   * @returns undefined when another process is the owner
   * @throws what SQLite says where locks cannot be had
   */
  static async tryTake(place: OwnerPlace): Promise<Ownership | undefined> {
    await makeFolder(place.folder)
    const lock = new FileLock(place.lock)
    if (lock.tryTake()) return new Ownership(place, lock)
    lock.close()
    return undefined
  }

  /**
   * From now on others find this process.
   * @returns why they cannot; undefined when they can
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
      // A full disk, a folder that may not be written: this process can do its work all the same.
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** What others need to find this process is put back when somebody tidied it up. */
  async #keep(): Promise<void> {
    try {
      if (!this.#lock.isIntact) {
        this.#lock.close()
        this.#lock.tryTake()
      }
      const found = await readNote(this.place.note)
      if (this.#note && found?.key !== this.#note.key && this.#lock.isHeld) await this.#leaveNote()
    } catch {
      // It is tried again in a moment; until then others say that they find nobody.
    }
  }

  async #leaveNote(): Promise<void> {
    const { folder, note } = this.place
    await makeFolder(folder)
    const info = await stat(note).catch(() => undefined)
    if (info && !info.isFile()) await setAside(note)
    // It has the key.
    await writePrivately(note, JSON.stringify(this.#note))
  }

  async #listen(accept: (socket: WebSocket) => void, key: string): Promise<void> {
    const { address } = this.place
    this.#note = { pid: process.pid, version: appVersion, since: systemClock().getTime(), address, key }
    // What lies there is a dead owner's: the lock is ours.
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

  /** Others do not find this process any more; commands that speak to it are answered to their end. */
  async withdraw(): Promise<void> {
    clearInterval(this.#watch)
    await unlink(this.place.note).catch(() => undefined)
    const commands = [...this.#guests].flatMap(([guest, kind]) => (kind === 'command' ? [guest] : []))
    await Promise.all(commands.map((guest) => new Promise<void>((resolve) => guest.once('close', () => resolve()))))
  }

  /** Lets go of everything; who still speaks to this process is cut off. */
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
  /** Undefined where locks cannot be had, as on some network disks. */
  readonly ownership: Ownership | undefined
  /** Why other processes are not kept out; undefined when they are. */
  readonly unguarded: string | undefined
}

/** @returns undefined when another process is the owner */
export async function claimOwnership(place: OwnerPlace): Promise<Claim | undefined> {
  try {
    const ownership = await Ownership.tryTake(place)
    return ownership && { ownership, unguarded: undefined }
  } catch (error) {
    return { ownership: undefined, unguarded: error instanceof Error ? error.message : String(error) }
  }
}

/** What a guest says it is; undefined for one that has not read the note. */
function guestOf({ headers }: IncomingMessage, key: string): GuestKind | undefined {
  const given = Buffer.from(headers.authorization ?? '')
  const wanted = Buffer.from(`Bearer ${key}`)
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
  return headers[guestHeader] === 'command' ? 'command' : 'resident'
}
