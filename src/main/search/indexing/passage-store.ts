/**
 * The passages of an index (M51): which chunk has which, and one row for each distinct text, so that identical passages
 * share a vector. The vectors themselves are in `embedding_cache`, or made of the passages' digests where the model can do
 * that; here stands which one, and its signs as bits, which the searcher keeps in memory for its first pass.
 */
import type { TokenIdSequence, SimilarityModel } from '../embeddings/embedding-provider.ts'
import { binaryCodeOf } from '../vector/binary-quantization.ts'
import type { PackedDigests, PreparedPassage } from './prepare-file.ts'
import { getMeta, setDimensions, setMeta, vectorDimensions, type Db } from './index-schema.ts'
import { memoizeUntilWrite } from './memoize-until-write.ts'

export interface PassageToEmbed {
  readonly id: number
  readonly hash: string
  readonly text: string
}

/** A passage with its vector's bytes, as calibration looks at it. */
export interface EmbeddedPassage {
  readonly file: string
  readonly text: string
  readonly chunk: number
  readonly place: number
  readonly vector: Float32Array
}

/** Where a passage's vector is: in the cache, or to be made of a digest. */
export interface StoredVector {
  readonly vector: Buffer | null
  readonly digest: Buffer | null
}

/** In the place of a row of the cache. */
const ofDigest = 0

/** Counts what was taken out of the coarse forms, so that whoever keeps them in memory knows to look. */
export const removedKey = 'passages:removed'
/** Tells apart forms that were made about different centres. */
export const epochKey = 'passages:epoch'

export class PassageStore {
  readonly #db: Db
  readonly #statements: ReturnType<typeof prepare>
  readonly #counts: () => { readonly passages: number; readonly embedded: number }
  readonly #model: SimilarityModel | undefined
  #centre: Float32Array | undefined
  #hasReadCentre = false

  /** @param model that makes vectors of digests, where the index is built for such a one */
  constructor(db: Db, model?: SimilarityModel) {
    this.#db = db
    this.#model = model
    this.#statements = prepare(db)
    this.#counts = memoizeUntilWrite(db, () => this.#statements.counts.get() ?? { passages: 0, embedded: 0 })
  }

  /** Gives a chunk its passages; those whose text has a vector already need no other. */
  put(chunk: number, passages: readonly PreparedPassage[], digests?: PackedDigests): void {
    let missing = 0
    for (const [place, { text, hash, startLine, endLine }] of passages.entries()) {
      const digest = digests?.numbers.subarray(digests.ends[place - 1] ?? 0, digests.ends[place])
      const known = this.#statements.find.get(hash)
      const id = known?.id ?? Number(this.#statements.put.run(hash, text, digest ? ofDigest : null).lastInsertRowid)
      if (!known && digest) this.#putForms(id, digest)
      if (known ? known.vector === null : !digest) missing += 1
      this.#statements.link.run(chunk, place, id, startLine, endLine)
    }
    if (missing === 0) this.#statements.markEmbedded.run(chunk)
  }

  #putForms(id: number, digest: TokenIdSequence): void {
    const made = this.#model?.vectorOf(digest)
    if (!made) return
    this.#statements.putDigest.run(id, Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength), made.length)
    this.#putBits(id, made.vector)
  }

  #putBits(id: number, vector: Float32Array): void {
    // The first vector of all decides how long they are.
    if (vectorDimensions(this.#db) === 0) setDimensions(this.#db, vector.length)
    this.#statements.putBits.run(id, binaryCodeOf(vector, this.centre))
  }

  /** Takes the passages of chunks that are going; to be followed by `sweep` when their successors are in. */
  remove(chunk: number): number[] {
    const ids = this.#statements.linked.all(chunk)
    this.#statements.unlink.run(chunk)
    return ids
  }

  /** Forgets those of the passages that no chunk has any more. */
  sweep(ids: Iterable<number>): void {
    let removed = 0
    for (const id of new Set(ids)) {
      if (this.#statements.isLinked.get(id) !== undefined) continue
      this.#statements.removeBits.run(id)
      this.#statements.removeDigest.run(id)
      removed += this.#statements.remove.run(id).changes
    }
    if (removed > 0) setMeta(this.#db, removedKey, String(Number(getMeta(this.#db, removedKey) ?? 0) + removed))
  }

  /** Up to `limit` passages after `afterId` that have no vector yet, in the order of their ids. */
  toEmbed(afterId: number, limit: number): PassageToEmbed[] {
    return this.#statements.toEmbed.all(afterId, limit)
  }

  /** Where a passage stands: lines of its file, 1-based and inclusive, and what they say in full. */
  placesOf(id: number): { path: string; from: number; to: number; lines: string[] }[] {
    return this.#statements.places.all(id).map(({ path, from, to, text, start }) => {
      const lines = text.split('\n').slice(from - start, to - start + 1)
      return { path, from, to, lines }
    })
  }

  /** Distinct passages, and how many of them have a vector. */
  counts(): { readonly passages: number; readonly embedded: number } {
    return this.#counts()
  }

  /** How many passages have no vector yet, and the characters of their texts. */
  missing(): { readonly texts: number; readonly characters: number } {
    return this.#statements.missing.get() ?? { texts: 0, characters: 0 }
  }

  /** @param cached row of `embedding_cache` */
  giveVector(id: number, cached: number, vector: Float32Array): void {
    this.#statements.setVector.run(cached, id)
    this.#putBits(id, vector)
    this.#statements.markComplete.run(id)
  }

  /** @param digest of which the model makes the passage's vector */
  giveDigest(id: number, digest: TokenIdSequence): void {
    this.#statements.setVector.run(ofDigest, id)
    this.#putForms(id, digest)
    this.#statements.markComplete.run(id)
  }

  /** Every passage is to be embedded anew. */
  forgetVectors(): void {
    this.#statements.clearBits.run()
    this.#statements.clearDigests.run()
    this.#statements.clearVectors.run()
    this.#statements.unmarkAll.run()
    setMeta(this.#db, removedKey, String(Number(getMeta(this.#db, removedKey) ?? 0) + 1))
    setMeta(this.#db, centreKey, '')
    this.#hasReadCentre = true
    this.#centre = undefined
  }

  /** About which the signs of vectors are taken; undefined until there are enough vectors to have one. */
  get centre(): Float32Array | undefined {
    if (!this.#hasReadCentre) {
      this.#hasReadCentre = true
      this.#centre = readCentre(this.#db)
    }
    return this.#centre
  }

  /** Makes all coarse forms anew about another centre. */
  recentre(centre: Float32Array, epoch: string): void {
    const { buffer, byteOffset, byteLength } = centre
    setMeta(this.#db, centreKey, Buffer.from(buffer, byteOffset, byteLength).toString('base64'))
    setMeta(this.#db, epochKey, epoch)
    this.#centre = centre
    this.#hasReadCentre = true
    this.#statements.clearBits.run()
    let last = 0
    for (;;) {
      const page = this.#statements.vectors.all(last)
      for (const { id, ...stored } of page) {
        const vector = vectorIn(stored, this.#model)
        if (vector) this.#statements.putBits.run(id, binaryCodeOf(vector, centre))
      }
      const end = page.at(-1)
      if (!end) return
      last = end.id
    }
  }

  /**
   * At most `limit` embedded passages in the order of their hashes: of each file as many, the first by their hashes, as far
   * as it has them. It depends on the texts alone, and one long file does not stand for all others.
   */
  sample(limit: number): EmbeddedPassage[] {
    return this.#statements.sample.all(limit).flatMap(({ vector: cached, digest, ...passage }) => {
      const vector = vectorIn({ vector: cached, digest }, this.#model)
      return vector ? [{ ...passage, vector }] : []
    })
  }

  /** The passage that follows in the same chunk. */
  textAfter(chunk: number, place: number): string | undefined {
    return this.#statements.textAt.get(chunk, place + 1)
  }
}

const centreKey = 'passages:centre'

export function readCentre(db: Db): Float32Array | undefined {
  const text = getMeta(db, centreKey)
  return text === undefined || text === '' ? undefined : floatsOf(Buffer.from(text, 'base64'))
}

/** @param model that made the digest; undefined where the vector is in neither form */
export function vectorIn(
  { vector, digest }: StoredVector,
  model: Pick<SimilarityModel, 'vectorOf'> | undefined,
): Float32Array | undefined {
  if (vector) return floatsOf(vector)
  return digest ? model?.vectorOf(digestIn(digest)).vector : undefined
}

/** A digest's numbers; its bytes may lie anywhere in a larger buffer. */
export function digestIn(bytes: Buffer): TokenIdSequence {
  const { buffer, byteOffset, byteLength } = bytes
  if (byteOffset % 2 === 0) return new Uint16Array(buffer, byteOffset, byteLength / 2)
  return new Uint16Array(Uint8Array.from(bytes).buffer)
}

/** The floats of a vector's bytes, which may lie anywhere in a larger buffer. */
export function floatsOf(bytes: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = bytes
  if (byteOffset % 4 === 0) return new Float32Array(buffer, byteOffset, byteLength / 4)
  return new Float32Array(Uint8Array.from(bytes).buffer)
}

function prepare(db: Db) {
  return {
    find: db.prepare<[string], { id: number; vector: number | null }>('SELECT id, vector FROM passages WHERE hash = ?'),
    put: db.prepare('INSERT INTO passages (hash, text, vector) VALUES (?, ?, ?)'),
    link: db.prepare(
      'INSERT INTO chunk_passages (chunk_id, place, passage_id, start_line, end_line) VALUES (?, ?, ?, ?, ?)',
    ),
    linked: db.prepare<[number], number>('SELECT passage_id FROM chunk_passages WHERE chunk_id = ?').pluck(),
    unlink: db.prepare('DELETE FROM chunk_passages WHERE chunk_id = ?'),
    isLinked: db.prepare<[number], number>('SELECT 1 FROM chunk_passages WHERE passage_id = ? LIMIT 1').pluck(),
    remove: db.prepare('DELETE FROM passages WHERE id = ?'),
    removeBits: db.prepare('DELETE FROM passage_bits WHERE passage_id = ?'),
    clearBits: db.prepare('DELETE FROM passage_bits'),
    putDigest: db.prepare('INSERT OR REPLACE INTO passage_digests (passage_id, digest, length) VALUES (?, ?, ?)'),
    removeDigest: db.prepare('DELETE FROM passage_digests WHERE passage_id = ?'),
    clearDigests: db.prepare('DELETE FROM passage_digests'),
    clearVectors: db.prepare('UPDATE passages SET vector = NULL'),
    unmarkAll: db.prepare('UPDATE chunks SET embedded = 0 WHERE id IN (SELECT chunk_id FROM chunk_passages)'),
    putBits: db.prepare('INSERT OR REPLACE INTO passage_bits (passage_id, bits) VALUES (?, ?)'),
    vectors: db.prepare<[number], StoredVector & { readonly id: number }>(
      `SELECT p.id, c.vector, d.digest FROM passages AS p
       LEFT JOIN embedding_cache AS c ON c.id = p.vector LEFT JOIN passage_digests AS d ON d.passage_id = p.id
       WHERE p.id > ? AND p.vector IS NOT NULL ORDER BY p.id LIMIT 500`,
    ),
    toEmbed: db.prepare<[number, number], PassageToEmbed>(
      'SELECT id, hash, text FROM passages WHERE vector IS NULL AND id > ? ORDER BY id LIMIT ?',
    ),
    places: db.prepare<[number], { path: string; from: number; to: number; text: string; start: number }>(
      `SELECT k.path, own.start_line AS "from", own.end_line AS "to", k.text, k.start_line AS start
       FROM chunk_passages AS own JOIN chunks AS k ON k.id = own.chunk_id WHERE own.passage_id = ?`,
    ),
    counts: db.prepare<[], { passages: number; embedded: number }>(
      // By the indexes: the rows have the texts, and would all be read.
      `SELECT (SELECT count(*) FROM passages) AS passages,
              (SELECT count(*) FROM passages) - (SELECT count(*) FROM passages WHERE vector IS NULL) AS embedded`,
    ),
    missing: db.prepare<[], { texts: number; characters: number }>(
      'SELECT count(*) AS texts, coalesce(sum(length(text)), 0) AS characters FROM passages WHERE vector IS NULL',
    ),
    setVector: db.prepare('UPDATE passages SET vector = ? WHERE id = ?'),
    markEmbedded: db.prepare('UPDATE chunks SET embedded = 1 WHERE id = ?'),
    markComplete: db.prepare(
      `UPDATE chunks SET embedded = 1
       WHERE embedded = 0 AND id IN (SELECT chunk_id FROM chunk_passages WHERE passage_id = ?) AND NOT EXISTS (
         SELECT 1 FROM chunk_passages AS own JOIN passages AS p ON p.id = own.passage_id
         WHERE own.chunk_id = chunks.id AND p.vector IS NULL)`,
    ),
    sample: db.prepare<[number], Omit<EmbeddedPassage, 'vector'> & StoredVector>(
      `WITH placed AS (
         SELECT p.id, p.hash, k.source || '/' || k.path AS file, own.chunk_id AS chunk, min(own.place) AS place
         FROM passages AS p
         JOIN chunk_passages AS own ON own.passage_id = p.id
           AND own.chunk_id = (SELECT min(chunk_id) FROM chunk_passages WHERE passage_id = p.id)
         JOIN chunks AS k ON k.id = own.chunk_id
         WHERE p.vector IS NOT NULL GROUP BY p.id),
       turns AS (SELECT *, row_number() OVER (PARTITION BY file ORDER BY hash) AS turn FROM placed),
       chosen AS (SELECT * FROM turns ORDER BY turn, hash LIMIT ?)
       SELECT chosen.file, p.text, chosen.chunk, chosen.place, c.vector, d.digest
       FROM chosen JOIN passages AS p ON p.id = chosen.id
       LEFT JOIN embedding_cache AS c ON c.id = p.vector LEFT JOIN passage_digests AS d ON d.passage_id = p.id
       ORDER BY chosen.hash`,
    ),
    textAt: db
      .prepare<[number, number], string>(
        `SELECT p.text FROM chunk_passages AS own JOIN passages AS p ON p.id = own.passage_id
         WHERE own.chunk_id = ? AND own.place = ?`,
      )
      .pluck(),
  }
}
