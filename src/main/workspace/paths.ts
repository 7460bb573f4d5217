/**
 * Isolation (M27): the one place that turns a path somebody asked for into a path on disk. A request names a file by
 * its path inside the workspace; symlinks are resolved before the check, so that neither `..`, nor an absolute path,
 * nor a link can lead out.
 */
import { realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { isMarkdown, isMemoryPath } from './layout.ts'

export interface Roots {
  /** The agent's workspace, absolute. */
  readonly workspace: string
  /** Folders inside the workspace that belong to somebody else: the state folder, other agents' workspaces. */
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
}

/**
 * Resolves `requested` (relative, `/` or the platform's separator) to the real path it stands for. The file itself
 * need not exist; its deepest existing ancestor is what must lie inside.
 * @throws AppError `path_outside_workspace`
 */
export async function resolveInside(roots: Roots, requested: string): Promise<string> {
  return (await resolve(roots, requested)).target
}

interface Resolved {
  /** A real path. */
  readonly target: string
  /** Whether another real path may be used as well. */
  readonly isAllowed: (realPath: string) => boolean
}

async function resolve(roots: Roots, requested: string): Promise<Resolved> {
  // What is only to be read has no second place of the same name in the workspace.
  if (readableFolder(roots, requested)) throw outside(requested)
  const path = normalizeRequest(requested)
  const workspace = await realpathOfExisting(roots.workspace)
  const forbidden = await Promise.all(roots.forbidden.map(realpathOfExisting))
  const isAllowed = (real: string) => isInside(workspace, real) && !forbidden.some((folder) => isInside(folder, real))
  const target = await realpathOfExisting(join(workspace, path))
  if (!isAllowed(target)) throw outside(requested)
  return { target, isAllowed }
}

/** The folder elsewhere that a request means; undefined for one of the workspace. */
export function readableFolder({ readable }: Roots, requested: string): ReadableFolder | undefined {
  return readable?.().find(({ prefix }) => requested.startsWith(prefix))
}

/** The same for reading, which may also be in a folder elsewhere. @throws AppError `path_outside_workspace` */
export async function resolveReadable(roots: Roots, requested: string): Promise<Resolved> {
  const elsewhere = readableFolder(roots, requested)
  if (!elsewhere) return resolve(roots, requested)
  const { prefix, folder, isMemoryOnly } = elsewhere
  const path = normalizeRequest(requested.slice(prefix.length))
  if (isMemoryOnly ? !isMemoryPath(path) : !isMarkdown(path)) throw outside(requested)
  // The folder itself may lie where this agent may not go otherwise; what leads out of it stays closed.
  return resolve({ workspace: folder, forbidden: [] }, path)
}

/**
 * The request as a clean relative path with forward slashes.
 * @throws AppError `path_outside_workspace` for an absolute path, a drive, a UNC path, `..`, a NUL byte, or nothing
 */
export function normalizeRequest(requested: string): string {
  const path = requested.replaceAll('\\', '/')
  const isAbsolute = path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.startsWith('~')
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  if (isAbsolute || path.includes('\0') || steps.length === 0 || steps.includes('..')) throw outside(requested)
  return steps.join('/')
}

/** True when `path` is `folder` or lies below it; both absolute and real. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (!way.startsWith(`..${sep}`) && way !== '..' && !/^([A-Za-z]:|[\\/])/.test(way))
}

/** The real path of what exists, with the part that does not yet exist appended as written. */
async function realpathOfExisting(path: string): Promise<string> {
  const missing: string[] = []
  let existing = path
  for (;;) {
    try {
      return join(await realpath(existing), ...missing)
    } catch (error) {
      if (isSystemError(error, 'ELOOP')) throw outside(path)
      if (isSystemError(error, 'ENAMETOOLONG')) throw nameTooLong(path, error)
      if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw error
      const parent = dirname(existing)
      if (parent === existing) return path
      missing.unshift(existing.slice(parent.length).replace(/^[\\/]+/, ''))
      existing = parent
    }
  }
}

/** The part of it that a sentence has room for. */
export function nameTooLong(path: string, cause: unknown): AppError {
  const shown = path.length > 60 ? `…${path.slice(-60).toWellFormed()}` : path
  return new AppError('name_too_long', `the name ${shown} is too long for this disk`, { path: shown }, { cause })
}

function outside(requested: string): AppError {
  return new AppError('path_outside_workspace', `${requested}: only files inside the workspace can be used`, {
    path: requested,
  })
}
