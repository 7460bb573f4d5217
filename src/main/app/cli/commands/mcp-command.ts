import { setTimeout as sleep } from 'node:timers/promises'
import type { AppOptions } from '../../composition/create-app.ts'
import { systemClock } from '#platform'
import { clientId, clientName, serveOverStdio, type MemoryAccess } from '#interop'
import type { HostProcess } from '../../instance-lock/host-process.ts'
import type { McpFlags } from '../flags.ts'
import { warmUpAgent } from '../open-memory.ts'

const closingMs = 5000

/**
 * Serves MCP over stdio until the program closes the input. The handshake does not wait for the memory; the first
 * request reports an error of opening it. @throws Error if the connection had to be aborted
 */
export async function mcp(
  opening: Promise<HostProcess>,
  { now = systemClock }: AppOptions,
  { agent, client, readOnly = false }: McpFlags,
): Promise<void> {
  const warmedAgents = new Set([agent ?? 'main'])
  const problem = await serveOverStdio({
    ask: async (work) => (await opening).callPrimary(work),
    onEvent: (listener) => onceOpen(opening, listener),
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
    sleep(closingMs, undefined, { ref: false }),
  ])
  // Do not wait for unfinished work; finished writes are on disk.
  setTimeout(() => process.exit(), closingMs).unref()
  if (problem !== undefined) throw new Error(problem)
}

function onceOpen(opening: Promise<HostProcess>, listener: Parameters<MemoryAccess['onEvent']>[0]): () => void {
  let stop: (() => void) | undefined
  let isStopped = false
  const subscribe = async () => {
    const hostProcess = await opening.catch(() => undefined)
    if (!isStopped) stop = hostProcess?.onEvent(listener)
  }
  void subscribe()
  return () => {
    isStopped = true
    stop?.()
  }
}
