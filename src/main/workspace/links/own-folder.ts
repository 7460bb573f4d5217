import { AppError } from '#shared/util/errors.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { appFolderName } from '#shared/util/agent-files.ts'

/**
 * Refuses to move the folder of the agent's own files, or another file to its path. Only the settings may change it.
 * @param own that folder; empty if the files are among the notes
 * @throws AppError `own_folder`
 */
export function assertNotOwnFolder(own: string, { from, to }: Move): void {
  const isOwn = (path: string) => own === path || own.startsWith(`${path}/`)
  const path = isOwn(from) ? from : isOwn(to) || to === appFolderName ? to : undefined
  if (path === undefined) return
  throw new AppError('own_folder', `${path} is the folder of the agent's own files; change it in the settings`, {
    path,
  })
}
