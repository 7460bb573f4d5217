import { rename } from 'node:fs/promises'
import { onSystemError } from '#shared/util/errors.ts'
import { currentFileTime } from '../clock.ts'
import { readIfExists } from './read-file.ts'

/** Renames an invalid file, for which `parse` returns undefined. @param onDamaged receives the new path */
export async function readOrSetAside<T>(
  file: string,
  parse: (text: string) => T | undefined,
  onDamaged: (newPath: string) => void,
): Promise<T | undefined> {
  // A folder counts as an invalid file.
  const text = await readIfExists(file).catch(onSystemError('\0', 'EISDIR'))
  const value = text === undefined ? undefined : parse(text)
  if (text !== undefined && value === undefined) {
    const newPath = damagedPath(file)
    await rename(file, newPath)
    onDamaged(newPath)
  }
  return value
}

export function damagedPath(file: string): string {
  return `${file}.damaged-${currentFileTime().toISOString().replaceAll(/[-:.]/g, '')}`
}
