import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type AuthInfo, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MemoryClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { MemoryAccess } from './caller.ts'
import { failureText } from './tool-failure.ts'
import { noteUri, listKey, notesFor } from './mcp-resources.ts'
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

interface ClientHandler extends McpHttpHandler {
  readonly agent: string
  readonly client: string
  readonly nodeHandler: NodeHandler
  /** Result of `listKey` after the last change; undefined if the notes could not be listed. */
  lastListKey: Promise<string | undefined>
}

/** Requires a loopback host, a loopback origin and a token. */
export function createMcpEndpoint(access: HttpAccess): McpEndpoint {
  const isHostAllowed = localhostHostValidation()
  const isOriginAllowed = localhostOriginValidation()
  /** One handler for each program and agent: a change event may reach only programs that can read the note. */
  const handlers = new Map<string, ClientHandler>()

  const handlerFor = ({ id: client, agent }: MemoryClient) => {
    const key = JSON.stringify([client, agent])
    const existing = handlers.get(key)
    if (existing) return existing
    const options = { onerror: () => undefined, maxRequestBodySize: maxRequestBytes, maxSubscriptions }
    const handler = createMcpHandler((context) => buildMemoryServer(accessFor(access, context.authInfo)), options)
    // Listing also opens the memory for programs that only subscribe. Later requests report errors.
    const files = notesFor({ agent, client, ask: access.ask }).catch(() => undefined)
    const created: ClientHandler = {
      ...handler,
      lastListKey: files.then((listed) => listed && listKey(listed)),
      client,
      agent,
      nodeHandler: toNodeHandler(handler, {
        maxRequestBodySize: maxRequestBytes,
        onerror: (error) => void access.onFault(error),
      }),
    }
    handlers.set(key, created)
    return created
  }

  const notifyClient = async (clientHandler: ClientHandler, paths: readonly string[]) => {
    const files = await notesFor({ ...clientHandler, ask: access.ask }).catch(() => undefined)
    const previousKey = await clientHandler.lastListKey
    if (!files) return
    clientHandler.lastListKey = Promise.resolve(listKey(files))
    const readablePaths = new Set(files.map(({ path }) => path))
    for (const path of paths) if (readablePaths.has(path)) clientHandler.notify.resourceUpdated(noteUri(path))
    if (listKey(files) !== previousKey) clientHandler.notify.resourcesChanged()
  }

  const stopListening = access.onEvent((event) => {
    if (event.type !== 'filesChanged') return
    for (const clientHandler of handlers.values())
      if (clientHandler.agent === event.agent) void notifyClient(clientHandler, event.paths)
  })

  return {
    async handle(request, response) {
      if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return
      const token = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1]
      const client = token === undefined ? null : await authenticate(access, token)
      if (client instanceof AppError) return refuse(response, 403, await failureText(client, access.onFault))
      if (!client) return access.takeAttempt() ? refuse(response, 401) : refuse(response, 429)
      const auth: AuthInfo = { token: '', clientId: client.id, scopes: [], extra: { client } }
      // The SDK's type declares optional fields without `undefined`.
      const authorizedRequest = Object.assign(request, { auth }) as unknown as Parameters<NodeHandler>[0]
      await handlerFor(client).nodeHandler(authorizedRequest, response)
    },
    async close() {
      stopListening()
      await Promise.all([...handlers.values()].map((handler) => handler.close()))
    },
  }
}

/** Null for an unknown token; an expected failure such as an archived agent is returned. */
async function authenticate({ ask }: HttpAccess, token: string): Promise<MemoryClient | AppError | null> {
  return ask((primary) => primary.clients.admit({ token })).catch((error: unknown) => {
    if (error instanceof AppError) return error
    throw error
  })
}

function accessFor({ ask, now, onFault }: HttpAccess, auth: AuthInfo | undefined): MemoryAccess {
  const client = auth?.extra?.['client'] as MemoryClient
  return {
    ask,
    now,
    onFault,
    // `createMcpEndpoint` sends the events: this server exists for one request only.
    onEvent: () => () => undefined,
    caller: async () => client,
    isReadOnly: client.permission === 'read',
  }
}

const messages = {
  401: 'Send the token that Commonplace issued for this program (Settings › Programs): Authorization: Bearer …',
  403: 'This program has no access.',
  429: 'Too many wrong tokens. Wait a minute.',
} as const

function refuse(response: ServerResponse, status: keyof typeof messages, message: string = messages[status]): void {
  const error = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null }
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="commonplace"' } : {}),
    Connection: 'close',
  })
  response.end(JSON.stringify(error))
}
