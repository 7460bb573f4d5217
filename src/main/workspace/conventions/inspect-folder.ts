import { readdir } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'
import { ownNames } from '#shared/util/own-files.ts'
import { layoutOf, ownPath } from '../files/layout.ts'
import { walkMarkdown } from '../files/walk.ts'
import { readHabits } from './read-conventions.ts'

/** Files that operating systems create in folders. */
const ofSystem: ReadonlySet<string> = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini'])

/** Returns the names in a folder; undefined if it does not exist. @throws the system error if it cannot be read */
export async function namesIn(folder: string): Promise<string[] | undefined> {
  try {
    return (await readdir(folder)).filter((name) => !ofSystem.has(name))
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/** Describes a folder that the user may choose as a workspace. A folder that cannot be read counts as empty. */
export async function lookAtFolder(folder: string, signal: AbortSignal | undefined) {
  // The user is still typing the path.
  if (!isAbsolute(folder)) return { exists: false, own: [], isEmpty: true, notes: 0, habits: await readHabits('', []) }
  const names = (await namesIn(folder).catch(() => [])) ?? undefined
  if (!names) return { exists: false, own: [], isEmpty: true, notes: 0, habits: await readHabits(folder, []) }
  const { files } = await walkMarkdown(folder, signal).catch((error: unknown) => {
    if (isSystemError(error)) return { files: [] }
    throw error
  })
  const paths = files.map((file) => file.path)
  const habits = await readHabits(folder, paths)
  const layout = layoutOf(habits.own)
  return {
    exists: true,
    own: ownNames.map((name) => ownPath(name, layout)).filter((path) => paths.includes(path)),
    isEmpty: names.length === 0,
    notes: files.length,
    habits,
  }
}
