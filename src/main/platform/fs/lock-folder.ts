import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileLock } from './file-lock.ts'

/** @throws Error when somebody else has made a folder of that name */
export function lockFolder(): string {
  if (process.platform === 'win32') return join(tmpdir(), 'commonplace-locks')
  const uid = process.getuid?.() ?? 0
  // Not $TMPDIR: all processes of the user have to find the same place.
  const folder = join(existsSync('/tmp') ? '/tmp' : tmpdir(), `commonplace-${uid}`)
  // Said to be recursive, it does not mind that another process was quicker.
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const info = lstatSync(folder)
  if (!info.isDirectory() || info.uid !== uid) throw new Error(`${folder} belongs to somebody else`)
  return folder
}

/** The lock of whatever has this name, for all processes of this user. */
export function lockOf(name: string): FileLock {
  const key = createHash('sha256').update(name).digest('hex').slice(0, 32)
  return new FileLock(join(lockFolder(), `${key}.lock`))
}
