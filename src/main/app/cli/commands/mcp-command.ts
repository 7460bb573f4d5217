import { setTimeout as sleep } from 'node:timers/promises'
import type { AppOptions } from '../../composition/create-app.ts'
import { defaultAgentId, systemClock } from '#platform'
import { clientId, clientName, serveOverStdio } from '#interop'
import type { HostProcess } from '../../instance-lock/host-process.ts'
import type { McpFlags } from '../flags.ts'
import { warmUpAgent } from '../open-memory.ts'

const closeTimeoutMs = 5000

/**
 * Serves MCP over stdio until the program closes the input. The handshake does not wait for the memory; if opening the
 * memory fails, the first request reports the error. @throws Error if the connection had to be aborted
 */
export async function runMcpServer(
  opening: Promise<HostProcess>,
  { now = systemClock }: AppOptions,
  { agent, client, readOnly = false }: McpFlags,
): Promise<void> {
  const warmedAgents = new Set([agent ?? defaultAgentId])
  const abortReason = await serveOverStdio({
    ask: async (work) => (await opening).callPrimary(work),
    onEvent(listener) {
      const subscribed = opening.then((hostProcess) => hostProcess.onEvent(listener)).catch(() => undefined)
      return () => void subscribed.then((unsubscribe) => unsubscribe?.())
    },
    async caller(sentName) {
      const name = client ?? sentName ?? ''
      const registration = { client: clientId(name), name: clientName(name), ...(agent === undefined ? {} : { agent }) }
      const hostProcess = await opening
      const caller = await hostProcess.callPrimary((primary) => primary.clients.meet(registration))
      if (!warmedAgents.has(caller.agent)) void warmUpAgent(hostProcess, caller.agent)
      warmedAgents.add(caller.agent)
      return caller
    },
    isReadOnly: readOnly,
    now,
    onFault: async (error) => (await opening).base.log.fault(error, 'mcp'),
  })
  await Promise.race([
    opening.then((hostProcess) => hostProcess.close()).catch(() => undefined),
    sleep(closeTimeoutMs, undefined, { ref: false }),
  ])
  // Do not wait for unfinished work; finished writes are on disk.
  setTimeout(() => process.exit(), closeTimeoutMs).unref()
  if (abortReason !== undefined) throw new Error(abortReason)
}
