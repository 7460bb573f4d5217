/** Seeds a new workspace (M6). What is already there stays as it is. */
import { constants, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSystemError } from '../../shared/errors.ts'
import { memoryFolder } from './layout.ts'

/** @returns the names of the files that were created */
export async function seedWorkspace(workspace: string, templates: string): Promise<string[]> {
  await makeFolder(join(workspace, memoryFolder))
  const created: string[] = []
  for (const name of (await readdir(templates)).filter((name) => name.endsWith('.md')).sort()) {
    try {
      await copyFile(join(templates, name), join(workspace, name), constants.COPYFILE_EXCL)
      created.push(name)
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error
    }
  }
  return created
}

/**
 * Makes a folder and those above it. Node's own recursive mkdir never returns where the file system denies a folder with
 * "no such file", as /proc does; here that is an error.
 */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  try {
    await mkdir(folder)
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
}
