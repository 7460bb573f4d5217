/**
 * The digests of passages, where the index has those instead of vectors (M52), of the passages that searches compared last:
 * questions of one memory meet the same ones again and again.
 */
import type { TokenIdSequence, SimilarityModel } from '../embeddings/embedding-provider.ts'
import { digestIn } from '../indexing/passage-store.ts'
import type { Db } from '../indexing/index-schema.ts'

/** Passages that are kept: some two megabytes. */
const maxKept = 8192

interface Kept {
  readonly digest: TokenIdSequence
  readonly length: number
}

export class KeptDigests {
  readonly model: SimilarityModel
  readonly #read: ReturnType<typeof prepare>
  readonly #kept = new Map<number, Kept>()

  constructor(db: Db, model: SimilarityModel) {
    this.model = model
    this.#read = prepare(db)
  }

  /** To be called when the index has changed: another passage may have the number of one that is gone. */
  forget(): void {
    this.#kept.clear()
  }

  /** Places in a list of passages, each with the cosine of what stands there and a vector of length 1. */
  compare(vector: Float32Array): (passages: readonly number[]) => [at: number, cosine: number][] {
    const cosineOf = this.model.cosinesWith(vector)
    return (passages) => {
      this.#fetch(passages)
      return passages.flatMap((passage, at) => {
        const kept = this.#kept.get(passage)
        return kept ? [[at, cosineOf(kept.digest, kept.length)]] : []
      })
    }
  }

  #fetch(passages: readonly number[]): void {
    if (this.#kept.size > maxKept) this.forget()
    const missing = passages.filter((passage) => !this.#kept.has(passage))
    if (missing.length === 0) return
    for (const [passage, digest, length] of this.#read.all(JSON.stringify(missing)))
      this.#kept.set(passage, { digest: digestIn(digest), length })
  }
}

function prepare(db: Db) {
  return db
    .prepare<[string], [passage: number, digest: Buffer, length: number]>(
      `SELECT passage_id, digest, length FROM json_each(?) AS wanted
       JOIN passage_digests ON passage_digests.passage_id = wanted.value`,
    )
    .raw()
}
