/** What is said of a write that did not happen. */
import { AppError, isSystemError } from '../../shared/errors.ts'

/** What a new name in a folder takes at most. */
const smallestNeed = 4096

/**
 * @param shownAs how the user knows the file
 * @param bytes that were to be written
 * @returns AppError `disk_full` or `write_failed`; an AppError is what it is already
 */
export function writeFailure(error: unknown, shownAs: string, bytes: number = smallestNeed): AppError {
  if (error instanceof AppError) return error
  const options = { cause: error }
  if (isSystemError(error, 'ENOSPC', 'EDQUOT')) {
    const kilobytes = Math.max(1, Math.ceil(bytes / 1024))
    const message = `the disk is full: ${kilobytes} kB are needed for ${shownAs}; what was there before is unchanged`
    return new AppError('disk_full', message, { path: shownAs, kilobytes }, options)
  }
  const message = error instanceof Error ? error.message : String(error)
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new AppError('write_failed', `${shownAs} could not be saved: ${message}`, { path: shownAs, reason }, options)
}
