import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appFolderName, agentFileNames } from '#shared/util/agent-files.ts'
import { createLayout, type Layout, longTermFilesIn, ownFilePath } from '#workspace'
import type { Agent } from './agent.ts'

const userOrigin = { cause: 'user' } as const

/** Returns the layout of a workspace whose agent's files are in subfolder `configured`, or else in the one on disk. */
export function layoutIn(workspace: string, configured: string | undefined): Layout {
  const own = configured ?? (existsSync(join(workspace, appFolderName)) ? appFolderName : '')
  return createLayout(own, longTermFilesIn(join(workspace, own))[0])
}

/**
 * Moves the agent's files into subfolder `targetFolder`. If `saveSetting` or a move fails, undoes all moves and rethrows.
 * @returns `moved`: new paths; `left`: paths of files that were not moved because the target exists
 */
export async function moveAgentFiles(
  agent: Agent,
  targetFolder: string,
  saveSetting: () => Promise<void>,
): Promise<{ moved: string[]; left: string[] }> {
  const { workspace, links, batches } = agent
  const currentLayout = workspace.layout
  const [longTerm = currentLayout.longTerm] = longTermFilesIn(join(workspace.roots.workspace, targetFolder))
  const newLayout = createLayout(targetFolder, longTerm)
  const moved: string[] = []
  const left: string[] = []
  const changes: number[] = []
  try {
    if (currentLayout.own !== targetFolder)
      for (const name of agentFileNames) {
        const [from, to] = [ownFilePath(name, currentLayout), ownFilePath(name, newLayout)]
        if (!(await workspace.exists(from))) continue
        if (await workspace.exists(to)) {
          left.push(from)
          continue
        }
        const plan = await links.planMove({ from, to })
        const { change } = await links.move({ from, to }, plan.id, userOrigin)
        if (change !== null) changes.push(change)
        moved.push(to)
      }
    await saveSetting()
  } catch (error) {
    for (const change of changes.reverse()) await batches.undo(change, userOrigin)
    throw error
  }
  return { moved, left }
}
