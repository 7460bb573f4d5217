/**
 * The one connection to the runtime: a MessagePort in the desktop window, a WebSocket in a browser. A WebSocket that is
 * lost is opened again; calls wait for it, and whoever listens is told to look at everything anew. Where the runtime no
 * longer knows this browser, that is said, and tried again when another page of it was let in.
 */
import { createORPCClient, ORPCError, type ClientContext, type ClientLink, type ClientOptions } from '@orpc/client'
import { TANSTACK_QUERY_OPERATION_CONTEXT_SYMBOL } from '@orpc/tanstack-query'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { RPCLink as SocketLink } from '@orpc/client/websocket'
import type { ContractClient } from '#shared/contract/index.ts'
import { maxMessageBytes } from '#shared/util/limits.ts'

/** `refused`: this browser was not let in (any more). `flooded`: the runtime hung up because too much came at once. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused' | 'flooded'

/** Nobody answers, and whoever asked is told so instead of waiting on. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

type Link = ClientLink<ClientContext>

/** A view waits this long for a connection that is gone; a runtime that ends hands over to another within seconds. */
const viewPatienceMs = 4000

/** Waits before each try to connect again, in ms; the last one is repeated. */
const retryDelaysMs = [200, 500, 1000, 2000, 5000]
/** After being refused; another page that is let in cuts it short. */
const refusedDelayMs = 60_000
/** After it was too much. */
const floodedDelayMs = 5000
/** Codes of RFC 6455 with which the runtime hangs up on whoever sends too much. */
const floodCodes: ReadonlySet<number> = new Set([1008, 1009, 1013])

export class Connection {
  readonly client: ContractClient
  #state: ConnectionState = 'connecting'
  #link: Promise<Link>
  readonly #listeners = new Set<() => void>()
  /** Lets go of the socket that is open. */
  #giveUp: (() => void) | undefined

  constructor() {
    window.addEventListener('offline', () => void this.check())
    this.#link = isDesktop() ? this.#connectPort() : this.#connectSocket()
    const link: Link = {
      call: async (path: readonly string[], input: unknown, options: ClientOptions<ClientContext>) =>
        (await (isForView(options) ? this.#linkInTime() : this.#link)).call(path, input, options),
    }
    this.client = createORPCClient<ContractClient>(link)
  }

  get state(): ConnectionState {
    return this.#state
  }

  onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A socket can stay open with nobody behind it: asked for over a way of its own, it is found out. */
  async check(): Promise<void> {
    const asked = this.#giveUp
    if (asked && !(await isAnswering()) && this.#giveUp === asked) asked()
  }

  async #connectPort(): Promise<Link> {
    const { port1, port2 } = new MessageChannel()
    window.postMessage('commonplace:connect', location.origin === 'null' ? '*' : location.origin, [port2])
    port1.start()
    this.#become('open')
    return new PortLink({ port: port1 })
  }

  async #connectSocket(delayMs = 0): Promise<Link> {
    await pause(delayMs)
    await adoptKey()
    for (let attempt = 0; ; attempt += 1) {
      const socket = await openSocket()
      if (socket) {
        const end = (code: number) => {
          if (this.#giveUp !== giveUp) return
          const isFlooded = floodCodes.has(code)
          this.#giveUp = undefined
          this.#link = this.#connectSocket(isFlooded ? floodedDelayMs : 0)
          this.#become(isFlooded ? 'flooded' : 'lost')
        }
        const giveUp = () => {
          end(0)
          socket.close()
        }
        this.#giveUp = giveUp
        this.#become('open')
        socket.addEventListener('close', ({ code }) => end(code))
        return new SocketLink({ websocket: limited(socket) })
      }
      const isRefused = (await checkAccess(keptKey())) === 'refused'
      this.#become(isRefused ? 'refused' : 'lost')
      await pause(isRefused ? refusedDelayMs : (retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)] ?? 0))
    }
  }

  /** @throws Unreachable */
  async #linkInTime(): Promise<Link> {
    if (this.#state === 'open') return this.#link
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Unreachable('the runtime cannot be reached')), viewPatienceMs)
    try {
      return await Promise.race([this.#link, late])
    } finally {
      clearTimeout(timer)
    }
  }

  #become(state: ConnectionState): void {
    if (this.#state === state) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** What a view reads can be asked for again; what somebody does must not be given up while it might still be done. */
function isForView({ context }: ClientOptions<ClientContext>): boolean {
  const operation = Reflect.get(context ?? {}, TANSTACK_QUERY_OPERATION_CONTEXT_SYMBOL) as { type?: string } | undefined
  return operation?.type === 'query'
}

/** The preload script leaves this mark; there is nothing else to see of it. */
function isDesktop(): boolean {
  return 'commonplaceDesktop' in window
}

function openSocket(): Promise<WebSocket | undefined> {
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/rpc`
  // A page can send a socket no header of its own: the key goes as the name of a protocol.
  const socket = new WebSocket(address, ['commonplace', keptKey() || 'none'])
  return new Promise((resolve) => {
    socket.addEventListener('open', () => resolve(socket), { once: true })
    socket.addEventListener('error', () => resolve(undefined), { once: true })
  })
}

/** A message over the limit would cost the connection; so it fails here, alone. */
function limited(
  socket: WebSocket,
): Pick<WebSocket, 'send' | 'addEventListener' | 'removeEventListener' | 'readyState'> {
  return {
    get readyState() {
      return socket.readyState
    },
    addEventListener: socket.addEventListener.bind(socket),
    removeEventListener: socket.removeEventListener.bind(socket),
    send(data) {
      const bytes = sizeOf(data)
      if (bytes <= maxMessageBytes) return socket.send(data)
      const megabytes = Math.ceil(bytes / 1024 / 1024)
      throw new ORPCError('message_too_large', { message: `${megabytes} MB are too much`, data: { megabytes } })
    },
  }
}

function sizeOf(data: string | ArrayBufferLike | Blob | ArrayBufferView): number {
  if (data instanceof Blob) return data.size
  if (typeof data !== 'string') return data.byteLength
  // No character takes more than three bytes: only a long text has to be measured.
  return data.length * 3 <= maxMessageBytes ? data.length : new Blob([data]).size
}

/** Until the time has passed, another page of this browser was let in, or the browser says that it is online again. */
function pause(ms: number): Promise<void> {
  if (ms === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      stop()
      resolve()
    }
    const timer = setTimeout(done, ms)
    window.addEventListener('online', done)
    const stop = onKeyChange(done)
  })
}

/**
 * How a page proves that this browser was let in. The address that the terminal shows leads here with a key in the
 * fragment; the page keeps it in the storage of exactly this origin, so that reloads, restored tabs and further tabs
 * find it, and no page of another port does. Without the browser's cookie it opens nothing.
 */

const storageName = 'commonplace:key'
const inFragment = /^#key=([\w-]{20,100})$/

/** The key of this browser; empty when it has none. */
function keptKey(): string {
  return localStorage.getItem(storageName) ?? ''
}

/**
 * Takes the key out of the address, if one is there, and keeps it. Anybody's link can bring one along: it takes the place
 * of another only if it is right.
 */
async function adoptKey(): Promise<void> {
  const key = inFragment.exec(location.hash)?.[1]
  if (key === undefined) return
  history.replaceState(history.state, '', location.pathname + location.search)
  if (key === keptKey()) return
  // At once where there is none to lose: the page may be left before anybody answers.
  if (keptKey() === '' || (await checkAccess(key)) === 'allowed') localStorage.setItem(storageName, key)
}

/** Asks whether a key opens the memory; a socket that is refused does not say why. */
async function checkAccess(key: string): Promise<'allowed' | 'refused' | 'unknown'> {
  try {
    const { status } = await fetch('/rpc', { headers: { 'Commonplace-Key': key }, cache: 'no-store' })
    return status === 204 ? 'allowed' : status === 401 ? 'refused' : 'unknown'
  } catch {
    // Nobody answers: the runtime is gone, for now.
    return 'unknown'
  }
}

/** How long somebody may take to answer anything at all, in ms. */
const answerMs = 3000

/** True when somebody answers, whatever it is. */
async function isAnswering(): Promise<boolean> {
  try {
    const headers = { 'Commonplace-Key': keptKey() }
    await fetch('/rpc', { headers, cache: 'no-store', signal: AbortSignal.timeout(answerMs) })
    return true
  } catch {
    return false
  }
}

/** @returns what ends it */
function onKeyChange(listener: () => void): () => void {
  const look = ({ key }: StorageEvent) => {
    if (key === storageName) listener()
  }
  window.addEventListener('storage', look)
  return () => window.removeEventListener('storage', look)
}
