/**
 * A folder that one agent uses instead of its own, for as long as the process runs (`--workspace DIR`). What is kept for
 * it (index, history, conversations) is kept by folder, so nothing of the agent's own is touched, and no other agent is
 * there: theirs may be open in another process.
 */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { defaultWorkspace, expandHome, type Config } from '#platform'

export interface SingleFolder {
  readonly agent: string
  /** Absolute. */
  readonly folder: string
}

/**
 * @returns undefined when the folder is the agent's own anyway
 * @throws AppError `unknown_agent`
 */
export function singleFolder({ agents }: Config, agent: string, folder: string): SingleFolder | undefined {
  const entry = agents.list.find(({ id }) => id === agent)
  if (!entry && agent !== 'main') throw new AppError('unknown_agent', `there is no agent ${agent}`, { agent })
  const own = resolve(expandHome(entry?.workspace ?? defaultWorkspace(agent)))
  // An agent that nobody has set up yet has no folder of its own that would say so.
  return entry && realPath(own) === realPath(folder) ? undefined : { agent, folder }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch (error) {
    if (isSystemError(error)) return folder
    throw error
  }
}
