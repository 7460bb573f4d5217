import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ownFolderName, ownNames } from '#shared/util/own-files.ts'
import { layoutOf, ownPath } from '#workspace'
import type { Agent } from './agent.ts'

export interface MovedOwn {
  /** New paths. */
  readonly moved: string[]
  /** Old paths of files that stay because the new name is taken. */
  readonly left: string[]
}

const user = { cause: 'user' } as const

/**
 * Returns the subfolder of an agent that is not open; empty for the top of the workspace.
 * @param said configured folder
 */
export function ownFolderIn(workspace: string, said: string | undefined): string {
  return said ?? (existsSync(join(workspace, ownFolderName)) ? ownFolderName : '')
}

/** @param settle saves the setting; if it fails, all moves are undone */
export async function moveOwnFiles(agent: Agent, own: string, settle: () => Promise<void>): Promise<MovedOwn> {
  const { workspace, links, batches } = agent
  const [before, after] = [workspace.layout, layoutOf(own)]
  const moved: string[] = []
  const left: string[] = []
  const done: string[] = []
  try {
    if (before.own !== own)
      for (const name of ownNames) {
        const [from, to] = [ownPath(name, before), ownPath(name, after)]
        if (!(await workspace.exists(from))) continue
        if (await workspace.exists(to)) {
          left.push(from)
          continue
        }
        const plan = await links.planMove({ from, to })
        done.push((await links.move({ from, to }, plan.id, user)).undo)
        moved.push(to)
      }
    await settle()
  } catch (error) {
    for (const undo of done.reverse()) await batches.undo(undo, { ...user, isUndo: true })
    throw error
  }
  return { moved, left }
}
