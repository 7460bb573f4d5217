/**
 * Durable writes. A file is replaced atomically: the bytes go to a temporary file next to it, are checked for
 * completeness (a full disk may accept only some of them without an error), synced and renamed. On any error the old
 * file is unchanged.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { AppError, isSystemError, onSystemError } from '#shared/util/errors.ts'
import { existsSync } from 'node:fs'
import { ageOf } from '../clock.ts'

export function isTemporaryFile(name: string): boolean {
  return /^\.commonplace-[0-9a-f]{16}\.tmp$/.test(name)
}

export function temporaryPath(file: string): string {
  return join(dirname(file), `.commonplace-${randomBytes(8).toString('hex')}.tmp`)
}

interface WriteOptions {
  readonly shownPath?: string | undefined
  /** Runs a last check; if it throws, the file stays unchanged. */
  readonly beforeRename?: () => Promise<void>
  /** Mode of a new file; a replaced file keeps its mode. */
  readonly newMode?: number
}

/** Readers and a crash see the old or the new bytes. @throws AppError 'disk_full', 'write_failed' */
export async function writeDurably(
  file: string,
  data: string | Uint8Array,
  { shownPath = file, beforeRename, newMode }: WriteOptions = {},
): Promise<void> {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  const folder = dirname(file)
  const temporaryFile = temporaryPath(file)
  try {
    await makeFolder(folder)
    const replaced = await stat(file).catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
    const mode = replaced ? replaced.mode & 0o7777 : newMode
    try {
      await withFile(temporaryFile, 'wx', (handle) => writeNew(handle, bytes, mode), mode)
      await beforeRename?.()
      await rename(temporaryFile, file)
    } catch (error) {
      await unlink(temporaryFile).catch(() => undefined)
      throw error
    }
    await syncFolder(folder)
  } catch (error) {
    throw toWriteError(error, shownPath, bytes.length)
  }
}

/** Ends a cut last line. The caller must prevent concurrent appends. @throws AppError 'disk_full', 'write_failed' */
export async function appendDurably(file: string, text: string): Promise<void> {
  try {
    await makeFolder(dirname(file))
    await withFile(file, 'a+', async (handle) => {
      const { size } = await handle.stat()
      const { buffer: lastByte } = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1))
      try {
        await handle.appendFile(size === 0 || lastByte.toString() === '\n' ? text : `\n${text}`)
        await handle.datasync()
      } catch (error) {
        await handle.truncate(size).catch(() => undefined)
        throw error
      }
      if (size === 0) await syncFolder(dirname(file))
    })
  } catch (error) {
    throw toWriteError(error, file, Buffer.byteLength(text))
  }
}

/** Makes renames and new files durable. Ignores file systems without support. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const synced = withFile(folder, 'r', (handle) => handle.sync())
  await synced.catch(onSystemError(undefined, 'EINVAL', 'ENOTSUP', 'EPERM', 'EACCES', 'EISDIR'))
}

export async function syncFile(file: string): Promise<void> {
  await withFile(file, 'r+', (handle) => handle.sync())
}

export async function withFile<T>(
  file: string,
  flags: string | number,
  work: (handle: FileHandle) => Promise<T>,
  mode?: number,
): Promise<T> {
  const handle = await open(file, flags, mode)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

async function writeNew(handle: FileHandle, bytes: Uint8Array, mode: number | undefined) {
  await handle.writeFile(bytes)
  // The umask may have removed bits that the replaced file had.
  if (mode !== undefined) await handle.chmod(mode)
  await handle.sync()
  const { size } = await handle.stat()
  if (size === bytes.length) return
  const message = `ENOSPC: only ${size} of ${bytes.length} bytes could be written`
  throw Object.assign(new Error(message), { code: 'ENOSPC', syscall: 'write' })
}

/** Node's recursive mkdir hangs if the file system rejects a folder with ENOENT, as /proc does. */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  await mkdir(folder).catch(onSystemError(undefined, 'EEXIST'))
}

/** Size in the error if the caller does not pass one, bytes: enough for a directory entry. */
const defaultBytes = 4096

/** @param shownPath path for error messages @param bytes of the attempted write @returns an AppError unchanged */
export function toWriteError(error: unknown, shownPath: string, bytes: number = defaultBytes): AppError {
  if (error instanceof AppError) return error
  const options = { cause: error }
  if (isSystemError(error, 'ENOSPC', 'EDQUOT', 'SQLITE_FULL')) {
    const kilobytes = Math.max(1, Math.ceil(bytes / 1024))
    const message = `the disk is full: ${kilobytes} kB are needed for ${shownPath}; the existing file is unchanged`
    return new AppError('disk_full', message, { path: shownPath, kilobytes }, options)
  }
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const message = `${shownPath} could not be saved: ${describeCause(error)}`
  return new AppError('write_failed', message, { path: shownPath, reason }, options)
}

const errorTexts: Readonly<Record<string, string>> = {
  EROFS: 'the disk or folder is read-only',
  EACCES: 'no permission to write to its folder',
  EPERM: 'no permission to write to its folder',
  EIO: 'the disk failed',
}

/** Leaves out internal paths (temporary files). */
function describeCause(error: unknown): string {
  if (!isSystemError(error)) return error instanceof Error ? error.message : String(error)
  const code = error.code ?? ''
  const plain = /^\w+: (.+?), \w+(?: '.*)?$/s.exec(error.message)?.[1] ?? error.message
  return `${errorTexts[code] ?? plain} (${code})`
}

/** Temporary files younger than this may still be in use by another process, ms. */
const minAgeMs = 60_000
const delayMs = 3000

/**
 * Deletes temporary files below a folder: after 3 s, and a minute later those that were too young, as after a restart.
 * @param shouldEnter receives the relative path of a subfolder @returns a function that cancels it
 */
export function scheduleCleanup(
  folder: string,
  shouldEnter: (path: string) => boolean,
  onFault: (error: unknown) => void,
): () => void {
  const run = () => void cleanUp(folder, '', shouldEnter).catch(onFault)
  const timers = [delayMs, delayMs + minAgeMs].map((ms) => setTimeout(run, ms).unref())
  return () => timers.forEach(clearTimeout)
}

async function cleanUp(folder: string, prefix: string, shouldEnter: (path: string) => boolean): Promise<void> {
  const entries = readdir(join(folder, prefix), { withFileTypes: true })
  for (const entry of await entries.catch(onSystemError([], 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'))) {
    const path = prefix + entry.name
    if (entry.isDirectory()) {
      if (shouldEnter(path)) await cleanUp(folder, `${path}/`, shouldEnter)
    } else if (isTemporaryFile(entry.name)) {
      const info = await stat(join(folder, path)).catch(() => undefined)
      if (info && ageOf(info) > minAgeMs) await rm(join(folder, path), { force: true })
    }
  }
}
