/** The vector leg (M16): nearest chunks by cosine similarity, in one exact pass or two. */
import type { Db } from '../schema.ts'

/** Above this many chunks a first pass over one bit a dimension is faster than an exact one over everything. */
const twoPassAbove = 5000
/** Candidates of the coarse pass: at least this many, and this many for each one that is wanted. */
const minCoarse = 256
const coarseFactor = 4

/** Which vectors of the cache are the index's own. */
export interface VectorSpace {
  readonly provider: string
  readonly model: string
  readonly dimensions: number
}

export class VectorLeg {
  readonly #space: VectorSpace
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: Db, space: VectorSpace) {
    this.#space = space
    this.#statements = prepare(db, space)
  }

  /** Ids of the `count` chunks nearest to `query` (a unit vector's bytes), nearest first. */
  nearest(query: Buffer, count: number, chunks: number): number[] {
    return chunks > twoPassAbove ? this.nearestInTwoPasses(query, count) : this.nearestExact(query, count)
  }

  nearestExact(query: Buffer, count: number): number[] {
    return this.#statements.exact.all(query, count)
  }

  /** In one pass where the vectors have no coarse form. */
  nearestInTwoPasses(query: Buffer, count: number): number[] {
    if (!this.#statements.coarse) return this.nearestExact(query, count)
    const coarse = this.#statements.coarse.all(query, Math.min(4096, Math.max(minCoarse, count * coarseFactor)))
    const exact = this.similarities(query, coarse)
    return coarse.sort((one, other) => (exact.get(other) ?? 0) - (exact.get(one) ?? 0)).slice(0, count)
  }

  /** Cosine similarity of each chunk that has a vector. */
  similarities(query: Buffer, ids: readonly number[]): Map<number, number> {
    const { provider, model, dimensions } = this.#space
    const rows = this.#statements.similarities.all(query, JSON.stringify(ids), provider, model, dimensions)
    return new Map(rows.map(({ id, cosine }) => [id, cosine]))
  }
}

function prepare(db: Db, { dimensions }: VectorSpace) {
  const hasCoarse = dimensions % 8 === 0
  return {
    exact: db
      .prepare<[Buffer, number], number>(
        'SELECT chunk_id FROM chunks_vec WHERE embedding MATCH ? AND k = ? ORDER BY distance',
      )
      .pluck(),
    coarse: hasCoarse
      ? db
          .prepare<[Buffer, number], number>(
            'SELECT chunk_id FROM chunks_vec WHERE coarse MATCH vec_quantize_binary(?) AND k = ?',
          )
          .pluck()
      : undefined,
    similarities: db.prepare<[Buffer, string, string, string, number], { id: number; cosine: number }>(
      `SELECT chunk.id, 1 - vec_distance_cosine(cached.vector, ?) AS cosine
       FROM json_each(?) AS wanted
       JOIN chunks AS chunk ON chunk.id = wanted.value AND chunk.embedded = 1
       JOIN embedding_cache AS cached
         ON cached.provider = ? AND cached.model = ? AND cached.dims = ? AND cached.hash = chunk.hash`,
    ),
  }
}
