/** How much is imported in one go. */
import { AppError } from '#shared/util/errors.ts'

/** Texts: all of them are in memory at once, and an export again as what it says. */
export const maxImportBytes = 256 * 1024 * 1024

/** @throws AppError `file_too_large` */
export function assertBearable(path: string, bytes: number): void {
  if (bytes <= maxImportBytes) return
  const megabytes = Math.round(bytes / 1024 / 1024)
  const message = `${path} has ${megabytes} MB; up to ${maxImportBytes / 1024 / 1024} MB can be imported in one go`
  throw new AppError('file_too_large', message, { path, megabytes })
}
