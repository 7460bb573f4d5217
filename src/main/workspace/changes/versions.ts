/**
 * Stored texts. A text is compressed, as a difference to the previous version of its file where that is shorter: the
 * middle between the common start and end, with the replaced part of the previous version as the dictionary of deflate.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib'
import { commonEnds, setBounded } from '#platform'
import type { Db } from './schema.ts'

/** A version that depends on more versions than this is stored as a whole text. */
const maxDepth = 40
/** Longer parts are compressed in the thread pool, bytes. */
const maxSyncBytes = 64 * 1024
/** Deflate uses at most this many bytes of a dictionary. */
const maxDictionaryBytes = 32 * 1024
/** Limits of the cache: number of texts, length of each in bytes. */
const maxCachedTexts = 64
const maxCachedBytes = 200_000

const deflateAsync = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw)

interface VersionRow {
  readonly id: number
  readonly hash: Buffer
  readonly base: number | null
  readonly head: number
  readonly tail: number
  readonly depth: number
  readonly data: Buffer | null
}

/** A compressed text that is not stored yet; `data` is null if it was already stored. */
export interface PreparedVersion extends Omit<VersionRow, 'id'> {
  readonly bytes: Buffer
  /** Hash of the version `base`; undefined if there is none. */
  readonly baseHash: Buffer | undefined
}

export class Versions {
  readonly #db: Db
  readonly #cache = new Map<number, { readonly hash: Buffer; readonly bytes: Buffer }>()

  constructor(db: Db) {
    this.#db = db
  }

  /** Returns a text; undefined if it was removed or was never stored. */
  text(id: number): string | undefined {
    return this.#bytes(id)?.toString('utf8')
  }

  /** Returns the SHA-256 of a version, hex; undefined if there is no such version. */
  hash(id: number): string | undefined {
    return this.#row(id)?.hash.toString('hex')
  }

  /** Compresses a text. @param base version that the text probably resembles */
  async prepare(text: string, base: number | null): Promise<PreparedVersion> {
    const bytes = Buffer.from(text, 'utf8')
    const textHash = hash('sha256', bytes, 'buffer')
    if (this.#find(textHash)?.hasText) return { hash: textHash, bytes, ...whole, baseHash: undefined, data: null }
    const row = base === null ? undefined : this.#row(base)
    const baseBytes = row && row.depth < maxDepth ? this.#bytes(row.id) : undefined
    if (row && baseBytes) {
      const { start: head, end: tail } = commonEnds(baseBytes, bytes)
      const dictionary = baseBytes.subarray(head, baseBytes.length - tail).subarray(-maxDictionaryBytes)
      const data = await compress(bytes.subarray(head, bytes.length - tail), { dictionary })
      // A text without similar parts is not shorter as a difference, and whole texts are faster to read.
      if (data.length < bytes.length / 4)
        return { hash: textHash, bytes, base: row.id, baseHash: row.hash, head, tail, depth: row.depth + 1, data }
    }
    return { hash: textHash, bytes, ...whole, baseHash: undefined, data: await compress(bytes) }
  }

  /** Stores a text. The caller must have begun a transaction. @returns its id */
  put(version: PreparedVersion): number {
    const existing = this.#find(version.hash)
    if (existing) {
      if (!existing.hasText) this.storeWhole(existing.id, version.bytes)
      return existing.id
    }
    const insert = this.#db.prepare(
      'INSERT INTO versions (hash, base, head, tail, depth, data) VALUES (@hash, @base, @head, @tail, @depth, @data)',
    )
    const base = version.base === null ? undefined : this.#row(version.base)
    const isBaseUnchanged = version.baseHash === undefined || (base?.data && base.hash.equals(version.baseHash))
    const { hash: textHash, base: baseId, head, tail, depth, data } = version
    const columns =
      isBaseUnchanged && data
        ? { base: baseId, head, tail, depth, data }
        : { ...whole, data: deflateRawSync(version.bytes) }
    return Number(insert.run({ hash: textHash, ...columns }).lastInsertRowid)
  }

  /** Stores a text without compressing it as a difference. @returns its id */
  putWhole(text: string): number {
    const bytes = Buffer.from(text, 'utf8')
    return this.put({ hash: hash('sha256', bytes, 'buffer'), bytes, ...whole, baseHash: undefined, data: null })
  }

  /** Stores a version as a whole text, with its hash. */
  storeWhole(id: number, bytes: Buffer): void {
    this.#db
      .prepare('UPDATE versions SET hash = ?, base = NULL, head = 0, tail = 0, depth = 0, data = ? WHERE id = ?')
      .run(hash('sha256', bytes, 'buffer'), deflateRawSync(bytes), id)
  }

  /**
   * Removes the texts of versions; their hashes stay. Versions that depend on them are stored as whole texts. The caller must have
   * begun a transaction.
   */
  removeTexts(ids: Iterable<number>): void {
    const removed = new Set(ids)
    const dependents = this.#db.prepare<[number], { id: number }>('SELECT id FROM versions WHERE base = ?')
    for (const id of removed)
      for (const dependent of dependents.all(id)) {
        if (removed.has(dependent.id)) continue
        const bytes = this.#bytes(dependent.id)
        if (bytes) this.storeWhole(dependent.id, bytes)
      }
    const remove = this.#db.prepare('UPDATE versions SET base = NULL, data = NULL WHERE id = ?')
    for (const id of removed) remove.run(id)
  }

  #find(textHash: Buffer): { readonly id: number; readonly hasText: number } | undefined {
    return this.#db
      .prepare<[Buffer], { id: number; hasText: number }>(
        'SELECT id, data IS NOT NULL AS hasText FROM versions WHERE hash = ?',
      )
      .get(textHash)
  }

  #row(id: number): VersionRow | undefined {
    return this.#db.prepare<[number], VersionRow>('SELECT * FROM versions WHERE id = ?').get(id)
  }

  #bytes(id: number): Buffer | undefined {
    const row = this.#row(id)
    // Another connection may have removed the text.
    if (!row?.data) return undefined
    const cached = this.#cache.get(id)
    if (cached?.hash.equals(row.hash)) return cached.bytes
    const bytes = this.#inflate(row, row.data)
    if (bytes && bytes.length <= maxCachedBytes) setBounded(this.#cache, id, { hash: row.hash, bytes }, maxCachedTexts)
    return bytes
  }

  #inflate({ base, head, tail }: VersionRow, data: Buffer): Buffer | undefined {
    if (base === null) return inflateRawSync(data)
    const baseBytes = this.#bytes(base)
    if (!baseBytes) return undefined
    const end = baseBytes.length - tail
    const dictionary = baseBytes.subarray(head, end).subarray(-maxDictionaryBytes)
    return Buffer.concat([baseBytes.subarray(0, head), inflateRawSync(data, { dictionary }), baseBytes.subarray(end)])
  }
}

const whole = { base: null, head: 0, tail: 0, depth: 0 } as const

function compress(bytes: Buffer, options: ZlibOptions = {}): Promise<Buffer> | Buffer {
  return bytes.length > maxSyncBytes ? deflateAsync(bytes, options) : deflateRawSync(bytes, options)
}
