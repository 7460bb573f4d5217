import { createServer, type Server } from 'node:http'
import { loadHttp, type McpEndpoint } from '#interop'
import type { HostProcess } from '../instance-lock/host-process.ts'
import { once } from 'node:events'
import { tokenBucket } from '#platform'
import { closeServer } from '../instance-lock/primary-connection.ts'
import { loopbackAddress } from './authentication.ts'

const mcpPath = '/mcp'

export function isMcpPath(path: string | undefined): boolean {
  return path === mcpPath || path === `${mcpPath}/connector`
}

/** Returns an endpoint that loads the MCP SDK at the first request. */
export function lazyMcpEndpoint(hostProcess: HostProcess): McpEndpoint {
  // Each wrong token costs a request to the process that has the memory open.
  const takeAttempt = tokenBucket(20, 60_000)
  let endpoint: Promise<McpEndpoint> | undefined
  const open = async () => {
    const { createMcpEndpoint } = await loadHttp()
    return createMcpEndpoint({
      ask: (work) => hostProcess.callPrimary(work),
      onEvent: (listener) => hostProcess.onEvent(listener),
      now: hostProcess.now,
      onFault: async (error) => hostProcess.base.log.fault(error, 'mcp'),
      takeAttempt,
    })
  }
  return {
    handle: async (request, response) => (await (endpoint ??= open())).handle(request, response),
    close: async () => (await endpoint)?.close(),
  }
}

export class McpPort {
  readonly #hostProcess: HostProcess
  readonly #unsubscribe: () => void
  #endpoint: McpEndpoint | undefined
  #server: Server | undefined
  #requestedPort: number | null = null
  #pendingChange: Promise<void> = Promise.resolve()

  constructor(hostProcess: HostProcess) {
    this.#hostProcess = hostProcess
    this.#unsubscribe = hostProcess.base.settings.changes.subscribe(() => void this.apply())
    void this.apply()
  }

  get address(): string | undefined {
    return this.#server && `http://${loopbackAddress}:${this.#requestedPort}${mcpPath}`
  }

  /** Never rejects: logs errors and publishes them as an event. */
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
    this.#endpoint = lazyMcpEndpoint(this.#hostProcess)
    try {
      this.#server = await this.#serve(this.#endpoint, port)
    } catch (error) {
      const reference = this.#hostProcess.base.log.fault(error, `port ${port} for other programs (desktop.mcpPort)`)
      this.#hostProcess.publish({ type: 'fault', reference, isRepeated: false })
    }
  }

  async #serve(endpoint: McpEndpoint, port: number): Promise<Server> {
    const { log } = this.#hostProcess.base
    const server = createServer({ headersTimeout: 5000 }, (request, response) => {
      if (!isMcpPath(request.url)) return void response.writeHead(404, { Connection: 'close' }).end()
      endpoint.handle(request, response).catch((error: unknown) => {
        log.fault(error, 'mcp')
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    })
    server.maxConnections = 128
    server.on('connection', (socket) => socket.on('error', () => socket.destroy()))
    server.listen(port, loopbackAddress)
    await once(server, 'listening')
    server.on('error', (error) => log.fault(error, 'mcp'))
    return server
  }
}
