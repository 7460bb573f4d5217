import type Database from 'better-sqlite3'
import { simplify } from '#shared/util/han.ts'
import { isQuestionMarked } from '../text/language/sentences.ts'
import { hasNumber, isFirstPerson, namesTime } from '../text/language/words.ts'

/** Key of the counter that increases with every transaction that changes units; `files.version` has its values. */
export const versionKey = 'units:version'

/**
 * The full-text indexes. Statistics of notes must not depend on chats, nor those of open units on private ones, so each
 * has an index of its own.
 */
export const termTables = ['note_terms', 'private_note_terms', 'chat_terms', 'private_chat_terms'] as const

export type TermTable = (typeof termTables)[number]

/** Columns of a full-text index: terms of the unit's text, and of its heading, its context and the note's names. */
export const termColumns = ['text', 'head'] as const

export type TermColumn = (typeof termColumns)[number]

export function termTableOf({ isPrivate, isChat }: { isPrivate: boolean; isChat: boolean }): TermTable {
  if (isChat) return isPrivate ? 'private_chat_terms' : 'chat_terms'
  return isPrivate ? 'private_note_terms' : 'note_terms'
}

/** The terms are separated by spaces. With all other ASCII characters as token characters, no term is split. */
const tokenizer = `ascii tokenchars '!"#$%&''()*+,-./:;<=>?@[\\]^_\`{|}~'`

export function createUnitTables(db: Database.Database): void {
  db.exec(`
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    -- \`private_by_rule\`: 1 if a rule of the settings made the whole file private when it was indexed. \`privacy\`: 0 if
    -- the text has no privacy mark, 1 if some lines are marked, 2 if the whole file is.
    CREATE TABLE files (
      id INTEGER PRIMARY KEY, source TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL,
      mtime REAL NOT NULL, size INTEGER NOT NULL, words INTEGER NOT NULL, tokens INTEGER NOT NULL,
      private_by_rule INTEGER NOT NULL, privacy INTEGER NOT NULL, privacy_problem TEXT, version INTEGER NOT NULL,
      UNIQUE (source, path)
    );

    -- Runs of units with the same headings above.
    CREATE TABLE sections (id INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL, heading TEXT NOT NULL);
    CREATE INDEX sections_by_file ON sections (file_id);

    -- Days since 1970-01-01, both inclusive; null if the unit has no date. \`vector\` is a row of embedding_cache, 0 if
    -- the vector is computed from the text, or null while there is neither.
    CREATE TABLE units (
      id INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL, seq INTEGER NOT NULL,
      section_id INTEGER NOT NULL, entry INTEGER NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
      first_day INTEGER, last_day INTEGER, private INTEGER NOT NULL, is_chat INTEGER NOT NULL,
      flags INTEGER NOT NULL, length INTEGER NOT NULL, vector INTEGER,
      hash TEXT NOT NULL, label TEXT NOT NULL, context TEXT NOT NULL, text TEXT NOT NULL
    );
    CREATE INDEX units_by_file ON units (file_id);
    CREATE INDEX units_to_embed ON units (id) WHERE vector IS NULL;

    -- Words of notes and their headings with their terms, and the number of open and private units that have them.
    CREATE TABLE words (
      word TEXT PRIMARY KEY, term TEXT NOT NULL, open_units INTEGER NOT NULL, private_units INTEGER NOT NULL,
      private INTEGER GENERATED ALWAYS AS (open_units = 0) VIRTUAL
    ) WITHOUT ROWID;

    -- Signs of the vector's first dimensions, one bit each. With the built-in model, also the length of the vector before
    -- normalization.
    CREATE TABLE unit_codes (
      unit_id INTEGER PRIMARY KEY, code BLOB NOT NULL, length REAL, private INTEGER NOT NULL, is_chat INTEGER NOT NULL
    );

    CREATE TABLE embedding_cache (
      id INTEGER PRIMARY KEY,
      provider TEXT NOT NULL, model TEXT NOT NULL, dims INTEGER NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL,
      UNIQUE (provider, model, dims, hash)
    );

    -- Keys as normalized by shared/markdown/properties, lines 1-based. A property without a value has one row with an
    -- empty value. Names are title and aliases; the title has place 0. A tag or property is private if its unit is.
    CREATE TABLE note_tags (
      tag TEXT NOT NULL, file_id INTEGER NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (tag, file_id, line)
    ) WITHOUT ROWID;
    CREATE INDEX tags_by_file ON note_tags (file_id);
    CREATE TABLE note_properties (
      name TEXT NOT NULL, file_id INTEGER NOT NULL, line INTEGER NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (name, file_id, line, value)
    ) WITHOUT ROWID;
    CREATE INDEX properties_by_file ON note_properties (file_id);
    CREATE TABLE note_names (
      file_id INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, private INTEGER NOT NULL, PRIMARY KEY (file_id, place)
    ) WITHOUT ROWID;
  `)
  for (const table of termTables) createTermTable(db, table)
  db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)').run(versionKey, '0')
}

/**
 * Creates one table for each column, because an index without positions and columns takes less than half the space.
 * Each row of the view `_hits` is a term in one column of one unit; `_counts` has the number of units by term and column.
 */
function createTermTable(db: Database.Database, table: TermTable): void {
  for (const column of termColumns)
    db.exec(`
      CREATE VIRTUAL TABLE ${table}_${column} USING fts5 (
        terms, content = '', contentless_delete = 1, detail = none, tokenize = "${tokenizer.replaceAll('"', '""')}"
      );
      CREATE VIRTUAL TABLE ${table}_${column}_hits USING fts5vocab (${table}_${column}, instance);
      CREATE VIRTUAL TABLE ${table}_${column}_counts USING fts5vocab (${table}_${column}, row);
    `)
  const rows = (suffix: string) =>
    termColumns
      .map((column) => `SELECT term, doc, '${column}' AS col FROM ${table}_${column}_${suffix}`)
      .join(' UNION ALL ')
  db.exec(`CREATE VIEW ${table}_hits AS ${rows('hits')}; CREATE VIEW ${table}_counts AS ${rows('counts')}`)
}

/** Bits of a unit's `flags`. Bits 6 and 7 hold the number of capitalized words inside sentences, at most 3. */
export const unitFlags = {
  asks: 1,
  hasNumber: 2,
  hasTime: 4,
  isFirstPerson: 32,
  /** A struck-through line with the date until which it was valid. */
  isSuperseded: 256,
} as const

const capitalizedShift = 6
const maxCapitalized = 3

/** A capitalized word after a letter, comma or apostrophe and a space, so that no word at the start of a sentence counts. */
const capitalizedWord = /(?<=[\p{L},'’] )\p{Lu}\p{Ll}+/gu

/** Returns the flags that the text alone decides: all but `isSuperseded`. @param body from `bodyOf` */
export function flagsOf(body: string): number {
  const capitalized = Math.min(maxCapitalized, body.match(capitalizedWord)?.length ?? 0)
  const plain = simplify(body)
  return (
    (isQuestionMarked(body) ? unitFlags.asks : 0) |
    (hasNumber(plain) ? unitFlags.hasNumber : 0) |
    (namesTime(plain) ? unitFlags.hasTime : 0) |
    (isFirstPerson(plain) ? unitFlags.isFirstPerson : 0) |
    (capitalized << capitalizedShift)
  )
}

export function capitalizedIn(flags: number): number {
  return (flags >>> capitalizedShift) & maxCapitalized
}
