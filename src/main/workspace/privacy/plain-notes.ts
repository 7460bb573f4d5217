/**
 * Notes that were read and have nothing local in them, as they were then: kept on disk, so that a process that has just
 * started need not read all notes before it may answer. By hashes alone: no name of a note stands in it. Disposable.
 */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { writeAtomically } from '#platform'

/** To be raised when a text that was taken for plain may be local by newer rules. */
const firstLine = 'plain notes 3'

/** @returns keys, as `plainKey` makes them; none where nothing usable is kept */
export async function readPlain(file: string): Promise<ReadonlySet<string>> {
  try {
    const [first, ...keys] = (await readFile(file, 'utf8')).split('\n')
    return new Set(first === firstLine ? keys : [])
  } catch (error) {
    if (isSystemError(error)) return new Set()
    throw error
  }
}

/** A later process reads more where this fails, and nothing else. */
export async function keepPlain(file: string, keys: Iterable<string>): Promise<void> {
  try {
    await writeAtomically(file, [firstLine, ...keys].join('\n'))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Of a note, where it lies, and what tells that it has not changed. */
export function plainKey(path: string, stamp: string): string {
  return hash('sha1', `${path}\0${stamp}`, 'base64url').slice(0, 14)
}
