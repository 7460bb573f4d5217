import { AppError } from '#shared/util/errors.ts'
import { fileStamp, type PathCheck, readText, writeText } from '../files/text-files.ts'
import { resolveInside, resolveWritable, type ResolvedRoots, type Roots } from '../files/paths.ts'

export interface TextWrite {
  readonly path: string
  readonly newPath: string
  /** Required text before the change; null if the file must not exist. */
  readonly before: string | null
  /** Null moves the file to the trash. */
  readonly after: string | null
}

/** Reads a workspace-relative path; null if there is no file. @throws AppError as `resolveInside` and `readText` */
export async function readTextOrNull(roots: Roots, path: string, resolvedRoots: ResolvedRoots): Promise<string | null> {
  return readOrNull(await resolveInside(roots, path, resolvedRoots), path)
}

/** Reads a file by its real path; null if there is none. @throws AppError as `readText` */
export async function readOrNull(target: string, path: string, isAllowed?: PathCheck): Promise<string | null> {
  return (await fileStamp(target)) === undefined ? null : (await readText(target, path, isAllowed)).text
}

/** @param expected null: the file must not exist @throws AppError `file_changed`; as `resolveWritable`, `writeText` */
export async function replaceText(
  roots: Roots,
  path: string,
  expected: string | null,
  replacement: string,
  resolvedRoots: ResolvedRoots,
): Promise<void> {
  const { target, isAllowed } = await resolveWritable(roots, path, 'rewrite', resolvedRoots)
  const stamp = await fileStamp(target)
  if ((await readOrNull(target, path, isAllowed)) !== expected) throw fileChangedError(path)
  await writeText(target, replacement, path, isAllowed, stamp)
}

export function fileChangedError(path: string): AppError {
  return new AppError('file_changed', `${path} was changed in the meantime`, { path })
}
