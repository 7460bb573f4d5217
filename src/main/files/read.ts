/** Reading a file that may not be there. */
import { readFile } from 'node:fs/promises'
import { isSystemError } from '../../shared/errors.ts'

/** The file's text (UTF-8), or undefined where there is no such file. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}
