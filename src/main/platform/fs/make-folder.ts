import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'

/**
 * Creates a folder and its parents. Node's recursive mkdir hangs if the file system rejects a folder with ENOENT, as
 * /proc does; this function throws the error.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  try {
    await mkdir(folder)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
}
