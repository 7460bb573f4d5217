import type { Stats } from 'node:fs'

/** Returns the time since the file's last modification, ms; negative for a future one. */
export function ageOf({ mtimeMs }: Pick<Stats, 'mtimeMs'>): number {
  return Date.now() - mtimeMs
}

export function currentFileTime(): Date {
  return new Date()
}
