/**
 * The only way to other machines. Every request is written to a ledger before it is sent: when, for what, to whom and
 * how many characters, never the content. A second line with the same id has the outcome. Threads and processes share
 * the file: each line is one write in append mode, so lines do not mix. A full file becomes `.old` and replaces the
 * previous one; the two have 20,000 to 40,000 requests.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { appendFile, open, rename, stat } from 'node:fs/promises'
import { outboundOutcomeSchema, outboundRequestSchema, type OutboundRequest } from '#shared/contract/outbound.ts'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { isLocalAddress } from '#shared/util/locality.ts'
import { type Clock, systemClock } from '../clock.ts'
import { Mutex } from '../fs/mutex.ts'
import type { Fetch } from './bounded-fetch.ts'

export interface RequestOrigin extends Pick<OutboundRequest, 'purpose'> {
  readonly isPrivate?: boolean | undefined
  readonly isAllowed?: boolean | undefined
  /** False if a loopback address leads to another machine; true if the user trusts the machine like this one. */
  readonly isLocal?: boolean | undefined
}

export class Outbound {
  /** Id of the chat for which the running asynchronous code works. */
  static readonly chat = new AsyncLocalStorage<string>()
  readonly #file: string
  readonly #now: Clock
  readonly #maxBytes: number

  /** @param file absolute path of the ledger; its folder exists */
  constructor(file: string, now: Clock = systemClock, maxBytes = 4 * 1024 * 1024) {
    this.#file = file
    this.#now = now
    this.#maxBytes = maxBytes
  }

  /** Does not follow redirects: they may lead to another machine. @throws AppError as `track` */
  fetch(origin: RequestOrigin, send: Fetch = fetch): Fetch {
    return async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      const characters = lengthOf(init?.body) ?? url.pathname.length + url.search.length
      const request = () => send(input, { ...init, redirect: 'manual' })
      return this.track(origin, url.href, characters, request, ({ status }) => status)
    }
  }

  /**
   * Records a request, sends it and records its outcome. Requests to this machine are not recorded.
   * @param target URL, or `program:<name>` for a program that may send what it gets
   * @throws AppError `private_stays_here`, `outbound_unrecorded`; nothing is sent
   */
  async track<T>(
    { purpose, isPrivate = false, isAllowed = false, isLocal }: RequestOrigin,
    target: string,
    characters: number,
    send: () => Promise<T>,
    outcomeOf: (result: T) => number | string = () => 'ok',
  ): Promise<T> {
    const host = target.startsWith('program:') ? target : new URL(target).origin
    const isLoopback = isLocalAddress(target)
    if (isPrivate && !isAllowed && !(isLocal ?? isLoopback))
      throw new AppError('private_stays_here', `private text was not sent to ${host}`, { host })
    if (isLoopback && isLocal !== false) return send()
    const chat = Outbound.chat.getStore()
    const id = randomBytes(6).toString('base64url')
    try {
      const at = this.#now().toISOString()
      await this.#append({ id, at, purpose, host, ...(chat && { chat }), ...(isPrivate && { isPrivate }), characters })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `the request to ${host} was not sent, because it cannot be recorded: ${reason}`
      throw new AppError('outbound_unrecorded', message, { host, path: this.#file, reason }, { cause: error })
    }
    // The request was sent: a missing outcome is shown as such.
    const settle = (outcome: number | string) => this.#append({ id, outcome }).catch(() => undefined)
    try {
      const result = await send()
      await settle(outcomeOf(result))
      return result
    } catch (error) {
      await settle(codeOf(error))
      throw error
    }
  }

  /** Returns the newest requests, newest first, and the number of all in the ledger. Skips unreadable lines. */
  async requests(most: number): Promise<{ requests: OutboundRequest[]; total: number }> {
    const requests = new Map<string, OutboundRequest>()
    for (const file of [`${this.#file}.old`, this.#file]) {
      const handle = await open(file).catch(onSystemError(undefined, 'ENOENT'))
      for await (const line of handle?.readLines() ?? []) {
        const entry = outboundRequestSchema.or(outboundOutcomeSchema).safeParse(parseJson(line)).data
        const request = entry && ('at' in entry ? entry : requests.get(entry.id))
        if (request) requests.set(request.id, { ...request, ...entry })
      }
    }
    return { requests: [...requests.values()].slice(-most).toReversed(), total: requests.size }
  }

  async #append(line: object): Promise<void> {
    // The first line break ends a line that a crash or a full disk has cut.
    await appendFile(this.#file, `\n${JSON.stringify(line)}\n`, { mode: 0o600, flush: true })
    // The line is on disk: a failed rotation is tried again after the next one.
    await this.#rotateIfFull().catch(() => undefined)
  }

  async #rotateIfFull(): Promise<void> {
    const isFull = async () => (await stat(this.#file)).size > this.#maxBytes
    if (!(await isFull())) return
    await Mutex.runOnce(this.#file, async () => {
      // Another process may have renamed the file.
      if (await isFull()) await rename(this.#file, `${this.#file}.old`)
    })
  }
}

/** Bytes for binary data; undefined without a body. */
function lengthOf(body: unknown): number | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string') return body.length
  if (ArrayBuffer.isView(body)) return body.byteLength
  throw new TypeError('the size of this body is unknown')
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  if (error.cause instanceof Error) return codeOf(error.cause)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
