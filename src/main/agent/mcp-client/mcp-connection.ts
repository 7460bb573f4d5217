import type { CallToolResult, Client, RequestOptions, Tool as WireTool } from '@modelcontextprotocol/client'
import { AppError } from '#shared/util/errors.ts'
import { expandVariables } from '#shared/util/expand-variables.ts'
import { maxToolDescription, maxToolMessageBytes, maxToolPages, maxTools } from '#shared/util/limits.ts'
import { boundedFetch, type Outbound, type SettingsStore } from '#platform'

const startTimeoutMs = 20_000
const maxLogLines = 200
const maxNoteCharacters = 500
/** Milliseconds before the next automatic start of a server that failed. */
const retryAfterMs = 30_000

export type ServerState = 'stopped' | 'starting' | 'ready' | 'failed'

export interface CallOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** True in a private chat: only a server with the setting `local` gets the call. */
  readonly isPrivate: boolean
  /** `share` is 0 to 1, or null if the server reports no total. */
  readonly onProgress: (share: number | null, note: string) => void
}

export type ServerSettings = SettingsStore['config']['mcp']['servers'][string]

export interface ConnectionOptions {
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
  readonly #log: string[] = []
  #state: ServerState = 'stopped'
  #problem: string | undefined
  #failedAt = -Infinity
  #tools: readonly WireTool[] = []
  #client: Client | undefined
  #starting: Promise<void> | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.settings = options.settings
  }

  get state(): ServerState {
    return this.#state
  }

  /** Reason of the last failure; undefined from the next start on. */
  get problem(): string | undefined {
    return this.#problem
  }

  get log(): readonly string[] {
    return this.#log
  }

  get tools(): readonly WireTool[] {
    return this.#tools
  }

  /**
   * Starts the server. Never throws; check `state` afterwards.
   * @param isManual true to retry immediately after a failure
   */
  async start(isManual = false): Promise<void> {
    if (this.#state === 'ready') return
    if (this.#state === 'failed' && !isManual && performance.now() - this.#failedAt < retryAfterMs) return
    this.#starting ??= this.#connect().finally(() => (this.#starting = undefined))
    return this.#starting
  }

  /**
   * Calls a tool; starts the server if necessary.
   * @throws AppError `private_stays_here`, `mcp_unavailable`, `tool_timeout`, or the signal's reason if it aborts
   */
  async call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
    const { name } = this.#options
    if (options.isPrivate && !this.settings.local)
      throw new AppError('private_stays_here', `private text was not sent to ${name}`, { host: name })
    await this.start(true)
    const client = this.#client
    if (!client || this.#state !== 'ready')
      throw this.#unavailable(`the tool server ${name} cannot be used`, this.#problem ?? 'it is not running')
    const { signal, timeoutMs, isPrivate, onProgress } = options
    const callOptions: RequestOptions = {
      signal,
      timeout: timeoutMs,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress, total, message = '' }) =>
        onProgress(total ? progress / total : null, message.slice(0, maxNoteCharacters)),
    }
    try {
      return await this.#send(JSON.stringify(input).length, isPrivate, () =>
        client.callTool({ name: tool, arguments: input }, callOptions),
      )
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      if (/timed? ?out/i.test(reason)) {
        const seconds = Math.round(timeoutMs / 1000)
        throw new AppError('tool_timeout', `${tool} did not finish within ${seconds} s`, { tool, seconds })
      }
      throw this.#unavailable(name, reason)
    }
  }

  /** Stops the server. Never throws. */
  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    this.#setState('stopped')
    await client?.close().catch(() => undefined)
  }

  async #connect(): Promise<void> {
    const { version } = this.#options
    this.#problem = undefined
    this.#setState('starting')
    try {
      const { Client } = await import('@modelcontextprotocol/client')
      const client = new Client({ name: 'commonplace', version }, { listMaxPages: maxToolPages })
      client.setNotificationHandler('notifications/message', ({ params }) => {
        this.#appendLog(
          `${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`,
        )
      })
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
    this.#tools = tools
      .slice(0, maxTools)
      .map((tool) => ({ ...tool, description: tool.description?.slice(0, maxToolDescription).toWellFormed() }))
    this.#options.onChange()
  }

  #fail(message: string): void {
    const problem = this.#options.scrub(message)
    this.#problem = problem
    this.#failedAt = performance.now()
    this.#appendLog(problem)
    this.#setState('failed')
  }

  #setState(state: ServerState): void {
    this.#state = state
    this.#options.onChange()
  }

  #appendLog(line: string): void {
    this.#log.push(this.#options.scrub(line).slice(0, 2000))
    if (this.#log.length > maxLogLines) this.#log.splice(0, this.#log.length - maxLogLines)
  }

  #unavailable(subject: string, reason: string): AppError {
    return new AppError('mcp_unavailable', `${subject}: ${reason}`, { server: this.#options.name, reason })
  }
}
