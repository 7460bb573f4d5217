import { setTimeout as sleep } from 'node:timers/promises'
import type { AppOptions } from '../../composition/create-app.ts'
import { defaultAgentId, systemClock } from '#platform'
import { clientId, clientName, serveOverStdio, type MemoryAccess } from '#interop'
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
    onEvent: (listener) => subscribeLater(opening, listener),
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

function subscribeLater(opening: Promise<HostProcess>, listener: Parameters<MemoryAccess['onEvent']>[0]): () => void {
  let unsubscribe: (() => void) | undefined
  let isStopped = false
  const subscribe = async () => {
    const hostProcess = await opening.catch(() => undefined)
    if (!isStopped) unsubscribe = hostProcess?.onEvent(listener)
  }
  void subscribe()
  return () => {
    isStopped = true
    unsubscribe?.()
  }
}
