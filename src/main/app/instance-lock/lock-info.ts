import { z } from 'zod'
import { readIfExists, FileLock } from '#platform'
import { isSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { hash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'

export interface LockPaths {
  readonly folder: string
  readonly lockFile: string
  readonly infoFile: string
  /** Path of a Unix socket, or name of a Windows pipe. */
  readonly address: string
}

/**
 * Returns the absolute paths of the lock, its info file and its socket. Both folders are absolute and must exist.
 * @param home state folder @param workspace folder that replaces an agent's workspace
 */
export function lockPathsOf(home: string, workspace: string | undefined): LockPaths {
  const folder = join(home, 'owner')
  const name = workspace === undefined ? 'app' : `folder-${shortHash(realpathSync(workspace))}`
  return {
    folder,
    lockFile: join(folder, `${name}.lock`),
    infoFile: join(folder, `${name}.json`),
    address: addressOf(folder, shortHash(join(realpathSync(home), name))),
  }
}

/** Prefers a folder outside the state folder: a long path, and some file systems, cannot have a socket. */
function addressOf(folder: string, key: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\commonplace-${key}`
  try {
    return join(FileLock.folder(), `${key}.sock`)
  } catch {
    // Another user owns the folder for locks.
    return join(folder, `${key.slice(0, 8)}.sock`)
  }
}

function shortHash(text: string): string {
  return hash('sha256', text).slice(0, 32)
}

const lockInfoSchema = z.object({
  pid: z.number().int(),
  version: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
  address: z.string(),
  key: z.string(),
})
export type LockInfo = z.infer<typeof lockInfoSchema>

/** A primary instance that ends waits for a `command`; a `resident` reconnects to the next one. */
export type ClientKind = 'command' | 'resident'

export const clientKindHeader = 'x-commonplace-guest'

/** Reads the lock info. @returns undefined if the file is missing, unreadable or incomplete */
export async function readLockInfo(file: string): Promise<LockInfo | undefined> {
  try {
    return lockInfoSchema.safeParse(parseJson((await readIfExists(file)) ?? '')).data
  } catch (error) {
    // A folder has this name; the lock holder renames it.
    if (isSystemError(error)) return undefined
    throw error
  }
}
