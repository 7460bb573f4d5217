import type { Statement } from 'better-sqlite3'
import type { ScannedFile } from '../indexing/indexed-file.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { PreparedFile, PreparedUnit, UnitContent } from './prepare-units.ts'
import { termColumns, termTables, type TermColumn, type TermTable } from './unit-schema.ts'

export interface UnitCounts {
  /** Without chats. */
  readonly files: number
  readonly units: number
  readonly embedded: number
}

export interface IndexedFile extends ScannedFile {
  /** 1 if a rule of the settings made the whole file private when it was indexed, else 0. */
  readonly privateByRule: number
}

export interface StoredFile extends IndexedFile, Pick<PreparedFile, 'words' | 'tokens' | 'privacy' | 'problem'> {
  readonly version: number
}

/** The columns of a unit that can change while its content stays. */
export interface UnitPlace {
  readonly seq: number
  readonly entry: number
  readonly section: number
  readonly startLine: number
  readonly endLine: number
  readonly firstDay: number | null
  readonly lastDay: number | null
}

export interface StoredUnit extends UnitPlace {
  readonly id: number
  readonly hash: string
  readonly private: number
}

type NewUnit = UnitPlace &
  Pick<PreparedUnit, 'hash' | 'label' | 'context' | 'text'> &
  Pick<UnitContent, 'flags' | 'length'> & {
    readonly file: number
    readonly private: number
    readonly isChat: number
    readonly vector: number | null
  }

export interface UnitToEmbed {
  readonly id: number
  readonly text: string
  readonly label: string
  /** 1 if a remote provider must not receive the unit, else 0. */
  readonly isPrivate: number
}

/** Condition for units that a remote provider may receive. Chats can repeat private notes. */
export const isSendable = 'private = 0 AND is_chat = 0'

export function prepareStatements(db: Db) {
  const known = 'SELECT path, source, hash, mtime, size, private_by_rule AS privateByRule FROM files'
  const termStatements = (sql: (table: string) => string) => {
    const ofTable = (table: TermTable) => termColumns.map((column) => [column, db.prepare(sql(`${table}_${column}`))])
    return Object.fromEntries(termTables.map((table) => [table, Object.fromEntries(ofTable(table))])) as Record<
      TermTable,
      Record<TermColumn, Statement>
    >
  }
  return {
    knownFiles: db.prepare<[], IndexedFile>(known),
    knownFile: db.prepare<[string, string], IndexedFile>(`${known} WHERE source = ? AND path = ?`),
    file: db.prepare<[string, string], { id: number; version: number }>(
      'SELECT id, version FROM files WHERE source = ? AND path = ?',
    ),
    putFile: db
      .prepare<[StoredFile], number>(
        `INSERT INTO files
           (path, source, hash, mtime, size, words, tokens, private_by_rule, privacy, privacy_problem, version)
         VALUES (@path, @source, @hash, @mtime, @size, @words, @tokens, @privateByRule, @privacy, @problem, @version)
         ON CONFLICT (source, path) DO UPDATE SET hash = excluded.hash, mtime = excluded.mtime, size = excluded.size,
           words = excluded.words, tokens = excluded.tokens, private_by_rule = excluded.private_by_rule,
           privacy = excluded.privacy, privacy_problem = excluded.privacy_problem
         RETURNING id`,
      )
      .pluck(),
    setVersion: db.prepare('UPDATE files SET version = ? WHERE id = ?'),
    touchFile: db.prepare('UPDATE files SET mtime = ?, size = ? WHERE source = ? AND path = ?'),
    removeFile: db.prepare('DELETE FROM files WHERE id = ?'),

    units: db.prepare<[number], StoredUnit>(
      `SELECT id, hash, private, seq, entry, section_id AS section, start_line AS startLine, end_line AS endLine,
              first_day AS firstDay, last_day AS lastDay
       FROM units WHERE file_id = ?`,
    ),
    hashes: db
      .prepare<[string, string], string>(
        'SELECT hash FROM units WHERE file_id = (SELECT id FROM files WHERE source = ? AND path = ?)',
      )
      .pluck(),
    text: db.prepare<[number], Pick<PreparedUnit, 'text' | 'label' | 'heading'>>(
      'SELECT text, label, heading FROM units JOIN sections ON sections.id = section_id WHERE units.id = ?',
    ),
    putUnit: db.prepare<[NewUnit]>(
      `INSERT INTO units (file_id, seq, section_id, entry, start_line, end_line, first_day, last_day, private, is_chat,
                          flags, length, vector, hash, label, context, text)
       VALUES (@file, @seq, @section, @entry, @startLine, @endLine, @firstDay, @lastDay, @private, @isChat,
               @flags, @length, @vector, @hash, @label, @context, @text)`,
    ),
    moveUnit: db.prepare<[UnitPlace & { readonly id: number }]>(
      `UPDATE units SET seq = @seq, entry = @entry, section_id = @section, start_line = @startLine,
                        end_line = @endLine, first_day = @firstDay, last_day = @lastDay
       WHERE id = @id`,
    ),
    removeUnit: db.prepare('DELETE FROM units WHERE id = ?'),
    putTerms: termStatements((table) => `INSERT INTO ${table} (rowid, terms) VALUES (?, ?)`),
    removeTerms: termStatements((table) => `DELETE FROM ${table} WHERE rowid = ?`),

    putSection: db.prepare<[number, string]>('INSERT INTO sections (file_id, heading) VALUES (?, ?)'),
    sections: db.prepare<[number], number>('SELECT id FROM sections WHERE file_id = ?').pluck(),
    removeSection: db.prepare('DELETE FROM sections WHERE id = ?'),

    putWord: db.prepare(
      `INSERT INTO words (word, term, open_units, private_units) VALUES (@word, @term, @open, @private)
       ON CONFLICT (word) DO UPDATE SET
         open_units = open_units + excluded.open_units, private_units = private_units + excluded.private_units`,
    ),
    removeUnusedWord: db.prepare('DELETE FROM words WHERE word = ? AND open_units = 0 AND private_units = 0'),

    putTag: db.prepare('INSERT OR IGNORE INTO note_tags (tag, file_id, line) VALUES (?, ?, ?)'),
    putProperty: db.prepare('INSERT OR IGNORE INTO note_properties (name, file_id, line, value) VALUES (?, ?, ?, ?)'),
    putName: db.prepare('INSERT INTO note_names (file_id, place, name, private) VALUES (?, ?, ?, ?)'),
    removeMetadata: ['note_tags', 'note_properties', 'note_names'].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE file_id = ?`),
    ),

    putCode: db.prepare(
      `INSERT OR REPLACE INTO unit_codes (unit_id, code, length, private, is_chat)
       SELECT id, ?, ?, private, is_chat FROM units WHERE id = ?`,
    ),
    removeCode: db.prepare('DELETE FROM unit_codes WHERE unit_id = ?'),
    setVector: db.prepare('UPDATE units SET vector = ? WHERE id = ?'),
    clearVectors: db.prepare('UPDATE units SET vector = NULL WHERE vector IS NOT NULL'),
    toEmbed: db.prepare<[number, number, number], UnitToEmbed>(
      `SELECT id, text, label, NOT (${isSendable}) AS isPrivate FROM units
       WHERE vector IS NULL AND (NOT ? OR (${isSendable})) AND id > ? ORDER BY id LIMIT ?`,
    ),
    unsent: db.prepare<[], number>(`SELECT count(*) FROM units WHERE vector IS NULL AND NOT (${isSendable})`).pluck(),
    cached: db.prepare<[string, string, number, string], { id: number; vector: Buffer }>(
      'SELECT id, vector FROM embedding_cache WHERE provider = ? AND model = ? AND dims = ? AND hash = ?',
    ),
    cache: db
      .prepare<[string, string, number, string, Buffer], number>(
        `INSERT INTO embedding_cache (provider, model, dims, hash, vector) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET vector = excluded.vector RETURNING id`,
      )
      .pluck(),
    // Two ranges, because each uses the index.
    otherVectors: db.prepare<[{ readonly key: string; readonly model: string }]>(
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM embedding_cache WHERE (provider, model) < (@key, @model))
                   OR EXISTS (SELECT 1 FROM embedding_cache WHERE (provider, model) > (@key, @model))`,
    ),
    removeUnusedVectors: db.prepare(
      'DELETE FROM embedding_cache WHERE id NOT IN (SELECT vector FROM units WHERE vector IS NOT NULL)',
    ),
    counts: db.prepare<[], UnitCounts>(
      // By the indexes: the rows have the texts, and would all be read.
      `SELECT (SELECT count(*) FROM files WHERE source <> 'sessions') AS files, (SELECT count(*) FROM units) AS units,
              (SELECT count(*) FROM units) - (SELECT count(*) FROM units WHERE vector IS NULL) AS embedded`,
    ),
  }
}
