import { AppError, isSystemError } from '#shared/util/errors.ts'

/** Size in the error if the caller does not pass one, bytes: enough for a directory entry. */
const defaultBytes = 4096

/**
 * Converts an error of a write into an AppError.
 * @param shownPath path of the file for error messages
 * @param bytes size of the attempted write
 * @returns AppError 'disk_full' or 'write_failed'; an AppError is returned unchanged
 */
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

/** Returns the system's message without internal paths (temporary files). */
function describeCause(error: unknown): string {
  if (!isSystemError(error)) return error instanceof Error ? error.message : String(error)
  const code = error.code ?? ''
  const plain = /^\w+: (.+?), \w+(?: '.*)?$/s.exec(error.message)?.[1] ?? error.message
  return `${errorTexts[code] ?? plain} (${code})`
}
