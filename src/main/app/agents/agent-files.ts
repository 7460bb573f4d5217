import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appFolderName, agentFileNames } from '#shared/util/agent-files.ts'
import { createLayout, ownFilePath } from '#workspace'
import type { Agent } from './agent.ts'

export interface MovedAgentFiles {
  /** New paths, relative to the workspace. */
  readonly moved: string[]
  /** Old, workspace-relative paths of files that stay because the new name is taken. */
  readonly left: string[]
}

const user = { cause: 'user' } as const

/** Returns the agent's subfolder of `workspace` (absolute): `configured`, else as found on disk; '' is the top. */
export function agentFolderIn(workspace: string, configured: string | undefined): string {
  return configured ?? (existsSync(join(workspace, appFolderName)) ? appFolderName : '')
}

/** Moves the agent's files into subfolder `targetFolder`. If `saveSetting` or a move fails, undoes all moves and rethrows. */
export async function moveAgentFiles(
  agent: Agent,
  targetFolder: string,
  saveSetting: () => Promise<void>,
): Promise<MovedAgentFiles> {
  const { workspace, links, batches } = agent
  const [before, after] = [workspace.layout, createLayout(targetFolder)]
  const moved: string[] = []
  const left: string[] = []
  const undoIds: string[] = []
  try {
    if (before.own !== targetFolder)
      for (const name of agentFileNames) {
        const [from, to] = [ownFilePath(name, before), ownFilePath(name, after)]
        if (!(await workspace.exists(from))) continue
        if (await workspace.exists(to)) {
          left.push(from)
          continue
        }
        const plan = await links.planMove({ from, to })
        undoIds.push((await links.move({ from, to }, plan.id, user)).undo)
        moved.push(to)
      }
    await saveSetting()
  } catch (error) {
    for (const undoId of undoIds.reverse()) await batches.undo(undoId, { ...user, isUndo: true })
    throw error
  }
  return { moved, left }
}
