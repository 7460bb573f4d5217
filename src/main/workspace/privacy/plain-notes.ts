/**
 * Cache of the notes without local text, so that a new process need not read all notes before its first request. Contains
 * only hashes of paths and file times, and can be deleted.
 */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { writeAtomically } from '#platform'

/** Raise the number when a note without local text may have some by new rules. */
const firstLine = 'plain notes 3'

/** Returns the stored keys (`plainKey`); none if the file is missing or of another version. */
export async function readPlain(file: string): Promise<ReadonlySet<string>> {
  try {
    const [first, ...keys] = (await readFile(file, 'utf8')).split('\n')
    return new Set(first === firstLine ? keys : [])
  } catch (error) {
    if (isSystemError(error)) return new Set()
    throw error
  }
}

/** Ignores failures: the next process only reads more. */
export async function keepPlain(file: string, keys: Iterable<string>): Promise<void> {
  try {
    await writeAtomically(file, [firstLine, ...keys].join('\n'))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Returns the key of a note. @param stamp changes with the file */
export function plainKey(path: string, stamp: string): string {
  return hash('sha1', `${path}\0${stamp}`, 'base64url').slice(0, 14)
}
