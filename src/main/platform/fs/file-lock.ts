/**
 * Locks between processes. Each is a lock of the operating system on an empty file, taken through SQLite, which has one
 * on every system: it ends with its holder, however that ends, and knows nothing of process numbers. Within the process
 * holders wait in a queue; between processes they ask again after a short while.
 */
import Database from 'better-sqlite3'
import { mkdirSync, statSync, unlinkSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSystemError } from '#shared/util/errors.ts'
import { fileTime } from './file-age.ts'
import { Queue } from './work-queue.ts'

/** Asked again after this long at first, and at most, ms. A write with its two syncs takes about 5 ms. */
const firstDelayMs = 1
const maxDelayMs = 25
/** Nobody holds a lock for the length of more than a few writes; past this something hangs. */
const usualPatienceMs = 30_000

/** Another process holds the lock and did not let go in time. */
export class LockBusyError extends Error {
  constructor(file: string, ms: number) {
    super(`${file} was held by another process for ${ms} ms`)
    this.name = 'LockBusyError'
  }
}

/** All holders of one file in this process wait in one line. */
const queue = new Queue()

export class FileLock {
  readonly file: string
  #database: Database.Database | undefined
  #inode: number | undefined

  /** @param file any path on a disk of this machine; it is made when first taken, and stays, empty */
  constructor(file: string) {
    this.file = file
  }

  /**
   * Runs `work` while no other process (and nothing else in this one) holds the lock.
   * @throws LockBusyError after `patienceMs`, or what SQLite says where locks cannot be had
   */
  async hold<T>(work: () => Promise<T>, patienceMs: number = usualPatienceMs): Promise<T> {
    return queue.run(this.file, async () => {
      const deadline = performance.now() + patienceMs
      for (let delay = firstDelayMs; !this.tryTake(); delay = Math.min(maxDelayMs, delay * 2)) {
        if (performance.now() > deadline) throw new LockBusyError(this.file, patienceMs)
        await sleep(delay * (0.5 + Math.random()))
      }
      try {
        return await work()
      } finally {
        this.release()
      }
    })
  }

  /** Takes it for as long as the process likes. @returns false when somebody else has it */
  tryTake(): boolean {
    const database = this.#open()
    try {
      database.exec('BEGIN IMMEDIATE')
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false
      throw error
    }
    // Somebody tidied up the folder: what we hold is a lock on a file that nobody else can find.
    if (this.isIntact) return true
    this.close()
    return this.tryTake()
  }

  /** False when the file was exchanged or deleted: others do not find this lock any more. */
  get isIntact(): boolean {
    return inodeOf(this.file) === this.#inode
  }

  get isHeld(): boolean {
    return this.#database?.inTransaction ?? false
  }

  release(): void {
    if (this.#database?.inTransaction) this.#database.exec('ROLLBACK')
  }

  /** Lets go of it for good: of a name that nobody needs again, no file stays. */
  discard(): void {
    // Whoever opens the file meanwhile finds that it has no name any more.
    if (this.isHeld) unlinkSync(this.file)
    this.close()
  }

  close(): void {
    this.#database?.close()
    this.#database = undefined
  }

  #open(): Database.Database {
    if (this.#database) return this.#database
    makeParent(this.file)
    const database = new Database(this.file, { timeout: 0 })
    // Nothing is ever written; the file is opened with the first statement.
    database.exec('PRAGMA journal_mode = MEMORY')
    this.#inode = inodeOf(this.file)
    touch(this.file)
    this.#database = database
    return database
  }
}

/** The folder right above may have been tidied up; those above that are not ours to make. */
function makeParent(file: string): void {
  try {
    mkdirSync(dirname(file), { mode: 0o700 })
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
}

/** Systems that sweep their folders of temporary files leave alone what is young. */
function touch(file: string): void {
  const now = fileTime()
  try {
    utimesSync(file, now, now)
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}
