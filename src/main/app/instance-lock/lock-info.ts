import { z } from 'zod'
import { readIfThere, lockFolder } from '#platform'
import { isSystemError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'

export interface OwnerPlace {
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

export const ownerNoteSchema = z.object({
  pid: z.number().int(),
  version: z.string(),
  /** Milliseconds since the epoch. */
  since: z.number(),
  address: z.string(),
  key: z.string(),
})
export type OwnerNote = z.infer<typeof ownerNoteSchema>

/** A command ends by itself, so an owner that wants to go waits for it; one that stays will find another owner. */
export type GuestKind = 'command' | 'resident'

export const guestHeader = 'x-commonplace-guest'

/** Undefined where there is none, or none that can be read (yet). */
export async function readNote(file: string): Promise<OwnerNote | undefined> {
  try {
    const parsed = ownerNoteSchema.safeParse(parseJson((await readIfThere(file)) ?? ''))
    return parsed.success ? parsed.data : undefined
  } catch (error) {
    // Something else has its name; its owner will see to that.
    if (isSystemError(error)) return undefined
    throw error
  }
}
