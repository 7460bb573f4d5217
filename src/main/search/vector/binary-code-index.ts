import { BinaryCodes, binaryCodeOf } from './binary-quantization.ts'
import { epochKey, readCentre, removedKey } from '../indexing/passage-store.ts'
import { getMeta, type Db } from '../indexing/index-schema.ts'

export interface BinaryCodeSnapshot {
  readonly dimensions: number
  /** Values of `epochKey` and `removedKey` in the database when the codes were read. */
  readonly epoch: string | undefined
  readonly removed: string | undefined
  readonly lastSeq: number
  /** By slot: the passage id, the row of its vector in the embedding cache, and the binary codes, concatenated. */
  readonly passages: Int32Array
  readonly vectors: Int32Array
  readonly forms: Uint8Array
}

export class BinaryCodeIndex {
  readonly #db: Db
  readonly #codes: BinaryCodes
  readonly #statements: ReturnType<typeof prepare>
  #centroid: Float32Array | undefined
  #epoch: string | undefined
  #removed: string | undefined
  #lastSeq = 0
  /** Passage id by slot; `#slots` is the reverse mapping, plus one. */
  #passages = new Int32Array(1024)
  #vectors = new Int32Array(1024)
  #slots = new Int32Array(1024)

  constructor(db: Db, dimensions: number) {
    this.#db = db
    this.#codes = new BinaryCodes(dimensions)
    this.#statements = prepare(db)
  }

  /** Restores a snapshot. The next `refresh` applies later changes. */
  restoreSnapshot({ epoch, removed, lastSeq, passages, vectors, forms }: BinaryCodeSnapshot): void {
    this.#epoch = epoch
    this.#removed = removed
    this.#lastSeq = lastSeq
    this.#centroid = readCentre(this.#db)
    this.#codes.fill(forms)
    this.#passages = new Int32Array(passages)
    this.#vectors = new Int32Array(vectors)
    this.#slots = new Int32Array(passages.reduce((most, passage) => Math.max(most, passage), 0) + 1)
    for (let slot = 0; slot < passages.length; slot += 1) this.#slots[passages[slot] as number] = slot + 1
  }

  /** Returns a snapshot as of the last `refresh`. It shares memory with this index. */
  createSnapshot(): BinaryCodeSnapshot {
    return {
      dimensions: this.#codes.dimensions,
      epoch: this.#epoch,
      removed: this.#removed,
      lastSeq: this.#lastSeq,
      passages: this.#passages.subarray(0, this.size),
      vectors: this.#vectors.subarray(0, this.size),
      forms: this.#codes.bytes,
    }
  }

  get size(): number {
    return this.#codes.count
  }

  /** Reads the changes of the database. Must be called after each change. */
  refresh(): void {
    const epoch = getMeta(this.#db, epochKey)
    const removed = getMeta(this.#db, removedKey)
    if (epoch !== this.#epoch) {
      this.#centroid = readCentre(this.#db)
      this.#epoch = epoch
      this.#lastSeq = 0
      this.#slots.fill(0)
      this.#codes.truncate(0)
    } else if (removed !== this.#removed) this.#dropRemoved()
    this.#removed = removed
    for (const { seq, passage, vector, bits } of this.#statements.added.iterate(this.#lastSeq)) {
      this.#lastSeq = seq
      this.#put(passage, vector, bits)
    }
  }

  /** Returns the `count` passages with the codes nearest to the query's, and all at the same distance as the last. */
  nearest(query: Float32Array, count: number): HammingMatches {
    const distances = this.#codes.distances(binaryCodeOf(query, this.#centroid))
    const limit = distanceWithin(distances, count)
    const passages: number[] = []
    for (let slot = 0; slot < distances.length; slot += 1) {
      if ((distances[slot] ?? 0) <= limit) passages.push(this.#passages[slot] ?? 0)
    }
    return { passages, distanceOf: (passage) => distances[(this.#slots[passage] ?? 0) - 1] ?? Infinity }
  }

  /** Returns the id of a passage's row in the embedding cache; undefined if it has no vector. */
  vectorOf(passage: number): number | undefined {
    const slot = this.#slots[passage] ?? 0
    return slot === 0 ? undefined : this.#vectors[slot - 1]
  }

  #put(passage: number, vector: number, bits: Uint8Array): void {
    if (passage >= this.#slots.length) this.#slots = enlarged(this.#slots, passage)
    const slot = (this.#slots[passage] ?? 0) - 1
    const free = slot >= 0 ? slot : this.#codes.count
    this.#codes.put(free, bits)
    if (free >= this.#passages.length) {
      this.#passages = enlarged(this.#passages, free)
      this.#vectors = enlarged(this.#vectors, free)
    }
    this.#passages[free] = passage
    this.#vectors[free] = vector
    this.#slots[passage] = free + 1
  }

  #dropRemoved(): void {
    const remaining = new Uint8Array(this.#slots.length)
    for (const passage of this.#statements.all.iterate()) remaining[passage] = 1
    let to = 0
    for (let from = 0; from < this.#codes.count; from += 1) {
      const passage = this.#passages[from] ?? 0
      if (remaining[passage] !== 1) {
        this.#slots[passage] = 0
        continue
      }
      if (from !== to) this.#codes.move(from, to)
      this.#passages[to] = passage
      this.#vectors[to] = this.#vectors[from] ?? 0
      this.#slots[passage] = to + 1
      to += 1
    }
    this.#codes.truncate(to)
  }
}

export interface HammingMatches {
  /** Unordered. */
  readonly passages: readonly number[]
  /** Hamming distance in bits; infinite for a passage without a vector. Valid until the next query. */
  readonly distanceOf: (passage: number) => number
}

function distanceWithin(distances: Uint16Array, count: number): number {
  const histogram = new Uint32Array(65_536)
  for (let slot = 0; slot < distances.length; slot += 1) {
    const distance = distances[slot] as number
    histogram[distance] = (histogram[distance] as number) + 1
  }
  let found = 0
  let distance = 0
  while (distance < 65_535 && found + (histogram[distance] ?? 0) < count) {
    found += histogram[distance] ?? 0
    distance += 1
  }
  return distance
}

function enlarged(array: Int32Array<ArrayBuffer>, index: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(2 * array.length, index + 1))
  larger.set(array)
  return larger
}

function prepare(db: Db) {
  return {
    added: db.prepare<[number], { seq: number; passage: number; vector: number; bits: Buffer }>(
      `SELECT seq, passage_id AS passage, vector, bits FROM passage_bits JOIN passages ON passages.id = passage_id
       WHERE seq > ? AND vector IS NOT NULL ORDER BY seq`,
    ),
    all: db.prepare<[], number>('SELECT passage_id FROM passage_bits').pluck(),
  }
}
