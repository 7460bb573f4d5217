/** Seeds a new workspace (M6). What is already there stays as it is. */
import { constants } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../../shared/errors.ts'
import { memoryFolder } from './layout.ts'

/** @returns the names of the files that were created */
export async function seedWorkspace(workspace: string, templates: string): Promise<string[]> {
  await mkdir(join(workspace, memoryFolder), { recursive: true })
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
