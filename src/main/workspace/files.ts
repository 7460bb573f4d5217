/** Reading and writing single files: whole, atomic, and only what is really text. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, readlink, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AppError, isSystemError } from '../../shared/errors.ts'
import { makeFolder, writeDurably } from '../files/index.ts'
import { nameTooLong } from './paths.ts'

/** Past this a Markdown file is no note any more; the editor and the tools say so instead of freezing. */
export const maxTextBytes = 20 * 1024 * 1024

export interface TextFile {
  readonly text: string
  /** SHA-256 of the bytes, hex. */
  readonly hash: string
}

export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Reads a UTF-8 file; a byte-order mark is kept as part of the text.
 * @param isAllowed asked where the file really lies, once it is open
 * @throws AppError `file_not_found`, `file_not_text`, `file_too_large`, `folder_unreadable`, `path_outside_workspace`
 */
export async function readText(
  path: string,
  shownAs: string = path,
  isAllowed?: (realPath: string) => boolean,
): Promise<TextFile> {
  let file: FileHandle
  try {
    const { isText, size } = await describe(path)
    if (!isText) throw new AppError('file_not_text', `${shownAs} is not a regular file`, { path: shownAs })
    if (size > maxTextBytes) throw tooLarge(shownAs, size)
    file = await open(path, 'r')
  } catch (error) {
    throw explainReadError(error, shownAs)
  }
  try {
    if (isAllowed) await assertAllowed(file, path, shownAs, isAllowed)
    const bytes = await file.readFile()
    return { text: decodeUtf8(bytes, shownAs), hash: createHash('sha256').update(bytes).digest('hex') }
  } finally {
    await file.close()
  }
}

/**
 * Between looking where a path leads and opening it, a link can take a folder's place: the open file itself is asked
 * where it lies. @throws AppError `path_outside_workspace`
 */
async function assertAllowed(
  file: FileHandle,
  path: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
): Promise<void> {
  if (isAllowed(await placeOf(file, path))) return
  throw new AppError('path_outside_workspace', `${shownAs} was exchanged while it was opened`, { path: shownAs })
}

/** Linux tells it of the open file; elsewhere the path is looked at once more. */
async function placeOf(file: FileHandle, path: string): Promise<string> {
  if (process.platform !== 'linux') return realpath(path)
  return (await readlink(`/proc/self/fd/${file.fd}`)).replace(/ \(deleted\)$/, '')
}

/** @throws AppError `file_not_text` when the bytes are not UTF-8 or hold a NUL */
export function decodeUtf8(bytes: Uint8Array, shownAs: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  throw new AppError('file_not_text', `${shownAs} is not UTF-8 text`, { path: shownAs })
}

/**
 * What is written has to be readable again.
 * @throws AppError `file_not_text` for a text with a NUL, `file_too_large`
 */
export function assertReadable(text: string, shownAs: string): void {
  if (text.includes('\0'))
    throw new AppError('file_not_text', `${shownAs}: a text cannot hold a NUL`, { path: shownAs })
  // Four bytes are the most that a character takes: short texts need not be counted.
  const size = text.length * 4 > maxTextBytes ? Buffer.byteLength(text) : 0
  if (size > maxTextBytes) throw tooLarge(shownAs, size)
}

function tooLarge(shownAs: string, size: number): AppError {
  const megabytes = Math.ceil(size / 1024 / 1024)
  const most = maxTextBytes / 1024 / 1024
  return new AppError('file_too_large', `${shownAs} has ${megabytes} MB; up to ${most} MB can be opened`, {
    path: shownAs,
    megabytes,
  })
}

/**
 * Replaces the file in one step: a reader sees the old text or the new, and a crash leaves one of them whole.
 * @throws AppError `write_failed`
 */
export async function writeAtomic(path: string, text: string, shownAs: string = path): Promise<void> {
  try {
    await writeDurably(path, text)
  } catch (error) {
    throw writeFailure(error, shownAs)
  }
}

/**
 * Moves a file without ever replacing another: the name is taken first, by a link, then the old one is let go.
 * @throws AppError `file_exists`, `file_not_found`, `write_failed`
 */
export async function moveFile(from: string, to: string, shownAs: string): Promise<void> {
  try {
    await makeFolder(dirname(to))
    await link(from, to)
    await unlink(from)
  } catch (error) {
    if (isSystemError(error, 'EEXIST'))
      throw new AppError('file_exists', `${shownAs} exists already`, { path: shownAs }, { cause: error })
    if (isSystemError(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EMLINK')) return renameFile(from, to, shownAs)
    if (isSystemError(error, 'ENOENT'))
      throw new AppError('file_not_found', `${shownAs} does not exist`, { path: shownAs }, { cause: error })
    throw writeFailure(error, shownAs)
  }
}

/** For file systems without links: the name is looked at first, which leaves a moment in between. */
async function renameFile(from: string, to: string, shownAs: string): Promise<void> {
  if (existsSync(to)) throw new AppError('file_exists', `${shownAs} exists already`, { path: shownAs })
  try {
    await rename(from, to)
  } catch (error) {
    throw writeFailure(error, shownAs)
  }
}

function writeFailure(error: unknown, shownAs: string): AppError {
  if (isSystemError(error, 'ENAMETOOLONG')) return nameTooLong(shownAs, error)
  const message = error instanceof Error ? error.message : String(error)
  const data = { path: shownAs, reason: systemCode(error) }
  return new AppError('write_failed', `${shownAs} could not be saved: ${message}`, data, { cause: error })
}

async function describe(path: string): Promise<{ isText: boolean; size: number }> {
  const info = await stat(path)
  return { isText: info.isFile(), size: info.size }
}

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

function explainReadError(error: unknown, shownAs: string): unknown {
  if (isSystemError(error, 'ENOENT', 'ENOTDIR')) {
    return new AppError('file_not_found', `${shownAs} does not exist`, { path: shownAs }, { cause: error })
  }
  if (isSystemError(error, 'ENAMETOOLONG')) return nameTooLong(shownAs, error)
  if (isSystemError(error, 'EACCES', 'EPERM')) {
    return new AppError('folder_unreadable', `${shownAs} may not be read`, { path: shownAs }, { cause: error })
  }
  return error
}
