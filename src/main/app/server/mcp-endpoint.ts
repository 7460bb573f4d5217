/** The memory over HTTP for other programs, wherever a resident has it open (M58). Loaded when the first one comes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { loadHttp, type McpEndpoint } from '#interop'
import type { Resident } from '../instance-lock/host-process.ts'
import { Rate } from './rate-limit.ts'

export const mcpPath = '/mcp'

/** Wrong tokens in a minute; guessing 256 bits is hopeless all the same. */
const maxWrongTokens = 20
const minuteMs = 60_000

export class McpDoor {
  readonly #resident: Resident
  readonly #wrongTokens = new Rate(maxWrongTokens, minuteMs)
  #endpoint: Promise<McpEndpoint> | undefined

  constructor(resident: Resident) {
    this.#resident = resident
  }

  /** Answers a request for the path of MCP. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#endpoint ??= this.#open()
    await (await this.#endpoint).handle(request, response)
  }

  async close(): Promise<void> {
    await (await this.#endpoint)?.close()
  }

  async #open(): Promise<McpEndpoint> {
    const { createMcpEndpoint } = await loadHttp()
    const resident = this.#resident
    return createMcpEndpoint({
      ask: (work) => resident.ask(work),
      onEvent: (listener) => resident.onEvent(listener),
      now: resident.now,
      onFault: async (error) => resident.base.log.fault(error, 'mcp'),
      mayTry: () => this.#wrongTokens.take(),
    })
  }
}
