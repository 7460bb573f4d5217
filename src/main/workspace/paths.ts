/**
 * Isolation (M27): the one place that turns a path somebody asked for into a path on disk. A request names a file by
 * its path inside the workspace; symlinks are resolved before the check, so that neither `..`, nor an absolute path,
 * nor a link can lead out.
 */
import { realpath } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { AppError, isSystemError } from '../../shared/errors.ts'

export interface Roots {
  /** The agent's workspace, absolute. */
  readonly workspace: string
  /** Folders inside the workspace that belong to somebody else: the state folder, other agents' workspaces. */
  readonly forbidden: readonly string[]
}

/**
 * Resolves `requested` (relative, `/` or the platform's separator) to the real path it stands for. The file itself
 * need not exist; its deepest existing ancestor is what must lie inside.
 * @throws AppError `path_outside_workspace`
 */
export async function resolveInside(roots: Roots, requested: string): Promise<string> {
  const path = normalizeRequest(requested)
  const workspace = await realpathOfExisting(roots.workspace)
  const target = await realpathOfExisting(join(workspace, path))
  if (!isInside(workspace, target)) throw outside(requested)
  for (const folder of roots.forbidden) {
    if (isInside(await realpathOfExisting(folder), target)) throw outside(requested)
  }
  return target
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
      if (!isSystemError(error, 'ENOENT', 'ENOTDIR')) throw error
      const parent = dirname(existing)
      if (parent === existing) return path
      missing.unshift(existing.slice(parent.length).replace(/^[\\/]+/, ''))
      existing = parent
    }
  }
}

function outside(requested: string): AppError {
  return new AppError('path_outside_workspace', `${requested}: only files inside the workspace can be used`, {
    path: requested,
  })
}
