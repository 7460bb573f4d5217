import { createHash } from 'node:crypto'
import type { CallToolResult, Client, RequestOptions, Tool as WireTool } from '@modelcontextprotocol/client'
import type { McpServer } from '#shared/contract/index.ts'
import type { ImagePart } from '#shared/chat/messages.ts'
import { AppError } from '#shared/util/errors.ts'
import { isLocalAddress } from '#shared/util/locality.ts'
import {
  type KeyRing,
  type SettingsStore,
  EventEmitter,
  type Subscribable,
  boundedFetch,
  type Outbound,
} from '#platform'
import { expandVariables } from '#shared/util/expand-variables.ts'
import { maxToolDescription, maxToolMessageBytes, maxToolPages, maxTools } from '#shared/util/limits.ts'
import type { Tool, ToolOutcome } from '../tools/tool.ts'

type ServerSettings = SettingsStore['config']['mcp']['servers'][string]

type ToolPermission = 'ask' | 'always' | 'never'

interface McpServersOptions extends Pick<ConnectionOptions, 'env' | 'outbound' | 'version'> {
  readonly settings: Pick<SettingsStore, 'config' | 'set'>
  readonly keys: Pick<KeyRing, 'scrub'>
}

const maxNameCharacters = 64

export class McpServers {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #options: McpServersOptions
  readonly #connections = new Map<string, McpConnection>()

  constructor(options: McpServersOptions) {
    this.#options = options
  }

  /**
   * Starts the enabled servers; returns the tools of those that are ready, except tools with permission `never`.
   * @param isPrivate true for a private chat, which uses only servers with the setting `local`
   */
  async tools(isPrivate: boolean): Promise<Tool[]> {
    const connections = this.#enabledConnections().filter(([, { settings }]) => settings.local || !isPrivate)
    await Promise.all(connections.map(([, connection]) => connection.start()))
    const ready = connections.filter(([, { state }]) => state === 'ready')
    return ready.flatMap(([server, connection]) =>
      connection.tools
        .filter(({ name }) => this.permissionOf(server, name) !== 'never')
        .map((tool) => this.#toolOf(server, connection, tool, isPrivate)),
    )
  }

  #toolOf(server: string, connection: McpConnection, wire: WireTool, isPrivate: boolean): Tool {
    const { name: tool } = wire
    return {
      name: modelToolName(server, tool),
      description: `[${server}] ${wire.description ?? wire.title ?? tool}`,
      schema: wire.inputSchema as Record<string, unknown>,
      readOnly: wire.annotations?.readOnlyHint === true,
      run: async (input, { signal, limits, askPermission, onProgress }, callId) => {
        const permission = this.permissionOf(server, tool)
        const question = { server, tool, input: JSON.stringify(input, null, 2) }
        if (permission === 'never' || (permission === 'ask' && !(await askPermission(question))))
          throw new AppError('tool_denied', `the user denied ${tool} of ${server}`, { tool, server })
        const report = (share: number | null, note: string) => onProgress(callId, share, note)
        const options = { signal, timeoutMs: limits.timeoutMs, isPrivate, onProgress: report }
        return outcomeOf(await connection.call(tool, { ...input }, options))
      },
    }
  }

  permissionOf(server: string, tool: string): ToolPermission {
    const settings = this.#settings()[server]
    return settings?.tools[tool] ?? settings?.permission ?? 'ask'
  }

  /** @throws AppError `input_invalid` if the server is not configured */
  async setPermission(server: string, tool: string, permission: ToolPermission): Promise<void> {
    if (!this.#settings()[server]) throw unknownServer(server)
    await this.#options.settings.set([['mcp', 'servers', server, 'tools', tool], permission])
    this.#changes.emit()
  }

  status(): McpServer[] {
    return Object.entries(this.#settings()).map(([name, settings]) => {
      const connection = this.#connections.get(name)
      return {
        name,
        state: settings.enabled ? (connection?.state ?? 'stopped') : 'disabled',
        local: settings.url === undefined || isLocalAddress(settings.url) ? settings.local : null,
        problem: connection?.problem ?? null,
        tools: (connection?.tools ?? []).map((tool) => ({
          name: tool.name,
          description: tool.description ?? '',
          permission: this.permissionOf(name, tool.name),
        })),
        log: [...(connection?.log ?? [])],
      }
    })
  }

  /** Starts a server, even directly after a failure. @throws AppError `input_invalid`, `mcp_unavailable` */
  async start(name: string): Promise<void> {
    const connection = this.#enabledConnections().find(([server]) => server === name)?.[1]
    if (!connection) throw unknownServer(name)
    await connection.start(true)
    if (connection.state === 'ready') return
    const reason = connection.problem ?? ''
    throw new AppError('mcp_unavailable', `${name} did not start: ${reason}`, { server: name, reason })
  }

  /** Closes servers that the settings removed, disabled or changed; they start again on demand. */
  async applySettings(): Promise<void> {
    const settings = this.#settings()
    for (const [name, connection] of this.#connections) {
      if (isSameServer(connection.settings, settings[name])) continue
      this.#connections.delete(name)
      await connection.close()
    }
    this.#changes.emit()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()))
    this.#connections.clear()
  }

  #settings(): Readonly<Record<string, ServerSettings>> {
    return this.#options.settings.config.mcp.servers
  }

  #enabledConnections(): [string, McpConnection][] {
    const { keys, ...options } = this.#options
    const onChange = () => this.#changes.emit()
    const scrub = (text: string) => keys.scrub(text)
    return Object.entries(this.#settings())
      .filter(([, settings]) => settings.enabled)
      .map(([name, settings]) => {
        const connection =
          this.#connections.get(name) ?? new McpConnection({ ...options, name, settings, onChange, scrub })
        this.#connections.set(name, connection)
        return [name, connection]
      })
  }
}

const unknownServer = (name: string) =>
  new AppError('input_invalid', `there is no tool server ${name}`, { reason: name })

function outcomeOf({ content = [], isError, structuredContent }: CallToolResult): ToolOutcome {
  const images = content.flatMap((part): ImagePart[] =>
    part.type === 'image' ? [{ type: 'image', data: part.data, mimeType: part.mimeType }] : [],
  )
  const texts = content.flatMap((part) => {
    if (part.type === 'image') return []
    if (part.type === 'text') return part.text
    if (part.type === 'resource') return 'text' in part.resource ? part.resource.text : `[${part.resource.uri}]`
    return part.type === 'resource_link' ? `[${part.name}](${part.uri})` : `[${part.type}]`
  })
  if (texts.length === 0 && structuredContent) texts.push(JSON.stringify(structuredContent, null, 2))
  return { text: texts.join('\n'), images, isError: isError === true }
}

/** Ignores permissions: they change without a restart. */
function isSameServer(one: ServerSettings, other: ServerSettings | undefined): boolean {
  if (!other?.enabled) return false
  const connectionKey = ({ command, args, env, url, headers, local }: ServerSettings) =>
    JSON.stringify([command, args, env, url, headers, local])
  return connectionKey(one) === connectionKey(other)
}

/** Returns `mcp__<server>__<tool>` without characters that models do not accept, at most 64 characters. A hash keeps a changed name unique. */
function modelToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`
  if (name.length <= maxNameCharacters && name.endsWith(tool)) return name
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 6)
  return `${name.slice(0, maxNameCharacters - 7)}_${hash}`
}

const startTimeoutMs = 20_000
const maxLogLines = 200
const maxNoteCharacters = 500
/** Milliseconds before the next automatic start of a server that failed. */
const retryAfterMs = 30_000

export interface CallOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** True in a private chat: only a server with the setting `local` gets the call. */
  readonly isPrivate: boolean
  /** `share` is 0 to 1, or null if the server reports no total. */
  readonly onProgress: (share: number | null, note: string) => void
}

interface ConnectionOptions {
  readonly name: string
  readonly settings: ServerSettings
  readonly env: NodeJS.ProcessEnv
  /** Undefined for the app's own program, which cannot have a URL. */
  readonly outbound: Outbound | undefined
  readonly version: string
  readonly onChange: () => void
  readonly scrub: (text: string) => string
}

export class McpConnection {
  readonly settings: ServerSettings
  readonly #options: ConnectionOptions
  readonly log: string[] = []
  state: 'stopped' | 'starting' | 'ready' | 'failed' = 'stopped'
  /** Reason of the last failure; undefined from the next start on. */
  problem: string | undefined
  tools: readonly WireTool[] = []
  #failedAt = -Infinity
  #client: Client | undefined
  #starting: Promise<void> | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.settings = options.settings
  }

  /** Never throws; check `state` afterwards. @param isManual true to retry immediately after a failure */
  async start(isManual = false): Promise<void> {
    if (this.state === 'ready') return
    if (this.state === 'failed' && !isManual && performance.now() - this.#failedAt < retryAfterMs) return
    this.#starting ??= this.#connect().finally(() => (this.#starting = undefined))
    return this.#starting
  }

  /**
   * Starts the server if necessary.
   * @throws AppError `private_stays_here`, `mcp_unavailable`, `tool_timeout`, or the signal's reason
   */
  async call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
    const { name } = this.#options
    if (options.isPrivate && !this.settings.local)
      throw new AppError('private_stays_here', `private text was not sent to ${name}`, { host: name })
    await this.start(true)
    const client = this.#client
    if (!client || this.state !== 'ready')
      throw this.#unavailable(`the tool server ${name} cannot be used`, this.problem ?? 'it is not running')
    const { signal, timeoutMs, isPrivate, onProgress } = options
    const onprogress: RequestOptions['onprogress'] = ({ progress, total, message = '' }) =>
      onProgress(total ? progress / total : null, message.slice(0, maxNoteCharacters))
    try {
      const callOptions = { signal, timeout: timeoutMs, resetTimeoutOnProgress: true, onprogress }
      const call = () => client.callTool({ name: tool, arguments: input }, callOptions)
      return await this.#send(JSON.stringify(input).length, isPrivate, call)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      if (!/timed? ?out/i.test(reason)) throw this.#unavailable(name, reason)
      const seconds = Math.round(timeoutMs / 1000)
      throw new AppError('tool_timeout', `${tool} did not finish within ${seconds} s`, { tool, seconds })
    }
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#setState('stopped')
    await client?.close().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    this.problem = undefined
    this.#setState('starting')
    try {
      const { Client } = await import('@modelcontextprotocol/client')
      const { version } = this.#options
      const client = new Client({ name: 'commonplace', version }, { listMaxPages: maxToolPages })
      client.setNotificationHandler('notifications/message', ({ params: { level, data } }) =>
        this.#appendLog(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`),
      )
      client.setNotificationHandler('notifications/tools/list_changed', () => this.#listTools(client))
      // Also receives errors that no call reports.
      client.onerror = (error) => this.#appendLog(error.message)
      const transport = await this.#transport()
      await this.#send(0, false, () => client.connect(transport, { timeout: startTimeoutMs }))
      client.onclose = () => {
        if (this.#client !== client) return
        this.#client = undefined
        this.#fail('the server stopped')
      }
      this.#client = client
      await this.#listTools(client)
      this.#setState('ready')
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error))
    }
  }

  /** Records calls of a program. The `fetch` of the transport records requests to a URL. */
  #send<T>(characters: number, isPrivate: boolean, send: () => Promise<T>): Promise<T> {
    const { name, outbound } = this.#options
    if (!outbound || this.settings.url !== undefined) return send()
    return outbound.track({ purpose: 'program', isPrivate, isLocal: true }, `program:${name}`, characters, send)
  }

  async #transport() {
    const { command, args, env, url, headers } = this.settings
    const { outbound } = this.#options
    if (url !== undefined && outbound) {
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
      return new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: expandVariables(headers, this.#options.env) },
        // An event stream has no end, so its events are limited instead of the whole response.
        fetch: boundedFetch(
          outbound.fetch({ purpose: 'tools', isPrivate: this.settings.local }),
          (_method, type) =>
            type === 'text/event-stream' ? { event: maxToolMessageBytes } : { whole: maxToolMessageBytes },
          (limit) => new Error(`the server sent more than ${Math.round(limit / 1024 / 1024)} MB at once`),
        ),
      })
    }
    const { getDefaultEnvironment, StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    const transport = new StdioClientTransport({
      command: command ?? '',
      args,
      env: { ...getDefaultEnvironment(), ...expandVariables(env, this.#options.env) },
      stderr: 'pipe',
      maxBufferSize: maxToolMessageBytes,
    })
    transport.stderr?.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString('utf8').split('\n')) if (line.trim() !== '') this.#appendLog(line)
    })
    return transport
  }

  async #listTools(client: Client): Promise<void> {
    const { tools } = await client.listTools({}, { timeout: startTimeoutMs })
    if (tools.length > maxTools) this.#appendLog(`only the first ${maxTools} tools are used`)
    this.tools = tools.slice(0, maxTools).map((tool) => {
      return { ...tool, description: tool.description?.slice(0, maxToolDescription).toWellFormed() }
    })
    this.#options.onChange()
  }

  #fail(message: string): void {
    const problem = this.#options.scrub(message)
    this.problem = problem
    this.#failedAt = performance.now()
    this.#appendLog(problem)
    this.#setState('failed')
  }

  #setState(state: McpConnection['state']): void {
    this.state = state
    this.#options.onChange()
  }

  #appendLog(line: string): void {
    this.log.push(this.#options.scrub(line).slice(0, 2000))
    if (this.log.length > maxLogLines) this.log.splice(0, this.log.length - maxLogLines)
  }

  #unavailable(subject: string, reason: string): AppError {
    return new AppError('mcp_unavailable', `${subject}: ${reason}`, { server: this.#options.name, reason })
  }
}
