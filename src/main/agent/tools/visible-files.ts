import { AppError } from '#shared/util/errors.ts'
import type { FoundFile } from '#workspace'
import type { ToolContext } from './tool.ts'

/**
 * Returns the part of a file that the model may see. @param path workspace-relative
 * @throws AppError as `Workspace.read`; hidden files fail like missing ones
 */
export async function readVisible(path: string, { workspace, accessPolicy }: ToolContext): Promise<string> {
  try {
    const realPath = await workspace.realPath(path)
    // Check before reading: the error must not reveal that a hidden folder exists.
    if (!(await accessPolicy.names(realPath, ''))) throw accessPolicy.missing(path)
    return await accessPolicy.shown(realPath, (await workspace.read(path)).text)
  } catch (error) {
    if (error instanceof AppError && error.code === 'file_not_found') throw accessPolicy.missing(path)
    throw error
  }
}

/** Returns the files that the model may see, with the size of their visible part in bytes. */
export async function visibleFiles(
  files: readonly FoundFile[],
  { workspace, accessPolicy }: ToolContext,
): Promise<readonly FoundFile[]> {
  const hidden = await accessPolicy.hidden()
  const visible: FoundFile[] = []
  for (const file of files) {
    const note = hidden.get(file.path)
    if (!note) visible.push(file)
    else if (!note.isWhole)
      visible.push({ ...file, size: Buffer.byteLength(await readVisiblePart(file.path, { workspace, accessPolicy })) })
  }
  return visible
}

async function readVisiblePart(
  path: string,
  { workspace, accessPolicy }: Pick<ToolContext, 'workspace' | 'accessPolicy'>,
): Promise<string> {
  try {
    return await accessPolicy.shown(path, (await workspace.read(path)).text)
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
