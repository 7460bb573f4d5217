import { rm } from 'node:fs/promises'
import { AppError } from '#shared/util/errors.ts'
import { hashText, readText, fileStamp, writeText } from '../files/text-files.ts'
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
 * Brings a file to the text after the change (`isForward`) or before it.
 * @returns the texts, and whether the file was written; undefined if the file matches neither text
 * @throws AppError as `readText` and `replaceText`
 */
export async function applyPendingWrite(
  roots: Roots,
  text: PendingText,
  isForward: boolean,
  resolvedRoots: ResolvedRoots,
): Promise<(TextWrite & { readonly isWritten: boolean }) | undefined> {
  const { path, newPath } = text
  const current = await readTextOrNull(roots, newPath, resolvedRoots)
  const hash = current === null ? null : hashText(current)
  const isAfter = hash === text.after
  if (!isAfter && hash !== text.before) return undefined
  const other = isAfter && text.before === null ? null : applyPendingText(current ?? '', text, !isAfter)
  const [before, after] = isAfter ? [other, current ?? ''] : [current, other ?? '']
  if (hashText(after) !== text.after || (before === null ? null : hashText(before)) !== text.before) return undefined
  const isWritten = isAfter !== isForward
  if (isWritten) await replaceText(roots, newPath, current, other, resolvedRoots)
  return { path, newPath, before, after, isWritten }
}

/** Reads a workspace-relative path; null if there is no file. @throws AppError as `resolveInside` and `readText` */
export async function readTextOrNull(roots: Roots, path: string, resolvedRoots: ResolvedRoots): Promise<string | null> {
  return readOrNull(await resolveInside(roots, path, resolvedRoots), path)
}

/** Reads a file by its real path; null if there is none. @throws AppError as `readText` */
export async function readOrNull(
  target: string,
  path: string,
  isAllowed?: ResolvedRoots['isAllowed'],
): Promise<string | null> {
  return (await fileStamp(target)) === undefined ? null : (await readText(target, path, isAllowed)).text
}

/**
 * Replaces a text.
 * @param text required current text; null if the file must not exist
 * @param replacement null deletes the file
 * @throws AppError `file_changed` if the file does not match `text`; as `resolveRewritable` and `writeText`
 */
export async function replaceText(
  roots: Roots,
  path: string,
  text: string | null,
  replacement: string | null,
  resolvedRoots: ResolvedRoots,
): Promise<void> {
  const { target, isAllowed } = await resolveRewritable(roots, path, resolvedRoots)
  const known = await fileStamp(target)
  if ((await readOrNull(target, path, isAllowed)) !== text) throw fileChanged(path)
  if (replacement === null) await rm(target, { force: true })
  else await writeText(target, replacement, path, isAllowed, known)
}

export function fileChanged(path: string): AppError {
  return new AppError('file_changed', `${path} was changed in the meantime`, { path })
}
