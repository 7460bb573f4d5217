/**
 * Mutual exclusion for files that several processes write: a queue in this process and a lock between processes. If
 * locks are not available (unsupported, or the lock folder belongs to another user), the work runs without one, and
 * `onUnlocked` is called once.
 */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { AppError } from '#shared/util/errors.ts'
import { FileLock, LockBusyError } from './file-lock.ts'
import { KeyedQueue } from './work-queue.ts'

const queue = new KeyedQueue()

export class Mutex {
  readonly #path: string
  readonly #onUnlocked: (error: unknown) => void
  #name: string | undefined
  #lock: FileLock | undefined
  #hasReported = false

  /** @param path links to it share the lock @param onUnlocked receives the error if other processes are not kept out */
  constructor(path: string, onUnlocked: (error: unknown) => void = () => undefined) {
    this.#path = path
    this.#onUnlocked = onUnlocked
  }

  /** @throws as `run` */
  static async runOnce<T>(path: string, work: () => Promise<T>): Promise<T> {
    const mutex = new Mutex(path)
    return mutex.run(work).finally(() => mutex.close())
  }

  /** Runs work alone. Not reentrant. @throws AppError 'file_busy' if another process keeps the lock for 30 s; errors of `work` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const name = (this.#name ??= await realPathOf(this.#path))
    return queue.run(name, async () => {
      let hasStarted = false
      try {
        this.#lock ??= FileLock.forName(name)
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

/** Returns the absolute path without symlinks; the part that does not exist is appended unchanged. */
async function realPathOf(path: string): Promise<string> {
  const absolute = resolve(path)
  return realpath(absolute).catch(async () => {
    const parent = dirname(absolute)
    return parent === absolute ? absolute : join(await realPathOf(parent), basename(absolute))
  })
}
