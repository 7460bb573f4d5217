import { constants } from 'node:fs'
import { open, readFile, type FileHandle } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'

/** The file's text (UTF-8), or undefined where there is no such file. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}

const bytesInMegabyte = 1024 * 1024

/**
 * The text of a small file, or undefined where there is none. What is no file (a pipe would be waited for, for ever), is
 * larger than `maxBytes`, or is not UTF-8 is not read.
 * @param isStrict false: bytes that are no UTF-8 become U+FFFD instead
 * @throws AppError `file_not_text`, `file_too_large`; the system's error
 */
export async function readSmallText(file: string, maxBytes: number, isStrict = true): Promise<string | undefined> {
  let handle: FileHandle
  try {
    // Opening a pipe waits for whoever writes into it, unless one says not to; Windows knows neither.
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
  try {
    const info = await handle.stat()
    if (!info.isFile()) throw new AppError('file_not_text', `${file} is not a regular file`, { path: file })
    if (info.size > maxBytes) {
      const megabytes = Math.ceil(info.size / bytesInMegabyte)
      throw new AppError('file_too_large', `${file} has ${megabytes} MB`, { path: file, megabytes })
    }
    const bytes = await handle.readFile()
    try {
      return new TextDecoder('utf-8', { fatal: isStrict, ignoreBOM: true }).decode(bytes)
    } catch (error) {
      throw new AppError('file_not_text', `${file} is not UTF-8 text`, { path: file }, { cause: error })
    }
  } finally {
    await handle.close()
  }
}
