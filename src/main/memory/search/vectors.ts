/**
 * The vector leg (M16, M51): nearest passages by cosine similarity, in two passes. The first compares coarse forms in
 * memory; the second computes the cosines of the best of them from the vectors in the index. A chunk is as near as its
 * best passage.
 */
import { toBlob } from '../../embeddings/index.ts'
import type { Db } from '../schema.ts'
import { CoarseIndex, type CoarseMatches, type CoarseParts } from './coarse-index.ts'
import type { Nearness } from './query-vectors.ts'

/** Passages whose cosine is computed: the fewer bits a coarse form has, the more can hide behind it. */
const exactPassages = 160
const mostExactPassages = 640
/** Chunks that are looked at for those that a filter lets through, before it is looked among these alone. */
const mostNearest = 400
/** Passages of a chunk that are looked at when it was found by its words. */
const exactPerChunk = 3
/** Those whose nearness is more than a cosine. */
const nearPerChunk = 2

/** The passage that makes a chunk as near as it is. */
export interface PassageMatch {
  /** Its cosine with the question, or what the model makes of that and the words. */
  readonly nearness: number
  /** 1-based, inclusive, in the file. */
  readonly startLine: number
  readonly endLine: number
}

/** One that is in the index. */
export interface NearPassage extends PassageMatch {
  readonly id: number
}

export class VectorLeg {
  readonly #coarse: CoarseIndex
  readonly #statements: ReturnType<typeof prepare>
  readonly #exact: number

  constructor(db: Db, dimensions: number) {
    this.#coarse = new CoarseIndex(db, dimensions)
    this.#statements = prepare(db)
    this.#exact = Math.min(mostExactPassages, Math.round(exactPassages * Math.max(1, 384 / dimensions)))
  }

  begin(parts: CoarseParts): void {
    this.#coarse.begin(parts)
  }

  toParts(): CoarseParts {
    return this.#coarse.toParts()
  }

  /** To be called when the index has changed. */
  refresh(): void {
    this.#coarse.refresh()
  }

  /** @param vector of length 1 @param nearness where it is not the cosine */
  query(vector: Float32Array, nearness?: Nearness): VectorQuery {
    return new VectorQuery(this.#statements, this.#coarse, vector, this.#exact, nearness)
  }
}

/** One question; what was computed for it is not computed again. */
export class VectorQuery {
  readonly #statements: ReturnType<typeof prepare>
  readonly #forms: CoarseIndex
  readonly #vector: Float32Array
  readonly #cosines = new Map<number, number>()
  readonly #nearness: Nearness | undefined
  #exact: number
  #coarse: CoarseMatches

  constructor(
    statements: ReturnType<typeof prepare>,
    forms: CoarseIndex,
    vector: Float32Array,
    exact: number,
    nearness: Nearness | undefined,
  ) {
    this.#statements = statements
    this.#forms = forms
    this.#vector = vector
    this.#exact = exact
    this.#nearness = nearness
    this.#coarse = forms.nearest(vector, exact)
    this.#measure(this.#coarse.passages)
  }

  /** The `count` passages that are nearest, nearest first. */
  nearestPassages(count: number): { readonly id: number; readonly cosine: number }[] {
    return [...this.#cosines]
      .map(([id, cosine]) => ({ id, cosine }))
      .sort((one, other) => other.cosine - one.cosine || one.id - other.id)
      .slice(0, count)
  }

  /** @param passages ids, as JSON @returns their cosines, in no order; those without a vector have none */
  cosines(passages: string): number[] {
    return this.#statements.cosines.all(toBlob(this.#vector), passages).map(({ cosine }) => cosine)
  }

  /** Ids of the `count` chunks that have the nearest passages, nearest first. @param only those among which to look */
  nearest(count: number, only?: ReadonlySet<number>): number[] {
    if (!only) return this.#nearestOfAll(count)
    // Where many are let through, enough of them are among the nearest of all.
    const near = this.#nearestOfAll(Math.max(count, mostNearest)).filter((chunk) => only.has(chunk))
    return near.length >= Math.min(count, only.size) ? near.slice(0, count) : this.#nearestOf(only, count)
  }

  #nearestOfAll(count: number): number[] {
    // Whoever wants more than can be among those looks further.
    while (this.#exact < count && this.#coarse.passages.length < this.#forms.size) {
      this.#exact = Math.max(count, 2 * this.#exact)
      this.#coarse = this.#forms.nearest(this.#vector, this.#exact)
      this.#measure(this.#coarse.passages.filter((passage) => !this.#cosines.has(passage)))
    }
    const own = this.#statements.chunksOf.iterate(JSON.stringify(this.#coarse.passages))
    return this.#bestChunks(own, count)
  }

  #nearestOf(only: ReadonlySet<number>, count: number): number[] {
    const own = this.#statements.passagesOf.all(JSON.stringify([...only]))
    const near = own
      .map(({ chunk, passage }) => ({ chunk, passage, distance: this.#coarse.distanceOf(passage) }))
      .filter(({ distance }) => distance < Infinity)
      .sort((one, other) => one.distance - other.distance || one.passage - other.passage)
      .slice(0, this.#exact)
    this.#measure(near.flatMap(({ passage }) => (this.#cosines.has(passage) ? [] : passage)))
    return this.#bestChunks(near, count)
  }

  #bestChunks(own: Iterable<{ readonly chunk: number; readonly passage: number }>, count: number): number[] {
    const best = new Map<number, number>()
    for (const { chunk, passage } of own) {
      const cosine = this.#cosines.get(passage)
      if (cosine !== undefined && cosine > (best.get(chunk) ?? -2)) best.set(chunk, cosine)
    }
    return [...best]
      .sort(([one, oneCosine], [other, otherCosine]) => otherCosine - oneCosine || one - other)
      .slice(0, count)
      .map(([chunk]) => chunk)
  }

  /** The best passage of each chunk that has one with a vector. */
  matches(chunks: readonly number[]): Map<number, NearPassage> {
    const own = Map.groupBy(this.#statements.passagesOf.all(JSON.stringify(chunks)), ({ chunk }) => chunk)
    const distance = ({ passage }: OwnPassage) => this.#coarse.distanceOf(passage)
    const missing = new Set<number>()
    for (const passages of own.values()) {
      passages.sort((one, other) => distance(one) - distance(other))
      for (const { passage } of passages.slice(0, exactPerChunk)) if (!this.#cosines.has(passage)) missing.add(passage)
    }
    this.#measure([...missing])
    const matches = new Map<number, NearPassage>()
    const known = new Map<number, number>()
    for (const [chunk, passages] of own) {
      const measured = passages
        .map((passage) => ({ ...passage, cosine: this.#cosines.get(passage.passage) ?? -2 }))
        .filter(({ cosine }) => cosine > -2)
        .sort((one, other) => other.cosine - one.cosine || one.passage - other.passage)
      for (const { passage, cosine, startLine, endLine } of measured.slice(0, this.#nearness ? nearPerChunk : 1)) {
        const nearness = known.get(passage) ?? this.#nearnessOf(passage, cosine)
        known.set(passage, nearness)
        if (nearness > (matches.get(chunk)?.nearness ?? -2))
          matches.set(chunk, { id: passage, nearness, startLine, endLine })
      }
    }
    return matches
  }

  /** What a passage says, as the model got it. */
  textOf(passage: number | undefined): string | undefined {
    return passage === undefined ? undefined : this.#statements.text.get(passage)
  }

  #nearnessOf(passage: number, cosine: number): number {
    return this.#nearness ? this.#nearness(this.textOf(passage) ?? '', cosine) : cosine
  }

  #measure(passages: readonly number[]): void {
    for (const { id, cosine } of this.#statements.cosines.iterate(toBlob(this.#vector), JSON.stringify(passages)))
      this.#cosines.set(id, cosine)
  }
}

interface OwnPassage {
  readonly chunk: number
  readonly passage: number
  readonly startLine: number
  readonly endLine: number
}

function prepare(db: Db) {
  return {
    cosines: db.prepare<[Buffer, string], { id: number; cosine: number }>(
      `SELECT p.id, 1 - vec_distance_cosine(c.vector, ?) AS cosine
       FROM json_each(?) AS wanted
       JOIN passages AS p ON p.id = wanted.value
       JOIN embedding_cache AS c ON c.id = p.vector`,
    ),
    text: db.prepare<[number], string>('SELECT text FROM passages WHERE id = ?').pluck(),
    chunksOf: db.prepare<[string], { chunk: number; passage: number }>(
      `SELECT own.chunk_id AS chunk, own.passage_id AS passage
       FROM json_each(?) AS wanted JOIN chunk_passages AS own ON own.passage_id = wanted.value`,
    ),
    passagesOf: db.prepare<[string], OwnPassage>(
      `SELECT chunk_id AS chunk, passage_id AS passage, start_line AS startLine, end_line AS endLine
       FROM json_each(?) AS wanted JOIN chunk_passages AS own ON own.chunk_id = wanted.value
       ORDER BY own.chunk_id, own.place`,
    ),
  }
}
