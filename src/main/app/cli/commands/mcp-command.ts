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
  const followed = new Set([agent ?? 'main'])
  const problem = await serveOverStdio({
    ask: async (work) => (await opening).callPrimary(work),
    onEvent: (listener) => onceOpen(opening, listener),
    async caller(said) {
      const name = client ?? said ?? ''
      const met = { client: clientId(name), name: clientName(name), ...(agent === undefined ? {} : { agent }) }
      const resident = await opening
      const caller = await resident.callPrimary((owner) => owner.clients.meet(met))
      if (!followed.has(caller.agent)) void warmUpAgent(resident, caller.agent)
      followed.add(caller.agent)
      return caller
    },
    isReadOnly: readOnly,
    now,
    onFault: async (error) => (await opening).base.log.fault(error, 'mcp'),
  })
  await Promise.race([
    opening.then((resident) => resident.close()).catch(() => undefined),
    sleep(closingMs, undefined, { ref: false }),
  ])
  // Do not wait for unfinished work; finished writes are on disk.
  setTimeout(() => process.exit(), closingMs).unref()
  if (problem !== undefined) throw new Error(problem)
}

function onceOpen(opening: Promise<HostProcess>, listener: Parameters<MemoryAccess['onEvent']>[0]): () => void {
  let stop: (() => void) | undefined
  let isOver = false
  const follow = async () => {
    const resident = await opening.catch(() => undefined)
    if (!isOver) stop = resident?.onEvent(listener)
  }
  void follow()
  return () => {
    isOver = true
    stop?.()
  }
}
