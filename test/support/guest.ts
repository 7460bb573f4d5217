import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { createRouterClient } from '@orpc/server'
import type { App } from '../../src/main/app/composition/create-app.ts'
import { createRouter } from '../../src/main/app/api/router.ts'
import { buildMemoryServer } from '../../src/main/interop/mcp-server/mcp-server.ts'
import { fromOrpcError } from '../../src/main/platform/index.ts'

/** Connects a program to both MCP servers of the app, in this process. @returns `primary` for calls of the interface */
export async function connectGuest(app: App, now: () => Date) {
  const primary = createRouterClient(createRouter(app))
  const { id, limits } = await primary.clients.meet({ client: 'guest', name: 'Guest', agent: 'main' })
  await primary.clients.update({ client: id, limits: { ...limits, callsPerMinute: 10_000 } })
  const open = async (isConnector: boolean) => {
    const server = buildMemoryServer({
      ask: (work) => work(primary, false).catch((error: unknown) => Promise.reject(fromOrpcError(error))),
      onEvent: () => () => undefined,
      caller: () => primary.clients.meet({ client: 'guest', name: 'Guest' }),
      isReadOnly: false,
      isConnector,
      now,
      onFault: async (error) => {
        throw error
      },
    })
    const client = new Client({ name: 'Guest', version: '1' })
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
    await server.connect(serverSide)
    await client.connect(clientSide)
    return client
  }
  return { primary, guest: await open(false), connector: await open(true) }
}
