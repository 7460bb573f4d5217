/**
 * Finds notes on the same subject as a note, by comparing their passages' vectors. A cosine means little, and differs
 * between models, so it is compared with the note's usual cosine with other passages.
 */
import type { NearNote } from '#shared/contract/index.ts'
import type { StoredVector } from '../indexing/passage-store.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { VectorRetriever } from './vector-retriever.ts'

const maxOwn = 24
const nearEach = 40
const sampleSize = 64
/** Minimum distance from the usual cosine, in standard deviations. Random pairs hardly ever reach it. */
const minDeviations = 3.5
/** Prior: the built-in model's deviation in most memories, weighted like this many passages. */
const prior = { deviation: 0.05, passages: 16 }
/** Ratio of the standard deviation to the median deviation in a normal distribution. */
const normalPerMedian = 1.4826

interface OwnPassage {
  readonly passage: number
  readonly startLine: number
  readonly vector: Float32Array
}

/** Returns at most `limit` notes, nearest first, each with its best pair of passages; empty if there are no vectors. */
export function similarNotes(db: Db, retriever: VectorRetriever, path: string, limit: number): NearNote[] {
  const statements = prepare(db)
  const all = statements.own.all(path)
  const step = Math.max(1, all.length / maxOwn)
  const ownPassages = Array.from({ length: Math.min(all.length, maxOwn) }, (_, index) => all[Math.floor(index * step)])
    .filter((passage) => passage !== undefined)
    .flatMap(({ passage, startLine, ...stored }): OwnPassage[] => {
      const vector = retriever.vectorIn(stored)
      return vector ? [{ passage, startLine, vector }] : []
    })
  const others = statements.others.all(path)
  const every = Math.max(1, Math.floor(others.length / sampleSize))
  const sample = others.filter((_, index) => index % every === 0).slice(0, sampleSize)
  const best = new Map<string, NearNote>()
  for (const { vector, startLine } of ownPassages) {
    const query = retriever.query(vector)
    const usual = usualOf(query.cosines(sample))
    const near = new Map(query.nearestPassages(nearEach).map(({ id, cosine }) => [id, cosine]))
    for (const found of statements.places.iterate(JSON.stringify([...near.keys()]))) {
      const cosine = near.get(found.passage) ?? -1
      const deviations = (cosine - usual.middle) / usual.deviation
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

/** Estimates the usual cosine robustly, by median and median deviation, mixed with the prior. */
function usualOf(cosines: readonly number[]): { readonly middle: number; readonly deviation: number } {
  const middle = medianOf(cosines)
  const found = normalPerMedian * medianOf(cosines.map((cosine) => Math.abs(cosine - middle)))
  const { deviation, passages } = prior
  const variance = (passages * deviation ** 2 + cosines.length * found ** 2) / (passages + cosines.length)
  return { middle, deviation: Math.sqrt(variance) }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}

function prepare(db: Db) {
  return {
    own: db.prepare<[string], StoredVector & { readonly passage: number; readonly startLine: number }>(
      `SELECT own.passage_id AS passage, min(own.start_line) AS startLine, cache.vector, made.digest
       FROM chunks AS chunk
       JOIN chunk_passages AS own ON own.chunk_id = chunk.id
       JOIN passages AS passage ON passage.id = own.passage_id
       LEFT JOIN embedding_cache AS cache ON cache.id = passage.vector
       LEFT JOIN passage_digests AS made ON made.passage_id = passage.id
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
