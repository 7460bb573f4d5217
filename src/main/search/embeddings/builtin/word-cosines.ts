import { floatFromBits, uint32At } from './digest.ts'
import type { BuiltinModel } from './builtin-model.ts'
import { RowProducts } from './row-products.ts'
import { multiTokenMarker } from './tokenizer.ts'
import type { WeightedWord } from './embed-text.ts'
import type { TokenIdSequence } from '../embedding-provider.ts'

const initialCapacity = 1024

/** Kinds of tokens: `relatedKind` if any question word is similar to the token. */
const unrelatedKind = 1
const relatedKind = 2

/** Cosines between the words of one question and the tokens of passages, cached across passages. */
export class WordCosines {
  readonly #model: BuiltinModel
  readonly #wordCount: number
  readonly #minCosine: number
  /** Maps the hash of an unknown word to its index in the question. */
  readonly #unknownWords: ReadonlyMap<number, number>
  /** `unrelatedKind` or `relatedKind` by token; 0 if the token has not been computed. */
  readonly #kinds: Uint8Array
  /** Offset of a token's values in `#tokenValues`, plus one; 0 if the token has not been computed. */
  readonly #valueOffsets: Uint32Array
  /** For each token: its cosine with every question word, then the weighted length of its vector. */
  #tokenValues: Float32Array
  #valuesEnd = 0
  readonly #cosines: Float32Array
  readonly #products: RowProducts

  /** @param minCosine cosines of question words up to this one count as 0 */
  constructor(model: BuiltinModel, words: readonly WeightedWord[], minCosine: number) {
    this.#model = model
    this.#wordCount = words.length
    this.#minCosine = minCosine
    this.#unknownWords = new Map(
      words.flatMap(({ unknownHash: hash }, index): [number, number][] => (hash === undefined ? [] : [[hash, index]])),
    )
    this.#kinds = new Uint8Array(model.tokens)
    this.#valueOffsets = new Uint32Array(model.tokens)
    this.#tokenValues = new Float32Array(initialCapacity * (words.length + 1))
    this.#cosines = new Float32Array(words.length)
    // An unknown word's vector is random, so its cosine with other words means nothing.
    const vectors = words.map(({ vector, unknownHash: hash }) => (hash === undefined ? vector : vector.map(() => 0)))
    this.#products = new RowProducts(vectors)
  }

  /** Writes into `best` each question word's highest cosine with a word of the passage, or -1 if none is similar. */
  findBest(passage: TokenIdSequence, best: Float64Array): void {
    best.fill(-1)
    const kinds = this.#kinds
    for (let index = 0; index < passage.length;) {
      const element = passage[index] as number
      if (element < multiTokenMarker) {
        const kind = kinds[element] as number
        // Skips words unrelated to the question: most words of a text.
        if (kind !== unrelatedKind) {
          const offset = this.#offsetOf(element)
          if (kind === relatedKind || kinds[element] === relatedKind) raiseToMax(best, this.#tokenValues, offset)
        }
        index += 1
      } else if (element === multiTokenMarker) {
        const questionIndex = this.#unknownWords.get(uint32At(passage, index + 1))
        if (questionIndex !== undefined) best[questionIndex] = 1
        index += 3
      } else {
        const count = element - multiTokenMarker
        this.#computeWord(passage, index + 1, index + 1 + count)
        raiseToMax(best, this.#cosines, 0)
        index += 3 + count
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
    for (let partIndex = start; partIndex < end; partIndex += 1) {
      const offset = this.#offsetOf(passage[partIndex] as number)
      const length = this.#tokenValues[offset + count] as number
      for (let index = 0; index < count; index += 1)
        cosines[index] = (cosines[index] as number) + length * (this.#tokenValues[offset + index] as number)
    }
    const length = floatFromBits(uint32At(passage, end)) || 1
    for (let index = 0; index < count; index += 1) cosines[index] = (cosines[index] as number) / length
  }

  #offsetOf(token: number): number {
    const offset = this.#valueOffsets[token] as number
    return offset > 0 ? offset - 1 : this.#computeToken(token)
  }

  #computeToken(token: number): number {
    const { rows, weights, dimensions } = this.#model
    const offset = this.#valuesEnd
    const count = this.#wordCount
    this.#valuesEnd += count + 1
    if (this.#valuesEnd > this.#tokenValues.length) this.#grow()
    this.#valueOffsets[token] = offset + 1
    const products = this.#products.compute(rows.subarray(token * dimensions, (token + 1) * dimensions))
    const length = Math.sqrt(products[count] as number) || 1
    let maxCosine = -1
    for (let index = 0; index < count; index += 1) {
      const cosine = (products[index] as number) / length
      this.#tokenValues[offset + index] = cosine
      if (cosine > maxCosine) maxCosine = cosine
    }
    this.#kinds[token] = maxCosine > this.#minCosine ? relatedKind : unrelatedKind
    this.#tokenValues[offset + count] = length * (weights[token] as number)
    return offset
  }

  #grow(): void {
    const enlarged = new Float32Array(2 * this.#tokenValues.length)
    enlarged.set(this.#tokenValues)
    this.#tokenValues = enlarged
  }
}

function raiseToMax(best: Float64Array, cosines: Float32Array, offset: number): void {
  for (let index = 0; index < best.length; index += 1) {
    const cosine = cosines[offset + index] as number
    if (cosine > (best[index] as number)) best[index] = cosine
  }
}
