/** Seeds a new workspace (M6). What is already there stays as it is. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Exclusive, makeFolder, writeDurably } from '../files/index.ts'
import { memoryFolder } from './layout.ts'

/** @returns the names of the files that were created @throws AppError `disk_full`, `write_failed` */
export async function seedWorkspace(workspace: string, templates: string): Promise<string[]> {
  await makeFolder(join(workspace, memoryFolder))
  const alone = new Exclusive(workspace)
  try {
    return await alone.run(async () => {
      const names = (await readdir(templates)).filter((name) => name.endsWith('.md')).sort()
      const missing = names.filter((name) => !existsSync(join(workspace, name)))
      for (const name of missing) await writeDurably(join(workspace, name), await readFile(join(templates, name)), name)
      return missing
    })
  } finally {
    alone.close()
  }
}
