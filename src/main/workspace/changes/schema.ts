/**
 * Tables of the change log. A change set has file changes, and each of these has a version before and after it. A
 * change set is stored, with `pending` file changes, before the files are replaced.
 */
import type Database from 'better-sqlite3'
import { systemClock } from '#platform'

export type LogDb = Database.Database

const tables = `
  CREATE TABLE change_sets (
    -- AUTOINCREMENT: the id of a cancelled change set is not used again. The first id is the time at which the log was created, in ms, so
    -- that chats and suggestions, which store ids, never name a change of a later log.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Milliseconds since the epoch.
    at INTEGER NOT NULL,
    -- JSON, as \`WriteOrigin\`. \`undoes\` is the change set that this one reverts; 0 if it restores an earlier version.
    origin TEXT NOT NULL,
    cause TEXT AS (origin ->> 'cause'),
    session TEXT AS (origin ->> 'session'),
    undoes INTEGER AS (origin ->> 'undoes'),
    -- Set for a change that is listed and undone as one: move, tag, replacement, import, accept;
    -- adoption: the files that existed before the log.
    kind TEXT,
    -- JSON; its fields depend on the kind.
    detail TEXT
  ) STRICT;
  CREATE INDEX change_sets_at ON change_sets (at);
  CREATE INDEX change_sets_kind ON change_sets (kind) WHERE kind IS NOT NULL;
  CREATE INDEX change_sets_undoes ON change_sets (undoes) WHERE undoes IS NOT NULL;
  CREATE INDEX change_sets_session ON change_sets (session) WHERE session IS NOT NULL;

  CREATE TABLE file_changes (
    id INTEGER PRIMARY KEY,
    change_set INTEGER NOT NULL,
    -- Identifies a note across moves; NULL for other files, which have no timeline.
    note INTEGER,
    path TEXT NOT NULL,
    -- Set if the change moved the file.
    old_path TEXT,
    -- Versions; NULL if the file did not exist.
    before INTEGER,
    after INTEGER,
    -- Numbers of lines.
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    -- 0: done; 1: the file is possibly not replaced yet; 2: the change set is not stored completely.
    pending INTEGER NOT NULL,
    -- Size and time of the file with the text of \`after\`, to find changes by other programs without reading it.
    stamp TEXT,
    -- JSON array: keys of the hunks that the user has marked as reviewed.
    reviewed TEXT
  ) STRICT;
  CREATE INDEX file_changes_set ON file_changes (change_set);
  CREATE INDEX file_changes_note ON file_changes (note) WHERE note IS NOT NULL;
  CREATE INDEX file_changes_path ON file_changes (path);
  CREATE INDEX file_changes_old_path ON file_changes (old_path) WHERE old_path IS NOT NULL;
  CREATE INDEX file_changes_pending ON file_changes (path) WHERE pending > 0;

  CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    -- SHA-256 of the text.
    hash BLOB NOT NULL UNIQUE,
    -- NULL: \`data\` is the whole text. Otherwise \`data\` replaces the part of the version \`base\` between its first \`head\`
    -- and its last \`tail\` bytes.
    base INTEGER,
    head INTEGER NOT NULL,
    tail INTEGER NOT NULL,
    -- Number of versions to read before this one.
    depth INTEGER NOT NULL,
    -- Raw deflate of UTF-8; NULL if the text was removed.
    data BLOB
  ) STRICT;
  CREATE INDEX versions_base ON versions (base) WHERE base IS NOT NULL;
`

const migrations: readonly string[] = [tables]

/** Thrown for a log that a newer version of the app wrote. The file must stay unchanged. */
export class NewerLogError extends Error {
  constructor(version: number) {
    super(`the history was written by a newer version of Commonplace (format ${version}); it stays unchanged`)
    this.name = 'NewerLogError'
  }
}

/** Creates or upgrades the tables. @param now milliseconds since the epoch @throws NewerLogError, SqliteError */
export function migrate(db: LogDb, now = systemClock().getTime()): void {
  const versionOf = () => Number(db.pragma('user_version', { simple: true }))
  const version = versionOf()
  if (version > migrations.length) throw new NewerLogError(version)
  if (version === migrations.length) return
  const upgrade = db.transaction(() => {
    // Read again: another process may have upgraded the file.
    const current = versionOf()
    for (const step of migrations.slice(current)) db.exec(step)
    // Sets the first id of AUTOINCREMENT.
    if (current === 0) db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('change_sets', ?)").run(now)
    db.pragma(`user_version = ${migrations.length}`)
  })
  upgrade.immediate()
}
