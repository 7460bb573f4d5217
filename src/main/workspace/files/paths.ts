/**
 * Maps requested paths to paths on disk. All file access goes through here. Links are resolved before the check, so
 * that no `..`, absolute path or link leads out of the workspace or to hidden files.
 */
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { attachmentType } from '#shared/util/attachments.ts'
import { isCanvas } from '#shared/markdown/links/canvas.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { isExecutable, type PathCheck } from './text-files.ts'
import { isMarkdown, isMemoryPath, type Layout, maxDepth, trashFolder } from './layout.ts'
import { isHidden, isHiddenPath, isNote, isPortable, isUsable, noteExtensions } from './file-names.ts'

export interface Roots {
  readonly workspace: string
  /**
   * Folders that the agent must not use, wherever they are: the state folder, other agents' workspaces. Read again for
   * each request, because agents are added and removed.
   */
  readonly forbidden: readonly string[]
  /** Folders outside the workspace that may be read: extra folders and memories that other agents share. */
  readonly readable?: () => readonly ReadableFolder[]
}

export interface ReadableFolder {
  readonly prefix: string
  /** Absolute. */
  readonly folder: string
  /** True if only memory files (`isMemoryPath`) may be read, false for all Markdown. */
  readonly isMemoryOnly: boolean
  readonly layout?: Layout | undefined
}

/** Paths can be resolved in them without resolving the workspace again. */
export interface ResolvedRoots extends Roots {
  /** A real path. */
  readonly root: string
  readonly isAllowed: PathCheck
}

export interface ResolvedPath {
  /** A real path. */
  readonly target: string
  readonly isAllowed: PathCheck
}

interface PathOnDisk extends ResolvedPath {
  /** Segments of the real path, relative to the root. */
  readonly segments: readonly string[]
  /** Number of trailing segments that do not exist yet. */
  readonly missingCount: number
}

/** @throws AppError as `resolveInside` */
export async function resolveRoots(roots: Roots): Promise<ResolvedRoots> {
  const { workspace, forbidden } = roots
  const { real: root } = await realpathOfExisting(workspace, workspace)
  const forbiddenFolders = (await Promise.all(forbidden.map((folder) => realpathOfExisting(folder, folder))))
    .map(({ real }) => real)
    // A workspace may be nested in the folder of another agent.
    .filter((folder) => !isInside(folder, root))
  const isAllowed = (real: string) => isInside(root, real) && !forbiddenFolders.some((folder) => isInside(folder, real))
  return { ...roots, root, isAllowed }
}

/**
 * Resolves a requested path (relative, `/` or the platform's separator) to a real path in the workspace. The file need
 * not exist; its deepest existing ancestor must be inside.
 * @throws AppError `path_outside_workspace`, `path_hidden`, `path_invalid`, `folder_unreadable`
 */
export async function resolveInside(roots: Roots, requested: string): Promise<string> {
  return (await resolve(roots, requested)).target
}

const isAttachment = (path: string) => attachmentType(path) !== undefined || isCanvas(path)

/** Notes, files whose links are updated after a move, and files that may be moved. */
const accepted = {
  note: isNote,
  rewrite: (path: string, exists: boolean) => isNote(path) || (isCanvas(path) && exists),
  move: (path: string) => isNote(path) || isAttachment(path),
}

/**
 * Resolves a file to write, which need not exist. An existing file must not be executable, a new name must be portable.
 * @throws AppError as `resolveInside`, `write_refused`, `path_invalid`
 */
export async function resolveWritable(
  roots: Roots,
  requested: string,
  use: keyof typeof accepted = 'note',
): Promise<ResolvedPath> {
  const resolved = await resolve(roots, requested)
  const { segments, missingCount, target } = resolved
  const isAccepted = (path: string) => accepted[use](path, missingCount === 0)
  if (!isAccepted(segments.join('/')) || !isAccepted(normalizePath(requested))) throw writeRefusedError(requested)
  if (missingCount > 0) await assertNewPath(resolved, requested)
  else if (await isExecutable(target)) throw writeRefusedError(requested)
  return resolved
}

/**
 * @throws AppError `file_exists`, also if the folder has the name in another Unicode composition (NFC, NFD);
 * `path_invalid` if a new name is not portable or the path is too deep
 */
async function assertNewPath({ segments, missingCount, target }: PathOnDisk, requested: string): Promise<void> {
  const name = segments.at(-1)?.normalize('NFC') ?? ''
  const hasForms = missingCount === 1 && name !== name.normalize('NFD')
  const siblings = hasForms ? await readdir(dirname(target)).catch(() => []) : []
  const isTaken = siblings.some((sibling) => sibling.normalize('NFC') === name)
  if (missingCount === 0 || isTaken)
    throw new AppError('file_exists', `${requested} exists already`, { path: requested })
  const newNames = segments.slice(segments.length - missingCount)
  if (!newNames.every(isPortable) || segments.length > maxDepth) throw invalidPathError(requested)
}

/** Resolves a new attachment or canvas. @throws AppError as `resolveInside`, `attachment_unknown`, `file_exists` */
export async function resolveNewAttachment(roots: Roots, requested: string): Promise<ResolvedPath> {
  const resolved = await resolve(roots, requested)
  if (!isAttachment(resolved.segments.join('/')) || !isAttachment(normalizePath(requested)))
    throw new AppError('attachment_unknown', `${requested} is not a supported attachment type`, { path: requested })
  await assertNewPath(resolved, requested)
  return resolved
}

/** @throws AppError as `resolveInside`, `file_exists` */
export async function resolveNewFolder(roots: Roots, requested: string): Promise<string> {
  const resolved = await resolve(roots, requested)
  await assertNewPath(resolved, requested)
  return resolved.target
}

/** Resolves a path below `.trash/`, which other functions refuse as hidden. @throws AppError as `resolveInside` */
export async function resolveTrash(roots: Roots, trashed: string): Promise<ResolvedPath> {
  const segments = normalizePath(trashed).split('/')
  return resolveSegments(await resolveRoots(roots), segments, trashed, 1)
}

/**
 * Returns the path of the file, as in requests, after links are resolved. Protection rules apply to this path.
 * @param ownFiles if `requested` is a hard link to one of these files or another spelling of it, its path is returned
 * @throws AppError as `resolveInside`
 */
export async function resolveRealPath(roots: Roots, requested: string, ownFiles: readonly string[]): Promise<string> {
  const readableFolder = findReadableFolder(roots, requested)
  if (readableFolder) {
    const { target } = await resolveReadable(roots, requested)
    const { root } = await resolveRoots({ workspace: readableFolder.folder, forbidden: [] })
    return readableFolder.prefix + relative(root, target).split(sep).join('/')
  }
  const resolvedRoots = await resolveRoots(roots)
  const { target, segments } = await resolve(resolvedRoots, requested)
  const path = segments.join('/')
  const id = await fileIdOf(target)
  const normalize = (name: string) => name.normalize('NFC').toLowerCase()
  for (const file of ownFiles) {
    // A file that does not exist has no id. Its name is compared, because the disk may ignore case and normalization.
    const isSame =
      id === undefined ? normalize(file) === normalize(path) : (await fileIdOf(join(resolvedRoots.root, file))) === id
    if (isSame) return file
  }
  return path
}

/** Identifies a file on disk, under any of its names. Returns undefined if it cannot be read. @param path absolute */
export async function fileIdOf(path: string): Promise<string | undefined> {
  const info = await stat(path, { bigint: true }).catch(() => undefined)
  return info && `${info.dev} ${info.ino}`
}

async function resolve(roots: Roots | ResolvedRoots, requested: string): Promise<PathOnDisk> {
  // The prefix of a readable folder never names a folder of the workspace.
  if (findReadableFolder(roots, requested)) throw outsideError(requested)
  const segments = normalizePath(requested).split('/')
  return resolveSegments('isAllowed' in roots ? roots : await resolveRoots(roots), segments, requested, 0)
}

/** @param hiddenCount number of leading segments that may be hidden */
async function resolveSegments(
  resolvedRoots: ResolvedRoots,
  requestedSegments: readonly string[],
  requested: string,
  hiddenCount: number,
): Promise<PathOnDisk> {
  if (isHiddenTarget(requestedSegments, hiddenCount)) throw hiddenPathError(requested)
  const file = join(resolvedRoots.root, ...requestedSegments)
  const { real: target, missingCount } = await realpathOfExisting(file, requested, true)
  const segments = relative(resolvedRoots.root, target).split(sep)
  if (!resolvedRoots.isAllowed(target)) throw outsideError(requested)
  if (isHiddenTarget(segments, segments[0] === trashFolder ? hiddenCount : 0)) throw hiddenPathError(requested)
  return { target, isAllowed: resolvedRoots.isAllowed, segments, missingCount }
}

/** Paths in the trash have the form `.trash/<milliseconds>/<original path>`. */
function isHiddenTarget(segments: readonly string[], hiddenCount: number): boolean {
  return hiddenCount === 0
    ? isHiddenPath(segments)
    : segments.slice(hiddenCount, 2).some(isHidden) || isHiddenPath(segments.slice(2))
}

/** Returns the readable folder outside the workspace that contains a path; undefined for a path of the workspace. */
export function findReadableFolder({ readable }: Roots, requested: string): ReadableFolder | undefined {
  return readable?.().find(({ prefix }) => requested.startsWith(prefix))
}

/** Resolves a path to read, in the workspace or in a readable folder. @throws AppError as `resolveInside` */
export async function resolveReadable(roots: Roots, requested: string): Promise<ResolvedPath> {
  const readableFolder = findReadableFolder(roots, requested)
  if (!readableFolder) return resolve(roots, requested)
  const { prefix, folder, isMemoryOnly, layout } = readableFolder
  const path = normalizePath(requested.slice(prefix.length))
  if (isMemoryOnly ? !isMemoryPath(path, layout) : !isMarkdown(path)) throw outsideError(requested)
  // A shared folder may be inside a forbidden one. Other forbidden folders inside it stay forbidden.
  return resolve({ workspace: folder, forbidden: roots.forbidden }, path)
}

/**
 * Normalizes a requested path to a relative path with forward slashes.
 * @throws AppError `path_outside_workspace` for an absolute path, a drive, a UNC path, `..` or an empty path;
 * `path_invalid` for a name that is not usable (`isUsable`)
 */
export function normalizePath(requested: string): string {
  const path = requested.replaceAll('\\', '/')
  const isAbsolute = path.startsWith('/') || /^[A-Za-z]:/.test(path) || /^~(\/|$)/.test(path)
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (isAbsolute || segments.length === 0 || segments.includes('..')) throw outsideError(requested)
  if (!segments.every((segment) => isUsable(segment))) throw invalidPathError(requested)
  return segments.join('/')
}

/** True also for the folder itself. Both paths must be absolute and real. */
export function isInside(folder: string, path: string): boolean {
  // Fast path: only on Windows, one path has several spellings.
  if (process.platform !== 'win32' && !path.includes('..'))
    return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
  const relativePath = relative(folder, path)
  return (
    relativePath === '' ||
    (!relativePath.startsWith(`..${sep}`) && relativePath !== '..' && !/^([A-Za-z]:|[\\/])/.test(relativePath))
  )
}

/** @param isStrict refuses a dangling link, through which a new file could be created elsewhere */
async function realpathOfExisting(
  path: string,
  requested: string,
  isStrict = false,
): Promise<{ real: string; missingCount: number }> {
  const missingSegments: string[] = []
  let existing = path
  for (;;) {
    try {
      return { real: join(await realpath(existing), ...missingSegments), missingCount: missingSegments.length }
    } catch (error) {
      if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw toAppError(error, requested)
      const info = isStrict ? await lstat(existing).catch(() => undefined) : undefined
      if (info?.isSymbolicLink()) throw outsideError(requested)
      const parent = dirname(existing)
      if (parent === existing) return { real: path, missingCount: 0 }
      missingSegments.unshift(existing.slice(parent.length).replace(/^[\\/]+/, ''))
      existing = parent
    }
  }
}

function toAppError(error: unknown, requested: string): unknown {
  if (isSystemError(error, 'ELOOP')) return outsideError(requested)
  if (isSystemError(error, 'ENAMETOOLONG', 'EINVAL', 'EILSEQ')) return invalidPathError(requested)
  if (!isSystemError(error)) return error
  const message = `${requested} cannot be read (${error.code})`
  return new AppError('folder_unreadable', message, { path: requested }, { cause: error })
}

function outsideError(path: string): AppError {
  return new AppError('path_outside_workspace', `${path}: only files inside the workspace can be used`, { path })
}

function hiddenPathError(path: string): AppError {
  return new AppError('path_hidden', `${path} is hidden: notes cannot have names that begin with a dot`, { path })
}

function invalidPathError(requested: string): AppError {
  const path = requested
    .slice(0, 200)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
  const rules = 'no : * ? " < > | or control characters, no - or ~ at the beginning, no dot or space at the end'
  const message = `${path} is not a name that every system accepts: ${rules}, at most 255 bytes a name and ${maxDepth} folders`
  return new AppError('path_invalid', message, { path, depth: maxDepth })
}

function writeRefusedError(requested: string): AppError {
  const allowed = noteExtensions.join(' ')
  const message = `${requested} is refused: other programs could run it or follow it as instructions. Notes end in ${allowed}`
  return new AppError('write_refused', message, { path: requested, allowed })
}
