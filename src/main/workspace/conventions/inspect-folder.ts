import { readdir } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { onSystemError } from '#shared/util/errors.ts'
import { agentFileNames } from '#shared/util/agent-files.ts'
import { createLayout, ownFilePath } from '../files/layout.ts'
import { walkMarkdown } from '../files/walk.ts'
import { readConventions } from './read-conventions.ts'

const systemFiles: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini'])

/** Returns the names in a folder; undefined if it does not exist. @throws the system error if it cannot be read */
export async function listEntryNames(folder: string): Promise<string[] | undefined> {
  const names = await readdir(folder).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
  return names?.filter((name) => !systemFiles.has(name))
}

/** Describes a folder that the user may choose as a workspace. An unreadable or relative path counts as empty. */
export async function inspectFolder(folder: string, signal?: AbortSignal) {
  // While the user types the path, it can be incomplete.
  const names = isAbsolute(folder) ? await listEntryNames(folder).catch(() => []) : undefined
  if (!names) {
    const habits = await readConventions(isAbsolute(folder) ? folder : '', [])
    return { exists: false, own: [], isEmpty: true, notes: 0, habits }
  }
  const { files } = await walkMarkdown(folder, signal).catch(onSystemError({ files: [] }))
  const paths = files.map((file) => file.path)
  const habits = await readConventions(folder, paths)
  const layout = createLayout(habits.own, habits.longTermFiles[0])
  return {
    exists: true,
    own: agentFileNames.map((name) => ownFilePath(name, layout)).filter((path) => paths.includes(path)),
    isEmpty: names.length === 0,
    notes: files.length,
    habits,
  }
}
