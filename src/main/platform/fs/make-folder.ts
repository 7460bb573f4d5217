import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns where the file system denies a folder with
 * "no such file", as /proc does; here that is an error.
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
