import { stat } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'

/** @throws AppError `folder_gone` rather than taking a folder that was moved away for an empty one */
export async function assertThere(workspace: string): Promise<void> {
  if (await isFolder(workspace)) return
  const message = `${workspace} is not there: put the folder back, or choose its new place in the settings`
  throw new AppError('folder_gone', message, { path: workspace })
}

/** A write that failed says in which memory: of a file, only its path in there is told. */
export function withFolder(error: unknown, workspace: string): unknown {
  if (!(error instanceof AppError) || error.code !== 'write_failed') return error
  return new AppError(error.code, `${error.message}; it belongs into ${workspace}`, error.data, { cause: error })
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  })
  return info?.isDirectory() ?? false
}
