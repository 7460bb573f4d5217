import type { AppOptions } from '../composition/create-app.ts'
import { Resident } from '../instance-lock/host-process.ts'
import { setUpOnce } from './first-use.ts'

/**
 * Opens or finds the memory, sets it up at first use and starts loading the agent.
 * @throws AppError as `Resident.open`, `config_invalid`, `unknown_agent`
 */
export async function openMemory(options: AppOptions, agent: string): Promise<Resident> {
  const resident = await Resident.open(options)
  try {
    await resident.ask((owner) => setUpOnce(owner, resident.base, agent))
    void follow(resident, agent)
    return resident
  } catch (error) {
    await resident.close()
    throw error
  }
}

/** Makes the agent open, so that its change events arrive without a first request. */
export async function follow(resident: Resident, agent: string): Promise<void> {
  // Later requests report the error.
  await resident.ask((owner) => owner.search.status({ agent })).catch(() => undefined)
}
