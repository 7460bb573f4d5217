/** The memory over HTTP for other programs, wherever a resident has it open (M58). */
import { createMcpEndpoint, type McpEndpoint } from '../mcp-server/index.ts'
import type { Resident } from '../owner/index.ts'
import { Rate } from '../socket/index.ts'

/** Wrong tokens in a minute; guessing 256 bits is hopeless all the same. */
const maxWrongTokens = 20
const minuteMs = 60_000

export function mcpOf(resident: Resident): McpEndpoint {
  const wrongTokens = new Rate(maxWrongTokens, minuteMs)
  return createMcpEndpoint({
    ask: (work) => resident.ask(work),
    onEvent: (listener) => resident.onEvent(listener),
    now: resident.now,
    onFault: async (error) => resident.base.log.fault(error, 'mcp'),
    mayTry: () => wrongTokens.take(),
  })
}
