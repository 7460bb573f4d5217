/** The cosines of the words of passages with those of one question, by the built-in model. Pure. */
import { fromBits, stranger } from './builtin-digest.ts'
import type { BuiltinModel } from './builtin-model.ts'
import { RowProducts } from './builtin-products.ts'
import { addStranger, dot, type WeighedWord } from './builtin-vectors.ts'
import type { Digest } from './provider.ts'

/** Distinct tokens that a search meets. */
const usualTokens = 1024

/** What was computed for one passage serves the next. */
export class WordCosines {
  readonly #model: BuiltinModel
  readonly #asked: readonly WeighedWord[]
  /** Where the figures of a token begin, plus one; 0 for one that was not looked at yet. */
  readonly #places: Uint32Array
  /** Of each token its cosine with every word that is asked for, then what its vector is long as it weighs. */
  #figures: Float32Array
  #end = 0
  /** Of the word that is looked at. */
  readonly #cosines: Float32Array
  readonly #products: RowProducts

  constructor(model: BuiltinModel, asked: readonly WeighedWord[]) {
    this.#model = model
    this.#asked = asked
    this.#places = new Uint32Array(model.tokens)
    this.#figures = new Float32Array(usualTokens * (asked.length + 1))
    this.#cosines = new Float32Array(asked.length)
    this.#products = new RowProducts(asked.map(({ vector }) => vector))
  }

  /** Writes into `best` the highest cosine that each of the question's words has with a word of the passage. */
  best(passage: Digest, best: Float64Array): void {
    best.fill(-1)
    for (let at = 0; at < passage.length;) {
      const head = passage[at] as number
      if (head >= 0) {
        const place = this.#placeOf(head)
        raise(best, this.#figures, place)
        at += 1
      } else if (head === stranger) {
        this.#readStranger(passage[at + 1] as number)
        raise(best, this.#cosines, 0)
        at += 2
      } else {
        this.#readTokens(passage, at + 1, at + 1 - head)
        raise(best, this.#cosines, 0)
        at += 2 - head
      }
    }
  }

  /** The tokens of a word stand in the passage from `start` to before `end`, then comes its length. */
  #readTokens(passage: Digest, start: number, end: number): void {
    const cosines = this.#cosines.fill(0)
    const count = cosines.length
    for (let part = start; part < end; part += 1) {
      const place = this.#placeOf(passage[part] as number)
      const length = this.#figures[place + count] as number
      for (let at = 0; at < count; at += 1)
        cosines[at] = (cosines[at] as number) + length * (this.#figures[place + at] as number)
    }
    const length = fromBits(passage[end] as number) || 1
    for (let at = 0; at < count; at += 1) cosines[at] = (cosines[at] as number) / length
  }

  #readStranger(hash: number): void {
    const vector = new Float32Array(this.#model.dimensions)
    addStranger(hash, vector)
    for (const [at, { vector: other }] of this.#asked.entries()) this.#cosines[at] = dot(vector, other)
  }

  #placeOf(token: number): number {
    const place = this.#places[token] as number
    return place > 0 ? place - 1 : this.#read(token)
  }

  #read(token: number): number {
    const { rows, weights, dimensions } = this.#model
    const place = this.#end
    const count = this.#asked.length
    this.#end += count + 1
    if (this.#end > this.#figures.length) this.#grow()
    this.#places[token] = place + 1
    const products = this.#products.of(rows.subarray(token * dimensions, (token + 1) * dimensions))
    const length = Math.sqrt(products[count] as number) || 1
    for (let at = 0; at < count; at += 1) this.#figures[place + at] = (products[at] as number) / length
    this.#figures[place + count] = length * (weights[token] as number)
    return place
  }

  #grow(): void {
    const larger = new Float32Array(2 * this.#figures.length)
    larger.set(this.#figures)
    this.#figures = larger
  }
}

function raise(best: Float64Array, cosines: Float32Array, from: number): void {
  for (let at = 0; at < best.length; at += 1) {
    const cosine = cosines[from + at] as number
    if (cosine > (best[at] as number)) best[at] = cosine
  }
}
