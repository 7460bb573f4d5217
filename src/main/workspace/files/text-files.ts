import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { link, open, readlink, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { makeFolder, syncFile, syncFolder, temporaryBeside, writeDurably, writeFailure } from '#platform'

/** A pipe that takes a file's place between looking and opening holds nobody up. Windows has neither. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

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
  const bytes = await readBytes(path, shownAs, isAllowed)
  return { text: decodeUtf8(bytes, shownAs), hash: createHash('sha256').update(bytes).digest('hex') }
}

/** The same of what may be no text. @throws AppError as `readText` */
export async function readBytes(
  path: string,
  shownAs: string = path,
  isAllowed?: (realPath: string) => boolean,
): Promise<Buffer> {
  let file: FileHandle
  try {
    const { isText, size } = await describe(path)
    if (!isText) throw notRegular(shownAs)
    if (size > maxTextBytes) throw tooLarge(shownAs, size)
    file = await open(path, readFlags)
  } catch (error) {
    throw explainReadError(error, shownAs)
  }
  try {
    if (isAllowed) await assertAllowed(file, path, shownAs, isAllowed)
    if (!(await file.stat()).isFile()) throw notRegular(shownAs)
    return await file.readFile()
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
  if (!isAllowed(await whereIs(file, path))) throw exchanged(shownAs)
}

function exchanged(shownAs: string): AppError {
  return new AppError('path_outside_workspace', `${shownAs} was exchanged while it was opened`, { path: shownAs })
}

function notRegular(shownAs: string): AppError {
  return new AppError('file_not_text', `${shownAs} is not a regular file`, { path: shownAs })
}

/** Linux tells it of the open file; elsewhere the path is looked at once more. */
async function whereIs(file: FileHandle, path: string): Promise<string> {
  if (process.platform !== 'linux') return realpath(path)
  return (await readlink(`/proc/self/fd/${file.fd}`)).replace(/ \(deleted\)$/, '')
}

/** @throws AppError `file_not_text` when the bytes are not UTF-8 or hold a NUL */
export function decodeUtf8(bytes: Uint8Array, shownAs: string): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AppError('file_not_text', `${shownAs} is not UTF-8 text`, { path: shownAs })
  }
  if (!text.includes('\0')) return text
  // Every other byte may well be UTF-8: that it is not would be the wrong reason.
  const message = `${shownAs} holds bytes that are no text (NUL)`
  throw new AppError('file_not_text', message, { path: shownAs, holdsNul: true })
}

/**
 * What is written has to be readable again.
 * @throws AppError `text_unwritable` for a text with a NUL, `file_too_large`
 */
export function assertReadable(text: string, shownAs: string): void {
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    const line = text.slice(0, nul).split('\n').length
    const message = `line ${line} has an invisible control character (NUL), which no text file can hold; nothing was written to ${shownAs}`
    throw new AppError('text_unwritable', message, { path: shownAs, line })
  }
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
 * @param isAllowed asked where the folder really lies, once it is open
 * @param known what the file was when it was read; undefined where there was none
 * @throws AppError `disk_full`, `write_failed`, `path_outside_workspace`; `ChangedMeanwhile` when another program changed
 *   it since
 */
export async function writeText(
  path: string,
  text: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
  known: string | undefined,
): Promise<void> {
  const assertUnchanged = async () => {
    if ((await stateOf(path)) !== known) throw new ChangedMeanwhile(shownAs)
  }
  await inFolder(path, shownAs, isAllowed, (file) => writeDurably(file, text, shownAs, assertUnchanged))
}

/** Programs of other hands know nothing of our locks: what they saved since must not be replaced unseen. */
export class ChangedMeanwhile extends AppError {
  constructor(path: string) {
    super('file_changed', `${path} was changed by another program at this very moment`, { path })
  }
}

/** True for a file that nobody may write: its permissions say so, whoever asks. */
export async function isWriteProtected(path: string): Promise<boolean> {
  try {
    return ((await stat(path)).mode & 0o222) === 0
  } catch (error) {
    if (isSystemError(error)) return false
    throw error
  }
}

/** What its owner protects is not replaced by a file that nobody protects. @throws AppError `file_protected` */
export async function assertUnprotected(path: string, shownAs: string): Promise<void> {
  if (!(await isWriteProtected(path))) return
  const message = `${shownAs} is write-protected (its permissions let nobody change it); nothing was written`
  throw new AppError('file_protected', message, { path: shownAs })
}

/** Which file stands at a path, in which state; undefined for none. */
export async function stateOf(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true })
    return `${ino}:${mtimeNs}:${size}`
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/**
 * Moves a file without ever replacing another: the name is taken first, by a link, then the old one is let go.
 * @param isAllowed asked where the folders really lie, once they are open
 * @throws AppError `file_exists`, `file_not_found`, `disk_full`, `write_failed`, `path_outside_workspace`
 */
export async function moveFile(
  from: string,
  to: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
): Promise<void> {
  await inFolder(from, shownAs, isAllowed, (source) =>
    inFolder(to, shownAs, isAllowed, (target) => moveOpened(source, target, shownAs)),
  )
}

/**
 * Makes a file that was not there: filled under another name beside it, on the disk before it has its own.
 * @param fill writes the file that it is given the name of, which is not there yet
 * @throws AppError as `moveFile`, and what `fill` throws
 */
export async function placeFile(
  path: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
  fill: (file: string) => Promise<void>,
): Promise<void> {
  await inFolder(path, shownAs, isAllowed, async (target) => {
    const temporary = temporaryBeside(target)
    try {
      await fill(temporary)
      await syncFile(temporary)
      await moveOpened(temporary, target, shownAs)
    } catch (error) {
      await unlink(temporary).catch(() => undefined)
      throw error
    }
  })
}

async function moveOpened(from: string, to: string, shownAs: string): Promise<void> {
  try {
    await link(from, to)
    await unlink(from)
    for (const folder of new Set([dirname(to), dirname(from)])) await syncFolder(folder)
  } catch (error) {
    if (isSystemError(error, 'EEXIST'))
      throw new AppError('file_exists', `${shownAs} exists already`, { path: shownAs }, { cause: error })
    if (isSystemError(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EMLINK')) return renameFile(from, to, shownAs)
    if (isSystemError(error, 'ENOENT'))
      throw new AppError('file_not_found', `${shownAs} does not exist`, { path: shownAs }, { cause: error })
    throw writeFailure(error, shownAs)
  }
}

/**
 * Between looking where a path leads and writing there, a link can take a folder's place. On Linux the open folder is
 * asked where it lies, and the file is named by way of it; elsewhere the path is looked at once more.
 */
async function inFolder<T>(
  path: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const folder = dirname(path)
  let opened: FileHandle | undefined
  try {
    await makeFolder(folder)
    if (process.platform === 'linux') opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
    const real = opened ? await readlink(`/proc/self/fd/${opened.fd}`) : await realpath(folder)
    if (!isAllowed(real)) throw exchanged(shownAs)
    return await work(opened ? join(`/proc/self/fd/${opened.fd}`, basename(path)) : path)
  } catch (error) {
    throw error instanceof AppError ? error : writeFailure(error, shownAs)
  } finally {
    await opened?.close()
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

async function describe(path: string): Promise<{ isText: boolean; size: number }> {
  const info = await stat(path)
  return { isText: info.isFile(), size: info.size }
}

function explainReadError(error: unknown, shownAs: string): unknown {
  if (isSystemError(error, 'ENOENT', 'ENOTDIR')) {
    return new AppError('file_not_found', `${shownAs} does not exist`, { path: shownAs }, { cause: error })
  }
  if (isSystemError(error, 'EACCES', 'EPERM')) {
    return new AppError('folder_unreadable', `${shownAs} may not be read`, { path: shownAs }, { cause: error })
  }
  return error
}
