/**
 * The index's database (M11): one file an agent, derived from the Markdown and disposable. `meta.fingerprint` says
 * what it was built with; another fingerprint means another index (M12).
 */
import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { z } from 'zod'
import type { EmbeddingSource } from '../embeddings/index.ts'
import type { ChunkSettings } from './chunk.ts'
import { tokenizerVersion } from './terms.ts'

export type Db = Database.Database

const schemaVersion = 4

/** What the index depends on besides the files themselves. */
export interface IndexIdentity {
  readonly chunk: ChunkSettings
  /** Empty strings without an embedding provider. */
  readonly provider: string
  readonly model: string
  /** What the settings ask of the model; 0 for its own length. The true length is in `meta` once a vector is there. */
  readonly dimensions: number
}

/** What the settings ask an index to be. */
export function identityOf({ chunk, embedding }: { chunk: ChunkSettings; embedding: EmbeddingSource }): IndexIdentity {
  if (embedding.provider === 'none') return { chunk, provider: '', model: '', dimensions: 0 }
  const { provider, model, dimensions = 0 } = embedding
  return { chunk, provider, model, dimensions }
}

export function fingerprint(identity: IndexIdentity): string {
  const { chunk, provider, model, dimensions } = identity
  return JSON.stringify({
    schemaVersion,
    tokenizerVersion,
    chunk: [chunk.tokens, chunk.overlap],
    provider,
    model,
    dimensions,
  })
}

const builtForSchema = z.object({ provider: z.string(), model: z.string(), dimensions: z.number() })

/** The model that an index was built for; empty strings for none. */
export type BuiltFor = Readonly<z.infer<typeof builtForSchema>>

export function parseFingerprint(text: string): BuiltFor {
  return builtForSchema.parse(JSON.parse(text))
}

export function builtFor(db: Db): BuiltFor {
  const text = getMeta(db, 'fingerprint')
  return text === undefined ? { provider: '', model: '', dimensions: 0 } : parseFingerprint(text)
}

/** Where the length is kept that a model's vectors had in another index: so they are found in the cache before it is asked. */
export const lengthKeys = 'length:'

export function lengthKey({ provider, model, dimensions }: BuiltFor): string {
  return `${lengthKeys}${provider}/${model}/${dimensions}`
}

/** Opens (or creates) the file for writing. WAL lets the searcher read while the indexer writes. */
export function openForWriting(file: string): Db {
  const db = new Database(file)
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    db.pragma('busy_timeout = 5000')
    loadVectors(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens an existing file for searching. */
export function openForReading(file: string): Db {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    db.pragma('busy_timeout = 2000')
    db.pragma('cache_size = -12000')
    loadVectors(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** A library cannot be loaded from inside a packed app: it lies beside it. */
function loadVectors(db: Db): void {
  db.loadExtension(sqliteVec.getLoadablePath().replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked'))
}

export function createTables(db: Db, identity: IndexIdentity): void {
  db.exec(`
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE files (
      path TEXT NOT NULL, source TEXT NOT NULL, hash TEXT NOT NULL,
      mtime REAL NOT NULL, size INTEGER NOT NULL, words INTEGER NOT NULL, tokens INTEGER NOT NULL,
      PRIMARY KEY (source, path)
    ) WITHOUT ROWID;

    -- length: terms of the chunk, for BM25
    CREATE TABLE chunks (
      id INTEGER PRIMARY KEY, path TEXT NOT NULL, source TEXT NOT NULL,
      start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
      heading TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, length REAL NOT NULL,
      embedded INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX chunks_by_file ON chunks (source, path, start_line);
    CREATE INDEX chunks_to_embed ON chunks (id) WHERE embedded = 0;

    -- Columns hold terms that memory/terms.ts made, so FTS5 has nothing left to do but split at white space.
    CREATE VIRTUAL TABLE chunks_fts USING fts5 (
      words, chars, pairs, heading, place,
      tokenize = "unicode61 remove_diacritics 0 tokenchars '_-./:@#+\\|'"
    );
    CREATE VIRTUAL TABLE chunks_vocabulary USING fts5vocab (chunks_fts, 'row');

    -- Words as they are spelt, with their terms; kept when a text goes, for a term without chunks is never looked up.
    CREATE TABLE spellings (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, term TEXT NOT NULL);

    CREATE TABLE embedding_cache (
      provider TEXT NOT NULL, model TEXT NOT NULL, dims INTEGER NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL,
      PRIMARY KEY (provider, model, dims, hash)
    );
  `)
  setMeta(db, 'fingerprint', fingerprint(identity))
}

/**
 * The bit column is a coarse form of the vector (the sign of each dimension) for a first pass over many chunks. Single
 * vectors are read from `embedding_cache`: a look-up by key costs vec0 twenty times as much.
 */
export function createVectorTable(db: Db, dimensions: number): void {
  if (!Number.isInteger(dimensions) || dimensions < 1) throw new RangeError(`dimensions: ${dimensions}`)
  const coarse = dimensions % 8 === 0 ? `, coarse bit[${dimensions}]` : ''
  db.exec(
    `CREATE VIRTUAL TABLE chunks_vec USING vec0 (chunk_id INTEGER PRIMARY KEY, embedding float[${dimensions}] distance_metric=cosine${coarse})`,
  )
  setMeta(db, 'dimensions', String(dimensions))
}

/** Length that the vectors of this index have or will have, as far as one knows; 0 otherwise. */
export function expectedDimensions(db: Db): number {
  return vectorDimensions(db) || Number(getMeta(db, lengthKey(builtFor(db))) ?? 0)
}

/** Length of the stored vectors; 0 when there are none yet. */
export function vectorDimensions(db: Db): number {
  return Number(getMeta(db, 'dimensions') ?? 0)
}

export function getMeta(db: Db, key: string): string | undefined {
  return db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(key)
}

export function setMeta(db: Db, key: string, value: string): void {
  db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value').run(
    key,
    value,
  )
}

/** What SQLite says of a file that is broken, or no database at all. */
export function isDamage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))
}

/** True when the file holds a whole index with this fingerprint. */
export function isIndexOf(db: Db, identity: IndexIdentity): boolean {
  const hasMeta = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").get()
  return hasMeta !== undefined && getMeta(db, 'fingerprint') === fingerprint(identity)
}
