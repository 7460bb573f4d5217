import { LazyMcpEndpoint, serveMcp, type McpHost } from '../server/mcp-endpoint.ts'
import type { HostProcess } from '../instance-lock/host-process.ts'

export class McpPort {
  readonly #resident: HostProcess
  readonly #stop: () => void
  #door: LazyMcpEndpoint | undefined
  #host: McpHost | undefined
  #wanted: number | null = null
  #changing: Promise<void> = Promise.resolve()

  constructor(resident: HostProcess) {
    this.#resident = resident
    const { settings } = resident.base
    this.#stop = settings.changes.subscribe(() => void this.apply())
    void this.apply()
  }

  /** Undefined while the server is off. */
  get address(): string | undefined {
    return this.#host?.address
  }

  /** Opens the configured port, or closes it for null. Never rejects: logs errors and publishes them as an event. */
  apply(): Promise<void> {
    this.#changing = this.#changing.then(() => this.#listen(this.#resident.base.settings.config.desktop.mcpPort))
    return this.#changing
  }

  async close(): Promise<void> {
    this.#stop()
    await this.#changing
    await this.#listen(null)
  }

  async #listen(port: number | null): Promise<void> {
    if (port === this.#wanted) return
    this.#wanted = port
    await this.#door?.close()
    await this.#host?.close()
    this.#door = undefined
    this.#host = undefined
    if (port === null) return
    const { log } = this.#resident.base
    this.#door = new LazyMcpEndpoint(this.#resident)
    try {
      this.#host = await serveMcp(this.#door, port, log)
    } catch (error) {
      const reference = log.fault(error, `port ${port} for other programs (desktop.mcpPort)`)
      this.#resident.publish({ type: 'fault', reference, isRepeated: false })
    }
  }
}
