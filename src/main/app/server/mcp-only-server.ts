/** `/mcp` and nothing else, on this machine: for an app whose windows need no server (M58). */
import { createServer } from 'node:http'
import type { Log } from '#platform'
import { address } from './authentication.ts'
import { mcpPath, type McpDoor } from './mcp-endpoint.ts'

export interface McpHost {
  readonly address: string
  close(): Promise<void>
}

/** Programs ask one thing at a time; each has a handful of connections. */
const maxConnections = 128
const headersMs = 5000

/** @throws what the system says of a port that is not to be had */
export async function serveMcp(door: McpDoor, port: number, log: Log): Promise<McpHost> {
  const server = createServer({ headersTimeout: headersMs }, (request, response) => {
    if (request.url !== mcpPath) return void response.writeHead(404, { Connection: 'close' }).end()
    door.handle(request, response).catch((error: unknown) => {
      log.fault(error, 'mcp')
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  server.maxConnections = maxConnections
  server.on('connection', (socket) => socket.on('error', () => socket.destroy()))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => {
      server.off('error', reject)
      resolve()
    })
  })
  server.on('error', (error) => log.fault(error, 'mcp'))
  return {
    address: `http://${address}:${port}${mcpPath}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
