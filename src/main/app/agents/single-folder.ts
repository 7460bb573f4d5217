/**
 * A folder that replaces the agent's workspace while the process runs (`--workspace DIR`). Its index, history and
 * sessions are stored per folder, so those of the agent stay untouched. Other agents are hidden because another process
 * may have them open.
 */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { defaultAgentId, defaultWorkspace, expandHome, type Config } from '#platform'

export interface SingleFolder {
  readonly agent: string
  /** Absolute path. */
  readonly folder: string
}

/** @returns undefined if `folder` (absolute) is the agent's own workspace @throws AppError `unknown_agent` */
export function resolveSingleFolder({ agents }: Config, agent: string, folder: string): SingleFolder | undefined {
  const entry = agents.list.find(({ id }) => id === agent)
  if (!entry && agent !== defaultAgentId) throw new AppError('unknown_agent', `there is no agent ${agent}`, { agent })
  const configuredWorkspace = resolve(expandHome(entry?.workspace ?? defaultWorkspace(agent)))
  // Without an entry the default agent has no workspace yet, even if the paths are equal.
  return entry && realPath(configuredWorkspace) === realPath(folder) ? undefined : { agent, folder }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch (error) {
    if (isSystemError(error)) return folder
    throw error
  }
}
