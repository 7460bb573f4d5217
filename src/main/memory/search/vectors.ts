/** The vector leg (M16): nearest chunks by cosine similarity, in one exact pass or two. */
import { vectorDimensions, type Db } from '../schema.ts'

/** Above this many chunks a first pass over one bit a dimension is faster than an exact one over everything. */
const twoPassAbove = 5000
/** Candidates of the coarse pass for each one that is wanted; at 8 the best ten agree with the exact ones. */
const coarseFactor = 8

/** Ids of the `count` chunks nearest to `query` (a unit vector's bytes), nearest first. */
export function nearestChunks(db: Db, query: Buffer, count: number, chunks: number): number[] {
  if (chunks <= twoPassAbove || vectorDimensions(db) % 8 !== 0) return nearestExact(db, query, count)
  return nearestInTwoPasses(db, query, count)
}

export function nearestExact(db: Db, query: Buffer, count: number): number[] {
  return db
    .prepare<[Buffer, number], number>(
      'SELECT chunk_id FROM chunks_vec WHERE embedding MATCH ? AND k = ? ORDER BY distance',
    )
    .pluck()
    .all(query, count)
}

export function nearestInTwoPasses(db: Db, query: Buffer, count: number): number[] {
  const coarse = db
    .prepare<[Buffer, number], number>(
      'SELECT chunk_id FROM chunks_vec WHERE coarse MATCH vec_quantize_binary(?) AND k = ?',
    )
    .pluck()
    .all(query, Math.min(4096, count * coarseFactor))
  const exact = similarities(db, query, coarse)
  return coarse.sort((one, other) => (exact.get(other) ?? 0) - (exact.get(one) ?? 0)).slice(0, count)
}

/** Cosine similarity of each chunk that has a vector. */
export function similarities(db: Db, query: Buffer, ids: readonly number[]): Map<number, number> {
  return new Map(
    db
      .prepare<[Buffer, string], { id: number; cosine: number }>(
        `SELECT chunk_id AS id, 1 - vec_distance_cosine(embedding, ?) AS cosine
         FROM chunks_vec WHERE chunk_id IN (SELECT value FROM json_each(?))`,
      )
      .all(query, JSON.stringify(ids))
      .map(({ id, cosine }) => [id, cosine]),
  )
}
