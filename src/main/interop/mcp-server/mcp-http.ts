import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type AuthInfo, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MemoryClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { MemoryAccess } from './access.ts'
import { failureText } from './tool-failure.ts'
import { noteUri } from './note-uri.ts'
import { listKey, notesFor } from './mcp-resources.ts'
import { buildMemoryServer } from './mcp-server.ts'

/** Limit of a request, bytes: the longest note and some room. */
const maxRequestBytes = 4 * 1024 * 1024
const maxSubscriptions = 256

export interface HttpAccess extends Pick<MemoryAccess, 'ask' | 'onEvent' | 'now' | 'onFault'> {
  /** Returns false while the rate limit for wrong tokens is exceeded. */
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
  readonly node: NodeHandler
  listedKey: Promise<string | undefined>
}

/** Creates the HTTP handler of the MCP server. It accepts only loopback hosts and origins, and requires a token. */
export function createMcpEndpoint(access: HttpAccess): McpEndpoint {
  const isHostAllowed = localhostHostValidation()
  const isOriginAllowed = localhostOriginValidation()
  /** One handler per program and agent: change events may reach only programs that can read the note. */
  const handlers = new Map<string, ClientHandler>()

  const handlerOf = ({ id: client, agent }: MemoryClient) => {
    const key = JSON.stringify([client, agent])
    const known = handlers.get(key)
    if (known) return known
    const onerror = () => undefined
    const options = { onerror, maxRequestBodySize: maxRequestBytes, maxSubscriptions }
    const handler = createMcpHandler((context) => buildMemoryServer(accessFor(access, context.authInfo)), options)
    // Also opens the memory for programs that only subscribe. Later requests report errors.
    const files = notesFor(access.ask, { agent, client }).catch(() => undefined)
    const created: ClientHandler = {
      ...handler,
      listedKey: files.then((known) => known && listKey(known)),
      client,
      agent,
      node: toNodeHandler(handler, {
        maxRequestBodySize: maxRequestBytes,
        onerror: (error) => void access.onFault(error),
      }),
    }
    handlers.set(key, created)
    return created
  }

  const notifyClient = async (clientHandler: ClientHandler, paths: readonly string[]) => {
    const [files, previousKey] = [
      await notesFor(access.ask, clientHandler).catch(() => undefined),
      await clientHandler.listedKey,
    ]
    if (!files) return
    clientHandler.listedKey = Promise.resolve(listKey(files))
    const readablePaths = new Set(files.map(({ path }) => path))
    for (const path of paths) if (readablePaths.has(path)) clientHandler.notify.resourceUpdated(noteUri(path))
    if (listKey(files) !== previousKey) clientHandler.notify.resourcesChanged()
  }

  const stop = access.onEvent((event) => {
    if (event.type !== 'filesChanged') return
    for (const clientHandler of handlers.values())
      if (clientHandler.agent === event.agent) void notifyClient(clientHandler, event.paths)
  })

  return {
    async handle(request, response) {
      if (!isHostAllowed(request, response) || !isOriginAllowed(request, response)) return
      const token = bearerOf(request)
      const client = token === undefined ? null : await authenticate(access, token)
      if (client instanceof AppError) return refuse(response, 403, await failureText(client, access.onFault))
      if (!client) return access.takeAttempt() ? refuse(response, 401) : refuse(response, 429)
      const auth: AuthInfo = { token: '', clientId: client.id, scopes: [], extra: { client } }
      // The SDK's type declares optional fields without `undefined`.
      const authorizedRequest = Object.assign(request, { auth }) as unknown as Parameters<NodeHandler>[0]
      await handlerOf(client).node(authorizedRequest, response)
    },
    async close() {
      stop()
      await Promise.all([...handlers.values()].map((handler) => handler.close()))
    },
  }
}

/** Returns the program with this token, null for an unknown token, or an expected failure such as an archived agent. */
async function authenticate({ ask }: HttpAccess, token: string): Promise<MemoryClient | AppError | null> {
  try {
    return await ask((primary) => primary.clients.admit({ token }))
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
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

function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,200})$/i.exec(headers.authorization ?? '')?.[1]
}

const reasons = {
  401: 'Send the token that Commonplace issued for this program (Settings › Programs): Authorization: Bearer …',
  403: 'This program has no access.',
  429: 'Too many wrong tokens. Wait a minute.',
} as const

function refuse(response: ServerResponse, status: keyof typeof reasons, message: string = reasons[status]): void {
  const error = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null }
  response.writeHead(status, {
    'Content-Type': 'application/json',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="commonplace"' } : {}),
    Connection: 'close',
  })
  response.end(JSON.stringify(error))
}
