import type { AppOptions } from '../composition/create-app.ts'
import { HostProcess } from '../instance-lock/host-process.ts'
import { setUpAtFirstUse } from './first-use.ts'

/**
 * Opens or finds the memory, sets it up at first use and starts loading the agent.
 * @throws AppError as `HostProcess.open`, `config_invalid`, `unknown_agent`
 */
export async function openMemory(options: AppOptions, agent: string): Promise<HostProcess> {
  const hostProcess = await HostProcess.open(options)
  try {
    await hostProcess.callPrimary((primary) => setUpAtFirstUse(primary, hostProcess.base, agent))
    void warmUpAgent(hostProcess, agent)
    return hostProcess
  } catch (error) {
    await hostProcess.close()
    throw error
  }
}

/** Opens the agent, so that its change events arrive without a first request. Never rejects. */
export async function warmUpAgent(hostProcess: HostProcess, agent: string): Promise<void> {
  // Later requests report the error.
  await hostProcess.callPrimary((primary) => primary.search.status({ agent })).catch(() => undefined)
}
