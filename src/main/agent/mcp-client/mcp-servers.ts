import { createHash } from 'node:crypto'
import type { McpServer } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { isLocalAddress } from '#shared/util/locality.ts'
import { type KeyRing, type SettingsStore, EventEmitter, type Subscribable } from '#platform'
import { McpConnection, type ConnectionOptions, type ServerSettings } from './mcp-connection.ts'

export type ToolPermission = 'ask' | 'always' | 'never'

export interface McpTool {
  /** Name for the model, `mcp__<server>__<tool>`; at most 64 characters. */
  readonly name: string
  readonly server: string
  readonly tool: string
  readonly description: string
  readonly schema: Record<string, unknown>
  /** True if the server declares that the tool changes nothing. */
  readonly readOnly: boolean
  /** True in a private chat. */
  readonly isPrivate: boolean
  readonly connection: McpConnection
}

export interface McpServersOptions extends Pick<ConnectionOptions, 'env' | 'outbound' | 'version'> {
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
  async tools(isPrivate: boolean): Promise<McpTool[]> {
    const connections = this.#enabledConnections().filter(([, { settings }]) => settings.local || !isPrivate)
    await Promise.all(connections.map(([, connection]) => connection.start()))
    return connections.flatMap(([server, connection]) =>
      connection.tools
        .filter(({ name }) => connection.state === 'ready' && this.permissionOf(server, name) !== 'never')
        .map((tool) => ({
          name: modelToolName(server, tool.name),
          server,
          tool: tool.name,
          description: `[${server}] ${tool.description ?? tool.title ?? tool.name}`,
          schema: tool.inputSchema as Record<string, unknown>,
          readOnly: tool.annotations?.readOnlyHint === true,
          isPrivate,
          connection,
        })),
    )
  }

  permissionOf(server: string, tool: string): ToolPermission {
    const settings = this.#settings()[server]
    return settings?.tools[tool] ?? settings?.permission ?? 'ask'
  }

  /** Stores the permission in the settings. @throws AppError `input_invalid` if the server is not configured */
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
        transport: settings.url === undefined ? 'stdio' : 'http',
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

function unknownServer(name: string): AppError {
  return new AppError('input_invalid', `there is no tool server ${name}`, { reason: name })
}

/** Ignores permissions: they change without a restart. */
function isSameServer(one: ServerSettings, other: ServerSettings | undefined): boolean {
  if (!other?.enabled) return false
  const connectionKey = ({ command, args, env, url, headers, local }: ServerSettings) =>
    JSON.stringify([command, args, env, url, headers, local])
  return connectionKey(one) === connectionKey(other)
}

/** Replaces characters that models do not accept, and shortens the name. A hash keeps a changed name unique. */
function modelToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`
  if (name.length <= maxNameCharacters && name.endsWith(tool)) return name
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 6)
  return `${name.slice(0, maxNameCharacters - 7)}_${hash}`
}
