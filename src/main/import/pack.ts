/** A workspace's Markdown as one zip. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { zipSync, type Zippable } from 'fflate'
import { AppError } from '../../shared/errors.ts'
import { walkMarkdown } from '../workspace/index.ts'

/** All of it is in memory at once. */
const maxBytes = 512 * 1024 * 1024
/** Where the history is in the zip; `git clone` takes it from there. */
const historyFolder = 'history.git'

interface PackedFile {
  /** In the zip. */
  readonly name: string
  readonly source: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** @param forbidden folders inside it that are somebody else's @param repository a Git repository to go with it @throws AppError `folder_too_large` */
export async function packWorkspace(
  workspace: string,
  forbidden: readonly string[],
  repository?: string,
): Promise<Blob> {
  const { files } = await walkMarkdown(workspace, undefined, forbidden)
  const packed = [
    ...files.map((file) => ({ ...file, name: file.path, source: join(workspace, file.path) })),
    ...(repository === undefined ? [] : await filesOf(repository)),
  ]
  const bytes = packed.reduce((sum, { size }) => sum + size, 0)
  if (bytes > maxBytes) {
    const megabytes = Math.round(bytes / 1024 / 1024)
    throw new AppError('folder_too_large', `${workspace} has ${megabytes} MB`, { path: workspace, megabytes })
  }
  const entries: Zippable = {}
  for (const { name, source, modifiedAt } of packed)
    entries[name] = [await readFile(source), { mtime: new Date(modifiedAt), level: 6 }]
  return new Blob([new Uint8Array(zipSync(entries))], { type: 'application/zip' })
}

async function filesOf(repository: string): Promise<PackedFile[]> {
  const files: PackedFile[] = []
  for (const entry of await readdir(repository, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const source = join(entry.parentPath, entry.name)
    const { size, mtimeMs } = await stat(source)
    const name = `${historyFolder}/${relative(repository, source).split(sep).join('/')}`
    files.push({ name, source, size, modifiedAt: mtimeMs })
  }
  return files
}
