/**
 * Who may enter. The address that the terminal shows carries a token; it is exchanged for two things that only that
 * browser has: a session id in a cookie that scripts cannot read, and a key in the address's fragment, which the page
 * keeps where only pages of exactly this address, port included, can read it. Cookies do not know ports, so any other
 * server on this machine is sent the cookie too: by itself it opens the interface's files, never the memory.
 *
 * The cookie has no `__Host-` prefix: that needs `Secure`, which not every browser allows on http://127.0.0.1, and it
 * would keep nobody out, for the prefix knows no ports either.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Rate } from './rate-limit.ts'

export interface Admission {
  /** The whole `Set-Cookie` header. */
  readonly cookie: string
  /** For the page alone; it proves itself with it when it opens a socket. */
  readonly key: string
}

interface Session {
  /** The host that it was entered by, such as `127.0.0.1:4711`; it is good for no other. */
  readonly host: string
  usedAt: number
}

export const address = '127.0.0.1'
/** Browsers that may be in at once; the one that was away the longest has to show the token again. */
const maxSessions = 64
/** A session that nobody used for so long is over. */
const sessionMs = 7 * 24 * 3_600_000
/** Wrong tokens in a minute; guessing 256 bits is hopeless all the same. */
const maxWrongTokens = 20
const minuteMs = 60_000
/** A browser that is started now asks within this time. */
const onceMs = 2 * minuteMs

export class Entry {
  readonly token = randomBytes(32).toString('base64url')
  readonly #secret = randomBytes(32)
  /** By the hash of the id: what lies in memory opens nothing. */
  readonly #sessions = new Map<string, Session>()
  /** Tokens that are good once, by their hash, and until when. */
  readonly #once = new Map<string, number>()
  readonly #wrongTokens: Rate
  readonly #port: () => number
  readonly #now: () => number

  constructor(port: () => number, now: () => number = () => performance.now()) {
    this.#port = port
    this.#now = now
    this.#wrongTokens = new Rate(maxWrongTokens, minuteMs, now)
  }

  /**
   * True for a request that was meant for us: a page elsewhere can make a name of its own point at this machine, but it
   * cannot change the Host header, nor say that it comes from here.
   */
  isOurs(request: IncomingMessage): boolean {
    const host = hostOf(request)
    if (host !== `${address}:${this.#port()}` && host !== `localhost:${this.#port()}`) return false
    const { origin } = request.headers
    return origin === undefined || origin === `http://${host}`
  }

  /** Exchanges the token; a browser that is in already stays the one that it was. */
  admit(token: string, request: IncomingMessage): Admission | 'wrong' | 'wait' {
    if (!isSame(token, this.token) && !this.#takeOnce(token)) return this.#wrongTokens.take() ? 'wrong' : 'wait'
    const id = this.#idOf(request) ?? this.#open(hostOf(request) ?? '')
    return { cookie: `${this.#cookieName()}=${id}; HttpOnly; SameSite=Strict; Path=/`, key: this.#keyOf(id) }
  }

  /** A token that is good once, and soon: what starts a browser can be read by every user of the machine. */
  issueOnce(): string {
    const token = randomBytes(32).toString('base64url')
    this.#once.set(hash(token), this.#now() + onceMs)
    return token
  }

  #takeOnce(token: string): boolean {
    const name = hash(token)
    const until = this.#once.get(name)
    this.#once.delete(name)
    return until !== undefined && this.#now() <= until
  }

  /** True for a browser that was let in: enough for the interface's files. */
  isIn(request: IncomingMessage): boolean {
    return this.#idOf(request) !== undefined
  }

  /** True for a page that was let in and holds the key of its browser's session: enough for everything. */
  mayConnect(request: IncomingMessage, key: string): boolean {
    const id = this.#idOf(request)
    return id !== undefined && isSame(key, this.#keyOf(id))
  }

  #open(host: string): string {
    const id = randomBytes(32).toString('base64url')
    this.#sessions.set(hash(id), { host, usedAt: this.#now() })
    if (this.#sessions.size > maxSessions) {
      const [oldest] = [...this.#sessions].sort(([, one], [, other]) => one.usedAt - other.usedAt)
      if (oldest) this.#sessions.delete(oldest[0])
    }
    return id
  }

  /** The session's id, as the request's cookie gives it; undefined where there is no such session (any more). */
  #idOf(request: IncomingMessage): string | undefined {
    const prefix = `${this.#cookieName()}=`
    const pairs = (request.headers.cookie ?? '').split(/;\s*/)
    for (const pair of pairs) {
      if (!pair.startsWith(prefix)) continue
      const id = pair.slice(prefix.length)
      const name = hash(id)
      const session = this.#sessions.get(name)
      if (!session || session.host !== hostOf(request)) continue
      const now = this.#now()
      if (now - session.usedAt <= sessionMs) {
        session.usedAt = now
        return id
      }
      this.#sessions.delete(name)
    }
    return undefined
  }

  /** Needs no keeping: it follows from the id and from what only this process knows. */
  #keyOf(id: string): string {
    return createHmac('sha256', this.#secret).update(id).digest('base64url')
  }

  /** Two hosts on one machine need two names. */
  #cookieName(): string {
    return `commonplace-${this.#port()}`
  }
}

/** The one Host header; undefined when there is none, or more than one. */
function hostOf(request: IncomingMessage): string | undefined {
  const hosts = request.headersDistinct['host']
  return hosts?.length === 1 ? hosts[0] : undefined
}

function hash(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}

function isSame(given: string, wanted: string): boolean {
  const one = Buffer.from(given)
  const other = Buffer.from(wanted)
  return one.length === other.length && timingSafeEqual(one, other)
}
