/**
 * Digests: a passage as a sequence of 16-bit token ids, from which its vector and its similarity to questions are
 * computed. A word of one token is encoded as the token's id; a word of several tokens as `multiTokenMarker` plus their
 * number, their ids, and the length of the word's vector (32-bit float); an unknown word as `multiTokenMarker` and its
 * hash. 32-bit values take two elements, the lower half first. Pure.
 */
import type { BuiltinModel } from './builtin-model.ts'
import { rowProducts } from './row-products.ts'
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

export function tokenEncoder(model: BuiltinModel): (passage: string) => TokenIdSequence {
  const words = new Map<string, readonly number[]>()

  function encodeWord(word: string): readonly number[] {
    const cached = words.get(word)
    if (cached) return cached
    const tokens: number[] = []
    cutWord(word, 0, word.length, model, (token, start, end) => pushToken(tokens, word, token, start, end))
    const isSingleToken = tokens.length === 1 || tokens[0] === multiTokenMarker
    const digest = isSingleToken
      ? tokens
      : [multiTokenMarker + tokens.length, ...tokens, ...toHalves(wordVectorLengthBits(model, tokens))]
    if (words.size >= maxWords) words.clear()
    words.set(word, digest)
    return digest
  }

  return (passage) => {
    const text = foldText(passage, model.folds)
    const digest: number[] = []
    forEachRun(text, (isCjk, start, end, hash) => {
      if (isCjk) return cutCjk(text, start, end, model, (token, from, to) => pushToken(digest, text, token, from, to))
      const token = findWordToken(model, end - start, hash)
      if (token >= 0) digest.push(token)
      else for (const part of encodeWord(text.slice(start, end))) digest.push(part)
    })
    return Uint16Array.from(digest)
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
  const tokens = new Uint16Array(digest.length)
  let count = 0
  for (let index = 0, tokensLeftInWord = 0; index < digest.length; index += 1) {
    const element = digest[index] as number
    if (element < multiTokenMarker) {
      tokens[count] = element
      count += 1
      tokensLeftInWord -= 1
      // Skips the length that follows a word's tokens.
      if (tokensLeftInWord === 0) index += 2
    } else if (element === multiTokenMarker) {
      addUnknownWord(uint32At(digest, index + 1), sum)
      index += 2
    } else tokensLeftInWord = element - multiTokenMarker
  }
  addRows(model, tokens.subarray(0, count), sum)
  const length = Math.sqrt(dot(sum, sum))
  return { vector: scaleToUnit(sum), length }
}

/**
 * Returns a function that computes the cosine of `vector` (of length 1) and a digest whose vector has `length` before
 * normalization.
 */
export function cosinesWith(
  model: BuiltinModel,
  vector: Float32Array,
): (digest: TokenIdSequence, length: number) => number {
  const { rows, weights, dimensions } = model
  const productsOf = rowProducts([vector])
  /** Each token's dot product with `vector`; NaN if it is not computed yet. */
  const tokenProducts = new Float32Array(model.tokens).fill(NaN)
  const unknownWordProducts = new Map<number, number>()
  const computeProduct = (token: number) => {
    const [product = 0] = productsOf(rows.subarray(token * dimensions, (token + 1) * dimensions))
    // The array rounds the product, so it is read back: equal passages have equal cosines.
    tokenProducts[token] = product * (weights[token] as number)
    return tokenProducts[token] as number
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
        const known = tokenProducts[element] as number
        sum += Number.isNaN(known) ? computeProduct(element) : known
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
