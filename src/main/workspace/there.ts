/** Whether the folder of a memory is there at all: it may have been renamed, moved, or be on a disk that is not mounted. */
import { stat } from 'node:fs/promises'
import { AppError, isSystemError } from '../../shared/errors.ts'

/** @throws AppError `folder_gone` rather than taking a folder that was moved away for an empty one */
export async function assertThere(workspace: string): Promise<void> {
  if (await isFolder(workspace)) return
  const message = `${workspace} is not there: put the folder back, or choose its new place in the settings`
  throw new AppError('folder_gone', message, { path: workspace })
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  })
  return info?.isDirectory() ?? false
}
