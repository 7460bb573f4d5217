import { AppError, isSystemError } from '#shared/util/errors.ts'

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
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const message = `${shownAs} could not be saved: ${whyText(error)}`
  return new AppError('write_failed', message, { path: shownAs, reason }, options)
}

const inWords: Readonly<Record<string, string>> = {
  EROFS: 'the disk or folder is read-only',
  EACCES: 'its folder may not be written to',
  EPERM: 'its folder may not be written to',
  EIO: 'the disk failed',
}

/** Without the paths that are used on the way: they are not what the user calls the file. */
function whyText(error: unknown): string {
  if (!isSystemError(error)) return error instanceof Error ? error.message : String(error)
  const code = error.code ?? ''
  const plain = /^\w+: (.+?), \w+(?: '.*)?$/s.exec(error.message)?.[1] ?? error.message
  return `${inWords[code] ?? plain} (${code})`
}
