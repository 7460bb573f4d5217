/**
 * Mutual exclusion for files that several processes write: a queue in this process and a lock between processes. If
 * locks are not available (unsupported, or the lock folder belongs to another user), the work runs without one, and
 * `onUnlocked` is called once.
 */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { hash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, unlessSystemError } from '#shared/util/errors.ts'
import { KeyedQueue } from './work-queue.ts'
import { systemClock } from '../clock.ts'

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

/** Initial and maximum poll interval, ms. A write with two syncs takes about 5 ms. */
const firstDelayMs = 1
const maxDelayMs = 25
/** Default timeout, ms; a holder needs a lock only for a few writes. */
const defaultTimeoutMs = 30_000

export class LockBusyError extends Error {}

/**
 * A lock between processes: an operating system lock on an empty file, taken through SQLite on every platform. The system
 * releases it when the holder ends, also by a crash. Callers poll.
 */
export class FileLock {
  readonly file: string
  #database: Database.Database | undefined
  #inode: number | undefined

  /** @param file path on a local disk; created empty when first taken, and not deleted */
  constructor(file: string) {
    this.file = file
  }

  /** A lock that all processes of this user share. @throws Error as `folder` */
  static forName(name: string): FileLock {
    return new FileLock(join(FileLock.folder(), `${hash('sha256', name).slice(0, 32)}.lock`))
  }

  /** Creates the folder. @throws Error if it belongs to another user */
  static folder(): string {
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

  /** Runs work while it holds the lock. Not reentrant. @throws LockBusyError; SqliteError if locks are not supported; errors of `work` */
  async withLock<T>(work: () => Promise<T>, timeoutMs: number = defaultTimeoutMs): Promise<T> {
    const deadline = performance.now() + timeoutMs
    for (let delay = firstDelayMs; !this.tryAcquire(); delay = Math.min(maxDelayMs, delay * 2)) {
      if (performance.now() > deadline)
        throw new LockBusyError(`another process has locked ${this.file} for ${timeoutMs} ms`)
      await sleep(delay * (0.5 + Math.random()))
    }
    try {
      return await work()
    } finally {
      this.release()
    }
  }

  /** Takes the lock. The end of the process frees it, too. @returns false if another holder has it */
  tryAcquire(): boolean {
    const database = this.#open()
    try {
      database.exec('BEGIN IMMEDIATE')
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false
      throw error
    }
    // The lock file was deleted or replaced meanwhile; retry.
    if (this.isFileCurrent) return true
    this.close()
    return this.tryAcquire()
  }

  /** Returns false if the lock file was deleted or replaced, so that other processes cannot see this lock. */
  get isFileCurrent(): boolean {
    return inodeOf(this.file) === this.#inode
  }

  get isHeld(): boolean {
    return this.#database?.inTransaction ?? false
  }

  release(): void {
    if (this.#database?.inTransaction) this.#database.exec('ROLLBACK')
  }

  close(): void {
    this.#database?.close()
    this.#database = undefined
  }

  #open(): Database.Database {
    if (this.#database) return this.#database
    // Recreates the parent folder after a cleanup, but no folders above it.
    unlessSystemError(() => mkdirSync(dirname(this.file), { mode: 0o700 }), 'EEXIST')
    const database = new Database(this.file, { timeout: 0 })
    // The database stays empty; SQLite opens the file with the first statement.
    database.exec('PRAGMA journal_mode = MEMORY')
    this.#inode = inodeOf(this.file)
    // Systems that clean temporary folders keep recently modified files.
    const now = systemClock()
    unlessSystemError(() => utimesSync(this.file, now, now))
    this.#database = database
    return database
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}
