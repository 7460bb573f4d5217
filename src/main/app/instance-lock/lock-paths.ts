/**
 * Where the owner of a memory is found: a lock that says whether there is one, a note that says who it is and how to
 * speak to it, and the address it listens at. One such place for a state folder; one more for each folder that is used
 * with it instead of an agent's own (`--workspace`), because its index, history and conversations are apart.
 */
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '#platform'

export interface OwnerPlace {
  /** The folder of lock and note. */
  readonly folder: string
  readonly lock: string
  readonly note: string
  /** A socket's file, or the name of a pipe. */
  readonly address: string
}

/**
 * @param home the state folder; it exists
 * @param workspace a folder that is used instead of an agent's own
 */
export function ownerPlace(home: string, workspace: string | undefined): OwnerPlace {
  const folder = join(home, 'owner')
  const name = workspace === undefined ? 'app' : `folder-${keyOf(realpathSync(workspace))}`
  return {
    folder,
    lock: join(folder, `${name}.lock`),
    note: join(folder, `${name}.json`),
    address: addressOf(folder, keyOf(join(realpathSync(home), name))),
  }
}

/**
 * Not in the state folder, if it can be helped: the name of a socket has about a hundred bytes, and some disks cannot hold
 * any.
 */
function addressOf(folder: string, key: string): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\commonplace-${key}`
  try {
    return join(lockFolder(), `${key}.sock`)
  } catch {
    // Somebody else has taken the name of the folder for locks.
    return join(folder, `${key.slice(0, 8)}.sock`)
  }
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
