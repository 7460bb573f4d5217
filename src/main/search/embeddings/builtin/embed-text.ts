import type { BuiltinModel } from './builtin-model.ts'
import { foldText, hashOf, tokenSpans, unknownToken, type TokenSpan } from './tokenizer.ts'

/** Returns a vector of length 1. A text without words gets the first unit vector. */
export function embedText(model: BuiltinModel, text: string): Float32Array {
  const vector = new Float32Array(model.dimensions)
  const folded = foldText(text, model.folds)
  for (const span of tokenSpans(folded, model)) addToken(model, folded, span, vector)
  return scaleToUnit(vector)
}

function addToken(model: BuiltinModel, text: string, { token, start, end }: TokenSpan, sum: Float32Array): void {
  if (token === unknownToken) addUnknownWord(hashOf(text, start, end), sum)
  else addRows(model, Uint16Array.of(token), sum)
}

/** Adds a pseudo-random direction for an unknown word, so that it is similar only to itself. */
export function addUnknownWord(hash: number, sum: Float32Array): void {
  const size = 1 / Math.sqrt(sum.length)
  let state = hash | 1
  for (let column = 0; column < sum.length; column += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    sum[column] = (sum[column] as number) + (state < 0 ? -size : size)
  }
}

/**
 * Adds the weighted rows of tokens to `sum`. The sums of four columns stay in registers, which takes half the time. The
 * sum of one call is rounded once.
 */
export function addRows({ rows, weights, dimensions }: BuiltinModel, tokens: Uint16Array, sum: Float32Array): void {
  for (let column = 0; column < dimensions; column += 4) {
    let sum0 = 0
    let sum1 = 0
    let sum2 = 0
    let sum3 = 0
    for (let index = 0; index < tokens.length; index += 1) {
      const token = tokens[index] as number
      const weight = weights[token] as number
      const start = token * dimensions + column
      sum0 += weight * (rows[start] as number)
      sum1 += weight * (rows[start + 1] as number)
      sum2 += weight * (rows[start + 2] as number)
      sum3 += weight * (rows[start + 3] as number)
    }
    // Beyond the last column, the typed array ignores these.
    sum[column] = (sum[column] as number) + sum0
    sum[column + 1] = (sum[column + 1] as number) + sum1
    sum[column + 2] = (sum[column + 2] as number) + sum2
    sum[column + 3] = (sum[column + 3] as number) + sum3
  }
}

/** Scales the vector in place; a zero vector becomes the first unit vector. */
export function scaleToUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  if (length === 0) vector[0] = 1
  else for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] as number) / length
  return vector
}

export interface WeightedWord {
  readonly word: string
  /** Length of the word's part of the text's vector. */
  readonly weight: number
  /** Unit vector. */
  readonly vector: Float32Array
  /** Hash of a word without any known token; such a word matches only itself. */
  readonly unknownHash?: number
}

/** Returns the distinct words of a text; `weight` covers all occurrences. */
export function wordsOf(model: BuiltinModel, text: string): WeightedWord[] {
  const folded = foldText(text, model.folds)
  const words = new Map<string, { readonly sum: Float32Array; readonly unknownHash?: number }>()
  for (const span of tokenSpans(folded, model)) {
    const word = folded.slice(span.start, span.end)
    const entry = words.get(word) ?? {
      sum: new Float32Array(model.dimensions),
      ...(span.token === unknownToken ? { unknownHash: hashOf(word) } : {}),
    }
    addToken(model, folded, span, entry.sum)
    words.set(word, entry)
  }
  return [...words].map(([word, { sum, ...rest }]) => ({
    word,
    weight: Math.sqrt(dot(sum, sum)),
    vector: scaleToUnit(sum),
    ...rest,
  }))
}

export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] as number) * (other[index] as number)
  return sum
}
