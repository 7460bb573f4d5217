/**
 * Vector retrieval: finds the nearest passages by cosine in two steps. Binary codes in memory select candidates; then
 * their cosines are computed from the vectors or digests in the index. A chunk has the similarity of its best passage.
 */
import { toBlob, type SimilarityModel } from '../embeddings/embedding-provider.ts'
import { vectorIn, type StoredVector } from '../indexing/passage-store.ts'
import type { Db } from '../indexing/index-schema.ts'
import { ChunkPassages, type OwnPassage } from './chunk-passages.ts'
import { KeptDigests } from './kept-digests.ts'
import { BinaryCodeIndex, type HammingMatches, type BinaryCodeSnapshot } from './binary-code-index.ts'
import type { QuerySimilarity } from './query-embedder.ts'

/** Number of candidates whose cosine is computed. Grows for short vectors, because their codes are less accurate. */
const exactPassages = 160
const mostExactPassages = 640
/** With a filter: number of nearest chunks to filter before the accepted chunks are searched instead. */
const maxFilteredChunks = 400
const maxMeasuredPerChunk = 3
const maxComparedPerChunk = 2

export interface PassageMatch {
  /** Cosine with the question, or the model's own similarity. */
  readonly similarity: number
  /** 1-based, inclusive, in the file. */
  readonly startLine: number
  readonly endLine: number
}

export interface NearPassage extends PassageMatch {
  readonly id: number
}

export class VectorRetriever {
  readonly #codeIndex: BinaryCodeIndex
  readonly #statements: ReturnType<typeof prepare>
  readonly #chunkPassages: ChunkPassages
  readonly #candidateCount: number
  readonly #digests: KeptDigests | undefined

  /** @param digests the model, if the index stores digests instead of vectors */
  constructor(db: Db, dimensions: number, digests?: SimilarityModel) {
    this.#digests = digests && new KeptDigests(db, digests)
    this.#codeIndex = new BinaryCodeIndex(db, dimensions)
    this.#chunkPassages = new ChunkPassages(db)
    this.#statements = prepare(db)
    this.#candidateCount = Math.min(mostExactPassages, Math.round(exactPassages * Math.max(1, 384 / dimensions)))
  }

  restoreSnapshot(parts: BinaryCodeSnapshot): void {
    this.#codeIndex.restoreSnapshot(parts)
  }

  createSnapshot(): BinaryCodeSnapshot {
    return this.#codeIndex.createSnapshot()
  }

  /** Must be called after each change of the index. */
  refresh(): void {
    this.#codeIndex.refresh()
    this.#digests?.forget()
  }

  /**
   * @param vector of length 1
   * @param querySimilarity the model's own similarity, if it has one
   */
  query(vector: Float32Array, querySimilarity?: QuerySimilarity): VectorQuery {
    const compare = this.#digests?.compare(vector) ?? cosinesBy(this.#statements, this.#codeIndex, vector)
    return new VectorQuery(
      this.#statements,
      this.#codeIndex,
      this.#chunkPassages,
      vector,
      compare,
      this.#candidateCount,
      querySimilarity,
    )
  }

  /** Returns undefined if the vector can't be computed. */
  vectorIn(stored: StoredVector): Float32Array | undefined {
    return vectorIn(stored, this.#digests?.model)
  }
}

/** Returns the cosines of the given passages, by their position in the list; passages without a vector are left out. */
type Compare = (passages: readonly number[]) => [at: number, cosine: number][]

function cosinesBy(statements: ReturnType<typeof prepare>, codeIndex: BinaryCodeIndex, vector: Float32Array): Compare {
  const blob = toBlob(vector)
  return (passages) =>
    statements.cosines.all(blob, JSON.stringify(passages.map((passage) => codeIndex.vectorOf(passage) ?? null)))
}

/** One query. Caches the cosines that it has computed. */
export class VectorQuery {
  readonly #statements: ReturnType<typeof prepare>
  readonly #codeIndex: BinaryCodeIndex
  readonly #chunkPassages: ChunkPassages
  readonly #vector: Float32Array
  readonly #compare: Compare
  readonly #cosines = new Map<number, number>()
  readonly #querySimilarity: QuerySimilarity | undefined
  #candidateCount: number
  #candidates: HammingMatches

  constructor(
    statements: ReturnType<typeof prepare>,
    codeIndex: BinaryCodeIndex,
    own: ChunkPassages,
    vector: Float32Array,
    compare: Compare,
    candidateCount: number,
    querySimilarity: QuerySimilarity | undefined,
  ) {
    this.#statements = statements
    this.#codeIndex = codeIndex
    this.#chunkPassages = own
    this.#vector = vector
    this.#compare = compare
    this.#candidateCount = candidateCount
    this.#querySimilarity = querySimilarity
    this.#candidates = codeIndex.nearest(vector, candidateCount)
    this.#computeCosines(this.#candidates.passages)
  }

  /** Returns at most `count` passages, nearest first. */
  nearestPassages(count: number): { readonly id: number; readonly cosine: number }[] {
    return this.#nearestFirst(this.#cosines.keys()).slice(0, count)
  }

  /** Returns the cosines, unordered; passages without a vector are left out. */
  cosines(passages: readonly number[]): number[] {
    return this.#compared(passages).map(([, cosine]) => cosine)
  }

  /**
   * Returns the ids of at most `count` chunks, those with the nearest passages first.
   * @param only restricts the search to these chunks
   */
  nearest(count: number, only?: ReadonlySet<number>): number[] {
    if (!only) return this.#nearestOfAll(count)
    // If the filter accepts many chunks, enough of them are among the nearest.
    const near = this.#nearestOfAll(Math.max(count, maxFilteredChunks)).filter((chunk) => only.has(chunk))
    return near.length >= Math.min(count, only.size) ? near.slice(0, count) : this.#nearestOf(only, count)
  }

  #nearestOfAll(count: number): number[] {
    // Extends the candidates if more chunks are requested than there are.
    while (this.#candidateCount < count && this.#candidates.passages.length < this.#codeIndex.size) {
      this.#candidateCount = Math.max(count, 2 * this.#candidateCount)
      this.#candidates = this.#codeIndex.nearest(this.#vector, this.#candidateCount)
      this.#computeCosines(this.#candidates.passages.filter((passage) => !this.#cosines.has(passage)))
    }
    return this.#bestChunks(count)
  }

  #nearestOf(only: ReadonlySet<number>, count: number): number[] {
    const near = [...this.#chunkPassages.of(only).values()]
      .flat()
      .map(({ chunk, passage }) => ({ chunk, passage, distance: this.#candidates.distanceOf(passage) }))
      .filter(({ distance }) => distance < Infinity)
      .sort((one, other) => one.distance - other.distance || one.passage - other.passage)
      .slice(0, this.#candidateCount)
    this.#computeCosines(near.flatMap(({ passage }) => (this.#cosines.has(passage) ? [] : passage)))
    const best = new Map<number, number>()
    for (const { chunk, passage } of near) {
      const cosine = this.#cosines.get(passage)
      if (cosine !== undefined && cosine > (best.get(chunk) ?? -2)) best.set(chunk, cosine)
    }
    return nearestFirst(best).slice(0, count)
  }

  #bestChunks(count: number): number[] {
    const best = new Map<number, number>()
    let last = Infinity
    for (const { id, cosine } of this.#nearestFirst(this.#candidates.passages)) {
      // Includes every chunk with the last cosine, so that ties are cut off in the order of ids.
      if (best.size >= count && cosine < last) break
      last = cosine
      for (const chunk of this.#statements.chunksOf.all(id)) if (!best.has(chunk)) best.set(chunk, cosine)
    }
    return nearestFirst(best).slice(0, count)
  }

  /** Returns each chunk's best passage; chunks without vectors are left out. */
  matches(chunks: readonly number[]): Map<number, NearPassage> {
    const own = this.#chunkPassages.of(chunks)
    const missing = new Set<number>()
    for (const passages of own.values())
      for (const { passage } of this.#nearestByForm(passages)) if (!this.#cosines.has(passage)) missing.add(passage)
    this.#computeCosines([...missing])
    const matches = new Map<number, NearPassage>()
    const similarityById = new Map<number, number>()
    for (const [chunk, passages] of own) {
      const measured = passages
        .filter(({ passage }) => this.#cosines.has(passage))
        .sort((one, other) => this.#cosineOf(other) - this.#cosineOf(one) || one.passage - other.passage)
      for (const one of measured.slice(0, this.#querySimilarity ? maxComparedPerChunk : 1)) {
        const { passage: id, startLine, endLine } = one
        const similarity = similarityById.get(id) ?? this.#similarityOf(one)
        similarityById.set(id, similarity)
        if (similarity > (matches.get(chunk)?.similarity ?? -2))
          matches.set(chunk, { id, similarity, startLine, endLine })
      }
    }
    return matches
  }

  /** Returns a passage's text; undefined without an id. */
  textOf(passage: number | undefined): string | undefined {
    return passage === undefined ? undefined : this.#chunkPassages.textOf(passage)
  }

  #nearestByForm(passages: readonly OwnPassage[]): readonly OwnPassage[] {
    if (passages.length <= maxMeasuredPerChunk) return passages
    const { distanceOf } = this.#candidates
    return passages
      .toSorted((one, other) => distanceOf(one.passage) - distanceOf(other.passage))
      .slice(0, maxMeasuredPerChunk)
  }

  #similarityOf(passage: OwnPassage): number {
    const cosine = this.#cosineOf(passage)
    const { digestOf, similarityOf } = this.#querySimilarity ?? {}
    return digestOf && similarityOf ? similarityOf(this.#chunkPassages.digest(passage, digestOf), cosine) : cosine
  }

  #cosineOf({ passage }: OwnPassage): number {
    return this.#cosines.get(passage) ?? -2
  }

  #nearestFirst(passages: Iterable<number>): { readonly id: number; readonly cosine: number }[] {
    const measured: { id: number; cosine: number }[] = []
    for (const id of passages) {
      const cosine = this.#cosines.get(id)
      if (cosine !== undefined) measured.push({ id, cosine })
    }
    return measured.sort((one, other) => other.cosine - one.cosine || one.id - other.id)
  }

  #computeCosines(passages: readonly number[]): void {
    for (const [at, cosine] of this.#compared(passages)) this.#cosines.set(passages[at] ?? 0, cosine)
  }

  #compared(passages: readonly number[]): [at: number, cosine: number][] {
    return passages.length === 0 ? [] : this.#compare(passages)
  }
}

function nearestFirst(cosines: ReadonlyMap<number, number>): number[] {
  return [...cosines]
    .sort(([one, oneCosine], [other, otherCosine]) => otherCosine - oneCosine || one - other)
    .map(([chunk]) => chunk)
}

function prepare(db: Db) {
  return {
    cosines: db
      .prepare<[Buffer, string], [at: number, cosine: number]>(
        `SELECT wanted.key, 1 - vec_distance_cosine(cache.vector, ?)
         FROM json_each(?) AS wanted JOIN embedding_cache AS cache ON cache.id = wanted.value`,
      )
      .raw(),
    chunksOf: db.prepare<[number], number>('SELECT chunk_id FROM chunk_passages WHERE passage_id = ?').pluck(),
  }
}
