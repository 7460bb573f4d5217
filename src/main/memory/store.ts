/** The writing side of the index: plain SQL, prepared once, one transaction a batch. */
import type { SearchResult } from '../../shared/contract/index.ts'
import { toBlob, type Digest } from '../embeddings/index.ts'
import { nameKey, namesOf, parseProperties, tagKey } from '../../shared/properties/index.ts'
import { countWords, estimateTokens } from '../../shared/tokens.ts'
import { chunkMarkdown, type Chunk, type ChunkSettings } from './chunk.ts'
import { daysOfPassage, daysOfPath } from './chunk-days.ts'
import { parseDay, type DaySpan } from './days.ts'
import {
  builtFor,
  cacheKey,
  expectedDimensions,
  isDamage,
  lengthKey,
  lengthKeys,
  parseFingerprint,
  setDimensions,
  setMeta,
  vectorDimensions,
  type BuiltFor,
  type Db,
} from './schema.ts'
import { ChunkPacker } from './packed-terms.ts'
import { PassageStore, hashOf } from './passage-store.ts'
import { passagesOf } from './passages.ts'
import { calibrationKey } from './calibrated.ts'
import type { OnSpelling } from './terms.ts'
import { untilChanged } from './until-changed.ts'

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
  /** Of a conversation: the local day of each line's message, `YYYY-MM-DD`. */
  readonly lineDays?: readonly (string | undefined)[]
}

export interface IndexCounts {
  readonly files: number
  readonly chunks: number
  readonly embedded: number
}

export interface CachedText {
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
/** Words whose presence in the index is remembered. */
const maxRemembered = 50_000

export class IndexStore {
  readonly db: Db
  readonly #chunk: ChunkSettings
  readonly #statements: ReturnType<typeof prepare>
  readonly counts: () => IndexCounts
  /** Words that are in the index for sure, to spare it most of the asking. */
  readonly #spelt = new Set<string>()
  /** Undefined where the index is built without an embedding model: nobody asks for passages then. */
  readonly passages: PassageStore | undefined
  readonly #newSpellings = new Map<string, string>()
  readonly #noteSpelling: OnSpelling = (word, term) => {
    if (this.#spelt.has(word)) return
    if (this.#spelt.size >= maxRemembered) this.#spelt.clear()
    this.#spelt.add(word)
    this.#newSpellings.set(word, term)
  }

  constructor(db: Db, chunk: ChunkSettings) {
    this.db = db
    this.#chunk = chunk
    this.#statements = prepare(db)
    this.counts = untilChanged(db, () => this.#statements.counts.get() ?? { files: 0, chunks: 0, embedded: 0 })
    if (builtFor(db).provider !== '') this.passages = new PassageStore(db)
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
    const left = this.#removeChunks(file.source, file.path)
    const { path, source, hash, mtime, size, text } = file
    const words = countWords(text)
    const tokens = estimateTokens(text)
    this.#statements.putFile.run({ path, source, hash, mtime, size, words, tokens })
    const ofPath = daysOfPath(path)
    const packer = new ChunkPacker(path, this.#noteSpelling, this.#putFacts(file))
    for (const chunk of chunkMarkdown(text, this.#chunk)) {
      const { terms, phrases } = packer.pack(chunk)
      const { lastInsertRowid: id } = this.#statements.putChunk.run({
        path,
        source,
        startLine: chunk.startLine,
        endLine: chunk.endLine,
        heading: chunk.heading,
        text: chunk.text,
        hash: hashOf(chunk.text),
      })
      this.#statements.putTerms.run(id, terms)
      this.#statements.putPhrases.run(id, phrases)
      this.passages?.put(Number(id), passagesOf(chunk))
      for (const { first, last } of daysOf(chunk, ofPath, file.lineDays)) this.#statements.putDays.run(id, first, last)
    }
    this.passages?.sweep(left)
    for (const [word, term] of this.#newSpellings) this.#statements.putSpelling.run(word, term)
    this.#newSpellings.clear()
  }

  /** What a note says of itself. @returns what it calls itself */
  #putFacts({ source, path, text, lineDays }: FileContent): readonly string[] {
    // A conversation says nothing of itself.
    if (lineDays) return []
    const said = parseProperties(text)
    for (const { name, line } of said.tags) this.#statements.putTag.run(tagKey(name), source, path, line)
    for (const { name, values, line } of said.properties)
      for (const value of values.length > 0 ? values : [''])
        this.#statements.putProperty.run(nameKey(name), source, path, line, value)
    const names = namesOf(said)
    const title = said.properties.find(({ name, isTop }) => isTop && nameKey(name) === 'title')?.values[0]?.trim()
    for (const [at, name] of names.entries())
      this.#statements.putName.run(source, path, name === title ? 0 : at + 1, name)
    return names
  }

  /** The content is what the index has; only its time stamp is new. */
  touchFile(file: Pick<KnownFile, 'path' | 'source' | 'mtime' | 'size'>): void {
    this.#statements.touchFile.run(file.mtime, file.size, file.source, file.path)
  }

  removeFile(source: Source, path: string): void {
    const left = this.#removeChunks(source, path)
    this.passages?.sweep(left)
    this.#statements.removeFile.run(source, path)
  }

  /** The row of the cache that has a text's vector. */
  cachedVector(provider: string, model: string, hash: string, dimensions: number): CachedText | undefined {
    return this.#statements.cached.get(provider, model, dimensions, hash)
  }

  /** @returns the row of the cache that has the text's vector from now on */
  cacheVector(provider: string, model: string, hash: string, vector: Float32Array): number {
    return this.#statements.cache.get(provider, model, vector.length, hash, toBlob(vector)) ?? 0
  }

  /** Gives a passage its vector, and what else the model makes of it; the first one of all decides the dimensions. */
  putVector(passage: number, cached: number, vector: Float32Array, digest?: Digest): void {
    if (vectorDimensions(this.db) === 0) setDimensions(this.db, vector.length)
    this.passages?.giveVector(passage, cached, vector, digest)
  }

  /** Takes its vectors from every passage, because vectors of this index have another length from now on. */
  forgetVectors(dimensions: number): void {
    this.transaction(() => {
      this.passages?.forgetVectors()
      setDimensions(this.db, dimensions)
      this.setMeta(calibrationKey, '')
    })
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
      const was = fingerprint === undefined ? undefined : parseFingerprint(fingerprint)
      const built = was && this.#withAddress(was)
      if (built && dimensions !== undefined) this.setMeta(lengthKey(built), dimensions)
      this.db.exec(
        `INSERT OR IGNORE INTO embedding_cache (provider, model, dims, hash, vector)
           SELECT provider, model, dims, hash, vector FROM other.embedding_cache`,
      )
      if (built && built !== was) this.#noteAddress(built)
    } catch (error) {
      if (!isDamage(error)) throw error
      this.#adoptReadable()
    } finally {
      this.db.exec('DETACH other')
    }
  }

  /** An index of before addresses were noted is taken to have asked where the settings say now. */
  #withAddress(other: BuiltFor): BuiltFor {
    const { provider, model, address } = builtFor(this.db)
    const isOld = other.provider === 'openai-compatible' && other.address === undefined
    if (!isOld || other.provider !== provider || other.model !== model) return other
    return { ...other, address }
  }

  /** The vectors that such an index had, which have no address either. */
  #noteAddress(built: BuiltFor): void {
    this.db
      .prepare('UPDATE OR IGNORE embedding_cache SET provider = ? WHERE provider = ? AND model = ?')
      .run(cacheKey(built), built.provider, built.model)
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

  /** @returns the passages that the chunks had, which nobody may have now */
  #removeChunks(source: Source, path: string): number[] {
    const left: number[] = []
    for (const id of this.#statements.chunkIds.all(source, path)) {
      this.#statements.removeTerms.run(id)
      this.#statements.removePhrases.run(id)
      this.#statements.removeDays.run(id)
      if (this.passages) left.push(...this.passages.remove(id))
    }
    this.#statements.removeChunks.run(source, path)
    for (const statement of this.#statements.removeFacts) statement.run(source, path)
    return left
  }
}

/** Of a conversation the days on which it was held, of a note those that it names. */
function daysOf(chunk: Chunk, ofPath: readonly DaySpan[], lineDays: FileContent['lineDays']): DaySpan[] {
  if (!lineDays) return daysOfPassage(chunk, ofPath)
  const said = lineDays
    .slice(chunk.startLine - 1, chunk.endLine)
    .flatMap((day) => (day === undefined ? [] : parseDay(day)))
  return [...new Set(said)].map((day) => ({ first: day, last: day }))
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
    cached: db.prepare<[string, string, number, string], CachedText>(
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
