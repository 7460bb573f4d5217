import { AppError } from '#shared/util/errors.ts'
import type { FoundFile } from '#workspace'
import type { ToolContext } from './tool.ts'

/** Returns the visible part of a file. @throws the errors of `Workspace.read`; `file_not_found` for a hidden file */
export async function readVisible(path: string, { workspace, accessPolicy }: ToolContext): Promise<string> {
  try {
    const realPath = await workspace.realPath(path)
    // Check before reading: the error must not reveal that a hidden folder exists.
    if (!(await accessPolicy.mayName(realPath, ''))) throw accessPolicy.missingFileError(path)
    return await accessPolicy.visibleText(realPath, (await workspace.read(path)).text)
  } catch (error) {
    if (error instanceof AppError && error.code === 'file_not_found') throw accessPolicy.missingFileError(path)
    throw error
  }
}

/** Returns the files that the model may see, with the size of their visible part in bytes. */
export async function visibleFiles(
  files: readonly FoundFile[],
  { workspace, accessPolicy }: ToolContext,
): Promise<readonly FoundFile[]> {
  const visibilityByPath = await accessPolicy.visibilityByPath()
  const visible: FoundFile[] = []
  for (const file of files) {
    const visibility = visibilityByPath.get(file.path)
    if (!visibility) visible.push(file)
    else if (!visibility.isFullyLocal) {
      const text = await readVisibleOrEmpty(file.path, { workspace, accessPolicy })
      visible.push({ ...file, size: Buffer.byteLength(text) })
    }
  }
  return visible
}

/** Returns '' for a file that cannot be read, since a listing must not fail because of one file. */
async function readVisibleOrEmpty(
  path: string,
  { workspace, accessPolicy }: Pick<ToolContext, 'workspace' | 'accessPolicy'>,
): Promise<string> {
  try {
    return await accessPolicy.visibleText(path, (await workspace.read(path)).text)
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
