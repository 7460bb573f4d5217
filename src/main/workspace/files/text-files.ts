import { createHash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { link, open, readlink, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { makeFolder, syncFile, syncFolder, temporaryPath, writeDurably, toWriteError } from '#platform'

/** Keeps `open` from blocking if a pipe replaces the file after the check. Windows has no such flag. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

export const maxTextBytes = 20 * 1024 * 1024

export interface TextFile {
  readonly text: string
  /** SHA-256 of the bytes, hex. */
  readonly hash: string
}

/** Returns the SHA-256 of the UTF-8 text, hex. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/**
 * Reads a UTF-8 file by its absolute path. A byte-order mark stays in the text.
 * @param shownAs path for error messages
 * @param isAllowed checks the real path of the file after it is open
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

/** Reads a file of at most `maxTextBytes` that need not be text. @throws AppError as `readText` */
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
 * Checks the open file's real path: a link can replace a folder between resolving the path and opening the file.
 * @throws AppError `path_outside_workspace`
 */
async function assertAllowed(
  file: FileHandle,
  path: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
): Promise<void> {
  if (!isAllowed(await realPathOfOpen(file, path))) throw replacedWhileOpening(shownAs)
}

function replacedWhileOpening(shownAs: string): AppError {
  return new AppError('path_outside_workspace', `${shownAs} was replaced while it was being opened`, { path: shownAs })
}

function notRegular(shownAs: string): AppError {
  return new AppError('file_not_text', `${shownAs} is not a regular file`, { path: shownAs })
}

/** Linux reports the path of an open file; other systems resolve the path again. */
async function realPathOfOpen(file: FileHandle, path: string): Promise<string> {
  if (process.platform !== 'linux') return realpath(path)
  return (await readlink(`/proc/self/fd/${file.fd}`)).replace(/ \(deleted\)$/, '')
}

/** @throws AppError `file_not_text` if the bytes are not UTF-8 or contain a NUL */
export function decodeUtf8(bytes: Uint8Array, shownAs: string): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new AppError('file_not_text', `${shownAs} is not UTF-8 text`, { path: shownAs })
  }
  if (!text.includes('\0')) return text
  // The bytes may be valid UTF-8, so the message must name NUL.
  const message = `${shownAs} contains NUL bytes, so it is not text`
  throw new AppError('file_not_text', message, { path: shownAs, holdsNul: true })
}

/**
 * Checks that a text can be read again once written.
 * @throws AppError `text_unwritable` for a text with a NUL, `file_too_large`
 */
export function assertReadable(text: string, shownAs: string): void {
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    const line = text.slice(0, nul).split('\n').length
    const message = `line ${line} contains an invisible control character (NUL), which text files cannot contain; nothing was written to ${shownAs}`
    throw new AppError('text_unwritable', message, { path: shownAs, line })
  }
  // A UTF-16 unit takes at most four bytes in UTF-8, so short texts need no exact count.
  const size = text.length * 4 > maxTextBytes ? Buffer.byteLength(text) : 0
  if (size > maxTextBytes) throw tooLarge(shownAs, size)
}

function tooLarge(shownAs: string, size: number): AppError {
  const megabytes = Math.ceil(size / 1024 / 1024)
  const maxMegabytes = maxTextBytes / 1024 / 1024
  return new AppError('file_too_large', `${shownAs} has ${megabytes} MB; up to ${maxMegabytes} MB can be opened`, {
    path: shownAs,
    megabytes,
  })
}

/**
 * Replaces or creates a file atomically: readers, also after a crash, see the old text or the new one.
 * @param isAllowed checks the real path of the folder after it is open
 * @param known `fileStamp` the file when it was read; undefined if it did not exist
 * @throws AppError `disk_full`, `write_failed`, `path_outside_workspace`; `ConcurrentWriteError` if another program has
 * written the file since
 */
export async function writeText(
  path: string,
  text: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
  known: string | undefined,
): Promise<void> {
  const assertUnchanged = async () => {
    if ((await fileStamp(path)) !== known) throw new ConcurrentWriteError(shownAs)
  }
  await withCheckedFolder(path, shownAs, isAllowed, (file) => writeDurably(file, text, shownAs, assertUnchanged))
}

/** Thrown if a program that does not know our lock has written the file between our read and our write. */
export class ConcurrentWriteError extends AppError {
  constructor(path: string) {
    super('file_changed', `${path} was changed by another program during the write`, { path })
  }
}

/** Returns true if no write bit is set in the file's permissions; false if there is no such file. */
export async function isWriteProtected(path: string): Promise<boolean> {
  try {
    return ((await stat(path)).mode & 0o222) === 0
  } catch (error) {
    if (isSystemError(error)) return false
    throw error
  }
}

/** Refuses to replace a write-protected file: the new file would not be protected. @throws AppError `file_protected` */
export async function assertUnprotected(path: string, shownAs: string): Promise<void> {
  if (!(await isWriteProtected(path))) return
  const message = `${shownAs} is write-protected (its permissions allow no changes); nothing was written`
  throw new AppError('file_protected', message, { path: shownAs })
}

/** Returns a string that changes when the file is written or replaced; undefined if there is no file. */
export async function fileStamp(path: string): Promise<string | undefined> {
  try {
    const { ino, mtimeNs, size } = await stat(path, { bigint: true })
    return `${ino}:${mtimeNs}:${size}`
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

/**
 * Moves a file without ever overwriting another: links the new name, then unlinks the old one.
 * @param from absolute, as `to`; `shownAs` is the path for error messages
 * @param isAllowed checks the real paths of both folders after they are open
 * @throws AppError `file_exists`, `file_not_found`, `disk_full`, `write_failed`, `path_outside_workspace`
 */
export async function moveFile(
  from: string,
  to: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
): Promise<void> {
  await withCheckedFolder(from, shownAs, isAllowed, (source) =>
    withCheckedFolder(to, shownAs, isAllowed, (target) => linkAndUnlink(source, target, shownAs)),
  )
}

/**
 * Creates a file that must not exist yet: `fill` writes a temporary file in the same folder, which is synced and moved.
 * @param fill receives the path of the temporary file, which it must create
 * @throws AppError as `moveFile`, and any error of `fill`
 */
export async function createFile(
  path: string,
  shownAs: string,
  isAllowed: (realPath: string) => boolean,
  fill: (file: string) => Promise<void>,
): Promise<void> {
  await withCheckedFolder(path, shownAs, isAllowed, async (target) => {
    const temporary = temporaryPath(target)
    try {
      await fill(temporary)
      await syncFile(temporary)
      await linkAndUnlink(temporary, target, shownAs)
    } catch (error) {
      await unlink(temporary).catch(() => undefined)
      throw error
    }
  })
}

async function linkAndUnlink(from: string, to: string, shownAs: string): Promise<void> {
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
    throw toWriteError(error, shownAs)
  }
}

/**
 * Runs `work` on a path in a folder that was checked while open, because a link can replace the folder after its path
 * is resolved. On Linux the file is addressed through the open folder; elsewhere the path is resolved again.
 */
async function withCheckedFolder<T>(
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
    if (!isAllowed(real)) throw replacedWhileOpening(shownAs)
    return await work(opened ? join(`/proc/self/fd/${opened.fd}`, basename(path)) : path)
  } catch (error) {
    throw error instanceof AppError ? error : toWriteError(error, shownAs)
  } finally {
    await opened?.close()
  }
}

/** Fallback for file systems without hard links. Not atomic: a file created between check and rename is overwritten. */
async function renameFile(from: string, to: string, shownAs: string): Promise<void> {
  if (existsSync(to)) throw new AppError('file_exists', `${shownAs} exists already`, { path: shownAs })
  try {
    await rename(from, to)
  } catch (error) {
    throw toWriteError(error, shownAs)
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
    return new AppError(
      'folder_unreadable',
      `${shownAs} cannot be read (no permission)`,
      { path: shownAs },
      { cause: error },
    )
  }
  return error
}
