import { rm } from 'node:fs/promises'
import { AppError } from '#shared/util/errors.ts'
import { hashText, readText, stateOf, writeText } from '../files/text-files.ts'
import { resolveInside, resolveLinking, type Place, type Roots } from '../files/paths.ts'
import { otherText, type PendingText } from './change-journal.ts'

export interface TextWrite {
  /** Paths before and after the change. */
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
export async function settleText(
  roots: Roots,
  text: PendingText,
  isForward: boolean,
  place: Place,
): Promise<(TextWrite & { readonly isWritten: boolean }) | undefined> {
  const { path, newPath } = text
  const now = await textAt(roots, newPath, place)
  const hash = now === null ? null : hashText(now)
  const isAfter = hash === text.after
  if (!isAfter && hash !== text.before) return undefined
  const other = isAfter && text.before === null ? null : otherText(now ?? '', text, !isAfter)
  const [before, after] = isAfter ? [other, now ?? ''] : [now, other ?? '']
  if (hashText(after) !== text.after || (before === null ? null : hashText(before)) !== text.before) return undefined
  const isWritten = isAfter !== isForward
  if (isWritten) await replaceText(roots, newPath, now, other, place)
  return { path, newPath, before, after, isWritten }
}

/** Returns null if there is no file. @throws AppError as `resolveInside` and `readText` */
export async function textAt(roots: Roots, path: string, place: Place): Promise<string | null> {
  return readOrNull(await resolveInside(roots, path, place), path)
}

/** Reads a file by its real path; null if there is none. @throws AppError as `readText` */
export async function readOrNull(target: string, path: string, isAllowed?: Place['isAllowed']): Promise<string | null> {
  return (await stateOf(target)) === undefined ? null : (await readText(target, path, isAllowed)).text
}

/**
 * Replaces a text.
 * @param text required current text; null if the file must not exist
 * @param by null deletes the file
 * @throws AppError `file_changed` if the file does not match `text`; as `resolveLinking` and `writeText`
 */
export async function replaceText(
  roots: Roots,
  path: string,
  text: string | null,
  by: string | null,
  place: Place,
): Promise<void> {
  const { target, isAllowed } = await resolveLinking(roots, path, place)
  const known = await stateOf(target)
  if ((await readOrNull(target, path, isAllowed)) !== text) throw changed(path)
  if (by === null) await rm(target, { force: true })
  else await writeText(target, by, path, isAllowed, known)
}

export function changed(path: string): AppError {
  return new AppError('file_changed', `${path} was changed in the meantime`, { path })
}
