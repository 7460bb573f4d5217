/**
 * The address in the terminal carries a token. The server exchanges it for a session id in an HttpOnly cookie and a key
 * in the fragment of the address, which only pages of the same origin can read. Browsers send cookies to every port of
 * this machine, so the cookie alone gives access to the interface's files but not to the memory. It has no `__Host-`
 * prefix: some browsers refuse `Secure` for http://127.0.0.1, and the prefix does not bind the cookie to a port.
 */
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const loopbackAddress = '127.0.0.1'
const maxSessions = 64
const sessionLifetimeMs = 7 * 24 * 3_600_000
/** Lifetime of a one-time token, ms: the browser that the app starts uses it at once. */
const oneTimeTokenMs = 2 * 60_000

export class Authenticator {
  readonly token = randomBytes(32).toString('base64url')
  readonly #secret = randomBytes(32)
  /** Keyed by the hash of the session id, so that a memory dump reveals no id. */
  readonly #sessions = new Map<string, { readonly host: string; usedAt: number }>()
  /** Hash to expiry, in ms of `now`. */
  readonly #oneTimeTokens = new Map<string, number>()
  readonly #port: () => number
  readonly #now: () => number

  constructor(port: () => number, now: () => number = () => performance.now()) {
    this.#port = port
    this.#now = now
  }

  /** Prevents DNS rebinding: a foreign page can resolve its name here but cannot change these headers. */
  isAllowedOrigin(request: IncomingMessage): boolean {
    const host = hostOf(request)
    if (host !== `${loopbackAddress}:${this.#port()}` && host !== `localhost:${this.#port()}`) return false
    const { origin } = request.headers
    return origin === undefined || origin === `http://${host}`
  }

  /**
   * A token has 256 random bits, so the number of wrong ones needs no limit.
   * @returns the value of the `Set-Cookie` header, and the key with which the page opens a socket; undefined for an
   * invalid token
   */
  exchangeToken(token: string, request: IncomingMessage): { cookie: string; key: string } | undefined {
    if (!isEqual(token, this.token) && !this.#takeOneTimeToken(token)) return undefined
    const id = this.#sessionIdOf(request) ?? this.#openSession(hostOf(request) ?? '')
    return { cookie: `${this.#cookieName()}=${id}; HttpOnly; SameSite=Strict; Path=/`, key: this.#keyOfSession(id) }
  }

  /** Works within 2 minutes: other users can read the browser's command line. */
  issueOneTimeToken(): string {
    const token = randomBytes(32).toString('base64url')
    this.#oneTimeTokens.set(hash('sha256', token), this.#now() + oneTimeTokenMs)
    return token
  }

  #takeOneTimeToken(token: string): boolean {
    const hashed = hash('sha256', token)
    const expiresAt = this.#oneTimeTokens.get(hashed)
    this.#oneTimeTokens.delete(hashed)
    return expiresAt !== undefined && this.#now() <= expiresAt
  }

  /** Returns true for a valid cookie, which gives access to the interface's files. */
  isAuthenticated(request: IncomingMessage): boolean {
    return this.#sessionIdOf(request) !== undefined
  }

  /** Returns true for a valid cookie with its key, which gives access to the memory. */
  mayConnect(request: IncomingMessage, key: string): boolean {
    const id = this.#sessionIdOf(request)
    return id !== undefined && isEqual(key, this.#keyOfSession(id))
  }

  #openSession(host: string): string {
    const id = randomBytes(32).toString('base64url')
    this.#sessions.set(hash('sha256', id), { host, usedAt: this.#now() })
    if (this.#sessions.size > maxSessions) {
      const [oldest] = [...this.#sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt)
      if (oldest) this.#sessions.delete(oldest[0])
    }
    return id
  }

  #sessionIdOf(request: IncomingMessage): string | undefined {
    const prefix = `${this.#cookieName()}=`
    const now = this.#now()
    for (const cookie of (request.headers.cookie ?? '').split(/;\s*/)) {
      const id = cookie.slice(prefix.length)
      const session = cookie.startsWith(prefix) ? this.#sessions.get(hash('sha256', id)) : undefined
      if (!session || session.host !== hostOf(request) || now - session.usedAt > sessionLifetimeMs) continue
      session.usedAt = now
      return id
    }
    return undefined
  }

  #keyOfSession(id: string): string {
    return createHmac('sha256', this.#secret).update(id).digest('base64url')
  }

  /** Contains the port: cookies of two servers on this machine must not collide. */
  #cookieName(): string {
    return `commonplace-${this.#port()}`
  }
}

/** Returns undefined for a missing or repeated header. */
function hostOf(request: IncomingMessage): string | undefined {
  const hosts = request.headersDistinct['host']
  return hosts?.length === 1 ? hosts[0] : undefined
}

function isEqual(received: string, expected: string): boolean {
  const receivedBytes = Buffer.from(received)
  const expectedBytes = Buffer.from(expected)
  return receivedBytes.length === expectedBytes.length && timingSafeEqual(receivedBytes, expectedBytes)
}
