/** A workspace's Markdown as one zip. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { zipSync, type Zippable } from 'fflate'
import { AppError } from '../../shared/errors.ts'
import { walkMarkdown } from '../workspace/index.ts'

/** All of it is in memory at once. */
const mostBytes = 512 * 1024 * 1024

/** @throws AppError `folder_too_large` */
export async function packWorkspace(workspace: string): Promise<Blob> {
  const { files } = await walkMarkdown(workspace)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > mostBytes) {
    const megabytes = Math.round(bytes / 1024 / 1024)
    throw new AppError('folder_too_large', `${workspace} has ${megabytes} MB`, { path: workspace, megabytes })
  }
  const entries: Zippable = {}
  for (const { path, modifiedAt } of files)
    entries[path] = [await readFile(join(workspace, path)), { mtime: new Date(modifiedAt), level: 6 }]
  return new Blob([new Uint8Array(zipSync(entries))], { type: 'application/zip' })
}
