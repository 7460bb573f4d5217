import { AppError } from '#shared/util/errors.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { appFolderName } from '#shared/util/agent-files.ts'

/**
 * Refuses to move the folder of the agent's own files, or another file to its path. Only the settings may change it.
 * @param ownFolder that folder; empty if the files are at the top of the workspace
 * @throws AppError `own_folder`
 */
export function assertNotOwnFolder(ownFolder: string, { from, to }: Move): void {
  const containsOwnFolder = (path: string) => ownFolder === path || ownFolder.startsWith(`${path}/`)
  const path = containsOwnFolder(from) ? from : containsOwnFolder(to) || to === appFolderName ? to : undefined
  if (path === undefined) return
  throw new AppError('own_folder', `${path} is the folder of the agent's own files; change it in the settings`, {
    path,
  })
}
