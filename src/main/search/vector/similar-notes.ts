/**
 * Finds notes on the same subject as a note, by comparing their passages' vectors. The scale of cosines depends on the
 * model, so each is measured in standard deviations above the passage's median cosine with a sample of other passages.
 */
import type { SimilarNote } from '#shared/contract/index.ts'
import type { StoredVector } from '../indexing/passage-store.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { VectorRetriever } from './vector-retriever.ts'

const maxOwnPassages = 24
const nearestPerPassage = 40
const sampleSize = 64
/** Minimum distance from the median cosine, in standard deviations. Random pairs hardly ever reach it. */
const minDeviations = 3.5
/** Assumed deviation, measured with the built-in model; it counts as `passages` additional samples. */
const prior = { deviation: 0.05, passages: 16 }
/** Ratio of the standard deviation to the median absolute deviation (MAD) in a normal distribution. */
const madToStandardDeviation = 1.4826

interface OwnPassage {
  readonly passage: number
  readonly startLine: number
  readonly vector: Float32Array
}

/** Returns at most `limit` notes, nearest first, each with its best pair of passages; empty if there are no vectors. */
export function similarNotes(db: Db, retriever: VectorRetriever, path: string, limit: number): SimilarNote[] {
  const statements = prepare(db)
  const all = statements.own.all(path)
  const step = Math.max(1, all.length / maxOwnPassages)
  const length = Math.min(all.length, maxOwnPassages)
  const ownPassages = Array.from({ length }, (_, index) => all[Math.floor(index * step)])
    .filter((passage) => passage !== undefined)
    .flatMap(({ passage, startLine, ...stored }): OwnPassage[] => {
      const vector = retriever.vectorIn(stored)
      return vector ? [{ passage, startLine, vector }] : []
    })
  const others = statements.others.all(path)
  const sampleStep = Math.max(1, Math.floor(others.length / sampleSize))
  const sample = others.filter((_, index) => index % sampleStep === 0).slice(0, sampleSize)
  const best = new Map<string, SimilarNote>()
  for (const { vector, startLine } of ownPassages) {
    const query = retriever.query(vector)
    const baseline = baselineOf(query.cosines(sample))
    const near = new Map(query.nearestPassages(nearestPerPassage).map(({ id, cosine }) => [id, cosine]))
    for (const found of statements.places.iterate(JSON.stringify([...near.keys()]))) {
      const cosine = near.get(found.passage) ?? -1
      const deviations = (cosine - baseline.median) / baseline.deviation
      if (found.path === path || deviations < minDeviations) continue
      if (deviations <= (best.get(found.path)?.deviations ?? 0)) continue
      const { path: other, line, endLine, text } = found
      best.set(other, { path: other, line, endLine, text, from: startLine, cosine, deviations })
    }
  }
  return [...best.values()]
    .sort((one, other) => other.deviations - one.deviations || (one.path < other.path ? -1 : 1))
    .slice(0, limit)
}

/** Returns the median and the standard deviation, which is estimated from the MAD and mixed with the prior. */
function baselineOf(cosines: readonly number[]): { readonly median: number; readonly deviation: number } {
  const median = medianOf(cosines)
  const estimate = madToStandardDeviation * medianOf(cosines.map((cosine) => Math.abs(cosine - median)))
  const { deviation, passages } = prior
  const variance = (passages * deviation ** 2 + cosines.length * estimate ** 2) / (passages + cosines.length)
  return { median, deviation: Math.sqrt(variance) }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}

function prepare(db: Db) {
  return {
    own: db.prepare<[string], StoredVector & { readonly passage: number; readonly startLine: number }>(
      `SELECT own.passage_id AS passage, min(own.start_line) AS startLine, cache.vector, stored.digest
       FROM chunks AS chunk
       JOIN chunk_passages AS own ON own.chunk_id = chunk.id
       JOIN passages AS passage ON passage.id = own.passage_id
       LEFT JOIN embedding_cache AS cache ON cache.id = passage.vector
       LEFT JOIN passage_digests AS stored ON stored.passage_id = passage.id
       WHERE chunk.path = ? AND passage.vector IS NOT NULL GROUP BY own.passage_id ORDER BY startLine`,
    ),
    others: db
      .prepare<[string], number>(
        `SELECT DISTINCT own.passage_id FROM chunks AS chunk JOIN chunk_passages AS own ON own.chunk_id = chunk.id
         JOIN passages AS passage ON passage.id = own.passage_id
         WHERE chunk.path <> ? AND passage.vector IS NOT NULL ORDER BY own.passage_id`,
      )
      .pluck(),
    places: db.prepare<[string], { passage: number; path: string; line: number; endLine: number; text: string }>(
      `SELECT own.passage_id AS passage, chunk.path AS path, own.start_line AS line, own.end_line AS endLine,
         substr(passage.text, 1, 400) AS text
       FROM json_each(?) AS wanted
       JOIN chunk_passages AS own ON own.passage_id = wanted.value
       JOIN chunks AS chunk ON chunk.id = own.chunk_id
       JOIN passages AS passage ON passage.id = own.passage_id
       WHERE chunk.source <> 'sessions'`,
    ),
  }
}
