import type { Duplex } from 'node:stream'
import type { McpFlags } from '../cli/flags.ts'
import { prepareMemory, warmUpAgent } from '../cli/open-memory.ts'
import { defaultAgentId, systemClock } from '#platform'
import { clientId, clientName, serveOverStdio } from '#interop'
import type { HostProcess } from './host-process.ts'

/**
 * Serves a program over stdio, or over a socket. The handshake does not wait for the memory; if opening the memory fails,
 * the first request reports the error. @returns as `serveOverStdio`
 */
export async function serveProgram(
  opening: Promise<HostProcess>,
  { agent, client, readOnly = false, connector = false }: McpFlags,
  socket?: Duplex,
): Promise<string | undefined> {
  const warmedAgents = new Set([agent ?? defaultAgentId])
  const prepared = opening.then((hostProcess) => prepareMemory(hostProcess, agent ?? defaultAgentId))
  // The first request reports the error. Until then, a rejection must not count as unhandled.
  prepared.catch(() => undefined)
  return serveOverStdio(
    {
      ask: async (work) => (await prepared).callPrimary(work),
      onEvent(listener) {
        const subscribed = prepared.then((hostProcess) => hostProcess.onEvent(listener)).catch(() => undefined)
        return () => void subscribed.then((unsubscribe) => unsubscribe?.())
      },
      async caller(sentName) {
        const name = client ?? sentName ?? ''
        const registration = { client: clientId(name), name: clientName(name), agent }
        const hostProcess = await prepared
        const caller = await hostProcess.callPrimary((primary) => primary.clients.meet(registration))
        if (!warmedAgents.has(caller.agent)) void warmUpAgent(hostProcess, caller.agent)
        warmedAgents.add(caller.agent)
        return caller
      },
      isReadOnly: readOnly,
      isConnector: connector,
      now: systemClock,
      onFault: async (error) => (await opening).base.log.fault(error, 'mcp'),
    },
    socket,
  )
}
