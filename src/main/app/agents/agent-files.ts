import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appFolderName, agentFileNames } from '#shared/util/agent-files.ts'
import { createLayout, ownFilePath } from '#workspace'
import type { Agent } from './agent.ts'

export interface MovedAgentFiles {
  /** New paths, relative to the workspace. */
  readonly moved: string[]
  /** Workspace-relative paths of files that were not moved because the target exists. */
  readonly left: string[]
}

const userOrigin = { cause: 'user' } as const

/** Returns the workspace's subfolder for the agent's files: `configured`, or else the one on disk; '' for none. */
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
  const [currentLayout, newLayout] = [workspace.layout, createLayout(targetFolder)]
  const moved: string[] = []
  const notMoved: string[] = []
  const undoIds: string[] = []
  try {
    if (currentLayout.own !== targetFolder)
      for (const name of agentFileNames) {
        const [from, to] = [ownFilePath(name, currentLayout), ownFilePath(name, newLayout)]
        if (!(await workspace.exists(from))) continue
        if (await workspace.exists(to)) {
          notMoved.push(from)
          continue
        }
        const plan = await links.planMove({ from, to })
        undoIds.push((await links.move({ from, to }, plan.id, userOrigin)).undo)
        moved.push(to)
      }
    await saveSetting()
  } catch (error) {
    for (const undoId of undoIds.reverse()) await batches.undo(undoId, { ...userOrigin, isUndo: true })
    throw error
  }
  return { moved, left: notMoved }
}
