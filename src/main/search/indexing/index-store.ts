import { digestModelOf, type DigestSource } from '../embeddings/create-embeddings.ts'
import { toBlob } from '../embeddings/embedding-provider.ts'
import {
  modelOfIndex,
  cacheKey,
  expectedDimensions,
  isCorruption,
  dimensionsKey,
  dimensionsKeyPrefix,
  parseFingerprint,
  setDimensions,
  setMeta,
  vectorDimensions,
  type IndexModel,
  type Db,
} from './index-schema.ts'
import { PassageStore } from './passage-store.ts'
import type { KnownFile, Source } from './indexed-file.ts'
import {
  FilePreparer,
  type FileContent,
  type PreparedMetadata,
  type PreparedFile,
  type PrepareSettings,
} from './prepare-file.ts'
import { calibrationKey } from '../ranking/calibrated.ts'
import { memoizeUntilWrite } from './memoize-until-write.ts'

export interface IndexCounts {
  readonly files: number
  readonly chunks: number
  readonly embedded: number
}

export interface CachedVectorRow {
  readonly id: number
  readonly vector: Buffer
}

interface CachedVector {
  readonly provider: string
  readonly model: string
  readonly dims: number
  readonly hash: string
  readonly vector: Buffer
}
/** The built-in model's vectors are computed from digests; older indexes cached them. */
const exceptBuiltin = "WHERE provider <> 'builtin'"

/** Size of the write-ahead log that triggers a checkpoint, in pages of 4 KiB; 1,000 is SQLite's default. */
const pagesOfLog = { usual: 1000, many: 8192 } as const

export class IndexStore {
  readonly db: Db
  readonly #statements: ReturnType<typeof prepare>
  readonly counts: () => IndexCounts
  /** Undefined if the index has no embedding model: passages are not needed then. */
  readonly passages: PassageStore | undefined
  readonly prepareSettings: PrepareSettings
  #preparer: FilePreparer

  /** @param embedding the configured model; used if it is the index's model and makes digests */
  constructor(db: Db, embedding?: DigestSource) {
    this.db = db
    this.#statements = prepare(db)
    this.counts = memoizeUntilWrite(db, () => this.#statements.counts.get() ?? { files: 0, chunks: 0, embedded: 0 })
    const { provider } = modelOfIndex(db)
    const digestSource = embedding?.provider === provider ? embedding : undefined
    if (provider !== '') this.passages = new PassageStore(db, digestSource && digestModelOf(digestSource))
    this.prepareSettings = { hasPassages: this.passages !== undefined, embedding: digestSource }
    this.#preparer = new FilePreparer(this.prepareSettings)
  }

  knownFiles(): KnownFile[] {
    return this.#statements.knownFiles.all()
  }

  knownFile(source: Source, path: string): KnownFile | undefined {
    return this.#statements.knownFile.get(source, path)
  }

  /** With true, checkpoints run less often, so that pages that change repeatedly are written back less often. */
  setBulkMode(isBulk: boolean): void {
    this.db.pragma(`wal_autocheckpoint = ${isBulk ? pagesOfLog.many : pagesOfLog.usual}`)
  }

  /** Runs `work` in a transaction that takes the write lock at once. */
  transaction(work: () => void): void {
    this.db.transaction(work).immediate()
  }

  prepare(file: FileContent): PreparedFile {
    return this.#preparer.prepare(file)
  }

  /**
   * Replaces the preparer after a failure: it omits spellings that it has already returned, and those may not be in
   * the index.
   */
  resetPreparer(): void {
    this.#preparer = new FilePreparer(this.prepareSettings)
  }

  replaceFile(file: FileContent): void {
    this.putFile(this.prepare(file))
  }

  /** @param file prepared with the settings in `prepareSettings` */
  putFile({ metadata, chunks, spellings, ...file }: PreparedFile): void {
    const { source, path } = file
    const removedPassages = this.#removeChunks(source, path)
    this.#statements.putFile.run(file)
    this.#putMetadata(source, path, metadata)
    for (const { terms, phrases, passages, digests, days, ...chunk } of chunks) {
      const { lastInsertRowid: id } = this.#statements.putChunk.run({ path, source, ...chunk })
      this.#statements.putTerms.run(id, terms)
      this.#statements.putPhrases.run(id, phrases)
      this.passages?.put(Number(id), passages, digests)
      for (const { first, last } of days) this.#statements.putDays.run(id, first, last)
    }
    this.passages?.sweep(removedPassages)
    for (const [word, term] of spellings) this.#statements.putSpelling.run(word, term)
  }

  #putMetadata(source: Source, path: string, { tags, properties, names }: PreparedMetadata): void {
    for (const { tag, line } of tags) this.#statements.putTag.run(tag, source, path, line)
    for (const { name, value, line } of properties) this.#statements.putProperty.run(name, source, path, line, value)
    for (const { name, place } of names) this.#statements.putName.run(source, path, place, name)
  }

  touchFile(file: Pick<KnownFile, 'path' | 'source' | 'mtime' | 'size'>): void {
    this.#statements.touchFile.run(file.mtime, file.size, file.source, file.path)
  }

  removeFile(source: Source, path: string): void {
    const removedPassages = this.#removeChunks(source, path)
    this.passages?.sweep(removedPassages)
    this.#statements.removeFile.run(source, path)
  }

  cachedVector(provider: string, model: string, hash: string, dimensions: number): CachedVectorRow | undefined {
    return this.#statements.cached.get(provider, model, dimensions, hash)
  }

  /** @returns the id of the cache row */
  cacheVector(provider: string, model: string, hash: string, vector: Float32Array): number {
    return this.#statements.cache.get(provider, model, vector.length, hash, toBlob(vector)) ?? 0
  }

  /** Links a passage to its cached vector. The first vector determines the dimensions of the index. */
  putVector(passage: number, cached: number, vector: Float32Array): void {
    this.passages?.giveVector(passage, cached, vector)
  }

  /** Removes the vectors of all passages, because the model now returns vectors of another length. */
  resetVectors(dimensions: number): void {
    this.transaction(() => {
      this.passages?.forgetVectors()
      setDimensions(this.db, dimensions)
      this.setMeta(calibrationKey, '')
    })
  }

  /** Dimensions of the stored vectors; 0 if there are none. */
  get dimensions(): number {
    return vectorDimensions(this.db)
  }

  setMeta(key: string, value: string): void {
    setMeta(this.db, key, value)
  }

  /** Dimensions that a vector must have to be comparable; 0 if unknown. */
  get expectedDimensions(): number {
    return expectedDimensions(this.db)
  }

  /**
   * Copies the cached vectors and their dimensions from another index, so that no text is embedded twice. Copies the
   * readable part of a corrupt file. @throws SqliteError for other errors
   */
  adoptCache(otherFile: string): void {
    this.db.prepare('ATTACH ? AS other').run(otherFile)
    try {
      const tables = this.db.prepare<[], string>('SELECT name FROM other.sqlite_master').pluck().all()
      if (!tables.includes('embedding_cache') || !tables.includes('meta')) return
      const meta = new Map(
        this.db
          .prepare<[], { key: string; value: string }>('SELECT key, value FROM other.meta')
          .all()
          .map(({ key, value }) => [key, value]),
      )
      for (const [key, value] of meta) if (key.startsWith(dimensionsKeyPrefix)) this.setMeta(key, value)
      const [fingerprint, dimensions] = [meta.get('fingerprint'), meta.get('dimensions')]
      const otherModel = fingerprint === undefined ? undefined : parseFingerprint(fingerprint)
      const builtModel = otherModel && this.#withAddress(otherModel)
      if (builtModel && dimensions !== undefined) this.setMeta(dimensionsKey(builtModel), dimensions)
      this.db.exec(
        `INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector)
           SELECT provider, model, dims, hash, vector FROM other.embedding_cache ${exceptBuiltin}`,
      )
      if (builtModel && builtModel !== otherModel) this.#noteAddress(builtModel)
    } catch (error) {
      if (!isCorruption(error)) throw error
      this.#adoptReadable()
    } finally {
      this.db.exec('DETACH other')
    }
  }

  /** For an index from before addresses were stored, assumes the address of the current settings. */
  #withAddress(other: IndexModel): IndexModel {
    const { provider, model, address } = modelOfIndex(this.db)
    const isOld = other.provider === 'openai-compatible' && other.address === undefined
    if (!isOld || other.provider !== provider || other.model !== model) return other
    return { ...other, address }
  }

  #noteAddress(builtModel: IndexModel): void {
    this.db
      .prepare('UPDATE OR IGNORE embedding_cache SET provider = ? WHERE provider = ? AND model = ?')
      .run(cacheKey(builtModel), builtModel.provider, builtModel.model)
  }

  #adoptReadable(): void {
    const put = this.db.prepare<[CachedVector]>(
      `INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector)
       VALUES (@provider, @model, @dims, @hash, @vector)`,
    )
    const rows: CachedVector[] = []
    try {
      const all = `SELECT provider, model, dims, hash, vector FROM other.embedding_cache ${exceptBuiltin} ORDER BY rowid`
      for (const row of this.db.prepare<[], CachedVector>(all).iterate()) rows.push(row)
    } catch (error) {
      if (!isCorruption(error)) throw error
    }
    this.transaction(() => {
      for (const row of rows) put.run(row)
    })
  }

  /** Truncates the write-ahead log, so that the file alone is the whole index. */
  close(): void {
    if (!this.db.open) return
    this.db.pragma('wal_checkpoint(TRUNCATE)')
    this.db.close()
  }

  /** @returns the passages of the removed chunks; other chunks may still use them */
  #removeChunks(source: Source, path: string): number[] {
    const removedPassages: number[] = []
    for (const id of this.#statements.chunkIds.all(source, path)) {
      this.#statements.removeTerms.run(id)
      this.#statements.removePhrases.run(id)
      this.#statements.removeDays.run(id)
      if (this.passages) removedPassages.push(...this.passages.remove(id))
    }
    this.#statements.removeChunks.run(source, path)
    for (const statement of this.#statements.removeFacts) statement.run(source, path)
    return removedPassages
  }
}

function prepare(db: Db) {
  return {
    knownFiles: db.prepare<[], KnownFile>('SELECT path, source, hash, mtime, size FROM files'),
    knownFile: db.prepare<[string, string], KnownFile>(
      'SELECT path, source, hash, mtime, size FROM files WHERE source = ? AND path = ?',
    ),
    putFile: db.prepare(
      `INSERT OR REPLACE INTO files (path, source, hash, mtime, size, words, tokens)
       VALUES (@path, @source, @hash, @mtime, @size, @words, @tokens)`,
    ),
    touchFile: db.prepare('UPDATE files SET mtime = ?, size = ? WHERE source = ? AND path = ?'),
    removeFile: db.prepare('DELETE FROM files WHERE source = ? AND path = ?'),
    chunkIds: db.prepare<[string, string], number>('SELECT id FROM chunks WHERE source = ? AND path = ?').pluck(),
    putChunk: db.prepare(
      `INSERT INTO chunks (path, source, start_line, end_line, heading, text, hash)
       VALUES (@path, @source, @startLine, @endLine, @heading, @text, @hash)`,
    ),
    putTerms: db.prepare('INSERT INTO chunk_terms (id, terms) VALUES (?, ?)'),
    putPhrases: db.prepare('INSERT INTO chunks_fts (rowid, phrases) VALUES (?, ?)'),
    putSpelling: db.prepare('INSERT OR IGNORE INTO spellings (word, term) VALUES (?, ?)'),
    putTag: db.prepare('INSERT OR IGNORE INTO note_tags (tag, source, path, line) VALUES (?, ?, ?, ?)'),
    putProperty: db.prepare(
      'INSERT OR IGNORE INTO note_properties (name, source, path, line, value) VALUES (?, ?, ?, ?, ?)',
    ),
    putName: db.prepare('INSERT INTO note_names (source, path, place, name) VALUES (?, ?, ?, ?)'),
    removeFacts: ['note_tags', 'note_properties', 'note_names'].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE source = ? AND path = ?`),
    ),
    removeTerms: db.prepare('DELETE FROM chunk_terms WHERE id = ?'),
    putDays: db.prepare('INSERT OR IGNORE INTO chunk_days (chunk_id, first, last) VALUES (?, ?, ?)'),
    removeDays: db.prepare('DELETE FROM chunk_days WHERE chunk_id = ?'),
    removePhrases: db.prepare('DELETE FROM chunks_fts WHERE rowid = ?'),
    removeChunks: db.prepare('DELETE FROM chunks WHERE source = ? AND path = ?'),
    counts: db.prepare<[], IndexCounts>(
      `SELECT (SELECT count(*) FROM files WHERE source <> 'sessions') AS files, (SELECT count(*) FROM chunks) AS chunks,
              (SELECT count(*) FROM chunks) - (SELECT count(*) FROM chunks WHERE embedded = 0) AS embedded`,
    ),
    cached: db.prepare<[string, string, number, string], CachedVectorRow>(
      'SELECT id, vector FROM embedding_cache WHERE provider = ? AND model = ? AND dims = ? AND hash = ?',
    ),
    cache: db
      .prepare<[string, string, number, string, Buffer], number>(
        `INSERT INTO embedding_cache (provider, model, dims, hash, vector) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET vector = excluded.vector RETURNING id`,
      )
      .pluck(),
  }
}
