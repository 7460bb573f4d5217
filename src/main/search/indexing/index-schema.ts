import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { z } from 'zod'
import { defaultDailyNotes } from '#shared/markdown/daily-notes.ts'
import { embeddingBaseUrl } from '#shared/util/providers.ts'
import type { NotesFolder } from '#workspace/privacy'
import type { EmbeddingSource } from '../embeddings/create-embeddings.ts'
import { tokenizerVersion } from '../text/terms.ts'
import type { Chunking } from '../units/split-chunks.ts'
import { createUnitTables } from '../units/unit-schema.ts'

export type Db = Database.Database

const schemaVersion = 16
/** Increase when `prepareUnits` returns other units or other terms for the same text. */
const unitVersion = 8
/** Increase when `indexedTranscriptText` changes its output. */
const transcriptVersion = 5

const identitySchema = z.object({
  provider: z.string(),
  model: z.string(),
  address: z.string().optional(),
  chunking: z.object({ tokens: z.number(), overlap: z.number() }).optional(),
  /** Names of daily notes that differ from the default. */
  daily: z.array(z.string()).optional(),
})

/** Everything that the index depends on besides the files. A difference rebuilds the index. */
export type IndexIdentity = Readonly<z.infer<typeof identitySchema>>

export function identityOf(
  { provider, model, baseUrl }: EmbeddingSource,
  chunking?: Chunking,
  folders: readonly NotesFolder[] = [],
): IndexIdentity {
  const names = folders.flatMap(({ daily }) =>
    daily === undefined || daily.format === defaultDailyNotes.format ? [] : `${daily.folder}/${daily.format}`,
  )
  const daily = names.length > 0 ? names : undefined
  if (provider === 'none') return { provider: '', model: '', chunking, daily }
  return { provider, model, address: embeddingBaseUrl(provider, baseUrl), chunking, daily }
}

export function fingerprint({ provider, model, address, chunking, daily }: IndexIdentity): string {
  return JSON.stringify({
    schemaVersion,
    tokenizerVersion,
    transcriptVersion,
    unitVersion,
    provider,
    model,
    // JSON omits them if undefined.
    address,
    chunking,
    daily,
  })
}

export function hasCurrentSchema(db: Db): boolean {
  return z.object({ schemaVersion: z.literal(schemaVersion) }).safeParse(JSON.parse(getMeta(db, 'fingerprint') ?? '{}'))
    .success
}

export function modelOfIndex(db: Db): IndexIdentity {
  const text = getMeta(db, 'fingerprint')
  return text === undefined ? { provider: '', model: '' } : identitySchema.parse(JSON.parse(text))
}

/** Returns true if the vectors of the index are of this model. Those of two models are not comparable. */
export function hasModel(db: Db, asked: Pick<IndexIdentity, 'provider' | 'model' | 'address'>): boolean {
  const { provider, model, address } = modelOfIndex(db)
  return provider === asked.provider && model === asked.model && address === asked.address
}

/** Returns the provider column of the embedding cache: the provider, plus its address if it is not the default one. */
export function cacheKey({ provider, address }: Pick<IndexIdentity, 'provider' | 'address'>): string {
  return address === undefined ? provider : `${provider} ${address}`
}

/** Opens or creates the file. WAL mode lets the searcher read meanwhile. @throws SqliteError if it is no database */
export function openForWriting(file: string): Db {
  return openWith(new Database(file), ['journal_mode = WAL', 'synchronous = NORMAL', 'busy_timeout = 5000'])
}

/** Opens an existing file read-only. @throws SqliteError if it does not exist */
export function openForReading(file: string): Db {
  // 2,000 KiB of cache. A search reads about fifty blobs, so the system's page cache is enough.
  const pragmas = ['busy_timeout = 2000', 'cache_size = -2000']
  return openWith(new Database(file, { readonly: true, fileMustExist: true }), pragmas)
}

function openWith(db: Db, pragmas: readonly string[]): Db {
  try {
    for (const pragma of pragmas) db.pragma(pragma)
    // A library cannot be loaded from inside the packed app, so it is unpacked next to it.
    db.loadExtension(sqliteVec.getLoadablePath().replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked'))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

export function createTables(db: Db, identity: IndexIdentity): void {
  createUnitTables(db)
  setMeta(db, 'fingerprint', fingerprint(identity))
}

/** Sets the dimensions of the first stored vector. @throws RangeError unless they are a positive integer */
export function setDimensions(db: Db, dimensions: number): void {
  if (!Number.isInteger(dimensions) || dimensions < 1) throw new RangeError(`dimensions: ${dimensions}`)
  setMeta(db, 'dimensions', String(dimensions))
}

/** Returns the dimensions that the vectors of this index have or will have: those of the last cached one. 0 if unknown. */
export function expectedDimensions(db: Db): number {
  const { model, ...asked } = modelOfIndex(db)
  const last = 'SELECT dims FROM embedding_cache WHERE provider = ? AND model = ? ORDER BY id DESC LIMIT 1'
  return vectorDimensions(db) || (db.prepare<[string, string], number>(last).pluck().get(cacheKey(asked), model) ?? 0)
}

/** 0 if there are no vectors. */
export function vectorDimensions(db: Db): number {
  return Number(getMeta(db, 'dimensions') ?? 0)
}

/** Key of the number of units that have no vector because they must not be sent to the remote provider. */
export const unsentUnitsKey = 'units:unsent'

export function getMeta(db: Db, key: string): string | undefined {
  const reader = metaReaders.get(db) ?? db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  metaReaders.set(db, reader)
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

export function isCorruption(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))
}

export function matchesIdentity(db: Db, identity: IndexIdentity): boolean {
  const hasMeta = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").get()
  return hasMeta !== undefined && getMeta(db, 'fingerprint') === fingerprint(identity)
}
