/**
 * Work on what several processes change: one after the other in this process, and between processes wherever a lock can
 * be had. Where none can (a system without them, a folder of locks that is somebody else's) the work is still done, and
 * that is told, once.
 */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { LockBusyError, type FileLock } from './file-lock.ts'
import { lockOf } from './lock-folder.ts'
import { Queue } from './work-queue.ts'

/** Those of one name wait in one line, whichever object they ask. */
const lines = new Queue()

export class Exclusive {
  readonly #path: string
  readonly #onUnlocked: (error: unknown) => void
  #name: string | undefined
  #lock: FileLock | undefined
  #hasTold = false

  /**
   * @param path the file or folder that is worked on; links to it mean the same
   * @param onUnlocked told why other processes are not kept out
   */
  constructor(path: string, onUnlocked: (error: unknown) => void = () => undefined) {
    this.#path = path
    this.#onUnlocked = onUnlocked
  }

  /**
   * Runs `work` while nobody else works on the same. It must not ask for the same again.
   * @throws AppError `file_busy` when another process does not let go, or what `work` throws
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const name = (this.#name ??= await realName(this.#path))
    return lines.run(name, async () => {
      let hasBegun = false
      try {
        this.#lock ??= lockOf(name)
        return await this.#lock.hold(() => {
          hasBegun = true
          return work()
        })
      } catch (error) {
        if (hasBegun) throw error
        if (error instanceof LockBusyError) throw busy(this.#path, error)
        this.#tell(error)
        return work()
      }
    })
  }

  /** Lets go of what a lock costs; it is had again when needed. */
  close(): void {
    this.#lock?.close()
    this.#lock = undefined
  }

  #tell(error: unknown): void {
    if (this.#hasTold) return
    this.#hasTold = true
    this.#onUnlocked(error)
  }
}

function busy(path: string, cause: LockBusyError): AppError {
  return new AppError('file_busy', `another process is writing to ${path} and does not end`, { path }, { cause })
}

/** The real path: that of the folder where the file itself is not there yet. */
export async function realName(path: string): Promise<string> {
  const absolute = resolve(path)
  return realpath(absolute).catch(async () => {
    const parent = dirname(absolute)
    return parent === absolute ? absolute : join(await realName(parent), basename(absolute))
  })
}
