import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { MemoryScope } from '#shared/contract/index.ts'
import { isSystemError } from '#shared/util/errors.ts'
import {
  askDirectly,
  isBehindLink,
  walkMarkdown,
  type WalkProblem,
  isMarkdown,
  isMemoryPath,
  maxDepth,
  unsearchedFor,
  type Layout,
} from '#workspace'
import type { KnownFile, Source } from './indexed-file.ts'

/** A folder whose Markdown is indexed. */
export interface IndexedFolder {
  readonly source: Source
  /** Absolute. */
  readonly folder: string
  /** What its paths begin with in the index: nothing for the workspace, the folder itself for an extra one. */
  readonly prefix: string
  /** Folders inside it that are somebody else's, absolute. */
  readonly forbidden: readonly string[]
  /** Of a workspace: what of it is searched, and what its vault's habits say. */
  readonly scope?: MemoryScope
  readonly layout?: Layout
}

/** What is taken of a folder, by its kind: what its scope says, a memory in the narrow sense, any Markdown, or conversations. */
export const contents: Readonly<Record<Source, 'scope' | 'memory' | 'markdown' | 'transcripts'>> = {
  memory: 'scope',
  // That more is searched at home shares no more with others.
  shared: 'memory',
  extra: 'markdown',
  sessions: 'transcripts',
}

export interface SyncProblem {
  readonly code: string
  readonly message: string
  readonly path?: string
}

/** A file as a look at its folder found it. */
export interface Candidate {
  readonly folder: IndexedFolder
  /** As it stands in the index. */
  readonly path: string
  /** Relative to the folder. */
  readonly file: string
  readonly size: number
  readonly mtime: number
}

export async function findFiles(
  folder: IndexedFolder,
  signal: AbortSignal,
  problems: SyncProblem[],
): Promise<Candidate[] | undefined> {
  try {
    const content = contents[folder.source]
    if (content === 'transcripts') return await findTranscripts(folder)
    const { files, problems: met } = await walkMarkdown(folder.folder, signal, folder.forbidden, askDirectly())
    problems.push(...met.map((problem) => describeProblem(folder, problem)))
    return files
      .filter(({ path }) => isTaken(folder, path))
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

const reasons: Record<WalkProblem['code'], string> = {
  folder_unreadable: 'may not be read',
  folder_too_deep: `lies below more than ${maxDepth} folders and is not searched`,
  name_unusable: 'has a name that cannot be asked for, and is not searched',
}

function describeProblem(folder: IndexedFolder, { path, code }: WalkProblem): SyncProblem {
  const shown = path.length > 200 ? `${path.slice(0, 200).toWellFormed()}…` : path
  return { code, message: `${shown} ${reasons[code]}`, path: folder.prefix + path }
}

/** The files of one folder; there is none before the first conversation. */
async function findTranscripts(folder: IndexedFolder): Promise<Candidate[]> {
  if (!existsSync(folder.folder)) return []
  const names = (await readdir(folder.folder)).filter(isTranscript)
  const found = await Promise.all(names.map((name) => describe(folder, name)))
  return found.filter((candidate) => candidate !== undefined)
}

/** A file as a look at all of them would find it. */
export async function noticed(folder: IndexedFolder, file: string): Promise<Candidate | undefined> {
  const found = await describe(folder, file)
  if (!found || contents[folder.source] === 'transcripts') return found
  // What vanished meanwhile is told by the next look.
  const isLinked = await isBehindLink(folder.folder, file).catch(() => true)
  return isLinked ? undefined : found
}

async function describe(folder: IndexedFolder, path: string): Promise<Candidate | undefined> {
  try {
    const info = await stat(join(folder.folder, path))
    if (!info.isFile()) return undefined
    return { folder, file: path, path: folder.prefix + path, size: info.size, mtime: info.mtimeMs }
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return undefined
    throw error
  }
}

/** Whether a file is one that is searched, by its path in the folder alone. */
export function isTaken({ source, scope = 'memory', layout }: IndexedFolder, file: string): boolean {
  switch (contents[source]) {
    case 'scope':
      return unsearchedFor(file, scope, layout) === undefined
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
 * Where a file that was noticed belongs, if it is searched: the conversations or the workspace, which is the first of the
 * folders and may have a folder of the same name.
 */
export function folderOf(folders: readonly IndexedFolder[], path: string): IndexedFolder | undefined {
  if (isTranscript(path)) return folders.find(({ source, prefix }) => source === 'sessions' && path.startsWith(prefix))
  const [workspace] = folders
  return workspace && isTaken(workspace, path) ? workspace : undefined
}

export function belongsTo(file: KnownFile, folder: IndexedFolder): boolean {
  return file.source === folder.source && file.path.startsWith(folder.prefix)
}
