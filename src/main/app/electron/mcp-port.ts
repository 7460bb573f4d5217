import { LazyMcpEndpoint, serveMcp, type McpHost } from '../server/mcp-endpoint.ts'
import type { HostProcess } from '../instance-lock/host-process.ts'

export class McpPort {
  readonly #hostProcess: HostProcess
  readonly #unsubscribe: () => void
  #endpoint: LazyMcpEndpoint | undefined
  #host: McpHost | undefined
  #requestedPort: number | null = null
  #pendingChange: Promise<void> = Promise.resolve()

  constructor(hostProcess: HostProcess) {
    this.#hostProcess = hostProcess
    const { settings } = hostProcess.base
    this.#unsubscribe = settings.changes.subscribe(() => void this.apply())
    void this.apply()
  }

  /** Undefined while the server is off. */
  get address(): string | undefined {
    return this.#host?.address
  }

  /** Opens the configured port, or closes it for null. Never rejects: logs errors and publishes them as an event. */
  apply(): Promise<void> {
    this.#pendingChange = this.#pendingChange.then(() =>
      this.#listen(this.#hostProcess.base.settings.config.desktop.mcpPort),
    )
    return this.#pendingChange
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    await this.#pendingChange
    await this.#listen(null)
  }

  async #listen(port: number | null): Promise<void> {
    if (port === this.#requestedPort) return
    this.#requestedPort = port
    await this.#endpoint?.close()
    await this.#host?.close()
    this.#endpoint = undefined
    this.#host = undefined
    if (port === null) return
    const { log } = this.#hostProcess.base
    this.#endpoint = new LazyMcpEndpoint(this.#hostProcess)
    try {
      this.#host = await serveMcp(this.#endpoint, port, log)
    } catch (error) {
      const reference = log.fault(error, `port ${port} for other programs (desktop.mcpPort)`)
      this.#hostProcess.publish({ type: 'fault', reference, isRepeated: false })
    }
  }
}
