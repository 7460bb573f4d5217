/**
 * Mutual exclusion for files that several processes write: a queue in this process and a lock between processes. If
 * locks are not available (unsupported, or the lock folder belongs to another user), the work runs without one, and
 * `onUnlocked` is called once.
 */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { LockBusyError, FileLock } from './file-lock.ts'
import { KeyedQueue } from './work-queue.ts'
import { hash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'

const queue = new KeyedQueue()

export class Mutex {
  readonly #path: string
  readonly #onUnlocked: (error: unknown) => void
  #name: string | undefined
  #lock: FileLock | undefined
  #hasReported = false

  /**
   * @param path file or folder to protect; symlinks to it share the lock
   * @param onUnlocked receives the error if there is no lock between processes
   */
  constructor(path: string, onUnlocked: (error: unknown) => void = () => undefined) {
    this.#path = path
    this.#onUnlocked = onUnlocked
  }

  /**
   * Runs `work` exclusively. Not reentrant: `work` must not call `run` for the same path.
   * @throws AppError 'file_busy' if another process keeps the lock for 30 s; errors of `work`
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const name = (this.#name ??= await resolveRealPath(this.#path))
    return queue.run(name, async () => {
      let hasStarted = false
      try {
        this.#lock ??= lockForName(name)
        return await this.#lock.withLock(() => {
          hasStarted = true
          return work()
        })
      } catch (error) {
        if (hasStarted) throw error
        if (error instanceof LockBusyError) {
          const message = `another process has locked ${this.#path} and does not release it`
          throw new AppError('file_busy', message, { path: this.#path }, { cause: error })
        }
        if (!this.#hasReported) this.#onUnlocked(error)
        this.#hasReported = true
        return work()
      }
    })
  }

  close(): void {
    this.#lock?.close()
    this.#lock = undefined
  }
}

/** Runs `work` as `Mutex.run` does, with a lock that is closed afterwards. @throws as `Mutex.run` */
export async function runExclusively<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mutex = new Mutex(path)
  return mutex.run(work).finally(() => mutex.close())
}

/** Returns the absolute path without symlinks; the part that does not exist is appended unchanged. */
export async function resolveRealPath(path: string): Promise<string> {
  const absolute = resolve(path)
  return realpath(absolute).catch(async () => {
    const parent = dirname(absolute)
    return parent === absolute ? absolute : join(await resolveRealPath(parent), basename(absolute))
  })
}

/** Returns the absolute folder for lock files and creates it. @throws Error if the folder belongs to another user */
export function lockFolder(): string {
  if (process.platform === 'win32') return join(tmpdir(), 'commonplace-locks')
  const uid = process.getuid?.() ?? 0
  // $TMPDIR is not used: all processes of the user must share the folder.
  const folder = join(existsSync('/tmp') ? '/tmp' : tmpdir(), `commonplace-${uid}`)
  // With `recursive`, mkdir succeeds if another process has just created the folder.
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const info = lstatSync(folder)
  if (!info.isDirectory() || info.uid !== uid) throw new Error(`${folder} belongs to another user`)
  return folder
}

/** Returns the lock for a name, shared by all processes of this user. @throws Error as `lockFolder` */
export function lockForName(name: string): FileLock {
  return new FileLock(join(lockFolder(), `${hash('sha256', name).slice(0, 32)}.lock`))
}
