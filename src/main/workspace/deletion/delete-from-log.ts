/** Finds and erases texts in a change log (`secure_delete` overwrites them). The ids of chats and messages stay. */
import Database from 'better-sqlite3'
import type { DeletionPlace } from '#shared/contract/index.ts'
import { countLines } from '#platform'
import { AppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { deleteFileChange, type FileChangeRow } from '../changes/change-rows.ts'
import type { OpenLog } from '../changes/log-file.ts'
import { migrate, type LogDb } from '../changes/schema.ts'
import { Versions } from '../changes/versions.ts'
import { collectStrings } from './decode-file.ts'
import type { DeletionPattern } from './deletion-pattern.ts'

/** Matching versions by path; as `history`, change sets with a matching detail or source. Undefined: unreadable log. */
export function findInLog(file: string, pattern: DeletionPattern): DeletionPlace[] | undefined {
  const places = new Map<string, DeletionPlace>()
  const addIfMatch = (path: string, ...texts: readonly string[]) => {
    const text = texts.find((candidate) => pattern.matches(candidate))
    if (text === undefined) return
    const { count, lines } = places.get(path) ?? { count: 0, lines: pattern.excerpt([text]).lines }
    places.set(path, { kind: 'history', path, count: count + 1, lines })
  }
  let db: LogDb | undefined
  try {
    db = new Database(file, { readonly: true })
    migrate(db)
    const versions = new Versions(db)
    const rows = db.prepare<[], { path: string; version: number }>(
      `SELECT path, before AS version FROM file_changes WHERE before IS NOT NULL
       UNION SELECT path, after FROM file_changes WHERE after IS NOT NULL`,
    )
    for (const { path, version } of rows.all()) addIfMatch(path, versions.text(version) ?? '', path)
    const sets = db
      .prepare<[], [string | null, string | null]>("SELECT detail, origin ->> 'sources' FROM change_sets")
      .raw()
    for (const columns of sets.all()) addIfMatch('history', ...columns.flatMap(stringsOf))
    return [...places.values()]
  } catch {
    // The file is damaged or was written by a newer version of the app.
    return undefined
  } finally {
    db?.close()
  }
}

/** Removes changes of files with a matching path. @returns changed rows @throws SqliteError; AppError `file_busy` */
export function deleteFromLog(log: OpenLog, pattern: DeletionPattern, keptPaths: ReadonlySet<string>): number {
  const { db } = log
  const count = db.transaction(() => rewrite(log, pattern, keptPaths)).immediate()
  // Also if nothing changed: an interrupted deletion may have left texts in the WAL.
  db.exec('VACUUM')
  if (db.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) !== 0)
    throw new AppError('file_busy', `another process keeps reading ${db.name}`, { path: db.name })
  return count
}

function rewrite({ db, versions }: OpenLog, pattern: DeletionPattern, keptPaths: ReadonlySet<string>): number {
  const keepsPath = (path: string) => keptPaths.has(path) || !pattern.matches(path)
  /** Returns the id of the rewritten version of a file; null if the file is removed from the history. */
  const rewriteVersion = (path: string, id: number | null) => {
    if (id === null || !keepsPath(path)) return null
    const text = versions.text(id)
    const isKept = text === undefined || keptPaths.has(path) || !pattern.matches(text)
    return isKept ? id : versions.put(pattern.removeLines(text))
  }
  const linesOf = (id: number | null) => (id === null ? '' : (versions.text(id) ?? ''))
  const update = db.prepare(
    `UPDATE file_changes SET path = @path, old_path = @from, before = @before, after = @after, added = @added,
       removed = @removed, stamp = NULL, reviewed = NULL WHERE id = @id`,
  )
  let count = 0
  for (const row of db.prepare<[], FileChangeRow>('SELECT * FROM file_changes ORDER BY id').all()) {
    const { id, path, old_path: from } = row
    const before = rewriteVersion(from ?? path, row.before)
    const after = rewriteVersion(path, row.after)
    const isKept = keepsPath(path)
    const isMoveKept = isKept && from !== null && keepsPath(from)
    if (before === row.before && after === row.after && isKept && isMoveKept === (from !== null)) continue
    count += 1
    if (before === after && !isMoveKept) deleteFileChange(db, row)
    else {
      // A file that was moved to an erased path counts as removed, one from there as created.
      const newPath = isKept ? path : (from ?? path)
      const counts = countLines(linesOf(before), linesOf(after))
      update.run({ id, path: newPath, from: isMoveKept ? from : null, before, after, ...counts })
    }
  }
  versions.removeUnused()
  db.function('has_match', (json) => Number(stringsOf(json).some((text) => pattern.matches(text))))
  // Without the detail, a change of several files cannot be undone as a whole, but each of its files can.
  const details = db.prepare('UPDATE change_sets SET kind = NULL, detail = NULL WHERE has_match(detail)').run()
  const sources = db
    .prepare("UPDATE change_sets SET origin = json_remove(origin, '$.sources') WHERE has_match(origin ->> 'sources')")
    .run()
  return count + details.changes + sources.changes
}

function stringsOf(json: unknown): string[] {
  return typeof json === 'string' ? collectStrings(parseJson(json)) : []
}
