/** Removes texts from the change log; `secure_delete` overwrites them. The ids of chats and messages stay. */
import type { OpenLog } from './log-file.ts'

/**
 * Removes the texts of versions that only changes before a time have. The caller must have begun a transaction.
 * @param before milliseconds since the epoch
 */
export function removeOldTexts({ db, versions }: OpenLog, before: number): void {
  const ids = db
    .prepare<[number], number>(
      `SELECT v.id FROM versions v WHERE v.data IS NOT NULL AND v.id NOT IN (
         SELECT value FROM (SELECT c.before AS value, c.change_set FROM file_changes c
           UNION ALL SELECT c.after, c.change_set FROM file_changes c)
         WHERE value IS NOT NULL AND change_set IN (SELECT id FROM change_sets WHERE at >= ?))`,
    )
    .pluck()
    .all(before)
  versions.removeTexts(ids)
}

/** Removes versions that no change has. The caller must have begun a transaction. */
export function removeUnusedVersions({ db, versions }: OpenLog): void {
  const unused = db
    .prepare<[], number>(
      `SELECT id FROM versions EXCEPT SELECT before FROM file_changes EXCEPT SELECT after FROM file_changes`,
    )
    .pluck()
    .all()
  versions.removeTexts(unused)
  for (const id of unused) db.prepare('DELETE FROM versions WHERE id = ?').run(id)
}
