import { existsSync } from 'node:fs'
import type { ContractClient } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import type { AppBase } from '../composition/create-app.ts'

/** A history without configuration means that the configuration was lost. @throws AppError `config_invalid` */
export function assertNeverUsed({ folders }: AppBase, agent: string): void {
  if (!existsSync(folders.agent(agent).history)) return
  const reason =
    'it is missing or empty, though this state folder was in use; put it back, or choose the folder in the app'
  throw new AppError('config_invalid', `${folders.config}: ${reason}`, { file: folders.config, reason })
}

/**
 * Creates the default workspace at first use.
 * @throws AppError `config_invalid`, `unknown_agent`, and as `agents.setUp`
 */
export async function setUpAtFirstUse(client: ContractClient, base: AppBase, agent: string): Promise<void> {
  if (!(await client.settings.get()).firstRun) return
  assertNeverUsed(base, agent)
  const workspace = (await client.agents.list()).find(({ id }) => id === agent)?.workspace
  if (workspace === undefined) throw new AppError('unknown_agent', `there is no agent ${agent}`, { agent })
  await client.agents.setUp({ agent, workspace, locale: 'en' })
}
