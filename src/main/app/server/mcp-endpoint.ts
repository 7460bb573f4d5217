import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { loadHttp, type McpEndpoint } from '#interop'
import type { HostProcess } from '../instance-lock/host-process.ts'
import { once } from 'node:events'
import { TokenBucket } from '#platform'
import { closeServer } from '../instance-lock/primary-connection.ts'
import { loopbackAddress } from './authentication.ts'

export const mcpPath = '/mcp'

/** The MCP endpoint over HTTP. The MCP SDK loads at the first request. */
export class LazyMcpEndpoint {
  readonly #hostProcess: HostProcess
  /** 20 wrong tokens per minute: each costs a request to the process that has the memory open. */
  readonly #wrongTokens = new TokenBucket(20, 60_000)
  #endpoint: Promise<McpEndpoint> | undefined

  constructor(hostProcess: HostProcess) {
    this.#hostProcess = hostProcess
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#endpoint ??= this.#open()
    await (await this.#endpoint).handle(request, response)
  }

  async close(): Promise<void> {
    await (await this.#endpoint)?.close()
  }

  async #open(): Promise<McpEndpoint> {
    const { createMcpEndpoint } = await loadHttp()
    const hostProcess = this.#hostProcess
    return createMcpEndpoint({
      ask: (work) => hostProcess.callPrimary(work),
      onEvent: (listener) => hostProcess.onEvent(listener),
      now: hostProcess.now,
      onFault: async (error) => hostProcess.base.log.fault(error, 'mcp'),
      takeAttempt: () => this.#wrongTokens.take(),
    })
  }
}

const maxConnections = 128
const headersTimeoutMs = 5000

/** Serves MCP over HTTP on 127.0.0.1, on the port of the setting `desktop.mcpPort`. */
export class McpPort {
  readonly #hostProcess: HostProcess
  readonly #unsubscribe: () => void
  #endpoint: LazyMcpEndpoint | undefined
  #server: Server | undefined
  #requestedPort: number | null = null
  #pendingChange: Promise<void> = Promise.resolve()

  constructor(hostProcess: HostProcess) {
    this.#hostProcess = hostProcess
    this.#unsubscribe = hostProcess.base.settings.changes.subscribe(() => void this.apply())
    void this.apply()
  }

  /** Undefined while the server is off. */
  get address(): string | undefined {
    return this.#server && `http://${loopbackAddress}:${this.#requestedPort}${mcpPath}`
  }

  /** Opens the configured port, or closes it for null. Never rejects: logs errors and publishes them as an event. */
  apply(): Promise<void> {
    const { settings } = this.#hostProcess.base
    this.#pendingChange = this.#pendingChange.then(() => this.#listen(settings.config.desktop.mcpPort))
    return this.#pendingChange
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    await this.#pendingChange
    await this.#listen(null)
  }

  async #listen(port: number | null): Promise<void> {
    if (port === this.#requestedPort) return
    this.#requestedPort = port
    await this.#endpoint?.close()
    if (this.#server) await closeServer(this.#server)
    this.#endpoint = undefined
    this.#server = undefined
    if (port === null) return
    this.#endpoint = new LazyMcpEndpoint(this.#hostProcess)
    try {
      this.#server = await this.#serve(this.#endpoint, port)
    } catch (error) {
      const reference = this.#hostProcess.base.log.fault(error, `port ${port} for other programs (desktop.mcpPort)`)
      this.#hostProcess.publish({ type: 'fault', reference, isRepeated: false })
    }
  }

  /** @throws the system's error if the port is not available */
  async #serve(endpoint: LazyMcpEndpoint, port: number): Promise<Server> {
    const { log } = this.#hostProcess.base
    const server = createServer({ headersTimeout: headersTimeoutMs }, (request, response) => {
      if (request.url !== mcpPath) return void response.writeHead(404, { Connection: 'close' }).end()
      endpoint.handle(request, response).catch((error: unknown) => {
        log.fault(error, 'mcp')
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    })
    server.maxConnections = maxConnections
    server.on('connection', (socket) => socket.on('error', () => socket.destroy()))
    server.listen(port, loopbackAddress)
    await once(server, 'listening')
    server.on('error', (error) => log.fault(error, 'mcp'))
    return server
  }
}
