import { floatFromBits, uint32At } from './digest.ts'
import type { BuiltinModel } from './builtin-model.ts'
import { RowProducts } from './row-products.ts'
import { multiTokenMarker } from './tokenizer.ts'
import type { WeightedWord } from './embed-text.ts'
import type { TokenIdSequence } from '../embedding-provider.ts'

const usualTokens = 1024

/** Kind of a token: whether any question word is similar to it. */
const far = 1
const near = 2

/** Cosines between the words of one question and the tokens of passages, cached across passages. */
export class WordCosines {
  readonly #model: BuiltinModel
  readonly #count: number
  readonly #minCosine: number
  /** Maps the hash of an unknown word to its index in the question. */
  readonly #unknownWords: ReadonlyMap<number, number>
  /** `far` or `near` by token; 0 if the token has not been read. */
  readonly #kinds: Uint8Array
  /** Offset of a token's values in `#figures`, plus one; 0 if it has not been read. */
  readonly #valueOffsets: Uint32Array
  /** For each token: its cosine with every question word, then the weighted length of its vector. */
  #tokenValues: Float32Array
  #end = 0
  readonly #cosines: Float32Array
  readonly #products: RowProducts

  /** @param minCosine cosines up to this one count as 0 */
  constructor(model: BuiltinModel, asked: readonly WeightedWord[], minCosine: number) {
    this.#model = model
    this.#count = asked.length
    this.#minCosine = minCosine
    this.#unknownWords = new Map(
      asked.flatMap(({ unknownHash: hash }, at): [number, number][] => (hash === undefined ? [] : [[hash, at]])),
    )
    this.#kinds = new Uint8Array(model.tokens)
    this.#valueOffsets = new Uint32Array(model.tokens)
    this.#tokenValues = new Float32Array(usualTokens * (asked.length + 1))
    this.#cosines = new Float32Array(asked.length)
    // An unknown word's vector is random, so its cosine with other words means nothing.
    const vectors = asked.map(({ vector, unknownHash: hash }) => (hash === undefined ? vector : vector.map(() => 0)))
    this.#products = new RowProducts(vectors)
  }

  /** Writes into `best` each question word's highest cosine with a word of the passage, or -1 if none is similar. */
  best(passage: TokenIdSequence, best: Float64Array): void {
    best.fill(-1)
    const kinds = this.#kinds
    for (let at = 0; at < passage.length;) {
      const head = passage[at] as number
      if (head < multiTokenMarker) {
        const kind = kinds[head] as number
        // Skips words unrelated to the question: most words of a text.
        if (kind !== far) {
          const place = this.#offsetOf(head)
          if (kind === near || kinds[head] === near) raise(best, this.#tokenValues, place)
        }
        at += 1
      } else if (head === multiTokenMarker) {
        const asked = this.#unknownWords.get(uint32At(passage, at + 1))
        if (asked !== undefined) best[asked] = 1
        at += 3
      } else {
        const count = head - multiTokenMarker
        this.#computeWord(passage, at + 1, at + 1 + count)
        raise(best, this.#cosines, 0)
        at += 3 + count
      }
    }
  }

  /**
   * Computes the cosines of a word of several tokens. They are at `start` to `end` (exclusive), followed by the word's
   * vector length.
   */
  #computeWord(passage: TokenIdSequence, start: number, end: number): void {
    const cosines = this.#cosines.fill(0)
    const count = cosines.length
    for (let part = start; part < end; part += 1) {
      const place = this.#offsetOf(passage[part] as number)
      const length = this.#tokenValues[place + count] as number
      for (let at = 0; at < count; at += 1)
        cosines[at] = (cosines[at] as number) + length * (this.#tokenValues[place + at] as number)
    }
    const length = floatFromBits(uint32At(passage, end)) || 1
    for (let at = 0; at < count; at += 1) cosines[at] = (cosines[at] as number) / length
  }

  #offsetOf(token: number): number {
    const place = this.#valueOffsets[token] as number
    return place > 0 ? place - 1 : this.#computeToken(token)
  }

  #computeToken(token: number): number {
    const { rows, weights, dimensions } = this.#model
    const place = this.#end
    const count = this.#count
    this.#end += count + 1
    if (this.#end > this.#tokenValues.length) this.#grow()
    this.#valueOffsets[token] = place + 1
    const products = this.#products.of(rows.subarray(token * dimensions, (token + 1) * dimensions))
    const length = Math.sqrt(products[count] as number) || 1
    let highest = -1
    for (let at = 0; at < count; at += 1) {
      const cosine = (products[at] as number) / length
      this.#tokenValues[place + at] = cosine
      if (cosine > highest) highest = cosine
    }
    this.#kinds[token] = highest > this.#minCosine ? near : far
    this.#tokenValues[place + count] = length * (weights[token] as number)
    return place
  }

  #grow(): void {
    const larger = new Float32Array(2 * this.#tokenValues.length)
    larger.set(this.#tokenValues)
    this.#tokenValues = larger
  }
}

function raise(best: Float64Array, cosines: Float32Array, from: number): void {
  for (let at = 0; at < best.length; at += 1) {
    const cosine = cosines[from + at] as number
    if (cosine > (best[at] as number)) best[at] = cosine
  }
}
