/** Seeds a new workspace (M6). What is already there stays as it is. */
import { constants } from 'node:fs'
import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../../shared/errors.ts'
import { makeFolder } from '../files/index.ts'
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
