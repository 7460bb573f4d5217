/** Finds notes on the same subject as a note, by comparing the vectors of their units. */
import type { SimilarNote } from '#shared/contract/index.ts'
import type { SimilarityModel } from '../embeddings/embedding-provider.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { UnitVectors } from './unit-similarity.ts'

/** Units of the note that are compared, from its beginning. */
const maxOwnUnits = 24
/** Minimum number of terms of a compared unit: cosines of shorter texts mean little. */
const minTerms = 4
/** Cosine that pairs on different subjects hardly ever reach with the built-in model. */
const minCosine = 0.4

/**
 * Returns at most `limit` notes, nearest first, each with its best pair of units; empty if there are no vectors.
 * @param model the model if vectors are computed from texts; undefined if the index stores them
 */
export function similarNotes(
  db: Db,
  vectors: UnitVectors,
  model: SimilarityModel | undefined,
  path: string,
  limit: number,
): SimilarNote[] {
  const units = `units JOIN files ON files.id = units.file_id
    WHERE length >= ${minTerms} AND units.vector IS NOT NULL AND units.is_chat = 0`
  const own = db.prepare<[string, number], { id: number; line: number }>(
    `SELECT units.id, start_line AS line FROM ${units} AND path = ? ORDER BY seq LIMIT ?`,
  )
  const other = db.prepare<[number, string], Pick<SimilarNote, 'path' | 'line' | 'endLine' | 'text'>>(
    `SELECT path, start_line AS line, end_line AS endLine, text FROM ${units} AND units.id = ? AND path <> ?`,
  )
  const best = new Map<string, SimilarNote>()
  for (const { id, line: from } of own.all(path, maxOwnUnits)) {
    const vector = vectors.vectorOf(id, model)
    if (!vector) continue
    const cosineOf = vectors.cosinesWith(vector, model)
    for (const near of vectors.withNearCodes(vector)) {
      const cosine = cosineOf(near) ?? 0
      const unit = cosine >= minCosine ? other.get(near, path) : undefined
      if (unit && cosine > (best.get(unit.path)?.cosine ?? 0)) best.set(unit.path, { ...unit, from, cosine })
    }
  }
  return [...best.values()]
    .sort((one, other) => other.cosine - one.cosine || (one.path < other.path ? -1 : 1))
    .slice(0, limit)
}
