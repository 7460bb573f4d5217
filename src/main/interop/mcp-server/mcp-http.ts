import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MemoryClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { MemoryAccess } from './caller.ts'
import { failureText } from './tool-failure.ts'
import { listKey, notesFor, reportChanges } from './mcp-resources.ts'
import { buildMemoryServer } from './mcp-server.ts'

/** Larger than the longest note. */
const maxRequestBytes = 256 * 1024
const maxSubscriptions = 256

interface HttpAccess extends Pick<MemoryAccess, 'ask' | 'onEvent' | 'now' | 'onFault'> {
  /** Counts a wrong token. False while the rate limit is exceeded. */
  readonly takeAttempt: () => boolean
}

export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  close(): Promise<void>
}

type NodeHandler = ReturnType<typeof toNodeHandler>

export function createMcpEndpoint(access: HttpAccess): McpEndpoint {
  const isHostAllowed = localhostHostValidation()
  const isOriginAllowed = localhostOriginValidation()
  /** One handler for each program and agent: a change event may reach only programs that can read the note. */
  const handlers = new Map<string, { readonly nodeHandler: NodeHandler; readonly close: () => Promise<void> }>()

  const handlerFor = ({ id: client, agent }: MemoryClient, isConnector: boolean) => {
    const key = JSON.stringify([client, agent, isConnector])
    const existing = handlers.get(key)
    if (existing) return existing
    const options = { onerror: () => undefined, maxRequestBodySize: maxRequestBytes, maxSubscriptions }
    const handler = createMcpHandler(
      (context) => buildMemoryServer(accessFor(access, context.authInfo, isConnector)),
      options,
    )
    const lastList: { key?: string } = {}
    const stopReports = reportChanges(access, async () => ({ id: client, agent }), handler.notify, lastList)
    // Listing also opens the memory for programs that only subscribe. Later requests report errors.
    const listed = notesFor({ agent, client, ask: access.ask }).catch(() => [])
    void listed.then((files) => (lastList.key = listKey(files)))
    const created = {
      nodeHandler: toNodeHandler(handler, {
        maxRequestBodySize: maxRequestBytes,
        onerror: (error) => void access.onFault(error),
      }),
      close: () => {
        stopReports()
        return handler.close()
      },
    }
    handlers.set(key, created)
    return created
  }

  return {
    async handle(request, response) {
      if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return
      const token = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
      const client = token === undefined ? null : await authenticate(access, token)
      if (client instanceof AppError) return refuse(response, 403, await failureText(client, access.onFault))
      if (!client)
        return access.takeAttempt() ? refuse(response, 401, messages[401]) : refuse(response, 429, messages[429])
      const auth: AuthInfo = { token: '', clientId: client.id, scopes: [], extra: { client } }
      // The SDK's type declares optional fields without `undefined`.
      const authorizedRequest = Object.assign(request, { auth }) as unknown as Parameters<NodeHandler>[0]
      await handlerFor(client, request.url?.endsWith('/connector') === true).nodeHandler(authorizedRequest, response)
    },
    async close() {
      await Promise.all([...handlers.values()].map((handler) => handler.close()))
    },
  }
}

/** Returns null for an unknown token; an expected failure such as an archived agent is returned. */
async function authenticate({ ask }: HttpAccess, token: string): Promise<MemoryClient | AppError | null> {
  return ask((primary) => primary.clients.admit({ token })).catch((error: unknown) => {
    if (error instanceof AppError) return error
    throw error
  })
}

function accessFor({ ask, now, onFault }: HttpAccess, auth: AuthInfo | undefined, isConnector: boolean): MemoryAccess {
  const client = auth?.extra?.['client'] as MemoryClient
  return {
    ask,
    now,
    onFault,
    // `createMcpEndpoint` sends the events: this server exists for one request only.
    onEvent: () => () => undefined,
    caller: async () => client,
    isReadOnly: client.permission === 'read',
    isConnector,
  }
}

const messages = {
  401: 'Send the token that Commonplace issued for this program (Settings › Programs): Authorization: Bearer …',
  429: 'Too many wrong tokens. Wait a minute.',
} as const

function refuse(response: ServerResponse, status: 401 | 403 | 429, message: string): void {
  const error = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null }
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="commonplace"' } : {}),
    Connection: 'close',
  })
  response.end(JSON.stringify(error))
}
