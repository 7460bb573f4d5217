import { existsSync } from 'node:fs'
import type { ContractClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { AppBase } from '../composition/create-app.ts'
import { hostLocale, t } from '../texts.ts'
import type { HostProcess } from '../instance-lock/host-process.ts'

/** Sets the memory up at its first use, and starts to load the agent. @throws AppError `config_invalid`, `unknown_agent` */
export async function prepareMemory(hostProcess: HostProcess, agent: string): Promise<HostProcess> {
  await hostProcess.callPrimary((primary) => setUpAtFirstUse(primary, hostProcess.base, agent))
  void warmUpAgent(hostProcess, agent)
  return hostProcess
}

/** Opens the agent, so that its change events arrive. Never rejects: later requests report the error. */
export async function warmUpAgent(hostProcess: HostProcess, agent: string): Promise<void> {
  await hostProcess.callPrimary((primary) => primary.search.status({ agent })).catch(() => undefined)
}

/** A history without configuration means that the configuration was lost. @throws AppError `config_invalid` */
export function assertNeverUsed({ folders }: Pick<AppBase, 'folders'>, agent: string): void {
  if (!existsSync(folders.agent(agent).history)) return
  const message = t('remember.lostConfig', { file: folders.config })
  throw new AppError('config_invalid', message, { file: folders.config, reason: message })
}

/** Creates the default workspace. @throws AppError `config_invalid`, `unknown_agent`, and as `agents.setUp` */
export async function setUpAtFirstUse(
  client: ContractClient,
  base: Pick<AppBase, 'folders'>,
  agent: string,
): Promise<void> {
  if (!(await client.settings.get()).firstRun) return
  assertNeverUsed(base, agent)
  const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace
  if (workspace === undefined) throw new AppError('unknown_agent', `there is no agent ${agent}`, { agent })
  await client.agents.setUp({ agent, workspace, locale: hostLocale() })
}
