/**
 * Digests: a passage as a sequence of 16-bit token ids, from which its vector and its similarity to questions are
 * computed. A word of one token is encoded as the token's id; a word of several tokens as `multiTokenMarker` plus their
 * number, their ids, and the length of the word's vector (32-bit float); an unknown word as `multiTokenMarker` and its
 * hash. 32-bit values take two elements, the lower half first. Pure.
 */
import type { BuiltinModel } from './builtin-model.ts'
import { RowProducts } from './row-products.ts'
import {
  cutCjk,
  cutWord,
  foldText,
  forEachRun,
  hashOf,
  multiTokenMarker,
  unknownToken,
  findWordToken,
} from './tokenizer.ts'
import { addRows, addUnknownWord, dot, scaleToUnit } from './embed-text.ts'
import type { TokenIdSequence } from '../embedding-provider.ts'

/** Cached words. Words of several tokens, such as names and identifiers, are frequent. */
const maxWords = 8192

export class TokenEncoder {
  readonly #model: BuiltinModel
  readonly #words = new Map<string, readonly number[]>()

  constructor(model: BuiltinModel) {
    this.#model = model
  }

  digestOf(passage: string): TokenIdSequence {
    const model = this.#model
    const text = foldText(passage, model.folds)
    const digest: number[] = []
    forEachRun(text, (isCjk, start, end, hash) => {
      if (isCjk) return cutCjk(text, start, end, model, (token, from, to) => pushToken(digest, text, token, from, to))
      const token = findWordToken(model, end - start, hash)
      if (token >= 0) digest.push(token)
      else for (const part of this.#encodeWord(text.slice(start, end))) digest.push(part)
    })
    return Uint16Array.from(digest)
  }

  #encodeWord(word: string): readonly number[] {
    const cached = this.#words.get(word)
    if (cached) return cached
    const tokens: number[] = []
    cutWord(word, 0, word.length, this.#model, (token, start, end) => pushToken(tokens, word, token, start, end))
    const isSingleToken = tokens.length === 1 || tokens[0] === multiTokenMarker
    const digest = isSingleToken
      ? tokens
      : [multiTokenMarker + tokens.length, ...tokens, ...toHalves(wordVectorLengthBits(this.#model, tokens))]
    if (this.#words.size >= maxWords) this.#words.clear()
    this.#words.set(word, digest)
    return digest
  }
}

function pushToken(digest: number[], text: string, token: number, start: number, end: number): void {
  if (token === unknownToken) digest.push(multiTokenMarker, ...toHalves(hashOf(text, start, end)))
  else digest.push(token)
}

function toHalves(bits: number): [number, number] {
  return [bits & 0xff_ff, bits >>> 16]
}

/** Returns the unsigned 32-bit value in the elements at `index` (lower half) and after it (upper half). */
export function uint32At(digest: TokenIdSequence, index: number): number {
  return (((digest[index + 1] as number) << 16) | (digest[index] as number)) >>> 0
}

function wordVectorLengthBits(model: BuiltinModel, tokens: readonly number[]): number {
  const sum = new Float32Array(model.dimensions)
  // Row by row, because each sum is rounded: existing digests have these lengths.
  for (const token of tokens) addRows(model, Uint16Array.of(token), sum)
  return floatToBits(Math.sqrt(dot(sum, sum)))
}

/** Returns the same vector as `embedText`, and its length before normalization: 0 for a text without words. */
export function vectorOf(model: BuiltinModel, digest: TokenIdSequence): { vector: Float32Array; length: number } {
  const sum = new Float32Array(model.dimensions)
  let count = 0
  if (tokensOfSum.length < digest.length) tokensOfSum = new Uint16Array(2 * digest.length)
  forEachPart(
    digest,
    (token) => {
      tokensOfSum[count] = token
      count += 1
    },
    (hash) => addUnknownWord(hash, sum),
  )
  addRows(model, tokensOfSum.subarray(0, count), sum)
  const length = Math.sqrt(dot(sum, sum))
  return { vector: scaleToUnit(sum), length }
}

let tokensOfSum = new Uint16Array(512)

/**
 * Returns a function that computes the cosine of `vector` (of length 1) and a digest whose vector has `length` before
 * normalization. All these functions share one cache, so alternating between two of them is slow.
 */
export function cosinesWith(
  model: BuiltinModel,
  vector: Float32Array,
): (digest: TokenIdSequence, length: number) => number {
  const { rows, weights, dimensions } = model
  const products = new RowProducts([vector])
  const { tokenProducts, computedFor, question } = productCacheFor(model)
  const unknownWordProducts = new Map<number, number>()
  const computeProduct = (token: number) => {
    const [product = 0] = products.compute(rows.subarray(token * dimensions, (token + 1) * dimensions))
    // Rounded as in the cache, so that equal passages have equal cosines.
    const rounded = Math.fround(product * (weights[token] as number))
    computedFor[token] = question
    tokenProducts[token] = rounded
    return rounded
  }
  const unknownWordProduct = (hash: number) => {
    const wordVector = new Float32Array(dimensions)
    addUnknownWord(hash, wordVector)
    const product = dot(vector, wordVector)
    unknownWordProducts.set(hash, product)
    return product
  }
  return (digest, length) => {
    // Empty passages have the first unit vector.
    if (length === 0) return vector[0] ?? 0
    let sum = 0
    let tokensLeftInWord = 0
    for (let index = 0; index < digest.length; index += 1) {
      const element = digest[index] as number
      if (element < multiTokenMarker) {
        sum += computedFor[element] === question ? (tokenProducts[element] as number) : computeProduct(element)
        tokensLeftInWord -= 1
        // Skips the length that follows a word's tokens.
        if (tokensLeftInWord === 0) index += 2
      } else if (element === multiTokenMarker) {
        const hash = uint32At(digest, index + 1)
        sum += unknownWordProducts.get(hash) ?? unknownWordProduct(hash)
        index += 2
      } else tokensLeftInWord = element - multiTokenMarker
    }
    return sum / length
  }
}

/** Shared cache: each token's dot product with a question's vector, and the number of that question. */
interface ProductCache {
  readonly model: BuiltinModel
  readonly tokenProducts: Float32Array
  readonly computedFor: Uint32Array
  question: number
}

let productCache: ProductCache | undefined

/** Increments the question number, which invalidates the values of earlier questions. */
function productCacheFor(model: BuiltinModel): ProductCache {
  const { tokens } = model
  if (productCache?.model !== model || productCache.question === 2 ** 32 - 1)
    productCache = { model, tokenProducts: new Float32Array(tokens), computedFor: new Uint32Array(tokens), question: 0 }
  productCache.question += 1
  return productCache
}

type OnPart = (tokenOrHash: number) => void

/** Calls `onToken` for each token and `onUnknownWord` for the hash of each unknown word, in order. */
function forEachPart(digest: TokenIdSequence, onToken: OnPart, onUnknownWord: OnPart): void {
  for (let index = 0; index < digest.length;) {
    const element = digest[index] as number
    if (element < multiTokenMarker) {
      onToken(element)
      index += 1
    } else if (element === multiTokenMarker) {
      onUnknownWord(uint32At(digest, index + 1))
      index += 3
    } else {
      const count = element - multiTokenMarker
      for (let partIndex = index + 1; partIndex <= index + count; partIndex += 1) onToken(digest[partIndex] as number)
      index += 3 + count
    }
  }
}

const bits = new Uint32Array(1)
const float = new Float32Array(bits.buffer)

function floatToBits(value: number): number {
  float[0] = value
  return bits[0] as number
}

export function floatFromBits(value: number): number {
  bits[0] = value
  return float[0] as number
}
