import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { IndexExclusion, IndexStatus, MemoryScope } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import {
  isBehindLink,
  walkMarkdown,
  isMarkdown,
  isMemoryPath,
  exclusionReason,
  resolveInside,
  type Layout,
} from '#workspace'
import { sessionsPrefix, type ScannedFile, type ResultSource } from './indexed-file.ts'

export interface IndexedFolder {
  readonly source: ResultSource
  readonly folder: string
  /** Prefix of its paths in the index: empty for the workspace, the folder's own path for an extra folder. */
  readonly prefix: string
  readonly forbidden: readonly string[]
  /** Only for a workspace: the part of it to search, and the conventions of its vault. */
  readonly scope?: MemoryScope
  readonly layout?: Layout
}

/** Files to index by kind of folder: as the scope says, memory files only, all Markdown, or transcripts. */
export const contentBySource: Readonly<Record<ResultSource, 'scope' | 'memory' | 'markdown' | 'transcripts'>> = {
  memory: 'scope',
  // Not the scope: a wider scope of the owner must not share more notes with other agents.
  shared: 'memory',
  extra: 'markdown',
  sessions: 'transcripts',
}

export type SyncProblem = IndexStatus['problems'][number]

export interface FileCandidate {
  readonly folder: IndexedFolder
  readonly path: string
  readonly file: string
  readonly size: number
  readonly mtime: number
}

/** @returns undefined if the folder can't be read */
export async function findFiles(
  folder: IndexedFolder,
  signal: AbortSignal,
  problems: SyncProblem[],
): Promise<FileCandidate[] | undefined> {
  try {
    if (contentBySource[folder.source] === 'transcripts') return await findTranscripts(folder)
    const { files, problems: met } = await walkMarkdown(folder.folder, signal, folder.forbidden)
    problems.push(...met.map((problem) => describeProblem(folder, problem)))
    return files
      .filter(({ path }) => isInScope(folder, path))
      .map(({ path, size, modifiedAt }) => ({
        folder,
        file: path,
        path: folder.prefix + path,
        size,
        mtime: modifiedAt,
      }))
  } catch (error) {
    if (!isSystemError(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR')) throw error
    problems.push({
      code: 'folder_unreadable',
      message: `${folder.folder} cannot be read (${error.code})`,
      path: folder.folder,
    })
    return undefined
  }
}

type WalkProblem = Awaited<ReturnType<typeof walkMarkdown>>['problems'][number]

const reasons: Record<WalkProblem['code'], string> = {
  folder_unreadable: 'cannot be read',
  folder_too_deep: 'is nested too deep and is not indexed',
  name_unusable: 'has a name that cannot be opened and is not indexed',
  hard_link: 'is the same file as one outside the folder (a hard link); other notes may be, too',
}

function describeProblem(folder: IndexedFolder, { path, code }: WalkProblem): SyncProblem {
  const shown = path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path
  const message = `${shown} ${reasons[code]}`
  // A note with a path is shown as unreadable.
  return code === 'hard_link' ? { code, message } : { code, message, path: folder.prefix + path }
}

async function findTranscripts(folder: IndexedFolder): Promise<FileCandidate[]> {
  if (!existsSync(folder.folder)) return []
  const names = (await readdir(folder.folder)).filter(isTranscript)
  const found = await Promise.all(names.map((name) => statCandidate(folder, name)))
  return found.filter((candidate) => candidate !== undefined)
}

/**
 * Returns a candidate for one file (relative to the folder), as a full scan would find it. Undefined if it is not a
 * file, is unreadable, or is behind a symbolic link.
 */
export async function candidateAt(folder: IndexedFolder, file: string): Promise<FileCandidate | undefined> {
  const found = await statCandidate(folder, file)
  if (!found || contentBySource[folder.source] === 'transcripts') return found
  // A file that vanished meanwhile is handled by the next sync.
  const isLinked = await isBehindLink(folder.folder, file).catch(() => true)
  return isLinked ? undefined : found
}

async function statCandidate(folder: IndexedFolder, path: string): Promise<FileCandidate | undefined> {
  try {
    const info = await stat(join(folder.folder, path))
    if (!info.isFile()) return undefined
    return { folder, file: path, path: folder.prefix + path, size: info.size, mtime: info.mtimeMs }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return undefined
    throw error
  }
}

export function isInScope({ source, scope = 'memory', layout }: IndexedFolder, file: string): boolean {
  switch (contentBySource[source]) {
    case 'scope':
      return exclusionReason(file, scope, layout) === undefined
    case 'memory':
      return isMemoryPath(file, layout)
    case 'markdown':
      return isMarkdown(file)
    case 'transcripts':
      return isTranscript(file)
  }
}

function isTranscript(path: string): boolean {
  return path.endsWith('.jsonl')
}

/**
 * Returns the folder of a changed path (with its prefix), or undefined if it is not indexed. Only covers transcripts
 * and the workspace (the first folder); the workspace can itself have a `sessions` folder.
 */
export function indexedFolderOf(folders: readonly IndexedFolder[], path: string): IndexedFolder | undefined {
  if (isTranscript(path)) return folders.find(({ source, prefix }) => source === 'sessions' && path.startsWith(prefix))
  const [workspace] = folders
  return workspace && isInScope(workspace, path) ? workspace : undefined
}

export function belongsTo(file: ScannedFile, folder: IndexedFolder): boolean {
  return file.source === folder.source && file.path.startsWith(folder.prefix)
}

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
