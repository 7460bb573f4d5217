/** What writers that were killed left behind: ours goes, that of the writer before ours is put where it can be found. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../../shared/errors.ts'
import { ageOf } from './time.ts'
import { isLeftOver } from './write.ts'

/** A writer in another process may be at work on one that is newer, ms. */
const atWorkMs = 60_000

/**
 * Removes our temporary files from a folder, and those below it.
 * @param isOpen which of its folders to go into, by their paths below it
 * @returns the other files, as paths below the folder with forward slashes
 */
export async function tidyFolder(folder: string, isOpen: (path: string) => boolean, prefix = ''): Promise<string[]> {
  const others: string[] = []
  for (const entry of await entriesOf(join(folder, prefix))) {
    const path = prefix + entry.name
    if (entry.isDirectory()) {
      if (isOpen(path)) others.push(...(await tidyFolder(folder, isOpen, `${path}/`)))
    } else if (!isLeftOver(entry.name)) others.push(path)
    else if (await isOlderThan(join(folder, path), atWorkMs)) await rm(join(folder, path), { force: true })
  }
  return others
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return []
    throw error
  }
}

async function isOlderThan(file: string, ms: number): Promise<boolean> {
  const info = await stat(file).catch(() => undefined)
  return info !== undefined && ageOf(info) > ms
}
