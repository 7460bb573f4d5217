import { copyFile, rename } from 'node:fs/promises'
import { isSystemError } from '#shared/util/errors.ts'
import { fileTime } from './file-age.ts'
import { readIfThere } from './read-file.ts'

/**
 * What a file says; undefined where there is none. One that says nothing that can be understood is set aside.
 * @param parse undefined for a text that is not what the file should hold
 * @param onDamaged told where it is then
 */
export async function readKept<T>(
  file: string,
  parse: (text: string) => T | undefined,
  onDamaged: (aside: string) => void,
): Promise<T | undefined> {
  const text = await readIfThere(file).catch((error: unknown) => {
    if (isSystemError(error, 'EISDIR')) return '\0'
    throw error
  })
  const value = text === undefined ? undefined : parse(text)
  if (text !== undefined && value === undefined) onDamaged(await setAside(file))
  return value
}

/** @returns where it is now */
export async function setAside(file: string): Promise<string> {
  const aside = nameAside(file)
  await rename(file, aside)
  return aside
}

/** The same where the file stays in use. @returns where the copy is */
export async function copyAside(file: string): Promise<string> {
  const aside = nameAside(file)
  await copyFile(file, aside)
  return aside
}

function nameAside(file: string): string {
  return `${file}.damaged-${fileTime().toISOString().replaceAll(/[-:.]/g, '')}`
}
