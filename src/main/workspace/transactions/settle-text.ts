import { rm } from 'node:fs/promises'
import { AppError } from '#shared/util/errors.ts'
import { hashText, readText, fileStamp, writeText, type PathCheck } from '../files/text-files.ts'
import { resolveInside, resolveRewritable, type ResolvedRoots, type Roots } from '../files/paths.ts'
import { applyPendingText, type PendingText } from './change-journal.ts'

export interface TextWrite {
  readonly path: string
  readonly newPath: string
  /** Required text before the change; null if the file must not exist. */
  readonly before: string | null
  readonly after: string
}

/**
 * Writes the text after the change (`isForward`) or before it to a file that has the other one.
 * @returns the texts, and whether the file was written; undefined if the file matches neither text
 * @throws AppError as `readText` and `replaceText`
 */
export async function applyPendingWrite(
  roots: Roots,
  pending: PendingText,
  isForward: boolean,
  resolvedRoots: ResolvedRoots,
): Promise<(TextWrite & { readonly isWritten: boolean }) | undefined> {
  const { path, newPath } = pending
  const current = await readTextOrNull(roots, newPath, resolvedRoots)
  const hash = current === null ? null : hashText(current)
  const isAfter = hash === pending.after
  if (!isAfter && hash !== pending.before) return undefined
  const otherText = isAfter && pending.before === null ? null : applyPendingText(current ?? '', pending, !isAfter)
  const [before, after] = isAfter ? [otherText, current ?? ''] : [current, otherText ?? '']
  if (hashText(after) !== pending.after || (before === null ? null : hashText(before)) !== pending.before)
    return undefined
  const isWritten = isAfter !== isForward
  if (isWritten) await replaceText(roots, newPath, current, otherText, resolvedRoots)
  return { path, newPath, before, after, isWritten }
}

/** Reads a workspace-relative path; null if there is no file. @throws AppError as `resolveInside` and `readText` */
export async function readTextOrNull(roots: Roots, path: string, resolvedRoots: ResolvedRoots): Promise<string | null> {
  return readOrNull(await resolveInside(roots, path, resolvedRoots), path)
}

/** Reads a file by its real path; null if there is none. @throws AppError as `readText` */
export async function readOrNull(target: string, path: string, isAllowed?: PathCheck): Promise<string | null> {
  return (await fileStamp(target)) === undefined ? null : (await readText(target, path, isAllowed)).text
}

/**
 * Replaces a text.
 * @param expected required current text; null if the file must not exist
 * @param replacement null deletes the file
 * @throws AppError `file_changed` if the file does not match `expected`; as `resolveRewritable` and `writeText`
 */
export async function replaceText(
  roots: Roots,
  path: string,
  expected: string | null,
  replacement: string | null,
  resolvedRoots: ResolvedRoots,
): Promise<void> {
  const { target, isAllowed } = await resolveRewritable(roots, path, resolvedRoots)
  const stamp = await fileStamp(target)
  if ((await readOrNull(target, path, isAllowed)) !== expected) throw fileChangedError(path)
  if (replacement === null) await rm(target, { force: true })
  else await writeText(target, replacement, path, isAllowed, stamp)
}

export function fileChangedError(path: string): AppError {
  return new AppError('file_changed', `${path} was changed in the meantime`, { path })
}
