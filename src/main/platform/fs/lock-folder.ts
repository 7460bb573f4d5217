import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileLock } from './file-lock.ts'

/** Returns the absolute folder for lock files, creating it. @throws Error if the folder belongs to another user */
export function lockFolder(): string {
  if (process.platform === 'win32') return join(tmpdir(), 'commonplace-locks')
  const uid = process.getuid?.() ?? 0
  // Not $TMPDIR: all processes of the user must share the folder.
  const folder = join(existsSync('/tmp') ? '/tmp' : tmpdir(), `commonplace-${uid}`)
  // With `recursive`, mkdir succeeds if another process has just created the folder.
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const info = lstatSync(folder)
  if (!info.isDirectory() || info.uid !== uid) throw new Error(`${folder} belongs to another user`)
  return folder
}

/** Returns the lock for a name, shared by all processes of this user. @throws Error as `lockFolder` */
export function lockForName(name: string): FileLock {
  const key = createHash('sha256').update(name).digest('hex').slice(0, 32)
  return new FileLock(join(lockFolder(), `${key}.lock`))
}
