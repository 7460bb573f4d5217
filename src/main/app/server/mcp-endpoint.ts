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

export function openMcpPort(hostProcess: HostProcess) {
  const { settings, log } = hostProcess.base
  let endpoint: McpEndpoint | undefined
  let server: Server | undefined
  let requestedPort: number | null = null
  let pendingChange: Promise<void> = Promise.resolve()
  const unsubscribe = settings.changes.subscribe(() => void apply())
  void apply()

  /** Never rejects: logs errors and publishes them as an event. */
  function apply(): Promise<void> {
    pendingChange = pendingChange.then(() => listen(settings.config.desktop.mcpPort))
    return pendingChange
  }

  async function listen(port: number | null): Promise<void> {
    if (port === requestedPort) return
    requestedPort = port
    await endpoint?.close()
    if (server) await closeServer(server)
    endpoint = undefined
    server = undefined
    if (port === null) return
    endpoint = lazyMcpEndpoint(hostProcess)
    try {
      server = await serve(endpoint, port, log)
    } catch (error) {
      const reference = log.fault(error, `port ${port} for other programs (desktop.mcpPort)`)
      hostProcess.publish({ type: 'fault', reference, isRepeated: false })
    }
  }

  return {
    apply,
    get address(): string | undefined {
      return server && `http://${loopbackAddress}:${requestedPort}${mcpPath}`
    },
    async close(): Promise<void> {
      unsubscribe()
      await pendingChange
      await listen(null)
    },
  }
}

async function serve(endpoint: McpEndpoint, port: number, log: HostProcess['base']['log']): Promise<Server> {
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
