import type { SimilarNote } from '#shared/contract/index.ts'
import { cached } from '#shared/util/lazy.ts'
import { dot, fromBlob, type SimilarityModel } from '../embeddings/embedding-provider.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { Scope, UnitTable } from '../units/unit-reader.ts'
import { bodyOf, signCodeOf } from '../units/prepare-units.ts'
import type { UnitSimilarity } from './features.ts'

/** Number of nearest codes whose exact cosines are computed, and of those that become candidates. */
const nearestCodes = 200
const maxNearest = 50
/** Size of the sample of units that a query's cosines are standardized with. */
const maxSample = 300
/** Mean and deviation of the built-in model's cosines on the judged sets; counted as `priorUnits` units. */
const usual = { mean: 0.12, deviation: 0.14 }
const priorUnits = 30

export interface EmbeddedQuery {
  readonly vector: Float32Array
  /** Present if vectors are computed from the text instead of stored. */
  readonly model?: SimilarityModel | undefined
  readonly text: string
}

export interface RawSimilarity {
  /** Returns the cosine as the model gives it; undefined for a unit without a vector. */
  readonly rawCosine: (id: number) => number | undefined
}

/** Number of units whose tokens are cached. Ids are never reused, and the text of a unit never changes. */
const maxPassages = 20_000

export class UnitVectors {
  readonly #table: UnitTable
  readonly #statements: ReturnType<typeof prepare>
  #sample: readonly number[] = []
  #sampledUnits = -1

  constructor(db: Db, scope: Scope, table: UnitTable) {
    this.#table = table
    this.#statements = prepare(db, scope)
  }

  /** Compares the units with a query. Must run in the transaction of the search. */
  similarityTo(query: EmbeddedQuery): UnitSimilarity & RawSimilarity {
    const raw = this.cosinesWith(query.vector, query.model)
    const { mean, deviation } = this.#distribution(raw)
    const cosine = cached((id: number) => {
      const found = raw(id)
      return found === undefined ? 0 : usual.mean + (usual.deviation * (found - mean)) / deviation
    })
    const wordSimilarity = query.model?.similarityTo(query.text)
    const similarity = cached((id: number) => {
      const tokens = query.model && this.#passage(id, query.model)?.tokens
      return wordSimilarity && tokens ? wordSimilarity(tokens, cosine(id)) : cosine(id)
    })
    const near = this.withNearCodes(query.vector).sort((one, other) => cosine(other) - cosine(one))
    return { nearest: near.slice(0, maxNearest), cosine, similarity, rawCosine: raw }
  }

  withNearCodes(vector: Float32Array): number[] {
    const code = signCodeOf(vector)
    return this.#statements.nearest.all(code.length, code, nearestCodes).filter((id) => this.#table.has(id))
  }

  /** Returns a function from a unit to its cosine with a vector of length 1; undefined for units without a vector. */
  cosinesWith(vector: Float32Array, model: SimilarityModel | undefined): (id: number) => number | undefined {
    if (!model)
      return (id) => {
        const other = this.#storedVector(id)
        return other?.length === vector.length ? dot(vector, other) : undefined
      }
    const cosineOf = model.cosinesWith(vector)
    return (id) => {
      const found = this.#passage(id, model)
      return found && cosineOf(found.tokens, found.length)
    }
  }

  vectorOf(id: number, model: SimilarityModel | undefined): Float32Array | undefined {
    const tokens = model && this.#passage(id, model)?.tokens
    if (model && tokens) return model.vectorOf(tokens).vector
    return this.#storedVector(id)
  }

  #storedVector(id: number): Float32Array | undefined {
    const blob = this.#statements.vector.get(id)
    return blob && fromBlob(blob)
  }

  readonly #passages = new Map<number, { tokens: Int32Array; length: number }>()

  #passage(id: number, model: SimilarityModel): { tokens: Int32Array; length: number } | undefined {
    const known = this.#passages.get(id)
    if (known) return known
    const row = this.#statements.text.get(id)
    if (!row) return undefined
    const found = { tokens: model.tokensOf(bodyOf(row)), length: row.length }
    if (this.#passages.size >= maxPassages) this.#passages.clear()
    this.#passages.set(id, found)
    return found
  }

  #distribution(raw: (id: number) => number | undefined): { mean: number; deviation: number } {
    const values = this.#sampleIds()
      .map(raw)
      .filter((value) => value !== undefined)
    const count = values.length + priorUnits
    const mean = (values.reduce((sum, value) => sum + value, 0) + priorUnits * usual.mean) / count
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    return { mean, deviation: Math.sqrt((squares + priorUnits * usual.deviation ** 2) / count) }
  }

  #sampleIds(): readonly number[] {
    if (this.#sampledUnits !== this.#table.units || !this.#sample.every((id) => this.#table.has(id))) {
      const ids = [...this.#table.ids()]
      const step = Math.max(1, ids.length / maxSample)
      this.#sample = Array.from({ length: Math.min(maxSample, ids.length) }, (_, at) => ids[Math.floor(at * step)] ?? 0)
      this.#sampledUnits = this.#table.units
    }
    return this.#sample
  }
}

function prepare(db: Db, { isChat, hasPrivate }: Scope) {
  return {
    nearest: db
      .prepare<[number, Buffer, number], number>(
        `SELECT unit_id FROM unit_codes
         WHERE is_chat = ${Number(isChat)} AND private <= ${Number(hasPrivate)} AND length(code) = ?
         ORDER BY vec_distance_hamming(vec_bit(code), vec_bit(?)) LIMIT ?`,
      )
      .pluck(),
    text: db.prepare<[number], { text: string; label: string; length: number }>(
      `SELECT text, label, unit_codes.length FROM unit_codes JOIN units ON id = unit_id
       WHERE unit_id = ? AND unit_codes.length IS NOT NULL`,
    ),
    vector: db
      .prepare<[number], Buffer>(
        'SELECT vector FROM embedding_cache WHERE id = (SELECT vector FROM units WHERE id = ?)',
      )
      .pluck(),
  }
}

/** Units of a note that are compared to find similar notes, from its beginning. */
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
