/**
 * Finds notes on the same subject as a note, by comparing the vectors of their units. The scale of cosines depends on
 * the model, so each is measured in standard deviations above the median cosine of a unit with a sample of the others.
 */
import type { SimilarNote } from '#shared/contract/index.ts'
import type { SimilarityModel } from '../embeddings/embedding-provider.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { UnitVectors } from './unit-similarity.ts'

const maxOwnUnits = 24
const sampleSize = 64
/** Minimum number of terms of a compared unit: cosines of shorter texts mean little. */
const minTerms = 4
/** Minimum distance from the median cosine, in standard deviations. Random pairs hardly ever reach it. */
const minDeviations = 3.5
/** Assumed deviation, measured with the built-in model; it counts as `units` additional samples. */
const prior = { deviation: 0.05, units: 16 }
/** Ratio of the standard deviation to the median absolute deviation (MAD) in a normal distribution. */
const madToStandardDeviation = 1.4826

/**
 * Returns at most `limit` notes, nearest first, each with its best pair of units; empty if there are no vectors.
 * @param model the model of the index's digests; undefined if the index stores vectors
 */
export function similarNotes(
  db: Db,
  vectors: UnitVectors,
  model: SimilarityModel | undefined,
  path: string,
  limit: number,
): SimilarNote[] {
  const statements = prepare(db)
  const own = sampleOf(statements.own.all(path, minTerms), maxOwnUnits)
  const sample = sampleOf(statements.others.all(path, minTerms), sampleSize)
  const best = new Map<string, SimilarNote>()
  for (const { id, line: from } of own) {
    const vector = vectors.vectorOf(id, model)
    if (!vector) continue
    const cosineOf = vectors.cosinesWith(vector, model)
    const baseline = baselineOf(sample.flatMap((other) => cosineOf(other) ?? []))
    for (const near of vectors.withNearCodes(vector)) {
      const cosine = cosineOf(near) ?? -1
      const deviations = (cosine - baseline.median) / baseline.deviation
      const unit = deviations >= minDeviations ? statements.unit.get(near, minTerms) : undefined
      if (!unit || unit.path === path || deviations <= (best.get(unit.path)?.deviations ?? 0)) continue
      best.set(unit.path, { ...unit, from, cosine, deviations })
    }
  }
  return [...best.values()]
    .sort((one, other) => other.deviations - one.deviations || (one.path < other.path ? -1 : 1))
    .slice(0, limit)
}

/** Returns at most `size` elements, evenly spread. */
function sampleOf<T>(all: readonly T[], size: number): T[] {
  const step = Math.max(1, all.length / size)
  return Array.from({ length: Math.min(size, all.length) }, (_, at) => all[Math.floor(at * step)] as T)
}

/** Returns the median and the standard deviation. The latter is estimated from the MAD and mixed with the prior. */
function baselineOf(cosines: readonly number[]): { readonly median: number; readonly deviation: number } {
  const median = medianOf(cosines)
  const estimate = madToStandardDeviation * medianOf(cosines.map((cosine) => Math.abs(cosine - median)))
  const { deviation, units } = prior
  const variance = (units * deviation ** 2 + cosines.length * estimate ** 2) / (units + cosines.length)
  return { median, deviation: Math.sqrt(variance) }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}

function prepare(db: Db) {
  const units = 'units JOIN files ON files.id = units.file_id'
  const isCompared = 'units.vector IS NOT NULL AND units.is_chat = 0'
  return {
    own: db.prepare<[string, number], { id: number; line: number }>(
      `SELECT units.id, start_line AS line FROM ${units} WHERE path = ? AND length >= ? AND ${isCompared} ORDER BY seq`,
    ),
    others: db
      .prepare<[string, number], number>(
        `SELECT units.id FROM ${units} WHERE path <> ? AND length >= ? AND ${isCompared} ORDER BY units.id`,
      )
      .pluck(),
    unit: db.prepare<[number, number], { path: string; line: number; endLine: number; text: string }>(
      `SELECT path, start_line AS line, end_line AS endLine, text FROM ${units} WHERE units.id = ? AND length >= ?`,
    ),
  }
}
