import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { loadHttp, type McpEndpoint } from '#interop'
import type { HostProcess } from '../instance-lock/host-process.ts'
import { once } from 'node:events'
import { TokenBucket, type Log } from '#platform'
import { closeServer } from './close-server.ts'
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

export interface McpHost {
  readonly address: string
  close(): Promise<void>
}

const maxConnections = 128
const headersTimeoutMs = 5000

/** Serves MCP over HTTP on 127.0.0.1. @throws the system's error if the port is not available */
export async function serveMcp(mcpEndpoint: LazyMcpEndpoint, port: number, log: Log): Promise<McpHost> {
  const server = createServer({ headersTimeout: headersTimeoutMs }, (request, response) => {
    if (request.url !== mcpPath) return void response.writeHead(404, { Connection: 'close' }).end()
    mcpEndpoint.handle(request, response).catch((error: unknown) => {
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
  return {
    address: `http://${loopbackAddress}:${port}${mcpPath}`,
    close: () => closeServer(server),
  }
}
