import { fromBits, wholeAt } from './digest.ts'
import type { BuiltinModel } from './builtin-model.ts'
import { RowProducts } from './products.ts'
import { several } from './tokenizer.ts'
import type { WeighedWord } from './vector-table.ts'
import type { Digest } from '../embedding-provider.ts'

/** Distinct tokens that a search meets. */
const usualTokens = 1024

/** Of a token that was looked at. */
const far = 1
const near = 2

/** What was computed for one passage serves the next. */
export class WordCosines {
  readonly #model: BuiltinModel
  readonly #count: number
  /** Cosines up to this one are as good as none. */
  readonly #least: number
  /** The places in the question of words that the model does not know, by their hashes. */
  readonly #strangers: ReadonlyMap<number, number>
  /** Whether any of a token's cosines is worth a look. */
  readonly #kinds: Uint8Array
  /** Where the figures of a token begin, plus one; 0 for one that was not looked at yet. */
  readonly #places: Uint32Array
  /** Of each token its cosine with every word that is asked for, then what its vector is long as it weighs. */
  #figures: Float32Array
  #end = 0
  /** Of the word that is looked at. */
  readonly #cosines: Float32Array
  readonly #products: RowProducts

  /** @param least cosines up to this one need not be told apart */
  constructor(model: BuiltinModel, asked: readonly WeighedWord[], least: number) {
    this.#model = model
    this.#count = asked.length
    this.#least = least
    this.#strangers = new Map(
      asked.flatMap(({ stranger: hash }, at): [number, number][] => (hash === undefined ? [] : [[hash, at]])),
    )
    this.#kinds = new Uint8Array(model.tokens)
    this.#places = new Uint32Array(model.tokens)
    this.#figures = new Float32Array(usualTokens * (asked.length + 1))
    this.#cosines = new Float32Array(asked.length)
    // A direction by chance says nothing of other words.
    const vectors = asked.map(({ vector, stranger: hash }) => (hash === undefined ? vector : vector.map(() => 0)))
    this.#products = new RowProducts(vectors)
  }

  /**
   * Writes into `best` the highest cosine that each of the question's words has with a word of the passage; -1 where none
   * is worth a look.
   */
  best(passage: Digest, best: Float64Array): void {
    best.fill(-1)
    const kinds = this.#kinds
    for (let at = 0; at < passage.length;) {
      const head = passage[at] as number
      if (head < several) {
        const kind = kinds[head] as number
        // Most words of a text have nothing to do with a question.
        if (kind !== far) {
          const place = this.#placeOf(head)
          if (kind === near || kinds[head] === near) raise(best, this.#figures, place)
        }
        at += 1
      } else if (head === several) {
        const asked = this.#strangers.get(wholeAt(passage, at + 1))
        if (asked !== undefined) best[asked] = 1
        at += 3
      } else {
        const count = head - several
        this.#readTokens(passage, at + 1, at + 1 + count)
        raise(best, this.#cosines, 0)
        at += 3 + count
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
    const length = fromBits(wholeAt(passage, end)) || 1
    for (let at = 0; at < count; at += 1) cosines[at] = (cosines[at] as number) / length
  }

  #placeOf(token: number): number {
    const place = this.#places[token] as number
    return place > 0 ? place - 1 : this.#read(token)
  }

  #read(token: number): number {
    const { rows, weights, dimensions } = this.#model
    const place = this.#end
    const count = this.#count
    this.#end += count + 1
    if (this.#end > this.#figures.length) this.#grow()
    this.#places[token] = place + 1
    const products = this.#products.of(rows.subarray(token * dimensions, (token + 1) * dimensions))
    const length = Math.sqrt(products[count] as number) || 1
    let highest = -1
    for (let at = 0; at < count; at += 1) {
      const cosine = (products[at] as number) / length
      this.#figures[place + at] = cosine
      if (cosine > highest) highest = cosine
    }
    this.#kinds[token] = highest > this.#least ? near : far
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
