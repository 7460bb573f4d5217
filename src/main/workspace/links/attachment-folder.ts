import { AppError } from '#shared/util/errors.ts'
import type { Move } from '#shared/markdown/links/rewrite-links.ts'
import { ownFolderName } from '#shared/util/own-files.ts'

/**
 * The settings say where the agent's own files lie: without them it would remember nothing, and what took their name would
 * be taken for them.
 * @param own where they lie; empty where that is among the notes @throws AppError `own_folder`
 */
export function assertNotOwn(own: string, { from, to }: Move): void {
  const isOwn = (path: string) => own === path || own.startsWith(`${path}/`)
  const path = isOwn(from) ? from : isOwn(to) || to === ownFolderName ? to : undefined
  if (path === undefined) return
  throw new AppError('own_folder', `${path} holds the agent's own files, which the settings move`, { path })
}
