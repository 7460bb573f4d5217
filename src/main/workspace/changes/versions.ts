/**
 * Stored texts. A text is compressed, as a difference to the previous version of its file where that is shorter: the
 * middle between the common start and end, with the replaced part of the previous version as the dictionary of deflate.
 */
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib'
import { commonEnds } from '#platform'
import { setBounded } from '#shared/util/lazy.ts'
import type { LogDb } from './schema.ts'

/** A version that depends on more versions than this is stored as a whole text. */
const maxDepth = 40
/** The change log compresses longer texts in the thread pool, UTF-16 code units. */
export const maxSyncLength = 256 * 1024
const maxDictionaryBytes = 32 * 1024
const maxCachedTexts = 64
/** Bytes. */
const maxCachedBytes = 200_000

const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw)

interface VersionRow {
  readonly id: number
  readonly hash: Buffer
  readonly base: number | null
  readonly head: number
  readonly tail: number
  readonly depth: number
  readonly data: Buffer | null
}

type Encoding = Omit<VersionRow, 'id' | 'hash'>

export interface EncodedText {
  readonly encoding: Encoding
  /** Hash of the version on which the encoding depends; undefined if there is none. */
  readonly baseHash: Buffer | undefined
}

export class Versions {
  readonly #db: LogDb
  readonly #cache = new Map<number, { readonly hash: Buffer; readonly bytes: Buffer }>()

  constructor(db: LogDb) {
    this.#db = db
  }

  /** Returns undefined if the text was removed or was never stored. */
  text(id: number): string | undefined {
    return this.#bytes(id)?.toString('utf8')
  }

  /** Hex; undefined if there is no such version. */
  hash(id: number): string | undefined {
    return this.#row(id)?.hash.toString('hex')
  }

  /** Stores a text in the transaction of the caller. @param base version that the text probably resembles @returns its id */
  put(text: string, base: number | null = null, encoded?: EncodedText): number {
    const bytes = Buffer.from(text, 'utf8')
    const textHash = hash('sha256', bytes, 'buffer')
    const existing = this.#find(textHash)
    if (existing?.hasText === 0) this.#storeWhole(existing.id, bytes)
    if (existing) return existing.id
    const columns = encoded && this.#isCurrent(encoded) ? encoded.encoding : this.#encodeSync(bytes, base)
    const insert = this.#db.prepare(
      'INSERT INTO versions (hash, base, head, tail, depth, data) VALUES (@hash, @base, @head, @tail, @depth, @data)',
    )
    return Number(insert.run({ hash: textHash, ...columns }).lastInsertRowid)
  }

  /** Compresses a text in the thread pool. @returns undefined if it is stored */
  async encode(text: string, base: number | null): Promise<EncodedText | undefined> {
    const bytes = Buffer.from(text, 'utf8')
    if (this.#find(hash('sha256', bytes, 'buffer'))?.hasText) return undefined
    const part = this.#differingPart(bytes, base)
    const data = part && (await deflate(part.bytes, part.options))
    const encoding = part && data ? difference(part, data, bytes.length) : undefined
    if (part && encoding) return { encoding, baseHash: part.row.hash }
    return { encoding: { ...whole, data: await deflate(bytes, {}) }, baseHash: undefined }
  }

  /** Returns false if the version on which the encoding depends has been removed. */
  #isCurrent({ encoding, baseHash }: EncodedText): boolean {
    if (encoding.base === null || !baseHash) return true
    const row = this.#row(encoding.base)
    return row?.data != null && row.hash.equals(baseHash)
  }

  #encodeSync(bytes: Buffer, base: number | null): Encoding {
    const part = this.#differingPart(bytes, base)
    const encoding = part && difference(part, deflateRawSync(part.bytes, part.options), bytes.length)
    return encoding ?? { ...whole, data: deflateRawSync(bytes) }
  }

  #find(textHash: Buffer): { readonly id: number; readonly hasText: number } | undefined {
    return this.#db
      .prepare<[Buffer], { id: number; hasText: number }>(
        'SELECT id, data IS NOT NULL AS hasText FROM versions WHERE hash = ?',
      )
      .get(textHash)
  }

  #storeWhole(id: number, bytes: Buffer): void {
    this.#db
      .prepare('UPDATE versions SET hash = ?, base = NULL, head = 0, tail = 0, depth = 0, data = ? WHERE id = ?')
      .run(hash('sha256', bytes, 'buffer'), deflateRawSync(bytes), id)
  }

  /** `secure_delete` overwrites the texts; the hashes stay. Dependent versions are stored as whole texts. */
  removeTexts(ids: Iterable<number>): void {
    const removed = new Set(ids)
    const dependents = this.#db.prepare<[number], { id: number }>('SELECT id FROM versions WHERE base = ?')
    for (const id of removed)
      for (const dependent of dependents.all(id)) {
        if (removed.has(dependent.id)) continue
        const bytes = this.#bytes(dependent.id)
        if (bytes) this.#storeWhole(dependent.id, bytes)
      }
    const remove = this.#db.prepare('UPDATE versions SET base = NULL, data = NULL WHERE id = ?')
    for (const id of removed) remove.run(id)
  }

  #differingPart(bytes: Buffer, base: number | null): DifferingPart | undefined {
    const row = base === null ? undefined : this.#row(base)
    const baseBytes = row && row.depth < maxDepth ? this.#bytes(row.id) : undefined
    if (!row || !baseBytes) return undefined
    const { start: head, end: tail } = commonEnds(baseBytes, bytes)
    const dictionary = baseBytes.subarray(head, baseBytes.length - tail).subarray(-maxDictionaryBytes)
    return { row, head, tail, bytes: bytes.subarray(head, bytes.length - tail), options: { dictionary } }
  }

  /** @param before milliseconds since the epoch: texts that only earlier changes have go. Needs a transaction. */
  removeOld(before: number): void {
    const ids = this.#db
      .prepare<[number], number>(
        `SELECT v.id FROM versions v WHERE v.data IS NOT NULL AND v.id NOT IN (
           SELECT value FROM (SELECT c.before AS value, c.change_set FROM file_changes c
             UNION ALL SELECT c.after, c.change_set FROM file_changes c)
           WHERE value IS NOT NULL AND change_set IN (SELECT id FROM change_sets WHERE at >= ?))`,
      )
      .pluck()
      .all(before)
    this.removeTexts(ids)
  }

  /** Removes versions that no change has. The caller must have begun a transaction. */
  removeUnused(): void {
    const unused = this.#db
      .prepare<[], number>(
        `SELECT id FROM versions EXCEPT SELECT before FROM file_changes EXCEPT SELECT after FROM file_changes`,
      )
      .pluck()
      .all()
    this.removeTexts(unused)
    for (const id of unused) this.#db.prepare('DELETE FROM versions WHERE id = ?').run(id)
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

/** The part of a text that differs from the version `row`, and the options of deflate for it. */
interface DifferingPart extends Pick<VersionRow, 'head' | 'tail'> {
  readonly row: VersionRow
  readonly bytes: Buffer
  readonly options: ZlibOptions
}

/** Returns undefined if the text is not shorter as a difference: whole texts are faster to read. */
function difference({ row, head, tail }: DifferingPart, data: Buffer, length: number): Encoding | undefined {
  return data.length < length / 4 ? { base: row.id, head, tail, depth: row.depth + 1, data } : undefined
}
