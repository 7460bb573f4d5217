import { floatFromBits, uint32At } from './digest.ts'
import type { BuiltinModel } from './builtin-model.ts'
import { rowProducts } from './row-products.ts'
import { multiTokenMarker } from './tokenizer.ts'
import type { WeightedWord } from './embed-text.ts'
import type { TokenIdSequence } from '../embedding-provider.ts'

const initialCapacity = 1024

/** Kinds of tokens: `relatedKind` if any question word is similar to the token. */
const unrelatedKind = 1
const relatedKind = 2

/**
 * Returns a function that writes into `best` each question word's highest cosine with a word of a passage, or -1 if none
 * is similar. Cosines with tokens are cached across passages.
 * @param minCosine cosines of question words up to this one count as 0
 */
export function bestCosines(
  { tokens, rows, weights, dimensions }: BuiltinModel,
  words: readonly WeightedWord[],
  minCosine: number,
): (passage: TokenIdSequence, best: Float64Array) => void {
  const count = words.length
  /** Maps the hash of an unknown word to its index in the question. */
  const unknownWords = new Map(
    words.flatMap(({ unknownHash: hash }, index): [number, number][] => (hash === undefined ? [] : [[hash, index]])),
  )
  /** `unrelatedKind` or `relatedKind` by token; 0 if the token has not been computed. */
  const kinds = new Uint8Array(tokens)
  /** Offset of a token's values in `tokenValues`, plus one; 0 if the token has not been computed. */
  const valueOffsets = new Uint32Array(tokens)
  /** For each token: its cosine with every question word, then the weighted length of its vector. */
  let tokenValues = new Float32Array(initialCapacity * (count + 1))
  let valuesEnd = 0
  const wordCosines = new Float32Array(count)
  // An unknown word's vector is random, so its cosine with other words means nothing.
  const productsOf = rowProducts(
    words.map(({ vector, unknownHash: hash }) => (hash === undefined ? vector : vector.map(() => 0))),
  )

  /**
   * Computes the cosines of a word of several tokens. They are at `start` to `end` (exclusive), followed by the word's
   * vector length.
   */
  function computeWord(passage: TokenIdSequence, start: number, end: number): void {
    wordCosines.fill(0)
    for (let partIndex = start; partIndex < end; partIndex += 1) {
      const offset = offsetOf(passage[partIndex] as number)
      const length = tokenValues[offset + count] as number
      for (let index = 0; index < count; index += 1)
        wordCosines[index] = (wordCosines[index] as number) + length * (tokenValues[offset + index] as number)
    }
    const length = floatFromBits(uint32At(passage, end)) || 1
    for (let index = 0; index < count; index += 1) wordCosines[index] = (wordCosines[index] as number) / length
  }

  function offsetOf(token: number): number {
    const offset = valueOffsets[token] as number
    return offset > 0 ? offset - 1 : computeToken(token)
  }

  function computeToken(token: number): number {
    const offset = valuesEnd
    valuesEnd += count + 1
    if (valuesEnd > tokenValues.length) {
      const enlarged = new Float32Array(2 * tokenValues.length)
      enlarged.set(tokenValues)
      tokenValues = enlarged
    }
    valueOffsets[token] = offset + 1
    const products = productsOf(rows.subarray(token * dimensions, (token + 1) * dimensions))
    const length = Math.sqrt(products[count] as number) || 1
    let maxCosine = -1
    for (let index = 0; index < count; index += 1) {
      const cosine = (products[index] as number) / length
      tokenValues[offset + index] = cosine
      if (cosine > maxCosine) maxCosine = cosine
    }
    kinds[token] = maxCosine > minCosine ? relatedKind : unrelatedKind
    tokenValues[offset + count] = length * (weights[token] as number)
    return offset
  }

  return (passage, best) => {
    best.fill(-1)
    for (let index = 0; index < passage.length;) {
      const element = passage[index] as number
      if (element < multiTokenMarker) {
        const kind = kinds[element] as number
        // Skips words unrelated to the question: most words of a text.
        if (kind !== unrelatedKind) {
          const offset = offsetOf(element)
          if (kind === relatedKind || kinds[element] === relatedKind) raiseToMax(best, tokenValues, offset)
        }
        index += 1
      } else if (element === multiTokenMarker) {
        const questionIndex = unknownWords.get(uint32At(passage, index + 1))
        if (questionIndex !== undefined) best[questionIndex] = 1
        index += 3
      } else {
        const end = index + 1 + element - multiTokenMarker
        computeWord(passage, index + 1, end)
        raiseToMax(best, wordCosines, 0)
        index = end + 2
      }
    }
  }
}

function raiseToMax(best: Float64Array, cosines: Float32Array, offset: number): void {
  for (let index = 0; index < best.length; index += 1) {
    const cosine = cosines[offset + index] as number
    if (cosine > (best[index] as number)) best[index] = cosine
  }
}
