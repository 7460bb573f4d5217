/**
 * The one connection to the runtime: a MessagePort in the desktop window, a WebSocket in a browser. A WebSocket that is
 * lost is opened again; calls wait for it, and whoever listens is told to look at everything anew.
 */
import { createORPCClient, type ClientContext, type ClientLink, type ClientOptions } from '@orpc/client'
import { RPCLink as PortLink } from '@orpc/client/message-port'
import { RPCLink as SocketLink } from '@orpc/client/websocket'
import type { ContractClient } from '../../shared/contract/index.ts'

export type ConnectionState = 'connecting' | 'open' | 'lost'

type Link = ClientLink<ClientContext>

/** Waits before each try to connect again, in ms; the last one is repeated. */
const retryDelaysMs = [200, 500, 1000, 2000, 5000]

export class Connection {
  readonly client: ContractClient
  #state: ConnectionState = 'connecting'
  #link: Promise<Link>
  readonly #listeners = new Set<() => void>()

  constructor() {
    this.#link = isDesktop() ? this.#connectPort() : this.#connectSocket()
    const link: Link = {
      call: async (path: readonly string[], input: unknown, options: ClientOptions<ClientContext>) =>
        (await this.#link).call(path, input, options),
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

  async #connectPort(): Promise<Link> {
    const { port1, port2 } = new MessageChannel()
    window.postMessage('commonplace:connect', location.origin === 'null' ? '*' : location.origin, [port2])
    port1.start()
    this.#become('open')
    return new PortLink({ port: port1 })
  }

  async #connectSocket(): Promise<Link> {
    for (let attempt = 0; ; attempt += 1) {
      const socket = await openSocket()
      if (socket) {
        this.#become('open')
        socket.addEventListener('close', () => {
          this.#link = this.#connectSocket()
          this.#become('lost')
        })
        return new SocketLink({ websocket: socket })
      }
      this.#become('lost')
      await new Promise((resolve) => setTimeout(resolve, retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)]))
    }
  }

  #become(state: ConnectionState): void {
    if (this.#state === state) return
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** The preload script leaves this mark; there is nothing else to see of it. */
function isDesktop(): boolean {
  return 'commonplaceDesktop' in window
}

function openSocket(): Promise<WebSocket | undefined> {
  const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/rpc`)
  return new Promise((resolve) => {
    socket.addEventListener('open', () => resolve(socket), { once: true })
    socket.addEventListener('error', () => resolve(undefined), { once: true })
  })
}
