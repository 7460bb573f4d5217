/** A workspace's Markdown as one zip. */
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { zipSync, type Zippable } from 'fflate'
import { AppError } from '../../shared/errors.ts'
import { walkMarkdown } from '../workspace/index.ts'

/** All of it is in memory at once. */
const maxBytes = 512 * 1024 * 1024
/** Where the history is in the zip; `git clone` takes it from there. */
const historyFolder = 'history.git'
/** Where proposals are. */
const upkeepFolder = 'upkeep'

interface PackedFile {
  /** In the zip. */
  readonly name: string
  readonly source: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
}

/** @param forbidden folders inside it that are somebody else's @param upkeep proposals to go with it @param repository a Git repository to go with it @throws AppError `folder_too_large` */
export async function packWorkspace(
  workspace: string,
  forbidden: readonly string[],
  { upkeep, repository }: { readonly upkeep?: string | undefined; readonly repository?: string | undefined } = {},
): Promise<Blob> {
  const { files } = await walkMarkdown(workspace, undefined, forbidden)
  const packed = [
    ...files.map((file) => ({ ...file, name: file.path, source: join(workspace, file.path) })),
    ...(upkeep === undefined ? [] : await filesOf(upkeep, upkeepFolder)),
    ...(repository === undefined ? [] : await filesOf(repository, historyFolder)),
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

/** Nothing where there is no such folder. */
async function filesOf(folder: string, name: string): Promise<PackedFile[]> {
  const files: PackedFile[] = []
  if (!existsSync(folder)) return files
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const source = join(entry.parentPath, entry.name)
    const { size, mtimeMs } = await stat(source)
    const inside = relative(folder, source).split(sep).join('/')
    files.push({ name: `${name}/${inside}`, source, size, modifiedAt: mtimeMs })
  }
  return files
}
