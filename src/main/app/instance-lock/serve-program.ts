import type { Duplex } from 'node:stream'
import type { McpFlags } from '../cli/flags.ts'
import { prepareMemory, warmUpAgent } from '../cli/open-memory.ts'
import { defaultAgentId, systemClock } from '#platform'
import { clientId, clientName, serveOverStdio } from '#interop'
import type { HostProcess } from './host-process.ts'

/** Preparations by process and agent: programs that connect together at the first use must set the memory up once. */
const preparations = new WeakMap<HostProcess, Map<string, Promise<HostProcess>>>()

/** @throws as `prepareMemory`; the next call tries again */
async function prepareOnce(hostProcess: HostProcess, agent: string): Promise<HostProcess> {
  const ofProcess = preparations.get(hostProcess) ?? new Map<string, Promise<HostProcess>>()
  preparations.set(hostProcess, ofProcess)
  const preparation = ofProcess.get(agent) ?? prepareMemory(hostProcess, agent)
  ofProcess.set(agent, preparation)
  preparation.catch(() => ofProcess.delete(agent))
  return preparation
}

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
  const prepared = async () => prepareOnce(await opening, agent ?? defaultAgentId)
  // Requests report the error.
  prepared().catch(() => undefined)
  return serveOverStdio(
    {
      ask: async (work) => (await prepared()).callPrimary(work),
      onEvent(listener) {
        const subscribed = prepared()
          .then((hostProcess) => hostProcess.onEvent(listener))
          .catch(() => undefined)
        return () => void subscribed.then((unsubscribe) => unsubscribe?.())
      },
      async caller(sentName) {
        const name = client ?? sentName ?? ''
        const registration = { client: clientId(name), name: clientName(name), agent }
        const hostProcess = await prepared()
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
