import { stat } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'

/**
 * Checks that the workspace folder exists, so that a moved folder is not mistaken for an empty one.
 * @throws AppError `folder_gone`
 */
export async function assertWorkspaceExists(workspace: string): Promise<void> {
  if (await isFolder(workspace)) return
  const message = `${workspace} is not there: put the folder back, or choose its new location in the settings`
  throw new AppError('folder_gone', message, { path: workspace })
}

/**
 * Adds the workspace's path to a `write_failed` error, which names only the path inside the workspace. Returns other
 * errors as they are.
 */
export function withWorkspacePath(error: unknown, workspace: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'write_failed') return error
  return new AppError(error.code, `${error.message} (workspace: ${workspace})`, error.data, { cause: error })
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  })
  return info?.isDirectory() ?? false
}
