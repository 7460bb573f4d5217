import { AppError, orUndefined } from '#shared/util/errors.ts'
import type { WalkedFile } from '#workspace'
import { openFiles } from '#workspace/privacy'
import { missingFileError } from './access-policy.ts'
import type { ToolContext } from './tool.ts'

/** Returns the visible part of a file. @throws the errors of `Workspace.read`; `file_not_found` for a hidden file */
export async function readVisible(path: string, { workspace, accessPolicy }: ToolContext): Promise<string> {
  try {
    const realPath = await workspace.realPath(path)
    // Check before reading: the error must not reveal that a hidden folder exists.
    const isHidden = accessPolicy.visibleText(realPath, '') === undefined
    const text = isHidden ? undefined : accessPolicy.visibleText(realPath, (await workspace.read(path)).text)
    if (text !== undefined) return text
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'file_not_found') throw error
  }
  throw missingFileError(path)
}

/** Returns the files that the model may see, with the size of their visible part in bytes. */
export async function visibleFiles(
  files: readonly WalkedFile[],
  { accessPolicy, privacyOf, workspace }: ToolContext,
): Promise<readonly WalkedFile[]> {
  if (accessPolicy.seesPrivate) return files
  return openFiles(files, await privacyOf(files), async (path) => {
    const file = await orUndefined(workspace.read(path))
    return file && accessPolicy.visibleText(path, file.text)
  })
}
