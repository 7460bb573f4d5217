import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { type FileHandle, link, open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError, isSystemError, onSystemError } from '#shared/util/errors.ts'
import { makeFolder, syncFile, syncFolder, temporaryPath, toWriteError, withFile, writeDurably } from '#platform'

/** Receives the real path of a file that is read, and of the folder of a file that is written. */
export type PathCheck = (realPath: string) => boolean

/** Keeps `open` from blocking if a pipe replaces the file after the check. Windows has no such flag. */
export const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

export const maxTextBytes = 20 * 1024 * 1024

export interface TextFile {
  readonly text: string
  /** SHA-256 of the bytes, hex. */
  readonly hash: string
}

export function hashText(text: string): string {
  return hash('sha256', text)
}

/**
 * Reads a text file. A byte-order mark stays in the text.
 * @throws AppError `file_not_found`, `file_not_text`, `file_too_large`, `folder_unreadable`, `path_outside_workspace`
 */
export async function readText(path: string, shownPath: string = path, isAllowed?: PathCheck): Promise<TextFile> {
  const bytes = await readBytes(path, shownPath, isAllowed)
  return { text: decodeUtf8(bytes, shownPath), hash: hash('sha256', bytes) }
}

/** Reads a file of at most `maxTextBytes` that need not be text. @throws AppError as `readText` */
export async function readBytes(path: string, shownPath: string = path, isAllowed?: PathCheck): Promise<Buffer> {
  try {
    const info = await stat(path)
    if (!info.isFile()) throw notRegularFileError(shownPath)
    if (info.size > maxTextBytes) throw tooLargeError(shownPath, info.size)
    return await withFile(path, readFlags, async (file) => {
      if (isAllowed) await assertAllowed(file, path, shownPath, isAllowed)
      if (!(await file.stat()).isFile()) throw notRegularFileError(shownPath)
      return file.readFile()
    })
  } catch (error) {
    throw toReadError(error, shownPath)
  }
}

/** A link can replace a folder between resolving and opening. @throws AppError `path_outside_workspace` */
export async function assertAllowed(file: FileHandle, path: string, shownPath: string, isAllowed: PathCheck) {
  // Linux reports the path of an open file; other systems resolve the path again.
  const real =
    process.platform === 'linux'
      ? (await readlink(`/proc/self/fd/${file.fd}`)).replace(/ \(deleted\)$/, '')
      : await realpath(path)
  if (!isAllowed(real)) throw replacedWhileOpeningError(shownPath)
}

function replacedWhileOpeningError(shownPath: string): AppError {
  return new AppError('path_outside_workspace', `${shownPath} was replaced while being opened`, { path: shownPath })
}

function notRegularFileError(shownPath: string): AppError {
  return new AppError('file_not_text', `${shownPath} is not a regular file`, { path: shownPath })
}

/** @throws AppError `file_not_text` if the bytes are not UTF-8 or contain a NUL */
export function decodeUtf8(bytes: Uint8Array, shownPath: string): string {
  if (!isUtf8(bytes)) throw new AppError('file_not_text', `${shownPath} is not UTF-8 text`, { path: shownPath })
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  if (!text.includes('\0')) return text
  // The bytes are valid UTF-8, so the message must name NUL.
  const message = `${shownPath} contains NUL bytes, so it is not text`
  throw new AppError('file_not_text', message, { path: shownPath, holdsNul: true })
}

/** Checks that a text can be read again. @throws AppError `text_unwritable` for a NUL, `file_too_large` */
export function assertReadable(text: string, shownPath: string): void {
  const nulOffset = text.indexOf('\0')
  if (nulOffset >= 0) {
    const line = text.slice(0, nulOffset).split('\n').length
    const message = `line ${line} contains an invisible control character (NUL), which text files cannot contain; nothing was written to ${shownPath}`
    throw new AppError('text_unwritable', message, { path: shownPath, line })
  }
  // A UTF-16 code unit takes at most four bytes in UTF-8, so short texts need no exact count.
  const size = text.length * 4 > maxTextBytes ? Buffer.byteLength(text) : 0
  if (size > maxTextBytes) throw tooLargeError(shownPath, size)
}

function tooLargeError(shownPath: string, size: number): AppError {
  const megabytes = Math.ceil(size / 1024 / 1024)
  const message = `${shownPath} has ${megabytes} MB; up to ${maxTextBytes / 1024 / 1024} MB can be opened`
  return new AppError('file_too_large', message, { path: shownPath, megabytes })
}

/**
 * Writes a file: readers see the old text or the new one, even after a crash.
 * @param expectedStamp its `fileStamp` when it was read; undefined if it did not exist
 * @throws AppError `disk_full`, `write_failed`, `path_outside_workspace`; `ConcurrentWriteError` if another program has
 * written the file since
 */
export async function writeText(
  path: string,
  text: string,
  shownPath: string,
  isAllowed: PathCheck,
  expectedStamp: string | undefined,
): Promise<void> {
  const assertUnchanged = async () => {
    if ((await fileStamp(path)) !== expectedStamp) throw new ConcurrentWriteError(shownPath)
  }
  await withCheckedFolder(path, shownPath, isAllowed, (file) =>
    writeDurably(file, text, { shownPath, beforeRename: assertUnchanged }),
  )
}

/** Thrown if another program, which does not use the app's lock, wrote the file between the read and the write. */
export class ConcurrentWriteError extends AppError {
  constructor(path: string) {
    super('file_changed', `${path} was changed by another program during the write`, { path })
  }
}

/** Returns false if the file cannot be examined. */
export async function isWriteProtected(path: string): Promise<boolean> {
  const info = await stat(path).catch(onSystemError(undefined))
  return info !== undefined && (info.mode & 0o222) === 0
}

/** A write replaces the file, and the new one would not be protected. @throws AppError `file_protected` */
export async function assertUnprotected(path: string, shownPath: string): Promise<void> {
  if (!(await isWriteProtected(path))) return
  const message = `${shownPath} is write-protected (its permissions allow no changes); nothing was written`
  throw new AppError('file_protected', message, { path: shownPath })
}

/** Returns a string that changes when the file is written or replaced; undefined if there is no file. */
export async function fileStamp(path: string): Promise<string | undefined> {
  const info = await stat(path, { bigint: true }).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
  return info && `${info.ino}:${info.mtimeNs}:${info.size}`
}

/**
 * Moves a file without overwriting another one: links the new name, then unlinks the old one.
 * @throws AppError `file_exists`, `file_not_found`, `disk_full`, `write_failed`, `path_outside_workspace`
 */
export async function moveFile(from: string, to: string, shownPath: string, isAllowed: PathCheck): Promise<void> {
  await withCheckedFolder(from, shownPath, isAllowed, (source) =>
    withCheckedFolder(to, shownPath, isAllowed, (target) => linkAndUnlink(source, target, shownPath)),
  )
}

/** Creates a new file. @param fill writes the content to a temporary file @throws as `moveFile` */
export async function createFile(
  path: string,
  shownPath: string,
  isAllowed: PathCheck,
  fill: (file: string) => Promise<void>,
): Promise<void> {
  await withCheckedFolder(path, shownPath, isAllowed, async (target) => {
    const temporary = temporaryPath(target)
    try {
      await fill(temporary)
      await syncFile(temporary)
      await linkAndUnlink(temporary, target, shownPath)
    } catch (error) {
      await unlink(temporary).catch(() => undefined)
      throw error
    }
  })
}

async function linkAndUnlink(from: string, to: string, shownPath: string): Promise<void> {
  try {
    await link(from, to)
    await unlink(from)
    for (const folder of new Set([dirname(to), dirname(from)])) await syncFolder(folder)
  } catch (error) {
    if (isSystemError(error, 'EEXIST'))
      throw new AppError('file_exists', `${shownPath} exists already`, { path: shownPath }, { cause: error })
    if (isSystemError(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EXDEV', 'EMLINK')) {
      // Fallback for file systems without hard links. Not atomic: a file created meanwhile is overwritten.
      if (existsSync(to)) throw new AppError('file_exists', `${shownPath} exists already`, { path: shownPath })
      return rename(from, to).catch((cause: unknown) => Promise.reject(toWriteError(cause, shownPath)))
    }
    if (isSystemError(error, 'ENOENT'))
      throw new AppError('file_not_found', `${shownPath} does not exist`, { path: shownPath }, { cause: error })
    throw toWriteError(error, shownPath)
  }
}

/**
 * Runs `work` on a path in a folder that was checked while open, because a link can replace the folder after its path
 * is resolved. On Linux the file is addressed through the open folder; elsewhere the path is resolved again.
 */
async function withCheckedFolder<Result>(
  path: string,
  shownPath: string,
  isAllowed: PathCheck,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  const folder = dirname(path)
  let folderHandle: FileHandle | undefined
  try {
    await makeFolder(folder)
    if (process.platform === 'linux') folderHandle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
    const real = folderHandle ? await readlink(`/proc/self/fd/${folderHandle.fd}`) : await realpath(folder)
    if (!isAllowed(real)) throw replacedWhileOpeningError(shownPath)
    return await work(folderHandle ? join(`/proc/self/fd/${folderHandle.fd}`, basename(path)) : path)
  } catch (error) {
    throw error instanceof AppError ? error : toWriteError(error, shownPath)
  } finally {
    await folderHandle?.close()
  }
}

export function toReadError(error: unknown, shownPath: string): unknown {
  const data = { path: shownPath }
  if (isSystemError(error, 'ENOENT', 'ENOTDIR'))
    return new AppError('file_not_found', `${shownPath} does not exist`, data, { cause: error })
  if (isSystemError(error, 'EACCES', 'EPERM'))
    return new AppError('folder_unreadable', `${shownPath} cannot be read (no permission)`, data, { cause: error })
  return error
}

const executableBits = 0o111

/** For each device: true if its file system sets the bits on every file, as FAT and NTFS do. */
const bitsIgnoredByDevice = new Map<number, boolean>()

/** Returns false if the file system does not support such bits. @throws the system error if the file cannot be read */
export async function isExecutable(file: string): Promise<boolean> {
  if (process.platform === 'win32') return false
  const info = await stat(file).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
  if (!info?.isFile() || (info.mode & executableBits) === 0) return false
  let areBitsIgnored = bitsIgnoredByDevice.get(info.dev)
  areBitsIgnored ??= await setsBitsOnEveryFile(file)
  bitsIgnoredByDevice.set(info.dev, areBitsIgnored)
  return !areBitsIgnored
}

async function setsBitsOnEveryFile(file: string): Promise<boolean> {
  const probeFile = temporaryPath(file)
  const handle = await open(probeFile, 'wx', 0o600).catch(onSystemError(undefined))
  // A folder that allows no new file cannot be tested; the bits then count.
  if (!handle) return false
  try {
    return ((await handle.stat()).mode & executableBits) !== 0
  } finally {
    await handle.close()
    await unlink(probeFile).catch(onSystemError(undefined))
  }
}
