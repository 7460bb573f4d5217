import { AppError } from '#shared/util/errors.ts'
import type { FoundFile } from '#workspace'
import type { ToolContext } from './tool.ts'

/**
 * Returns the part of a file that the model may see.
 * @throws AppError as `Workspace.read`; hidden files fail like missing ones
 */
export async function readVisible(path: string, { workspace, accessPolicy: eyes }: ToolContext): Promise<string> {
  try {
    const real = await workspace.realPath(path)
    // A failure must not reveal that a hidden folder contains anything.
    if (!(await eyes.names(real, ''))) throw eyes.missing(path)
    return await eyes.shown(real, (await workspace.read(path)).text)
  } catch (error) {
    if (error instanceof AppError && error.code === 'file_not_found') throw eyes.missing(path)
    throw error
  }
}

/** Returns the files that the model may see, with the size of their visible part in bytes. */
export async function visibleFiles(
  files: readonly FoundFile[],
  { workspace, accessPolicy: eyes }: ToolContext,
): Promise<readonly FoundFile[]> {
  const hidden = await eyes.hidden()
  const named: FoundFile[] = []
  for (const file of files) {
    const note = hidden.get(file.path)
    if (!note) named.push(file)
    else if (!note.isWhole)
      named.push({ ...file, size: Buffer.byteLength(await partOf(file.path, { workspace, accessPolicy: eyes })) })
  }
  return named
}

async function partOf(
  path: string,
  { workspace, accessPolicy: eyes }: Pick<ToolContext, 'workspace' | 'accessPolicy'>,
): Promise<string> {
  try {
    return await eyes.shown(path, (await workspace.read(path)).text)
  } catch (error) {
    if (error instanceof AppError) return ''
    throw error
  }
}
