import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { IndexExclusion, IndexStatus } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { isMemoryPath, exclusionReason, resolveInside } from '#workspace'
import { sessionsPrefix } from './indexed-file.ts'
import type { IndexedFolder } from './indexed-folder.ts'

/**
 * Returns the reason why no search finds a line of the file.
 * @param path as requested: relative to the workspace, or with another folder's prefix
 * @throws the system error if it can't be examined
 */
export async function explainExclusion(
  path: string,
  folders: readonly IndexedFolder[],
  isIndexed: boolean,
  problems: IndexStatus['problems'],
): Promise<IndexExclusion> {
  if (isIndexed) return { reason: path.startsWith(sessionsPrefix) ? 'notMemory' : 'emptyLine' }
  const problem = problems.find((one) => one.path === path)
  if (problem) return { reason: 'unreadable', message: problem.message }
  const folder = folders.find(({ prefix }) => prefix !== '' && path.startsWith(prefix)) ?? folders[0]
  if (/^sessions\/[^/]+\.jsonl$/.test(path))
    return { reason: folders.some(({ source }) => source === 'sessions') ? 'missing' : 'sessionsOff' }
  if (!folder || (isAbsolute(path) && folder.prefix === '')) return { reason: 'outside' }
  const file = path.slice(folder.prefix.length)
  if (file.split(/[\\/]/).includes('..')) return { reason: 'outside' }
  const { source, scope = 'memory', layout } = folder
  const nameExclusion =
    source === 'shared' && !isMemoryPath(file, layout) ? 'outside' : exclusionReason(file, scope, layout)
  if (nameExclusion === 'hidden' || nameExclusion === 'notMarkdown' || nameExclusion === 'outside')
    return { reason: nameExclusion }
  const diskStatus = await statusOnDisk(folder, file)
  return {
    reason: diskStatus === 'there' ? (source === 'memory' ? (nameExclusion ?? 'pending') : 'pending') : diskStatus,
  }
}

async function statusOnDisk(
  { folder, forbidden }: IndexedFolder,
  file: string,
): Promise<'there' | 'missing' | 'hidden' | 'outside'> {
  try {
    return (await stat(await resolveInside({ workspace: folder, forbidden }, file))).isFile() ? 'there' : 'missing'
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return 'missing'
    if (!(error instanceof AppError)) throw error
    return error.code === 'path_hidden' ? 'hidden' : error.code === 'path_outside_workspace' ? 'outside' : 'missing'
  }
}
