/**
 * Lists the files below a folder. Skips links out of the folder and links to files that are listed anyway, limits the
 * depth, and reports names that the app's path rules refuse.
 */
import { stat as statWithCallback, type Dirent, type Stats } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { appFolderName } from '#shared/util/agent-files.ts'
import { inBatches } from '#platform'
import { isIgnoredFolder, isMarkdown, maxDepth, trashFolder } from './layout.ts'
import { isHidden, isHiddenPath, isUsable } from './file-names.ts'
import { resolveRoots } from './paths.ts'

export interface WalkedFile {
  /** Relative to the folder, forward slashes. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
}

export interface Walk {
  /** Sorted by name within each folder. */
  readonly files: readonly WalkedFile[]
  readonly problems: readonly WalkProblem[]
  /** Symbolic links that were skipped, because their target is listed under its own path or outside the folder. */
  readonly links: readonly string[]
}

export interface WalkProblem {
  readonly path: string
  /** `hard_link`: some files have further names outside the folder; `path` is one of them. */
  readonly code: 'folder_unreadable' | 'folder_too_deep' | 'name_unusable' | 'hard_link'
}

const maxReportedProblems = 50

const concurrency = 64
/** Takes half as long as `fs/promises.stat`. */
const statFile = promisify<string, Stats>(statWithCallback)

interface Folder {
  /** Relative path; empty for the root of the walk. */
  readonly path: string
  /** Real path. */
  readonly real: string
  readonly depth: number
}

const createWalker =
  (isIncluded: (name: string) => boolean, readsMetadata = true) =>
  (root: string, signal?: AbortSignal, forbidden?: readonly string[]) =>
    walk(isIncluded, readsMetadata, root, signal, forbidden)

/** Lists Markdown files. The last parameter has absolute paths to skip. @throws the system error of an unreadable root */
export const walkMarkdown = createWalker(isMarkdown)
export const walkFiles = createWalker((name) => !isHidden(name))
/** Lists Markdown files but reads no metadata: sizes and times are 0. */
export const walkNames = createWalker(isMarkdown, false)

/** `walkMarkdown` skips a file whose path contains a link. @throws the system error if the path does not exist */
export async function isBehindLink(root: string, path: string): Promise<boolean> {
  const real = await realpath(root)
  const segments = path.split('/')
  for (let count = 1; count <= segments.length; count += 1) {
    const absolutePath = join(real, ...segments.slice(0, count))
    if (!(await lstat(absolutePath)).isSymbolicLink()) continue
    if (!segmentsBelow(real, await realpath(absolutePath)).includes('node_modules')) return true
  }
  return false
}

/** Returns a handler for `Promise.catch`. @throws AppError `folder_unreadable` if the root cannot be read */
export function refuseUnreadable(root: string): (error: unknown) => never {
  return (error) => {
    if (!isSystemError(error, 'ENOENT', 'EACCES', 'EPERM', 'ENOTDIR')) throw error
    throw new AppError('folder_unreadable', `${root} cannot be read`, { path: root }, { cause: error })
  }
}

function segmentsBelow(real: string, absolutePath: string): string[] {
  return absolutePath.slice(real.length + 1).split(/[\\/]/)
}

async function walk(
  isIncluded: (name: string) => boolean,
  readsMetadata: boolean,
  root: string,
  signal?: AbortSignal,
  forbidden: readonly string[] = [],
): Promise<Walk> {
  const files: WalkedFile[] = []
  const problems: WalkProblem[] = []
  const links = new Set<string>()
  const real = await realpath(root)
  const { isAllowed } = await resolveRoots({ workspace: root, forbidden })
  const visitedFolders = new Set<string>()
  const pendingFolders: Folder[] = []
  /** Files with several names: the number of names that were not found yet, by device and file number. */
  const hardLinks = new Map<string, { readonly path: string; missingCount: number }>()

  async function visit(folder: Folder): Promise<void> {
    if (visitedFolders.has(folder.real)) return
    visitedFolders.add(folder.real)
    const entries = (await readdir(folder.real, { withFileTypes: true }))
      .filter((entry) => isCandidate(entry) || isOwnFolder(folder, entry))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
    const inspectEntry = (entry: Dirent) => withErrorReport(pathOf(folder, entry), () => inspect(folder, entry))
    const folders: Folder[] = []
    for (const result of await inBatches(entries, concurrency, inspectEntry, signal)) {
      if (result && 'depth' in result) folders.push(result)
      else if (result) files.push(result)
    }
    // `pendingFolders` is a stack: the last folder is visited first.
    pendingFolders.push(...folders.reverse())
  }

  function isCandidate(entry: Dirent): boolean {
    if (isIgnoredFolder(entry.name)) return false
    return isIncluded(entry.name) || entry.isDirectory() || entry.isSymbolicLink()
  }

  /** Returns true for `.commonplace`, also below a time folder of the trash. It is hidden, but its notes are listed. */
  function isOwnFolder({ path }: Folder, entry: Dirent): boolean {
    if (entry.name !== appFolderName || !entry.isDirectory()) return false
    return path === '' || (basename(real) === trashFolder && /^\d+$/.test(path))
  }

  function reportProblem(path: string, code: 'folder_too_deep' | 'name_unusable'): undefined {
    if (problems.filter((problem) => problem.code === code).length < maxReportedProblems) problems.push({ path, code })
  }

  async function inspect(folder: Folder, entry: Dirent): Promise<Folder | WalkedFile | undefined> {
    const path = pathOf(folder, entry)
    if (!isUsable(entry.name)) return reportProblem(path, 'name_unusable')
    const isLink = entry.isSymbolicLink()
    if (isLink) links.add(path)
    const absolutePath = isLink ? await realpath(join(folder.real, entry.name)) : join(folder.real, entry.name)
    // Regular files need no check, because their folder was checked.
    if ((isLink || entry.isDirectory()) && !isAllowed(absolutePath)) return undefined
    // A link must not reveal a hidden target under another name.
    const segments = isLink ? segmentsBelow(real, absolutePath) : []
    if (isHiddenPath(segments)) return undefined
    // The walk reaches other targets of links by their own paths.
    if (isLink && !segments.includes('node_modules')) return undefined
    links.delete(path)
    if (!readsMetadata && entry.isFile()) return { path, size: 0, modifiedAt: 0 }
    if (!entry.isDirectory()) {
      const info = await statFile(absolutePath)
      if (info.isFile() && isIncluded(entry.name)) {
        if (info.nlink > 1) {
          const key = `${info.dev} ${info.ino}`
          const known = hardLinks.get(key)
          if (known) known.missingCount -= 1
          else hardLinks.set(key, { path, missingCount: info.nlink - 1 })
        }
        return { path, size: info.size, modifiedAt: info.mtimeMs }
      }
      if (!info.isDirectory()) return undefined
    }
    if (folder.depth === maxDepth) return reportProblem(path, 'folder_too_deep')
    return { path, real: absolutePath, depth: folder.depth + 1 }
  }

  /** Reports folders without read permission and ignores files that were deleted during the walk. */
  async function withErrorReport<Result>(path: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work()
    } catch (error) {
      if (isSystemError(error, 'EACCES', 'EPERM')) problems.push({ path, code: 'folder_unreadable' })
      else if (isSystemError(error, 'ENAMETOOLONG')) reportProblem(path, 'folder_too_deep')
      else if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error
      return undefined
    }
  }

  // An error of the root is thrown, not reported.
  await visit({ path: '', real, depth: 0 })
  for (let next = pendingFolders.pop(); next; next = pendingFolders.pop()) {
    signal?.throwIfAborted()
    const folder = next
    await withErrorReport(folder.path, () => visit(folder))
  }
  const linked = hardLinks.values().find(({ missingCount }) => missingCount > 0)
  if (linked) problems.push({ path: linked.path, code: 'hard_link' })
  return { files, problems, links: [...links] }
}

function pathOf(folder: Folder, entry: Dirent): string {
  return folder.path === '' ? entry.name : `${folder.path}/${entry.name}`
}
