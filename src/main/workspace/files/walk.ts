/**
 * Lists the files below a folder, mostly its Markdown: without following a link twice or out of it, without end where folders lie in
 * folders, and without naming what could not be asked for by its name. It asks the disk for as much at once as pays, and
 * can be broken off at any time.
 */
import type { Dirent } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'
import { ownFolderName } from '#shared/util/own-files.ts'
import { inBatches } from '#platform'
import { askDisk, type AskDisk } from './stat-batch.ts'
import { isIgnoredFolder, isMarkdown, maxDepth, trashFolder } from './layout.ts'
import { isHidden, isHiddenPath, isNote, isUsable } from './file-names.ts'
import { placeOf } from './paths.ts'

export interface FoundFile {
  /** Relative to the folder, forward slashes. */
  readonly path: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  /** The same, of the last change that nobody can date back: whoever copies a file keeps the time above. */
  readonly changedAt: number
}

export interface Walk {
  /** Sorted by path, folder by folder. */
  readonly files: readonly FoundFile[]
  readonly problems: readonly WalkProblem[]
  /** Links that were passed over: another name of what is found by its own, or a way out of the folder. */
  readonly links: readonly string[]
}

/** Something that is not among the files, and why. */
export interface WalkProblem {
  readonly path: string
  readonly code: 'folder_unreadable' | 'folder_too_deep' | 'name_unusable'
}

/** Names that are told one by one; where there are more, it is for one reason. */
const maxTold = 50

/** Requests to the disk that are under way at once, within one folder. */
const atOnce = 64

interface Folder {
  /** Relative; empty for the one that is walked. */
  readonly path: string
  /** Where it really lies. */
  readonly real: string
  readonly depth: number
}

/** @param forbidden folders that are somebody else's, absolute: passed over, whatever leads into them */
export async function walkMarkdown(
  root: string,
  signal?: AbortSignal,
  forbidden: readonly string[] = [],
  ask: AskDisk = askDisk,
): Promise<Walk> {
  return walk(root, isMarkdown, signal, forbidden, ask)
}

/** The same for notes of every kind. */
export async function walkNotes(
  root: string,
  signal?: AbortSignal,
  forbidden: readonly string[] = [],
  ask: AskDisk = askDisk,
): Promise<Walk> {
  return walk(root, isNote, signal, forbidden, ask)
}

/** The same for files of all kinds, but hidden ones. */
export async function walkFiles(root: string, signal?: AbortSignal, forbidden: readonly string[] = []): Promise<Walk> {
  return walk(root, (name) => !isHidden(name), signal, forbidden, askDisk)
}

/** The paths of Markdown files alone: folders are read, and no file is asked about. */
export async function walkPaths(
  root: string,
  signal?: AbortSignal,
  forbidden: readonly string[] = [],
): Promise<string[]> {
  const { files } = await walk(root, isMarkdown, signal, forbidden, undefined)
  return files.map(({ path }) => path)
}

/** The links that a walk passes over, but hidden ones, sorted: no file is asked about. */
export async function walkLinks(
  root: string,
  signal?: AbortSignal,
  forbidden: readonly string[] = [],
): Promise<string[]> {
  const { links } = await walk(root, isMarkdown, signal, forbidden, undefined)
  return links.filter((path) => !isHidden(basename(path))).sort()
}

/** Whether a walk passes a file over since its path leads through a link. */
export async function isBehindLink(root: string, path: string): Promise<boolean> {
  const real = await realpath(root)
  const steps = path.split('/')
  for (let count = 1; count <= steps.length; count += 1) {
    const place = join(real, ...steps.slice(0, count))
    if ((await lstat(place)).isSymbolicLink() && isAnotherName(stepsTo(real, await realpath(place)))) return true
  }
  return false
}

function stepsTo(real: string, place: string): string[] {
  return place.slice(real.length + 1).split(/[\\/]/)
}

/** Of what a link leads to: it is found by its own name, and a note is one note. */
function isAnotherName(steps: readonly string[]): boolean {
  return !steps.includes('node_modules')
}

/** @param ask undefined where the names are enough: what else is told of a file means nothing then */
async function walk(
  root: string,
  isWanted: (name: string) => boolean,
  signal: AbortSignal | undefined,
  forbidden: readonly string[],
  ask: AskDisk | undefined,
): Promise<Walk> {
  const files: FoundFile[] = []
  const problems: WalkProblem[] = []
  const links = new Set<string>()
  const real = await realpath(root)
  const { isAllowed } = await placeOf({ workspace: root, forbidden })
  const seen = new Set<string>()
  const waiting: Folder[] = [{ path: '', real, depth: 0 }]

  async function visit(folder: Folder): Promise<void> {
    if (seen.has(folder.real)) return
    seen.add(folder.real)
    const entries = (await readdir(folder.real, { withFileTypes: true }))
      .filter((entry) => isOfInterest(entry, isWanted) || isOwnFolder(folder, entry))
      .sort(byName)
    const lookAt = (entry: Dirent) => guarded(pathOf(folder, entry), () => look(folder, entry))
    const folders: Folder[] = []
    for (const found of await inBatches(entries, atOnce, lookAt, signal)) {
      if (found && 'depth' in found) folders.push(found)
      else if (found) files.push(found)
    }
    // The last to be put there is the next to be taken.
    waiting.push(...folders.reverse())
  }

  /** Hidden, and looked into all the same; what was deleted of it lies below a moment in the trash. */
  function isOwnFolder({ path }: Folder, entry: Dirent): boolean {
    if (entry.name !== ownFolderName || !entry.isDirectory()) return false
    return path === '' || (basename(real) === trashFolder && /^\d+$/.test(path))
  }

  function leaveOut(path: string, code: 'folder_too_deep' | 'name_unusable'): undefined {
    if (problems.filter((problem) => problem.code === code).length < maxTold) problems.push({ path, code })
  }

  async function look(folder: Folder, entry: Dirent): Promise<Folder | FoundFile | undefined> {
    const path = pathOf(folder, entry)
    if (!isUsable(entry.name)) return leaveOut(path, 'name_unusable')
    const isLink = entry.isSymbolicLink()
    if (isLink) links.add(path)
    const place = isLink ? await realpath(join(folder.real, entry.name)) : join(folder.real, entry.name)
    // A file lies where its folder does.
    if ((isLink || entry.isDirectory()) && !isAllowed(place)) return undefined
    // What a link hides behind another name stays hidden.
    const steps = isLink ? stepsTo(real, place) : []
    if (isHiddenPath(steps)) return undefined
    if (isLink && isAnotherName(steps)) return undefined
    links.delete(path)
    if (!ask && entry.isFile()) return { path, size: 0, modifiedAt: 0, changedAt: 0 }
    if (!entry.isDirectory()) {
      const info = await (ask ?? askDisk)(place)
      if (info.isFile() && isWanted(entry.name)) {
        return { path, size: info.size, modifiedAt: info.mtimeMs, changedAt: info.ctimeMs }
      }
      if (!info.isDirectory()) return undefined
    }
    if (folder.depth === maxDepth) return leaveOut(path, 'folder_too_deep')
    return { path, real: place, depth: folder.depth + 1 }
  }

  /** A file that vanished meanwhile is no finding; one that may not be read is. */
  async function guarded<T>(path: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (isSystemError(error, 'EACCES', 'EPERM')) problems.push({ path, code: 'folder_unreadable' })
      else if (isSystemError(error, 'ENAMETOOLONG')) leaveOut(path, 'folder_too_deep')
      else if (!isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) throw error
      return undefined
    }
  }

  const first = waiting.pop()
  if (first) await visit(first)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    signal?.throwIfAborted()
    const folder = next
    await guarded(folder.path, () => visit(folder))
  }
  return { files, problems, links: [...links] }
}

function isOfInterest(entry: Dirent, isWanted: (name: string) => boolean): boolean {
  if (isIgnoredFolder(entry.name)) return false
  return isWanted(entry.name) || entry.isDirectory() || entry.isSymbolicLink()
}

function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1
}

function pathOf(folder: Folder, entry: Dirent): string {
  return folder.path === '' ? entry.name : `${folder.path}/${entry.name}`
}
