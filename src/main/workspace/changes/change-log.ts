/**
 * The log of all changes of a workspace's notes. A change is stored as pending with its texts, then the files are
 * replaced, then the change is marked as done. After a crash the text of each file decides whether it was replaced.
 */
import Database from 'better-sqlite3'
import { hash as hashOf } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { AppError } from '#shared/util/errors.ts'
import { countLines, EventEmitter, type Subscribable } from '#platform'
import { isNote } from '../files/file-names.ts'
import {
  changeSetOf,
  deleteFileChange,
  currentPath,
  deleteSetIfEmpty,
  fileChangesOf,
  insertChangeSet,
  insertFileChange,
  latestChangeAt,
  listSets,
  nextNoteId,
  openAdoption,
  toChangeSet,
  type ChangeKind,
  type ChangeSet,
  type ChangeSetRow,
  type FileChangeRow,
  type WriteOrigin,
} from './change-rows.ts'
import { LogFile, type OpenLog } from './log-file.ts'
import { NewerLogError, type LogDb } from './schema.ts'
import { maxSyncLength, type EncodedText } from './versions.ts'

/**
 * Texts of a file before and after a change; null if the file did not exist then. Both are null for an attachment that
 * the change created: its content is not stored. `from` is the previous path.
 */
export interface FileTransition {
  readonly path: string
  readonly from?: string | undefined
  readonly before: string | null
  readonly after: string | null
}

/** A file of a stored change. A text is undefined if it was removed from the log. */
export type RecordedFile = ReturnType<ChangeLog['filesOf']>[number]

export interface ChangeDraft {
  readonly origin: WriteOrigin
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly kind?: ChangeKind | undefined
  readonly detail?: object | undefined
  readonly files: readonly FileTransition[]
}

export interface HistoryProblem {
  readonly code: 'history_damaged' | 'history_failed' | 'history_newer'
  readonly message: string
}

export type ChangeLogEvent =
  | { readonly type: 'recorded'; readonly paths: readonly string[] }
  | { readonly type: 'problems'; readonly problems: readonly HistoryProblem[] }

export type { ChangeKind, ChangeSet }

/** File changes in one transaction, so that other connections and the event loop get a turn. */
const filesPerTransaction = 64
/** Longer texts are not compared in full to count the changed lines, UTF-16 code units. */
const maxComparedLength = 200_000

export class ChangeLog {
  readonly #changes = new EventEmitter<ChangeLogEvent>()
  readonly changes: Subscribable<ChangeLogEvent> = this.#changes
  readonly log: LogFile
  readonly #workspace: string
  readonly #problems = new Map<HistoryProblem['code'], string>()
  /** Number of changes that could not be stored so far. */
  failures = 0

  /** @param file absolute path of the SQLite file @param workspace absolute path */
  constructor(file: string, workspace: string) {
    this.log = new LogFile(file, (message) => this.raiseProblem('history_damaged', message))
    this.#workspace = workspace
  }

  /** Returns true while changes cannot be stored. The notes themselves are written. */
  get isPaused(): boolean {
    return this.#problems.has('history_failed')
  }

  /**
   * Records changes by other programs before it. The caller must hold the lock. @param into change set to extend
   * @returns undefined if only the files can be written @throws AppError `disk_full` if log and workspace share a disk
   */
  async begin(draft: ChangeDraft, into?: number): Promise<number | undefined> {
    let changeSet = into
    // Recovery removes a set that is not stored completely.
    const pending = draft.files.length > filesPerTransaction ? 2 : 1
    try {
      for (let from = 0; from < Math.max(1, draft.files.length); from += filesPerTransaction) {
        const files = draft.files.slice(from, from + filesPerTransaction)
        const encoded = await this.#encodeLong(files)
        changeSet = this.log.write((log) => this.#store(log, draft, { files, encoded }, pending, changeSet))
        if (draft.files.length > filesPerTransaction) await yieldToOthers()
      }
      if (pending === 2)
        this.log.write(({ db }) =>
          db.prepare('UPDATE file_changes SET pending = 1 WHERE change_set = ? AND pending = 2').run(changeSet),
        )
      return changeSet
    } catch (error) {
      if (changeSet !== undefined) this.cancel(changeSet)
      this.#handleFailure(error)
      return undefined
    }
  }

  /** After a failure, the texts of the files decide later. @param stamps `fileStamp` by path */
  done(changeSet: number | undefined, stamps: ReadonlyMap<string, string> = new Map()): void {
    if (changeSet === undefined) return
    this.#tryTo(({ db }) => {
      const rows = fileChangesOf(db, changeSet)
      const update = db.prepare('UPDATE file_changes SET pending = 0, stamp = ? WHERE id = ?')
      // A power failure may lose the mark: the change is then pending and its files have the new texts.
      db.pragma('synchronous = NORMAL')
      try {
        db.transaction(() => rows.forEach(({ id, path }) => update.run(stamps.get(path) ?? null, id))).immediate()
      } finally {
        db.pragma('synchronous = FULL')
      }
      this.emitRecorded(rows.map(({ path }) => path))
    })
  }

  cancel(changeSet: number | undefined, paths?: ReadonlySet<string>): void {
    if (changeSet === undefined) return
    this.#tryTo(({ db }) =>
      db.transaction(() => {
        for (const row of fileChangesOf(db, changeSet))
          if (row.pending > 0 && (!paths || paths.has(row.path))) deleteFileChange(db, row)
        deleteSetIfEmpty(db, changeSet)
      })(),
    )
  }

  setDetail(changeSet: number, detail: object): void {
    this.log.write(({ db }) =>
      db.prepare('UPDATE change_sets SET detail = ? WHERE id = ?').run(JSON.stringify(detail), changeSet),
    )
  }

  /** Reads the log. @throws AppError `history_unavailable` */
  read<T>(work: (log: OpenLog) => T): T {
    try {
      return this.log.run(work)
    } catch (error) {
      if (error instanceof AppError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new AppError('history_unavailable', `the history cannot be read: ${reason}`, { reason }, { cause: error })
    }
  }

  /** Returns the change sets with pending file changes, oldest first; none if the log cannot be read. */
  pendingSets(): ChangeSet[] {
    const query = `SELECT * FROM change_sets
      WHERE id IN (SELECT change_set FROM file_changes WHERE pending > 0) ORDER BY id`
    return this.#tryTo(({ db }) => db.prepare<[], ChangeSetRow>(query).all().map(toChangeSet)) ?? []
  }

  /** Returns the newer change sets of a kind, undos included, oldest first; none if the log cannot be read. */
  setsAfter(id: number, kind: ChangeKind): ChangeSet[] {
    const query = 'SELECT * FROM change_sets WHERE id > ? AND kind = ? ORDER BY id'
    const rows = this.#tryTo(({ db }) => db.prepare<[number, string], ChangeSetRow>(query).all(id, kind))
    return (rows ?? []).map(toChangeSet)
  }

  /** @throws AppError `history_unavailable` */
  filesOf(changeSet: number) {
    return this.read(({ db, versions }) => {
      const query = db.prepare<[number], FileChangeRow & { readonly now: string | null }>(
        `SELECT c.*, ${currentPath} AS now FROM file_changes c WHERE c.change_set = ? ORDER BY c.id`,
      )
      return query.all(changeSet).map(({ path, old_path: from, before, after, stamp, now }) => ({
        path,
        /** `fileStamp` of the file after the change; null if unknown. */
        stamp,
        /** Current path of a note; the path after the change for other files. */
        now: now ?? path,
        ...(from === null ? {} : { from }),
        before: before === null ? null : versions.text(before),
        after: after === null ? null : versions.text(after),
      }))
    })
  }

  /** @throws AppError `history_unavailable` */
  setOf(changeSet: number): ChangeSet | undefined {
    return this.read(({ db }) => changeSetOf(db, changeSet))
  }

  /** Lists change sets as `listSets` in `change-rows.ts`. @throws AppError `history_unavailable` */
  listSets(kinds: readonly ChangeKind[], limit: number) {
    return this.read(({ db }) => listSets(db, kinds, limit))
  }

  /** Marks a hunk of a change as reviewed. @param key as `hunkKey` returns it @throws AppError `history_unavailable` */
  markReviewed(changeSet: number, path: string, key: string): void {
    const statement = `UPDATE file_changes SET reviewed = json_insert(coalesce(reviewed, '[]'), '$[#]', @key)
      WHERE change_set = @changeSet AND path = @path
        AND NOT EXISTS (SELECT 1 FROM json_each(coalesce(reviewed, '[]')) WHERE value = @key)`
    this.read(({ db }) => db.prepare(statement).run({ changeSet, path, key }))
    this.emitRecorded([path])
  }

  removeIncomplete(): void {
    this.#tryTo(({ db }) =>
      db.transaction(() => {
        const sets = db.prepare<[], number>('DELETE FROM file_changes WHERE pending = 2 RETURNING change_set').pluck()
        for (const id of new Set(sets.all())) deleteSetIfEmpty(db, id)
      })(),
    )
  }

  /** Reports that files cannot be recorded. @param error of `read` or of the worker */
  pause(error: unknown): void {
    const { cause } = error instanceof AppError ? error : {}
    this.#handleFailure(cause ?? new Error(error instanceof Error ? error.message : String(error)), true)
  }

  emitRecorded(paths: readonly string[]): void {
    if (paths.length > 0) this.#changes.emit({ type: 'recorded', paths })
  }

  raiseProblem(code: HistoryProblem['code'], message: string): void {
    if (this.#problems.get(code) === message) return
    this.#problems.set(code, message)
    this.#emitProblems()
  }

  clearProblems(...codes: readonly HistoryProblem['code'][]): void {
    const cleared = codes.filter((code) => this.#problems.delete(code))
    if (cleared.length > 0) this.#emitProblems()
  }

  #emitProblems(): void {
    const problems = [...this.#problems].map(([code, message]) => ({ code, message }))
    this.#changes.emit({ type: 'problems', problems })
  }

  close(): void {
    this.log.close()
  }

  async #encodeLong(files: readonly FileTransition[]): Promise<Map<string, EncodedText>> {
    const results = new Map<string, EncodedText>()
    for (const { path, from = path, before, after } of files)
      for (const text of [before, after]) {
        if (text === null || text.length <= maxSyncLength) continue
        const encoded = await this.log.run(({ db, versions }) =>
          versions.encode(text, latestChangeAt(db, from)?.after ?? null),
        )
        if (encoded) results.set(text, encoded)
      }
    return results
  }

  #store(
    { db, versions }: OpenLog,
    { at, origin, kind, detail }: ChangeDraft,
    { files, encoded }: { files: readonly FileTransition[]; encoded: ReadonlyMap<string, EncodedText> },
    pending: number,
    changeSet: number | undefined,
  ): number {
    let outsideSet: number | undefined
    const stored = files.map((file) => {
      const { path, from = path, before, after } = file
      settlePendingAt(db, versions, from, before)
      const recorded = (isNote(from) ? latestChangeAt(db, from)?.after : null) ?? null
      const recordedText = recorded === null ? null : versions.text(recorded)
      const versionBefore = before === null ? null : versions.put(before, recorded, encoded.get(before))
      // Another program has changed the note since the newest recorded version.
      if (isNote(from) && recordedText !== before) {
        const adoption = recorded === null ? openAdoption(db, at) : undefined
        if (adoption === undefined)
          outsideSet ??= insertChangeSet(db, { at, origin: { cause: this.log.isPaused ? 'unrecorded' : 'outside' } })
        const outside = { path: from, before: recordedText ?? '', after: before }
        const set = adoption ?? outsideSet ?? 0
        storeFileChange(db, { changeSet: set, file: outside, before: recorded, after: versionBefore })
      }
      return {
        file,
        before: versionBefore,
        after: after === null ? null : versions.put(after, recorded, encoded.get(after)),
      }
    })
    const id =
      changeSet ??
      insertChangeSet(db, { at, origin, kind: kind ?? null, detail: detail ? JSON.stringify(detail) : null })
    for (const change of stored) storeFileChange(db, { changeSet: id, ...change, pending })
    return id
  }

  #tryTo<T>(work: (log: OpenLog) => T): T | undefined {
    try {
      return this.log.run(work)
    } catch (error) {
      this.#handleFailure(error, true)
      return undefined
    }
  }

  /** @param isAfterWrite true if the files were already replaced, so that no error can refuse the change */
  #handleFailure(error: unknown, isAfterWrite = false): void {
    this.failures += 1
    if (error instanceof NewerLogError) return this.raiseProblem('history_newer', error.message)
    if (!(error instanceof Error) || error instanceof AppError) throw error
    const isFull = error instanceof Database.SqliteError && error.code === 'SQLITE_FULL'
    if (isFull && !isAfterWrite && isSameDisk(dirname(this.log.file), this.#workspace)) {
      const message = 'the disk is full: the change was not stored, and no file was changed'
      throw new AppError('disk_full', message, { path: this.log.file, kilobytes: 64 }, { cause: error })
    }
    try {
      this.log.isPaused = true
    } catch {
      // Without the mark, changes that are missing in the log appear as changes by other programs.
    }
    this.raiseProblem('history_failed', error.message)
  }
}

/** Returns the numbers of added and removed lines; estimates for long texts. */
export function countChangedLines(before: string, after: string): { added: number; removed: number } {
  return countLines(before, after, before.length + after.length > maxComparedLength ? 0 : undefined)
}

interface StoredChange {
  readonly changeSet: number
  readonly file: FileTransition
  readonly before: number | null
  readonly after: number | null
  readonly pending?: number
  readonly stamp?: string | null
}

export function storeFileChange(
  db: LogDb,
  { changeSet, file, before, after, pending = 0, stamp = null }: StoredChange,
): void {
  const { path, from } = file
  const note = isNote(path) ? (latestChangeAt(db, from ?? path)?.note ?? nextNoteId(db)) : null
  insertFileChange(db, {
    change_set: changeSet,
    note,
    path,
    old_path: from ?? null,
    before,
    after,
    ...countChangedLines(file.before ?? '', file.after ?? ''),
    pending,
    stamp,
  })
}

/**
 * Decides the pending changes of a path, whose process ended before it marked them, by the text of the file: with the
 * text before the change, it is removed; otherwise it is done. A file that a running import has yet to create is pending
 * until it exists with the imported text.
 * @param text current text; null if there is no file
 */
export function settlePendingAt(db: LogDb, versions: OpenLog['versions'], path: string, text: string | null): void {
  const rows = db
    .prepare<[string], FileChangeRow>('SELECT * FROM file_changes WHERE path = ? AND pending > 0 ORDER BY id')
    .all(path)
  if (rows.length === 0) return
  const textHash = text === null ? null : hashOf('sha256', text)
  const hashOfVersion = (id: number | null) => (id === null ? null : (versions.hash(id) ?? null))
  db.transaction(() => {
    for (const row of rows) {
      const isDone = textHash === hashOfVersion(row.after)
      if (!isDone && row.before === null) continue
      if (!isDone && textHash === hashOfVersion(row.before)) deleteFileChange(db, row)
      else db.prepare('UPDATE file_changes SET pending = 0 WHERE id = ?').run(row.id)
    }
  }).immediate()
}

function isSameDisk(...folders: readonly [string, string]): boolean {
  const [one, other] = folders.map((folder) => statSync(folder, { throwIfNoEntry: false })?.dev)
  return one !== undefined && one === other
}
