/**
 * Writing that is true when it says so. A file is replaced in one step: the new bytes go to a temporary file beside it,
 * all of them (a disk that is full takes fewer than it is given and calls that success), and are on the disk before the
 * name changes hands. Whatever goes wrong on the way, the old file is as it was.
 */
import { randomBytes } from 'node:crypto'
import { open, rename, stat, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isSystemError } from '#shared/util/errors.ts'
import { writeFailure } from './write-failure.ts'
import { makeFolder } from './make-folder.ts'

const temporaryName = /^\.commonplace-[0-9a-f]{16}\.tmp$/

/** True for a file that a writer left behind when it was killed: nothing refers to it. */
export function isLeftOver(name: string): boolean {
  return temporaryName.test(name)
}

/** A name for what is being written, in the same folder. */
export function temporaryBeside(file: string): string {
  return join(dirname(file), `.commonplace-${randomBytes(8).toString('hex')}.tmp`)
}

/**
 * Replaces or creates the file in one step: a reader sees the old bytes or the new, and a crash leaves one of them whole.
 * @param shownAs how the user knows the file
 * @param beforeRename the last word: when it throws, nothing happens
 * @throws AppError `disk_full`, `write_failed`; the file is as it was then
 */
export async function writeDurably(
  file: string,
  data: string | Uint8Array,
  shownAs: string = file,
  beforeRename?: () => Promise<void>,
): Promise<void> {
  await replace(file, bytesOf(data), { shownAs, isDurable: true, beforeRename })
}

/** The same for what nobody but the user may read. @throws as `writeDurably` */
export async function writePrivately(file: string, data: string | Uint8Array): Promise<void> {
  await replace(file, bytesOf(data), { shownAs: file, isDurable: true, newMode: 0o600 })
}

/**
 * The same without waiting for the disk, for what can be made again: whole or not there, but after the machine lost its
 * power perhaps not there. @throws as `writeDurably`
 */
export async function writeWhole(file: string, data: string | Uint8Array, shownAs: string = file): Promise<void> {
  await replace(file, bytesOf(data), { shownAs, isDurable: false })
}

/**
 * Appends and waits until it is on the disk. A last line that a crash left without its end is ended first, so that
 * nothing is glued to it. The caller sees to it that nobody else appends at the same time.
 * @throws AppError `disk_full`, `write_failed`; nothing was appended then
 */
export async function appendDurably(file: string, text: string, shownAs: string = file): Promise<void> {
  try {
    const handle = await open(file, 'a+')
    try {
      await appendTo(handle, file, text)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw writeFailure(error, shownAs, Buffer.byteLength(text))
  }
}

/** Makes the names in a folder durable; file systems that do not know of that need not. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  let handle: FileHandle | undefined
  try {
    handle = await open(folder, 'r')
    await handle.sync()
  } catch (error) {
    if (!isSystemError(error, 'EINVAL', 'ENOTSUP', 'EPERM', 'EACCES', 'EISDIR')) throw error
  } finally {
    await handle?.close()
  }
}

/** Waits until what a file holds is on the disk. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'utf8') : data
}

interface Replacement {
  readonly shownAs: string
  readonly isDurable: boolean
  /** Permissions of a file that was not there. */
  readonly newMode?: number
  readonly beforeRename?: (() => Promise<void>) | undefined
}

async function replace(
  file: string,
  bytes: Uint8Array,
  { shownAs, isDurable, newMode, beforeRename }: Replacement,
): Promise<void> {
  const folder = dirname(file)
  const temporary = temporaryBeside(file)
  try {
    await makeFolder(folder)
    const mode = (await modeOf(file)) ?? newMode
    try {
      await writeNew(temporary, bytes, mode, isDurable)
      await beforeRename?.()
      await rename(temporary, file)
    } catch (error) {
      await unlink(temporary).catch(() => undefined)
      throw error
    }
    if (isDurable) await syncFolder(folder)
  } catch (error) {
    throw writeFailure(error, shownAs, bytes.length)
  }
}

async function appendTo(handle: FileHandle, file: string, text: string): Promise<void> {
  const { size } = await handle.stat()
  const bytes = Buffer.from((await endsWithLineBreak(handle, size)) ? text : `\n${text}`, 'utf8')
  try {
    await writeAll(handle, bytes)
    await handle.datasync()
  } catch (error) {
    await handle.truncate(size).catch(() => undefined)
    throw error
  }
  if (size === 0) await syncFolder(dirname(file))
}

async function writeNew(file: string, bytes: Uint8Array, mode: number | undefined, isDurable: boolean): Promise<void> {
  const handle = await open(file, 'wx', mode)
  try {
    await writeAll(handle, bytes)
    // The mask of the process may have taken bits away that the replaced file had.
    if (mode !== undefined) await handle.chmod(mode)
    if (isDurable) await handle.sync()
    const { size } = await handle.stat()
    if (size !== bytes.length) throw shortWrite(bytes.length, size)
  } finally {
    await handle.close()
  }
}

/** One call may take only a part. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done)
    if (bytesWritten === 0) throw shortWrite(bytes.length, done)
    done += bytesWritten
  }
}

function shortWrite(wanted: number, written: number): NodeJS.ErrnoException {
  const error: NodeJS.ErrnoException = new Error(`ENOSPC: only ${written} of ${wanted} bytes could be written`)
  error.code = 'ENOSPC'
  error.syscall = 'write'
  return error
}

async function endsWithLineBreak(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer[0] === 10
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o7777
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}
