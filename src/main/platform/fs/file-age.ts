import type { Stats } from 'node:fs'

/** How long ago a file was changed, ms. */
export function ageOf({ mtimeMs }: Pick<Stats, 'mtimeMs'>): number {
  return Date.now() - mtimeMs
}

/** For stamping a file. */
export function fileTime(): Date {
  return new Date()
}
