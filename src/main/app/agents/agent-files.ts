import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appFolderName, agentFileNames } from '#shared/util/agent-files.ts'
import { createLayout, type Layout, longTermFilesIn, ownFilePath } from '#workspace'
import type { Agent } from './agent.ts'

export interface MovedAgentFiles {
  /** New paths, relative to the workspace. */
  readonly moved: string[]
  /** Workspace-relative paths of files that were not moved because the target exists. */
  readonly left: string[]
}

const userOrigin = { cause: 'user' } as const

/** Returns the layout of a workspace whose agent's files are in subfolder `configured`, or else in the one on disk. */
export function layoutIn(workspace: string, configured: string | undefined): Layout {
  const own = configured ?? (existsSync(join(workspace, appFolderName)) ? appFolderName : '')
  return createLayout(own, longTermFilesIn(join(workspace, own))[0])
}

/** Moves the agent's files into subfolder `targetFolder`. If `saveSetting` or a move fails, undoes all moves and rethrows. */
export async function moveAgentFiles(
  agent: Agent,
  targetFolder: string,
  saveSetting: () => Promise<void>,
): Promise<MovedAgentFiles> {
  const { workspace, links, batches } = agent
  const currentLayout = workspace.layout
  const [longTerm = currentLayout.longTerm] = longTermFilesIn(join(workspace.roots.workspace, targetFolder))
  const newLayout = createLayout(targetFolder, longTerm)
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
