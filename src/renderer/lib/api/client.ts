import { createORPCClient, ORPCError, type ClientContext, type ClientLink, type ClientOptions } from '@orpc/client'
import { TANSTACK_QUERY_OPERATION_CONTEXT_SYMBOL, createTanstackQueryUtils } from '@orpc/tanstack-query'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { RPCLink as SocketLink } from '@orpc/client/websocket'
import type { ContractClient } from '#shared/contract/index.ts'
import { maxMessageBytes } from '#shared/util/limits.ts'
import { EventEmitter } from '#shared/util/events.ts'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { createMutationCache } from '../feedback/toast.ts'

/** `refused`: the runtime does not accept this browser's key. */
type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused'

class ConnectionTimeoutError extends Error {
  override name = 'Unreachable'
}

type Link = ClientLink<ClientContext>

/** Queries wait this long for a lost connection. Another runtime takes over within seconds. */
const queryTimeoutMs = 4000

/** Delays before each reconnect attempt, in ms; the last one repeats. */
const retryDelaysMs = [200, 500, 1000, 2000, 5000]
/** Delay after a refusal, in ms. Ends early when another page of this browser gets access. */
const refusedDelayMs = 60_000

/**
 * The single connection to the runtime: a MessagePort in the desktop window, a WebSocket in a browser. A lost
 * WebSocket is reopened, calls wait for it, and listeners are notified so that they can refetch.
 */
class Connection {
  readonly client: ContractClient
  state: ConnectionState = 'connecting'
  #link: Promise<Link>
  readonly #changes = new EventEmitter()
  readonly onChange = this.#changes.subscribe
  #dropSocket: (() => void) | undefined

  constructor() {
    window.addEventListener('offline', () => void this.check())
    // The preload script of the desktop window sets this property; it exposes nothing else.
    this.#link = 'commonplaceDesktop' in window ? this.#connectPort() : this.#connectSocket()
    const link: Link = {
      call: async (path: readonly string[], input: unknown, options: ClientOptions<ClientContext>) =>
        (await (isQuery(options) ? this.#linkOrTimeout() : this.#link)).call(path, input, options),
    }
    this.client = createORPCClient<ContractClient>(link)
  }

  /** Detects a half-open socket: sends a separate HTTP request and drops the socket if it fails. */
  async check(): Promise<void> {
    const drop = this.#dropSocket
    if (!drop) return
    const status = await requestStatus(storedKey(), AbortSignal.timeout(reachabilityTimeoutMs))
    if (status === undefined && this.#dropSocket === drop) drop()
  }

  async #connectPort(): Promise<Link> {
    const { port1, port2 } = new MessageChannel()
    window.postMessage('commonplace:connect', location.origin === 'null' ? '*' : location.origin, [port2])
    port1.start()
    this.#setState('open')
    return new PortLink({ port: port1 })
  }

  async #connectSocket(): Promise<Link> {
    await takeKeyFromAddress()
    for (let attempt = 0; ; attempt += 1) {
      const socket = await openSocket()
      if (socket) {
        const onClose = () => {
          if (this.#dropSocket !== drop) return
          this.#dropSocket = undefined
          this.#link = this.#connectSocket()
          this.#setState('lost')
        }
        const drop = () => {
          onClose()
          socket.close()
        }
        this.#dropSocket = drop
        this.#setState('open')
        socket.addEventListener('close', onClose)
        limitSize(socket)
        return new SocketLink({ websocket: socket })
      }
      // A refused WebSocket does not report a reason.
      const isRefused = (await requestStatus(storedKey())) === 401
      this.#setState(isRefused ? 'refused' : 'lost')
      await delay(isRefused ? refusedDelayMs : (retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)] ?? 0))
    }
  }

  /** Waits at most `queryTimeoutMs` for the connection. @throws ConnectionTimeoutError if it is not open in time */
  async #linkOrTimeout(): Promise<Link> {
    if (this.state === 'open') return this.#link
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    setTimeout(() => reject(new ConnectionTimeoutError('the runtime cannot be reached')), queryTimeoutMs)
    return Promise.race([this.#link, timeout])
  }

  #setState(state: ConnectionState): void {
    this.state = state
    this.#changes.emit()
  }
}

/** Only queries may time out: a mutation that timed out could still be carried out. */
function isQuery({ context }: ClientOptions<ClientContext>): boolean {
  const operation = Reflect.get(context ?? {}, TANSTACK_QUERY_OPERATION_CONTEXT_SYMBOL) as { type?: string } | undefined
  return operation?.type === 'query'
}

function openSocket(): Promise<WebSocket | undefined> {
  const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/rpc`
  // A page cannot set headers on a WebSocket, so the key travels as a subprotocol.
  const socket = new WebSocket(address, ['commonplace', storedKey() || 'none'])
  return new Promise((resolve) => {
    socket.addEventListener('open', () => resolve(socket), { once: true })
    socket.addEventListener('error', () => resolve(undefined), { once: true })
  })
}

/** Makes `send` throw for a message over the size limit, since the runtime would close the connection. */
function limitSize(socket: WebSocket): void {
  const send = socket.send.bind(socket)
  socket.send = (data) => {
    // A UTF-16 code unit takes at most three bytes in UTF-8, so only long texts are measured.
    const isShort = typeof data === 'string' && data.length * 3 <= maxMessageBytes
    const bytes = isShort ? 0 : new Blob([data]).size
    if (bytes <= maxMessageBytes) return send(data)
    const megabytes = Math.ceil(bytes / 1024 / 1024)
    throw new ORPCError('message_too_large', { message: `${megabytes} MB is too large`, data: { megabytes } })
  }
}

/** Resolves after `ms`, or earlier if another page of this browser gets access or the browser is online again. */
function delay(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const listening = new AbortController()
  setTimeout(resolve, ms)
  window.addEventListener('online', () => resolve(), listening)
  window.addEventListener('storage', ({ key }) => key === storageName && resolve(), listening)
  return promise.finally(() => listening.abort())
}

/**
 * Access key of this browser. The address that the terminal shows carries it in the fragment. The page stores
 * it per origin, so reloads and other tabs find it and pages of another port do not. It is useless without
 * the browser's cookie.
 */
const storageName = 'commonplace:key'
const keyInFragment = /^#key=([\w-]{20,100})$/

function storedKey(): string {
  return localStorage.getItem(storageName) ?? ''
}

async function takeKeyFromAddress(): Promise<void> {
  const key = keyInFragment.exec(location.hash)?.[1]
  if (key === undefined) return
  history.replaceState(history.state, '', location.pathname + location.search)
  if (key === storedKey()) return
  // Any link can carry a key, so it replaces an existing one only after the runtime has accepted it. Without one, it
  // is stored at once: the page may be closed before the check returns.
  if (storedKey() === '' || (await requestStatus(key)) === 204) localStorage.setItem(storageName, key)
}

const reachabilityTimeoutMs = 3000

/** Returns undefined if the runtime does not answer. */
async function requestStatus(key: string, signal?: AbortSignal): Promise<number | undefined> {
  try {
    const headers = { 'Commonplace-Key': key }
    return (await fetch('/rpc', { headers, cache: 'no-store', ...(signal && { signal }) })).status
  } catch {
    return undefined
  }
}

export const connection = new Connection()
export const { client } = connection
export const api = createTanstackQueryUtils(client)

/** Retries of a query whose socket was closed. Another runtime takes over within seconds. */
const maxRetries = 20

function shouldRetry(failures: number, error: unknown): boolean {
  if (error instanceof ORPCError || error instanceof ConnectionTimeoutError || failures >= maxRetries) return false
  return error instanceof Error && /AsyncIdQueue|WebSocket is not open/.test(error.message)
}

/** Data never goes stale on a timer: events invalidate it. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // Keeps cached data when the runtime cannot be reached, and marks it stale for a refetch after reconnecting.
    onError: (error, query) => {
      if (query.state.data !== undefined && !(error instanceof ORPCError))
        query.setState({ status: 'success', error: null, isInvalidated: true })
    },
  }),
  mutationCache: createMutationCache(),
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      retry: shouldRetry,
      retryDelay: 500,
      refetchOnWindowFocus: false,
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
})

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(connection.onChange, () => connection.state)
}
