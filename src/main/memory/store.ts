/** The writing side of the index: plain SQL, prepared once, one transaction a batch. */
import { createHash } from 'node:crypto'
import type { SearchResult } from '../../shared/contract/index.ts'
import { toBlob } from '../embeddings/index.ts'
import { countWords, estimateTokens } from '../../shared/tokens.ts'
import { chunkMarkdown, type ChunkSettings } from './chunk.ts'
import {
  createVectorTable,
  expectedDimensions,
  isDamage,
  lengthKey,
  lengthKeys,
  parseFingerprint,
  setMeta,
  vectorDimensions,
  type Db,
} from './schema.ts'
import { indexText } from './terms.ts'
import { placeTerms } from './place.ts'

export type Source = SearchResult['source']

export interface KnownFile {
  readonly path: string
  readonly source: Source
  readonly hash: string
  readonly mtime: number
  readonly size: number
}

export interface FileContent {
  readonly path: string
  readonly source: Source
  readonly hash: string
  readonly mtime: number
  readonly size: number
  readonly text: string
}

export interface ChunkToEmbed {
  readonly id: number
  readonly hash: string
  readonly text: string
}

export interface IndexCounts {
  readonly files: number
  readonly chunks: number
  readonly embedded: number
}

interface CachedVector {
  readonly provider: string
  readonly model: string
  readonly dims: number
  readonly hash: string
  readonly vector: Buffer
}
/** Words whose presence in the index is remembered. */
const maxRemembered = 20_000

export class IndexStore {
  readonly db: Db
  readonly #chunk: ChunkSettings
  readonly #statements: ReturnType<typeof prepare>
  /** Words that are in the index for sure, to spare it most of the asking. */
  readonly #spelt = new Set<string>()
  #deleteVector: ReturnType<typeof prepareVectors> | undefined

  constructor(db: Db, chunk: ChunkSettings) {
    this.db = db
    this.#chunk = chunk
    this.#statements = prepare(db)
    if (vectorDimensions(db) > 0) this.#deleteVector = prepareVectors(db)
  }

  knownFiles(): KnownFile[] {
    return this.#statements.knownFiles.all()
  }

  knownFile(source: Source, path: string): KnownFile | undefined {
    return this.#statements.knownFile.get(source, path)
  }

  /** Runs `work` in one transaction that takes the write lock at once. */
  transaction(work: () => void): void {
    this.db.transaction(work).immediate()
  }

  /** Puts a file's chunks in place of what the index had of it. */
  replaceFile(file: FileContent): void {
    this.#removeChunks(file.source, file.path)
    const { path, source, hash, mtime, size, text } = file
    const words = countWords(text)
    const tokens = estimateTokens(text)
    this.#statements.putFile.run({ path, source, hash, mtime, size, words, tokens })
    const place = placeTerms(path)
    const spellings = new Map<string, string>()
    for (const chunk of chunkMarkdown(text, this.#chunk)) {
      const terms = indexText(chunk.text, spellings)
      const heading = indexText(chunk.heading)
      const { lastInsertRowid } = this.#statements.putChunk.run({
        path,
        source,
        startLine: chunk.startLine,
        endLine: chunk.endLine,
        heading: chunk.heading,
        text: chunk.text,
        hash: hashOf(chunk.text),
        length: terms.length,
      })
      this.#statements.putTerms.run(
        lastInsertRowid,
        terms.words,
        terms.chars,
        terms.pairs,
        `${heading.words}
${heading.chars}
${heading.pairs}`,
        place,
      )
    }
    this.#putSpellings(spellings)
  }

  /** The content is what the index has; only its time stamp is new. */
  touchFile(file: Pick<KnownFile, 'path' | 'source' | 'mtime' | 'size'>): void {
    this.#statements.touchFile.run(file.mtime, file.size, file.source, file.path)
  }

  removeFile(source: Source, path: string): void {
    this.#removeChunks(source, path)
    this.#statements.removeFile.run(source, path)
  }

  counts(): IndexCounts {
    return this.#statements.counts.get() ?? { files: 0, chunks: 0, embedded: 0 }
  }

  /** Up to `limit` chunks after `afterId` that have no vector yet, in the order of their ids. */
  chunksToEmbed(afterId: number, limit: number): ChunkToEmbed[] {
    return this.#statements.toEmbed.all(afterId, limit)
  }

  cachedVector(provider: string, model: string, hash: string, dimensions: number): Buffer | undefined {
    return this.#statements.cached.get(provider, model, dimensions, hash)
  }

  cacheVector(provider: string, model: string, hash: string, vector: Float32Array): void {
    this.#statements.cache.run(provider, model, vector.length, hash, toBlob(vector))
  }

  /** Gives a chunk its vector; the first one of all decides the dimensions. */
  putVector(id: number, vector: Buffer): void {
    const dimensions = vector.byteLength / Float32Array.BYTES_PER_ELEMENT
    if (vectorDimensions(this.db) === 0) createVectorTable(this.db, dimensions)
    this.#deleteVector ??= prepareVectors(this.db)
    this.#deleteVector.put(id, vector)
    this.#statements.markEmbedded.run(id)
  }

  /** Up to `count` vectors of `provider`'s model, picked at random. */
  sampleVectors(provider: string, model: string, count: number): Buffer[] {
    return this.db
      .prepare<[string, string, number, number], Buffer>(
        'SELECT vector FROM embedding_cache WHERE provider = ? AND model = ? AND dims = ? ORDER BY random() LIMIT ?',
      )
      .pluck()
      .all(provider, model, this.dimensions, count)
  }

  /** Length of the vectors in this index; 0 while it has none. */
  get dimensions(): number {
    return vectorDimensions(this.db)
  }

  setMeta(key: string, value: string): void {
    setMeta(this.db, key, value)
  }

  /** Length that vectors must have to be compared with the others of this index; 0 while nobody knows it. */
  get expectedDimensions(): number {
    return expectedDimensions(this.db)
  }

  /** Takes over the vectors of another index, and how long they are, so that nothing is embedded twice. */
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
      for (const [key, value] of meta) if (key.startsWith(lengthKeys)) this.setMeta(key, value)
      const [fingerprint, dimensions] = [meta.get('fingerprint'), meta.get('dimensions')]
      if (fingerprint !== undefined && dimensions !== undefined)
        this.setMeta(lengthKey(parseFingerprint(fingerprint)), dimensions)
      this.db.exec(
        `INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector)
           SELECT provider, model, dims, hash, vector FROM other.embedding_cache`,
      )
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#adoptReadable()
    } finally {
      this.db.exec('DETACH other')
    }
  }

  /** Row by row, up to the first that cannot be read. */
  #adoptReadable(): void {
    const put = this.db.prepare<[CachedVector]>(
      `INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector)
       VALUES (@provider, @model, @dims, @hash, @vector)`,
    )
    const rows: CachedVector[] = []
    try {
      const all = 'SELECT provider, model, dims, hash, vector FROM other.embedding_cache ORDER BY rowid'
      for (const row of this.db.prepare<[], CachedVector>(all).iterate()) rows.push(row)
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    this.transaction(() => {
      for (const row of rows) put.run(row)
    })
  }

  /** Writes the log back into the file, so that the file alone is the whole index. */
  close(): void {
    if (!this.db.open) return
    this.db.pragma('wal_checkpoint(TRUNCATE)')
    this.db.close()
  }

  #putSpellings(spellings: ReadonlyMap<string, string>): void {
    for (const [word, term] of spellings) {
      if (this.#spelt.has(word)) continue
      if (this.#spelt.size >= maxRemembered) this.#spelt.clear()
      this.#spelt.add(word)
      this.#statements.putSpelling.run(word, term)
    }
  }

  #removeChunks(source: Source, path: string): void {
    for (const id of this.#statements.chunkIds.all(source, path)) {
      this.#statements.removeTerms.run(id)
      this.#deleteVector?.remove.run(BigInt(id))
    }
    this.#statements.removeChunks.run(source, path)
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
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
      `INSERT INTO chunks (path, source, start_line, end_line, heading, text, hash, length)
       VALUES (@path, @source, @startLine, @endLine, @heading, @text, @hash, @length)`,
    ),
    putTerms: db.prepare(
      'INSERT INTO chunks_fts (rowid, words, chars, pairs, heading, place) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    putSpelling: db.prepare('INSERT OR IGNORE INTO spellings (word, term) VALUES (?, ?)'),
    removeTerms: db.prepare('DELETE FROM chunks_fts WHERE rowid = ?'),
    removeChunks: db.prepare('DELETE FROM chunks WHERE source = ? AND path = ?'),
    counts: db.prepare<[], IndexCounts>(
      `SELECT (SELECT count(*) FROM files WHERE source <> 'sessions') AS files, (SELECT count(*) FROM chunks) AS chunks,
              (SELECT count(*) FROM chunks) - (SELECT count(*) FROM chunks WHERE embedded = 0) AS embedded`,
    ),
    toEmbed: db.prepare<[number, number], ChunkToEmbed>(
      'SELECT id, hash, text FROM chunks WHERE embedded = 0 AND id > ? ORDER BY id LIMIT ?',
    ),
    markEmbedded: db.prepare('UPDATE chunks SET embedded = 1 WHERE id = ?'),
    cached: db
      .prepare<[string, string, number, string], Buffer>(
        'SELECT vector FROM embedding_cache WHERE provider = ? AND model = ? AND dims = ? AND hash = ?',
      )
      .pluck(),
    cache: db.prepare(
      'INSERT OR REPLACE INTO embedding_cache (provider, model, dims, hash, vector) VALUES (?, ?, ?, ?, ?)',
    ),
  }
}

function prepareVectors(db: Db) {
  const hasCoarse = vectorDimensions(db) % 8 === 0
  const insert = hasCoarse
    ? db.prepare('INSERT INTO chunks_vec (chunk_id, embedding, coarse) VALUES (?, ?, vec_quantize_binary(?))')
    : db.prepare('INSERT INTO chunks_vec (chunk_id, embedding) VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM chunks_vec WHERE chunk_id = ?')
  return {
    remove,
    // sqlite-vec wants 64-bit integers as keys, and has no upsert.
    put(id: number, vector: Buffer): void {
      remove.run(BigInt(id))
      if (hasCoarse) insert.run(BigInt(id), vector, vector)
      else insert.run(BigInt(id), vector)
    },
  }
}
