import Database from 'better-sqlite3'
import { randomUUID } from 'node:crypto'
import * as sqliteVec from 'sqlite-vec'
import { z } from 'zod'
import { embeddingBaseUrl } from '#shared/util/providers.ts'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import { chunkSize } from './chunk.ts'
import { tokenizerVersion } from '../text/terms.ts'

export type Db = Database.Database

const schemaVersion = 11
/** Increase when `transcriptText` changes its output. */
const transcriptVersion = 1

/** Key of a random id that distinguishes an index from every other, even one built from the same files. */
export const identityKey = 'identity'

/** Returns the path of the snapshot that the next process loads instead of reading the whole index. */
export function snapshotPathOf(file: string): string {
  return `${file}.ahead`
}

/** Everything that the index depends on besides the files. A difference rebuilds the index. */
export interface IndexIdentity {
  /** Empty strings if there is no embedding provider. */
  readonly provider: string
  readonly model: string
  /** Always 0, the model's default length; `meta` has it after the first vector. Indexes of earlier versions may have another. */
  readonly dimensions: number
  /** The provider's URL if it is not the default one. */
  readonly address?: string | undefined
}

/** Returns the identity that the settings ask for. */
export function identityOf({ provider, model, baseUrl }: EmbeddingSource): IndexIdentity {
  if (provider === 'none') return { provider: '', model: '', dimensions: 0 }
  return { provider, model, dimensions: 0, address: embeddingBaseUrl(provider, baseUrl) }
}

/** Returns the text that `meta` stores; an index whose text differs is rebuilt. */
export function fingerprint({ provider, model, dimensions, address }: IndexIdentity): string {
  return JSON.stringify({
    schemaVersion,
    tokenizerVersion,
    transcriptVersion,
    chunk: [chunkSize.tokens, chunkSize.overlap],
    provider,
    model,
    dimensions,
    // JSON omits it if undefined.
    address,
  })
}

/** Returns true if the tables have the current schema. An older index only serves keyword search until its rebuild. */
export function hasCurrentSchema(db: Db): boolean {
  const text = getMeta(db, 'fingerprint')
  return text !== undefined && versionSchema.safeParse(JSON.parse(text)).data?.schemaVersion === schemaVersion
}

const versionSchema = z.object({ schemaVersion: z.number() })

const builtForSchema = z.object({
  provider: z.string(),
  model: z.string(),
  dimensions: z.number(),
  address: z.string().optional(),
})

/** The embedding model of an index; empty strings if it has none. */
export type IndexModel = Readonly<z.infer<typeof builtForSchema>>

/** @throws SyntaxError or ZodError if the text is not a fingerprint */
export function parseFingerprint(text: string): IndexModel {
  return builtForSchema.parse(JSON.parse(text))
}

export function modelOfIndex(db: Db): IndexModel {
  const text = getMeta(db, 'fingerprint')
  return text === undefined ? { provider: '', model: '', dimensions: 0 } : parseFingerprint(text)
}

/**
 * Prefix of the keys that hold the dimensions of a model's vectors, copied from an earlier index, so that cached
 * vectors can be found before the model is called.
 */
export const dimensionsKeyPrefix = 'length:'

export function dimensionsKey({ model, dimensions, ...asked }: IndexModel): string {
  return `${dimensionsKeyPrefix}${cacheKey(asked)}/${model}/${dimensions}`
}

/** Returns the provider column of the embedding cache: the provider, plus its address if it is not the default one. */
export function cacheKey({
  provider,
  address,
}: {
  readonly provider: string
  readonly address?: string | undefined
}): string {
  return address === undefined ? provider : `${provider} ${address}`
}

/**
 * Opens or creates the file for writing. WAL mode lets the searcher read meanwhile.
 * @throws SqliteError if the file is not a database
 */
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

/** Opens an existing file read-only. @throws SqliteError if it does not exist */
export function openForReading(file: string): Db {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    db.pragma('busy_timeout = 2000')
    // 2,000 KiB. A search reads about fifty blobs, so the system's page cache is enough.
    db.pragma('cache_size = -2000')
    loadVectors(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** A library cannot be loaded from inside the packed app, so it is unpacked next to it. */
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

    -- Ids are never reused, so a reader that has read up to an id can fetch the new rows only.
    CREATE TABLE chunks (
      id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, source TEXT NOT NULL,
      start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
      heading TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, embedded INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX chunks_by_file ON chunks (source, path, start_line);
    CREATE INDEX chunks_to_embed ON chunks (id) WHERE embedded = 0;

    -- A chunk's terms, encoded by packed-terms.ts. In their own table, so that ranking does not read the texts.
    CREATE TABLE chunk_terms (id INTEGER PRIMARY KEY, terms BLOB NOT NULL);

    -- For phrase queries: terms from search/text/terms.ts, so FTS5 only splits at white space.
    CREATE VIRTUAL TABLE chunks_fts USING fts5 (
      phrases, content = '', contentless_delete = 1,
      tokenize = "unicode61 remove_diacritics 0 tokenchars '_-./:@#+\\|'"
    );

    -- Dates in a chunk, as days since 1970-01-01, both ends inclusive. No row if it has no date.
    CREATE TABLE chunk_days (
      chunk_id INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      PRIMARY KEY (chunk_id, first, last)
    ) WITHOUT ROWID;

    -- Tags, properties and names of a note. Keys as normalized by shared/markdown/properties, lines 1-based. A property
    -- without a value has one row with an empty value. Names are title and aliases; the title has place 0.
    CREATE TABLE note_tags (
      tag TEXT NOT NULL, source TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL,
      PRIMARY KEY (tag, source, path, line)
    ) WITHOUT ROWID;
    CREATE INDEX tags_by_file ON note_tags (source, path);
    CREATE TABLE note_properties (
      name TEXT NOT NULL, source TEXT NOT NULL, path TEXT NOT NULL, line INTEGER NOT NULL, value TEXT NOT NULL,
      PRIMARY KEY (name, source, path, line, value)
    ) WITHOUT ROWID;
    CREATE INDEX properties_by_file ON note_properties (source, path);
    CREATE TABLE note_names (
      source TEXT NOT NULL, path TEXT NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (source, path, place)
    ) WITHOUT ROWID;

    -- Words with their terms, for spelling correction. Rows stay when a note is removed: terms without chunks are ignored.
    CREATE TABLE spellings (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, term TEXT NOT NULL);

    -- Texts that get a vector, one row per distinct text. \`vector\` is a row of embedding_cache, 0 if the vector is
    -- computed from the digest, or null while there is neither.
    CREATE TABLE passages (
      id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, text TEXT NOT NULL, vector INTEGER
    );
    CREATE INDEX passages_to_embed ON passages (id) WHERE vector IS NULL;
    CREATE TABLE chunk_passages (
      chunk_id INTEGER NOT NULL, place INTEGER NOT NULL, passage_id INTEGER NOT NULL,
      start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
      PRIMARY KEY (chunk_id, place)
    ) WITHOUT ROWID;
    CREATE INDEX chunks_by_passage ON chunk_passages (passage_id);
    -- seq only increases, so a reader can continue from the last one it has read.
    CREATE TABLE passage_bits (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, passage_id INTEGER NOT NULL UNIQUE, bits BLOB NOT NULL
    );

    -- The built-in model's token ids of a passage (uint16, native byte order), from which its vector is computed, and
    -- the length of that vector before normalization.
    CREATE TABLE passage_digests (passage_id INTEGER PRIMARY KEY, digest BLOB NOT NULL, length REAL NOT NULL);

    CREATE TABLE embedding_cache (
      id INTEGER PRIMARY KEY,
      provider TEXT NOT NULL, model TEXT NOT NULL, dims INTEGER NOT NULL, hash TEXT NOT NULL, vector BLOB NOT NULL,
      UNIQUE (provider, model, dims, hash)
    );
  `)
  setMeta(db, 'fingerprint', fingerprint(identity))
  ensureIdentity(db)
}

/** Assigns an id to an index created before ids existed. */
export function ensureIdentity(db: Db): void {
  if (getMeta(db, identityKey) === undefined) setMeta(db, identityKey, randomUUID())
}

/**
 * Sets the number of dimensions, which the first stored vector determines.
 * @throws RangeError if it is not a positive integer
 */
export function setDimensions(db: Db, dimensions: number): void {
  if (!Number.isInteger(dimensions) || dimensions < 1) throw new RangeError(`dimensions: ${dimensions}`)
  setMeta(db, 'dimensions', String(dimensions))
}

/** Returns the dimensions that the vectors of this index have or will have; 0 if unknown. */
export function expectedDimensions(db: Db): number {
  return vectorDimensions(db) || Number(getMeta(db, dimensionsKey(modelOfIndex(db))) ?? 0)
}

/** Returns the dimensions of the stored vectors; 0 if there are none. */
export function vectorDimensions(db: Db): number {
  return Number(getMeta(db, 'dimensions') ?? 0)
}

/** Key of the number of chunks that have no vector because their notes are private and the provider is remote. */
export const localChunksKey = 'chunks:local'

export function getMeta(db: Db, key: string): string | undefined {
  let reader = metaReaders.get(db)
  if (!reader)
    metaReaders.set(db, (reader = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()))
  return reader.get(key)
}

/** Cached, because it runs for every stored vector. */
const metaReaders = new WeakMap<Db, Database.Statement<[string], string>>()

export function setMeta(db: Db, key: string, value: string): void {
  db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value').run(
    key,
    value,
  )
}

/** Returns true for SQLite errors that mean a corrupt file or no database. */
export function isCorruption(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))
}

/** Returns true if the file holds a complete index with this fingerprint. */
export function matchesIdentity(db: Db, identity: IndexIdentity): boolean {
  const hasMeta = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").get()
  return hasMeta !== undefined && getMeta(db, 'fingerprint') === fingerprint(identity)
}
