/** A damaged file is renamed, and a new one begins. The main process and the worker have connections of their own. */
import Database from 'better-sqlite3'
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { damagedPath } from '#platform'
import { setBounded } from '#shared/util/lazy.ts'
import { migrate, type LogDb } from './schema.ts'
import { Versions } from './versions.ts'

export interface OpenLog {
  readonly db: LogDb
  readonly versions: Versions
}

export class LogFile {
  readonly file: string
  readonly #onDamaged: ((message: string) => void) | undefined
  #open: (OpenLog & { readonly inode: number }) | undefined

  /** @param onDamaged called after a damaged or deleted file was replaced; without it, no file is replaced */
  constructor(file: string, onDamaged?: (message: string) => void) {
    this.file = file
    this.#onDamaged = onDamaged
  }

  /** Repeats `work` on a new file if the file is damaged. @throws NewerLogError; SqliteError; errors of `work` */
  run<T>(work: (log: OpenLog) => T): T {
    try {
      return work(this.#current())
    } catch (error) {
      if (!this.#onDamaged || !isDamage(error)) throw error
      this.setAside(error.message)
      return work(this.#current())
    }
  }

  /** Runs `work` in a transaction. @throws as `run` */
  write<T>(work: (log: OpenLog) => T): T {
    return this.run((log) => log.db.transaction(() => work(log)).immediate())
  }

  setAside(reason: string): void {
    this.close()
    const kept = damagedPath(this.file)
    // The WAL can have changes; the index of the WAL, `-shm`, has no texts.
    for (const part of ['', '-wal'])
      if ((statSync(this.file + part, { throwIfNoEntry: false })?.size ?? 0) > 0)
        renameSync(this.file + part, kept + part)
    for (const part of ['', '-wal', '-shm']) rmSync(this.file + part, { force: true })
    this.#onDamaged?.(`the history could not be read (${reason}); it was moved to ${kept}, and a new one was started`)
    this.#open = this.#openFile()
  }

  close(): void {
    const open = this.#open
    this.#open = undefined
    open?.db.close()
  }

  /** Returns true while changes are missing in the log. The state is the name of an empty file: renaming it needs no space. */
  get isPaused(): boolean {
    return existsSync(`${this.file}.paused`)
  }

  set isPaused(isPaused: boolean) {
    const [from, to] = isPaused ? ['.recording', '.paused'] : ['.paused', '.recording']
    if (existsSync(this.file + from)) renameSync(this.file + from, this.file + to)
  }

  #current(): OpenLog {
    const inode = statSync(this.file, { throwIfNoEntry: false })?.ino
    if (this.#open?.inode === inode && this.#open) return this.#open
    // The marks stay when the file is deleted or emptied.
    const wasUsed = this.#open !== undefined || this.isPaused || existsSync(`${this.file}.recording`)
    this.close()
    if (wasUsed && (inode === undefined || statSync(this.file).size === 0))
      this.#onDamaged?.(`the history ${this.file} was deleted or emptied; a new one was started`)
    this.#open = this.#openFile()
    return this.#open
  }

  #openFile() {
    mkdirSync(dirname(this.file), { recursive: true })
    // SQLite would truncate the `-shm` of a file that was moved or deleted. Reading its connections would end the process.
    if (!existsSync(this.file)) rmSync(`${this.file}-shm`, { force: true })
    const db = new Database(this.file)
    try {
      db.pragma('busy_timeout = 5000')
      db.pragma('journal_mode = WAL')
      // Also `begin` must survive a power failure; only the mark that a change is done need not (`ChangeLog.done`).
      db.pragma('synchronous = FULL')
      // 1 MB, so that the WAL stays small.
      db.pragma('wal_autocheckpoint = 256')
      db.pragma('journal_size_limit = 1048576')
      db.pragma('secure_delete = ON')
      migrate(db)
      keepStatements(db)
      if (!existsSync(`${this.file}.recording`) && !this.isPaused) writeFileSync(`${this.file}.recording`, '')
      return { db, versions: new Versions(db), inode: statSync(this.file).ino }
    } catch (error) {
      db.close()
      throw error
    }
  }
}

function isDamage(error: unknown): error is Error {
  if (!(error instanceof Database.SqliteError)) return false
  return (
    /^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ)/.test(error.code) || /^no such (?:table|column)/.test(error.message)
  )
}

/** Larger than the number of different statements of this folder. */
const maxStatements = 200

/** Prepares each statement once. V8 does not know the memory of statements, and an import would leave 35,000 of them. */
function keepStatements(db: Database.Database): void {
  const prepare = db.prepare.bind(db)
  const statements = new Map<string, ReturnType<typeof prepare>>()
  db.prepare = ((sql: string) => {
    const statement = statements.get(sql) ?? prepare(sql)
    setBounded(statements, sql, statement, maxStatements)
    return statement
  }) as typeof prepare
}
