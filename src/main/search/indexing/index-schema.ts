import Database from 'better-sqlite3'
import { randomUUID } from 'node:crypto'
import * as sqliteVec from 'sqlite-vec'
import { z } from 'zod'
import { embeddingAddressOf } from '#shared/util/providers.ts'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { ChunkSettings } from './chunk.ts'
import { tokenizerVersion } from '../text/terms.ts'

export type Db = Database.Database

const schemaVersion = 11
/** Grows when transcripts give other text. */
const transcriptVersion = 1

/** A name that no other index has, also one that was built of the same files. */
export const identityKey = 'identity'

/** Beside an index's file: what a search has read of it, for the next process. */
export function keptAheadOf(file: string): string {
  return `${file}.ahead`
}

/** What the index depends on besides the files themselves. */
export interface IndexIdentity {
  readonly chunk: ChunkSettings
  /** Empty strings without an embedding provider. */
  readonly provider: string
  readonly model: string
  /** 0: of the model's own length, which is in `meta` once a vector is there. Earlier versions could ask for another. */
  readonly dimensions: number
  /** Where the provider is asked, if not at its own address. */
  readonly address?: string | undefined
}

/** What the settings ask an index to be. */
export function identityOf({ chunk, embedding }: { chunk: ChunkSettings; embedding: EmbeddingSource }): IndexIdentity {
  if (embedding.provider === 'none') return { chunk, provider: '', model: '', dimensions: 0 }
  const { provider, model, baseUrl } = embedding
  return { chunk, provider, model, dimensions: 0, address: embeddingAddressOf(provider, baseUrl) }
}

export function fingerprint(identity: IndexIdentity): string {
  const { chunk, provider, model, dimensions, address } = identity
  return JSON.stringify({
    schemaVersion,
    tokenizerVersion,
    transcriptVersion,
    chunk: [chunk.tokens, chunk.overlap],
    provider,
    model,
    dimensions,
    // Left out where there is none.
    address,
  })
}

/** True when the tables are those of this version; an older index still answers by words until its successor is built. */
export function isCurrent(db: Db): boolean {
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

export function lengthKey({ model, dimensions, ...asked }: BuiltFor): string {
  return `${lengthKeys}${cacheKey(asked)}/${model}/${dimensions}`
}

/** What the cache has as the provider of a vector: with its address, where that is not its own. */
export function cacheKey({
  provider,
  address,
}: {
  readonly provider: string
  readonly address?: string | undefined
}): string {
  return address === undefined ? provider : `${provider} ${address}`
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
    // A search reads some fifty blobs; what the system keeps of the file is near enough.
    db.pragma('cache_size = -2000')
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

    -- No id is given twice: whoever knows the chunks up to one knows which are new.
    CREATE TABLE chunks (
      id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL, source TEXT NOT NULL,
      start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
      heading TEXT NOT NULL, text TEXT NOT NULL, hash TEXT NOT NULL, embedded INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX chunks_by_file ON chunks (source, path, start_line);
    CREATE INDEX chunks_to_embed ON chunks (id) WHERE embedded = 0;

    -- What a chunk says, as packed-terms.ts packs it; apart from the text, so that ranking need not read past that.
    CREATE TABLE chunk_terms (id INTEGER PRIMARY KEY, terms BLOB NOT NULL);

    -- For phrases: terms that memory/terms.ts made, so FTS5 has nothing left to do but split at white space.
    CREATE VIRTUAL TABLE chunks_fts USING fts5 (
      phrases, content = '', contentless_delete = 1,
      tokenize = "unicode61 remove_diacritics 0 tokenchars '_-./:@#+\\|'"
    );

    -- Days since 1970-01-01 that a chunk is about, both ends inclusive; none for one without a date.
    CREATE TABLE chunk_days (
      chunk_id INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      PRIMARY KEY (chunk_id, first, last)
    ) WITHOUT ROWID;

    -- What a note says of itself (M68); keys as shared/properties makes them, lines 1-based. A property without a value
    -- has one row, and that value is empty. \`names\`: what it calls itself besides its path; its title has place 0.
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

    -- Words as they are spelt, with their terms; kept when a text goes, for a term without chunks is never looked up.
    CREATE TABLE spellings (id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, term TEXT NOT NULL);

    -- What vectors stand for: one row a distinct text. \`vector\` is a row of the cache, 0 where it is made of the digest,
    -- null until there is either.
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
    -- seq only rises: whoever has read the table up to one reads on from there.
    CREATE TABLE passage_bits (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, passage_id INTEGER NOT NULL UNIQUE, bits BLOB NOT NULL
    );

    -- What a model that looks at words makes of a passage, in machine order, and can make its vector of; how long that is
    -- before it is scaled.
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

/** Names an index of before there were names. */
export function ensureIdentity(db: Db): void {
  if (getMeta(db, identityKey) === undefined) setMeta(db, identityKey, randomUUID())
}

/** The first vector of all decides how long those of the index are. */
export function setDimensions(db: Db, dimensions: number): void {
  if (!Number.isInteger(dimensions) || dimensions < 1) throw new RangeError(`dimensions: ${dimensions}`)
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

/** Chunks that have no vector because they stay on this machine. */
export const localChunksKey = 'chunks:local'

export function getMeta(db: Db, key: string): string | undefined {
  let reader = metaReaders.get(db)
  if (!reader)
    metaReaders.set(db, (reader = db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()))
  return reader.get(key)
}

/** It is asked for every vector that is stored. */
const metaReaders = new WeakMap<Db, Database.Statement<[string], string>>()

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
