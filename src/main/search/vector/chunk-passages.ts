/**
 * The passages of chunks, and what a model makes of their texts, of the chunks that searches looked at last: questions of
 * one memory meet the same ones again and again. No id of a chunk is given twice and its passages never change, so what
 * is kept stays right however the index does.
 */
import type { TokenIdSequence } from '../embeddings/embedding-provider.ts'
import { digestIn } from '../indexing/passage-store.ts'
import type { Db } from '../indexing/index-schema.ts'

/** Chunks that are kept: a few megabytes. */
const maxKept = 2048

export interface OwnPassage {
  readonly chunk: number
  readonly passage: number
  /** 1-based, inclusive, in the file. */
  readonly startLine: number
  readonly endLine: number
}

interface KeptPassage extends OwnPassage {
  digest?: TokenIdSequence
}

export class ChunkPassages {
  readonly #statements: ReturnType<typeof prepare>
  /** Those that were asked for last at the end. */
  readonly #kept = new Map<number, readonly KeptPassage[]>()

  constructor(db: Db) {
    this.#statements = prepare(db)
  }

  /** Of each of the chunks its passages, in the order in which they stand. */
  of(chunks: Iterable<number>): Map<number, readonly OwnPassage[]> {
    const found = new Map<number, readonly KeptPassage[]>()
    const missing: number[] = []
    for (const chunk of chunks) {
      const known = this.#kept.get(chunk)
      if (!known) missing.push(chunk)
      else found.set(chunk, known)
      this.#kept.delete(chunk)
    }
    if (missing.length > 0) for (const [chunk, own] of this.#read(missing)) found.set(chunk, own)
    for (const [chunk, own] of found) this.#kept.set(chunk, own)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxKept) break
      this.#kept.delete(oldest)
    }
    return found
  }

  /** What `digestOf` makes of a passage's text; the same model is to be asked every time. */
  digest(passage: OwnPassage, digestOf: (text: string) => TokenIdSequence): TokenIdSequence {
    const kept: KeptPassage = passage
    kept.digest ??= this.#digestInIndex(passage.passage) ?? digestOf(this.textOf(passage.passage) ?? '')
    return kept.digest
  }

  #digestInIndex(passage: number): TokenIdSequence | undefined {
    const bytes = this.#statements.digest.get(passage)
    return bytes && digestIn(bytes)
  }

  textOf(passage: number): string | undefined {
    return this.#statements.text.get(passage)
  }

  #read(chunks: readonly number[]): Map<number, KeptPassage[]> {
    return Map.groupBy(this.#statements.passagesOf.all(JSON.stringify(chunks)), ({ chunk }) => chunk)
  }
}

function prepare(db: Db) {
  return {
    text: db.prepare<[number], string>('SELECT text FROM passages WHERE id = ?').pluck(),
    digest: db.prepare<[number], Buffer>('SELECT digest FROM passage_digests WHERE passage_id = ?').pluck(),
    passagesOf: db.prepare<[string], OwnPassage>(
      `SELECT chunk_id AS chunk, passage_id AS passage, start_line AS startLine, end_line AS endLine
       FROM json_each(?) AS wanted JOIN chunk_passages AS own ON own.chunk_id = wanted.value
       ORDER BY own.chunk_id, own.place`,
    ),
  }
}
