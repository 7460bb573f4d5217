import type { AppOptions } from '../composition/create-app.ts'
import { Resident } from '../instance-lock/host-process.ts'
import { setUpOnce } from './first-use.ts'

/**
 * The memory of `agent` is opened at once, for whoever will ask it.
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

/** Whoever listens for changes without asking for anything: the memory is opened for them too. */
export async function follow(resident: Resident, agent: string): Promise<void> {
  // What is wrong with it is told when something is asked for.
  await resident.ask((owner) => owner.search.status({ agent })).catch(() => undefined)
}
