/**
 * Isolation: the one place that turns a path somebody asked for into a path on disk. A request names a file by
 * its path inside the workspace; symlinks are resolved before the check, so that neither `..`, nor an absolute path,
 * nor a link can lead out, nor to what is hidden. What is written must be a note besides.
 */
import { lstat, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { attachmentType } from '#shared/util/attachments.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { isExecutable } from './executable-files.ts'
import { isMarkdown, isMemoryPath, layoutOf, maxDepth, trashFolder } from './layout.ts'
import { isHidden, isHiddenPath, isNote, isPortable, isUsable, noteExtensions } from './file-names.ts'

export interface Roots {
  /** The agent's workspace, absolute. */
  readonly workspace: string
  /**
   * Folders that belong to somebody else, wherever they lie: the state folder, other agents' workspaces. Asked for anew
   * for each request, since agents come and go.
   */
  readonly forbidden: readonly string[]
  /** Folders elsewhere that may be read: extra ones, and memories that other agents share. */
  readonly readable?: () => readonly ReadableFolder[]
}

export interface ReadableFolder {
  /** What a request for one of its files begins with. */
  readonly prefix: string
  /** Absolute. */
  readonly folder: string
  /** Only what a memory index covers. */
  readonly isMemoryOnly: boolean
  /** Of the agent whose it is: the folder of its own files. */
  readonly own?: string | undefined
}

/** Where a folder really lies, looked up once for all of its files. */
export interface Place {
  /** A real path. */
  readonly root: string
  /** Whether a real path is the agent's to use. */
  readonly isAllowed: (realPath: string) => boolean
}

export interface Resolved {
  /** A real path. */
  readonly target: string
  /** Whether another real path may be used as well. */
  readonly isAllowed: (realPath: string) => boolean
}

interface Found extends Resolved {
  /** The names of the path, from the root on, as they really are. */
  readonly names: readonly string[]
  /** How many of them, at the end, there is nothing of yet. */
  readonly missing: number
}

export async function placeOf({ workspace, forbidden }: Pick<Roots, 'workspace' | 'forbidden'>): Promise<Place> {
  const { real: root } = await realpathOfExisting(workspace, workspace)
  const foreign = (await Promise.all(forbidden.map((folder) => realpathOfExisting(folder, folder))))
    .map(({ real }) => real)
    // A workspace may lie inside of another's; it is its agent's all the same.
    .filter((folder) => !isInside(folder, root))
  const isAllowed = (real: string) => isInside(root, real) && !foreign.some((folder) => isInside(folder, real))
  return { root, isAllowed }
}

/**
 * Resolves `requested` (relative, `/` or the platform's separator) to the real path it stands for. The file itself
 * need not exist; its deepest existing ancestor is what must lie inside.
 * @param place of the roots, when it is known already
 * @throws AppError `path_outside_workspace`, `path_hidden`, `path_invalid`, `folder_unreadable`
 */
export async function resolveInside(roots: Roots, requested: string, place?: Place): Promise<string> {
  return (await resolve(roots, requested, place)).target
}

/**
 * The same for writing: what is there is no program, and what is not there yet gets a name that is the same everywhere.
 * @param place of the roots, when it is known already
 * @throws AppError also `write_refused`
 */
export async function resolveWritable(roots: Roots, requested: string, place?: Place): Promise<Resolved> {
  return writable(await resolve(roots, requested, place), requested, isNote)
}

/** The same for what is written anew since something else moved: a note, or a canvas that names files. */
export async function resolveLinking(roots: Roots, requested: string, place?: Place): Promise<Resolved> {
  const found = await resolve(roots, requested, place)
  return writable(found, requested, (path) => isNote(path) || (isCanvas(path) && found.missing === 0))
}

/** The same for what is given another name or place: a note, or what is shown in notes. */
export async function resolveMovable(roots: Roots, requested: string): Promise<Resolved> {
  const isFit = (path: string) => isNote(path) || isCanvas(path) || attachmentType(path) !== undefined
  return writable(await resolve(roots, requested), requested, isFit)
}

async function writable(found: Found, requested: string, isFit: (path: string) => boolean): Promise<Resolved> {
  const path = found.names.join('/')
  if (!isFit(path) || !isFit(normalizeRequest(requested))) throw writeRefused(requested)
  const added = found.names.slice(found.names.length - found.missing)
  if (!added.every(isPortable)) throw invalid(requested)
  if (added.length > 0 && found.names.length > maxDepth) throw invalid(requested)
  if (added.length === 0 && (await isExecutable(found.target))) throw writeRefused(requested)
  return found
}

/**
 * Where a file that is shown in notes can be put that is not there yet.
 * @throws AppError as `resolveInside`; `attachment_unknown`, `file_exists`
 */
export async function resolveNewAttachment(roots: Roots, requested: string): Promise<Resolved> {
  const found = await resolve(roots, requested)
  const { names, missing } = found
  const isFit = (path: string) => attachmentType(path) !== undefined || isCanvas(path)
  if (!isFit(names.join('/')) || !isFit(normalizeRequest(requested)))
    throw new AppError('attachment_unknown', `${requested} is of no kind that is shown here`, { path: requested })
  if (missing === 0) throw new AppError('file_exists', `${requested} exists already`, { path: requested })
  if (!names.slice(names.length - missing).every(isPortable) || names.length > maxDepth) throw invalid(requested)
  return found
}

/** Where a folder can be made that is not there yet. @throws AppError as `resolveInside`; `file_exists` */
export async function resolveNewFolder(roots: Roots, requested: string): Promise<string> {
  const { target, names, missing } = await resolve(roots, requested)
  if (missing === 0) throw new AppError('file_exists', `${requested} exists already`, { path: requested })
  if (!names.slice(names.length - missing).every(isPortable) || names.length > maxDepth) throw invalid(requested)
  return target
}

/** A path in the trash, which is nobody's to ask for but the app's own. @throws AppError as `resolveInside` */
export async function resolveTrash(roots: Roots, trashed: string): Promise<Resolved> {
  const steps = normalizeRequest(trashed).split('/')
  return find(await placeOf(roots), steps, trashed, 1)
}

/**
 * The path of the file that a request really means, whatever links lead there: by this, not by the name that was asked for,
 * it is decided what is protected.
 * @param own files that are known by more than a name, as paths: also by another link or spelling of theirs
 * @throws AppError as `resolveInside`
 */
export async function realPathOf(roots: Roots, requested: string, own: readonly string[]): Promise<string> {
  const elsewhere = readableFolder(roots, requested)
  if (elsewhere) {
    const { target } = await resolveReadable(roots, requested)
    const { root } = await placeOf({ workspace: elsewhere.folder, forbidden: [] })
    return elsewhere.prefix + relative(root, target).split(sep).join('/')
  }
  const place = await placeOf(roots)
  const { target, names } = await resolve(roots, requested, place)
  const path = names.join('/')
  const id = await idOf(target)
  for (const one of own) {
    // Where there is no such file yet, a disk may take another spelling for it.
    const isSame = id === undefined ? isSpelling(one, path) : (await idOf(join(place.root, one))) === id
    if (isSame) return one
  }
  return path
}

async function idOf(path: string): Promise<string | undefined> {
  const info = await stat(path, { bigint: true }).catch(() => undefined)
  return info && `${info.dev} ${info.ino}`
}

function isSpelling(one: string, other: string): boolean {
  return one.normalize('NFC').toLowerCase() === other.normalize('NFC').toLowerCase()
}

async function resolve(roots: Roots, requested: string, place?: Place): Promise<Found> {
  // What is only to be read has no second place of the same name in the workspace.
  if (readableFolder(roots, requested)) throw outside(requested)
  const steps = normalizeRequest(requested).split('/')
  return find(place ?? (await placeOf(roots)), steps, requested, 0)
}

/** @param hidden how many of the first names may be hidden */
async function find(place: Place, steps: readonly string[], requested: string, hidden: number): Promise<Found> {
  if (isConcealed(steps, hidden)) throw concealed(requested)
  const { real: target, missing } = await realpathOfExisting(join(place.root, ...steps), requested, true)
  const names = relative(place.root, target).split(sep)
  if (!place.isAllowed(target)) throw outside(requested)
  if (isConcealed(names, names[0] === trashFolder ? hidden : 0)) throw concealed(requested)
  return { target, isAllowed: place.isAllowed, names, missing }
}

/** What lies in the trash lies below a moment there, by the path that it had. */
function isConcealed(steps: readonly string[], hidden: number): boolean {
  return hidden === 0 ? isHiddenPath(steps) : steps.slice(hidden, 2).some(isHidden) || isHiddenPath(steps.slice(2))
}

/** The folder elsewhere that a request means; undefined for one of the workspace. */
export function readableFolder({ readable }: Roots, requested: string): ReadableFolder | undefined {
  return readable?.().find(({ prefix }) => requested.startsWith(prefix))
}

/** The same for reading, which may also be in a folder elsewhere. @throws AppError as `resolveInside` */
export async function resolveReadable(roots: Roots, requested: string): Promise<Resolved> {
  const elsewhere = readableFolder(roots, requested)
  if (!elsewhere) return resolve(roots, requested)
  const { prefix, folder, isMemoryOnly, own } = elsewhere
  const path = normalizeRequest(requested.slice(prefix.length))
  if (isMemoryOnly ? !isMemoryPath(path, layoutOf(own)) : !isMarkdown(path)) throw outside(requested)
  // A folder that is shared may lie where this agent may not go otherwise; a third agent's inside of it stays closed.
  return resolve({ workspace: folder, forbidden: roots.forbidden }, path)
}

/**
 * The request as a clean relative path with forward slashes.
 * @throws AppError `path_outside_workspace` for an absolute path, a drive, a UNC path, `..`, or nothing;
 * `path_invalid` for a name that cannot be told from another
 */
export function normalizeRequest(requested: string): string {
  const path = requested.replaceAll('\\', '/')
  const isAbsolute = path.startsWith('/') || /^[A-Za-z]:/.test(path) || /^~(\/|$)/.test(path)
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  if (isAbsolute || steps.length === 0 || steps.includes('..')) throw outside(requested)
  if (!steps.every((step) => isUsable(step))) throw invalid(requested)
  return steps.join('/')
}

/** True when `path` is `folder` or lies below it; both absolute and real. */
export function isInside(folder: string, path: string): boolean {
  // By far the most are plain; only Windows has several spellings of one path.
  if (process.platform !== 'win32' && !path.includes('..'))
    return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
  const way = relative(folder, path)
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !/^([A-Za-z]:|[\\/])/.test(way))
}

/**
 * The real path of what exists, with the part that does not yet exist appended as written.
 * @param isStrict a link that leads nowhere is refused: what is made at its other end would lie there
 */
async function realpathOfExisting(
  path: string,
  requested: string,
  isStrict = false,
): Promise<{ real: string; missing: number }> {
  const missing: string[] = []
  let existing = path
  for (;;) {
    try {
      return { real: join(await realpath(existing), ...missing), missing: missing.length }
    } catch (error) {
      if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw explain(error, requested)
      if (isStrict && (await isLink(existing))) throw outside(requested)
      const parent = dirname(existing)
      if (parent === existing) return { real: path, missing: 0 }
      missing.unshift(existing.slice(parent.length).replace(/^[\\/]+/, ''))
      existing = parent
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  const info = await lstat(path).catch(() => undefined)
  return info?.isSymbolicLink() === true
}

function explain(error: unknown, requested: string): unknown {
  if (isSystemError(error, 'ELOOP')) return outside(requested)
  if (isSystemError(error, 'ENAMETOOLONG', 'EINVAL', 'EILSEQ')) return invalid(requested)
  if (!isSystemError(error)) return error
  const message = `${requested} may not be read (${error.code})`
  return new AppError('folder_unreadable', message, { path: requested }, { cause: error })
}

function outside(requested: string): AppError {
  return new AppError('path_outside_workspace', `${requested}: only files inside the workspace can be used`, {
    path: requested,
  })
}

function concealed(requested: string): AppError {
  return new AppError('path_hidden', `${requested} is hidden: names that begin with a dot are not for notes`, {
    path: requested,
  })
}

function invalid(requested: string): AppError {
  const path = requested
    .slice(0, 200)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
  const rules = 'no : * ? " < > | or control characters, no - or ~ at the beginning, no dot or space at the end'
  const message = `${path} is no name that every system takes: ${rules}, at most 255 bytes a name and ${maxDepth} folders`
  return new AppError('path_invalid', message, { path, depth: maxDepth })
}

function writeRefused(requested: string): AppError {
  const allowed = noteExtensions.join(' ')
  const message = `${requested} is not written: other programs could run or obey it. Notes end in ${allowed}`
  return new AppError('write_refused', message, { path: requested, allowed })
}
