import { AppError } from '#shared/util/errors.ts'
import type { Workspace } from '#workspace'
import { TextLines } from './line-edits.ts'
import type { LoadedNote } from './accept-plan.ts'

/** Reads a note; undefined if it does not exist. @throws AppError as `Workspace.read` */
export async function readNote(workspace: Workspace, path: string): Promise<LoadedNote | undefined> {
  try {
    const { text, hash } = await workspace.read(path)
    return { text, hash, lines: new TextLines(text) }
  } catch (error) {
    if (error instanceof AppError && error.code === 'file_not_found') return undefined
    throw error
  }
}
