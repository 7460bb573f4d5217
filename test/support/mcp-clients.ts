/** Clients of both official packages for the MCP server, over stdio or HTTP. */
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { cli } from './built.ts'

/** Pairs of clients: the widespread one (2025), the current one, and the current one with a server of 2025. */
export const kinds = ['v1', 'v2', 'v2 of 2025'] as const
export type Kind = (typeof kinds)[number]

export type Where = { readonly args: readonly string[] } | { readonly url: string; readonly token: string }

const contentSchema = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  content: z.array(z.object({ type: z.string(), text: z.string() })),
})
export type Answer = z.infer<typeof contentSchema>

export interface MemoryCaller {
  readonly client: OldClient | NewClient
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>
  close(): Promise<void>
}

export async function connectClient(kind: Kind, where: Where, name = 'test-client'): Promise<MemoryCaller> {
  const client = kind === 'v1' ? await openOld(where, name) : await openNew(where, name, kind === 'v2')
  const close = () => client.close()
  onTestFinished(close)
  return {
    client,
    close,
    call: async (tool, args = {}) => contentSchema.parse(await client.callTool({ name: tool, arguments: args })),
  }
}

/** Connects to the server with all tools and to that of connectors, over HTTP. */
export async function connectBoth(where: { readonly url: string; readonly token: string }): Promise<MemoryCaller> {
  const main = await connectClient('v2', where)
  const connector = await connectClient('v2', { ...where, url: `${where.url}/connector` })
  const call: MemoryCaller['call'] = (tool, args) =>
    (tool === 'search' || tool === 'fetch' ? connector : main).call(tool, args)
  return { ...main, call }
}

export function textOf({ content }: Answer): string {
  return content.map(({ text }) => text).join('')
}

/** Returns the text of a note in the answer of `memory_get`, `fetch` or `memory_recent`. */
export function noteIn(answer: string): string {
  return /<memory[^>]*>\n([^]*?)\n<\/memory>/.exec(answer)?.[1] ?? ''
}

function stdioOf(args: readonly string[]) {
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([key, value]) => (value ? [[key, value]] : [])))
  return { command: process.execPath, args: [cli, 'mcp', ...args], env, stderr: 'inherit' as const }
}

async function openOld(where: Where, name: string): Promise<OldClient> {
  const client = new OldClient({ name, version: '1' })
  const transport =
    'args' in where
      ? new OldStdio(stdioOf(where.args))
      : new OldHttp(new URL(where.url), { requestInit: { headers: { Authorization: `Bearer ${where.token}` } } })
  // The package's types are not compatible with exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<OldClient['connect']>[0])
  return client
}

async function openNew(where: Where, name: string, isModern: boolean): Promise<NewClient> {
  const client = new NewClient({ name, version: '1' }, isModern ? { versionNegotiation: { mode: 'auto' } } : {})
  const transport =
    'args' in where
      ? new NewStdio(stdioOf(where.args))
      : new NewHttp(new URL(where.url), { requestInit: { headers: { Authorization: `Bearer ${where.token}` } } })
  await client.connect(transport as Parameters<NewClient['connect']>[0])
  return client
}
