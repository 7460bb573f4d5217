/** Statements on the tables of the change log. Each function runs on an open database and throws SqliteError. */
import { z } from 'zod'
import { originShape } from '#shared/contract/history.ts'
import { parseJson } from '#shared/util/json.ts'
import type { LogDb } from './schema.ts'

const originSchema = z.object({ ...originShape, undoes: z.number().optional() })
/**
 * The cause of a write. `session` and `turn` (the message that the agent answers) are set for writes by agents. `undoes`:
 * the change set that the write reverts; 0 if it restores an earlier version.
 */
export type WriteOrigin = Readonly<z.infer<typeof originSchema>>

/** A change set that is listed and undone as one; `adoption`: the files that existed before the log. */
export type ChangeKind = 'move' | 'tag' | 'replacement' | 'import' | 'accept' | 'adoption'

export interface ChangeSet {
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly origin: WriteOrigin
  readonly kind: ChangeKind | null
  readonly detail: string | null
}

export interface FileChangeRow {
  readonly id: number
  readonly change_set: number
  readonly note: number | null
  readonly path: string
  readonly old_path: string | null
  readonly before: number | null
  readonly after: number | null
  readonly added: number
  readonly removed: number
  readonly pending: number
  readonly stamp: string | null
  readonly reviewed: string | null
}

export type ChangeSetRow = Omit<ChangeSet, 'origin'> & { readonly origin: string }

export function parseOrigin(json: string): WriteOrigin {
  return originSchema.catch({ cause: 'outside' }).parse(parseJson(json))
}

/** @param id null: the next one */
export function insertChangeSet(
  db: LogDb,
  { at, origin, kind = null, detail = null }: Pick<ChangeSet, 'at' | 'origin'> & Partial<ChangeSet>,
  id: number | null = null,
): number {
  const insert = db.prepare('INSERT INTO change_sets (id, at, origin, kind, detail) VALUES (?, ?, ?, ?, ?)')
  return Number(insert.run(id, at, JSON.stringify(origin), kind, detail).lastInsertRowid)
}

/** Returns the set of the files that existed before the log; creates it in a new log. Undefined if all of them are recorded. */
export function openAdoption(db: LogDb, at: number): number | undefined {
  const set = db
    .prepare<[], Pick<ChangeSet, 'id' | 'detail'>>("SELECT id, detail FROM change_sets WHERE kind = 'adoption'")
    .get()
  if (!set) return insertChangeSet(db, { at, origin: { cause: 'adopted' }, kind: 'adoption' })
  return set.detail === null ? set.id : undefined
}

/** @param id null: the next one */
export function insertFileChange(db: LogDb, row: Omit<FileChangeRow, 'id' | 'reviewed'>, id: number | null = null) {
  db.prepare(
    `INSERT INTO file_changes
       (id, change_set, note, path, old_path, before, after, added, removed, pending, stamp)
     VALUES (@id, @change_set, @note, @path, @old_path, @before, @after, @added, @removed, @pending, @stamp)`,
  ).run({ ...row, id })
}

export function changeSetOf(db: LogDb, id: number): ChangeSet | undefined {
  const row = db.prepare<[number], ChangeSetRow>('SELECT * FROM change_sets WHERE id = ?').get(id)
  return row && toChangeSet(row)
}

export function fileChangesOf(db: LogDb, changeSet: number): FileChangeRow[] {
  return db
    .prepare<[number], FileChangeRow>('SELECT * FROM file_changes WHERE change_set = ? ORDER BY id')
    .all(changeSet)
}

/** Returns undefined if the log has none, or the file at that path was moved away. Ignores pending changes. */
export function latestChangeAt(db: LogDb, path: string): FileChangeRow | undefined {
  const row = db
    .prepare<[string], FileChangeRow>(
      'SELECT * FROM file_changes WHERE path = ? AND pending = 0 ORDER BY id DESC LIMIT 1',
    )
    .get(path)
  return row && row.id > (latestMoveFrom(db, path)?.id ?? -Infinity) ? row : undefined
}

export function latestMoveFrom(db: LogDb, path: string): FileChangeRow | undefined {
  return db
    .prepare<[{ path: string }], FileChangeRow>(
      'SELECT * FROM file_changes WHERE old_path = @path AND path <> @path AND pending = 0 ORDER BY id DESC LIMIT 1',
    )
    .get({ path })
}

/** SQL: the current path of the note of a file change `c`. */
export const currentPath =
  '(SELECT l.path FROM file_changes l WHERE l.note = c.note AND l.pending = 0 ORDER BY l.id DESC LIMIT 1)'

export function nextNoteId(db: LogDb): number {
  return db.prepare<[], number>('SELECT coalesce(max(note), 0) + 1 FROM file_changes').pluck().get() ?? 1
}

export function deleteFileChange(db: LogDb, { id, change_set: changeSet }: FileChangeRow): void {
  db.prepare('DELETE FROM file_changes WHERE id = ?').run(id)
  deleteSetIfEmpty(db, changeSet)
}

export function deleteSetIfEmpty(db: LogDb, changeSet: number): void {
  // The set of the files that existed before the log also marks that they are recorded.
  db.prepare(
    `DELETE FROM change_sets WHERE id = @changeSet AND kind IS NOT 'adoption'
       AND NOT EXISTS (SELECT 1 FROM file_changes WHERE change_set = @changeSet)`,
  ).run({ changeSet })
}

/** True if a change set `s` was undone, and its undo was not. The undo of one of several files does not count. */
const undone = `EXISTS (SELECT 1 FROM change_sets u WHERE u.undoes = s.id
  AND (json_extract(u.detail, '$.isPart') IS NOT 1
    OR (SELECT count(*) FROM file_changes c WHERE c.change_set = s.id) = 1)
  AND NOT EXISTS (SELECT 1 FROM change_sets r WHERE r.undoes = u.id))`

export function isUndone(db: LogDb, changeSet: number): boolean {
  return db.prepare(`SELECT 1 FROM change_sets s WHERE s.id = ? AND ${undone}`).get(changeSet) !== undefined
}

/**
 * Returns the newest change sets of these kinds that were not undone, with the numbers of their files. An import stores
 * in its detail the files that its undo has left; without such files it was undone.
 */
export function listSets(db: LogDb, kinds: readonly ChangeKind[], limit: number) {
  const rows = db
    .prepare<[object], ChangeSetRow & { files: number }>(
      `SELECT s.*, (SELECT count(*) FROM file_changes c WHERE c.change_set = s.id
         AND (c.before IS NOT c.after OR c.before IS NULL)) AS files
       FROM change_sets s
       WHERE s.kind IN (SELECT value FROM json_each(@kinds)) AND s.undoes IS NULL
         AND json_array_length(s.detail, '$.left') IS NOT 0
         AND (s.kind = 'import' OR NOT ${undone})
         AND NOT EXISTS (SELECT 1 FROM file_changes c WHERE c.change_set = s.id AND c.pending > 0)
       ORDER BY s.id DESC LIMIT @limit`,
    )
    .all({ kinds: JSON.stringify(kinds), limit })
  return rows.map((row) => ({ ...toChangeSet(row), files: row.files }))
}

export function toChangeSet(row: ChangeSetRow): ChangeSet {
  return { id: row.id, at: row.at, origin: parseOrigin(row.origin), kind: row.kind, detail: row.detail }
}
