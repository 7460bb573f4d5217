import { constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { AppError, onSystemError } from '#shared/util/errors.ts'
import { withFile } from './durable-write.ts'

/** Reads a UTF-8 file; invalid bytes become U+FFFD. @returns undefined if it is missing @throws other system errors */
export async function readIfExists(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
}

/**
 * Reads a small text file.
 * @param isStrict false replaces invalid UTF-8 by U+FFFD instead of throwing
 * @returns undefined if the file does not exist
 * @throws AppError 'file_not_text' if it is not a regular file or not UTF-8; 'file_too_large' above `maxBytes`; system
 * errors
 */
export async function readSmallText(file: string, maxBytes: number, isStrict = true): Promise<string | undefined> {
  // Without O_NONBLOCK, opening a pipe blocks until a writer appears. Windows lacks the flag.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
  const text = withFile(file, flags, async (handle) => {
    const info = await handle.stat()
    if (!info.isFile()) throw new AppError('file_not_text', `${file} is not a regular file`, { path: file })
    if (info.size > maxBytes) {
      const megabytes = Math.ceil(info.size / 1024 / 1024)
      throw new AppError('file_too_large', `${file} has ${megabytes} MB`, { path: file, megabytes })
    }
    const bytes = await handle.readFile()
    try {
      return new TextDecoder('utf-8', { fatal: isStrict, ignoreBOM: true }).decode(bytes)
    } catch (error) {
      throw new AppError('file_not_text', `${file} is not UTF-8 text`, { path: file }, { cause: error })
    }
  })
  return text.catch(onSystemError(undefined, 'ENOENT', 'ENOTDIR'))
}
