/** Lists the Markdown files below a folder without following a link twice or out of it. */
import { readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../../shared/errors.ts'
import { isIgnoredFolder, isMarkdown } from './layout.ts'
import { isInside } from './paths.ts'

export interface FoundFile {
  /** Relative to the folder, forward slashes. */
  readonly path: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
}

export interface Walk {
  readonly files: readonly FoundFile[]
  /** Folders and files that may not be read. */
  readonly unreadable: readonly string[]
}

/** @param forbidden folders that are somebody else's, absolute: passed over, whatever leads into them */
export async function walkMarkdown(
  root: string,
  signal?: AbortSignal,
  forbidden: readonly string[] = [],
): Promise<Walk> {
  const files: FoundFile[] = []
  const unreadable: string[] = []
  const realRoot = await realpath(root)
  const closed = await Promise.all(forbidden.map((folder) => realpath(folder).catch(() => folder)))
  const isOpen = (path: string) => isInside(realRoot, path) && !closed.some((folder) => isInside(folder, path))
  const seen = new Set<string>()

  async function visit(folder: string): Promise<void> {
    signal?.throwIfAborted()
    const real = await realpath(join(root, folder))
    if (seen.has(real) || !isOpen(real)) return
    seen.add(real)
    const entries = await readdir(join(root, folder), { withFileTypes: true })
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() ? isIgnoredFolder(entry.name) : !isMarkdown(entry.name) && !entry.isSymbolicLink())
        continue
      await guarded(path, () => visitEntry(path, entry.isDirectory()))
    }
  }

  async function visitEntry(path: string, isFolder: boolean): Promise<void> {
    if (isFolder) return visit(path)
    const real = await realpath(join(root, path))
    if (!isOpen(real)) return
    const info = await stat(real)
    if (info.isDirectory()) return visit(path)
    if (info.isFile() && isMarkdown(path)) files.push({ path, size: info.size, modifiedAt: info.mtimeMs })
  }

  /** A file that vanished meanwhile is no finding; one that may not be read is. */
  async function guarded(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (isSystemError(error, 'EACCES', 'EPERM')) unreadable.push(path)
      else if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error
    }
  }

  await visit('')
  return { files, unreadable }
}
