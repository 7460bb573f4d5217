/** Vectors of texts and of their words, by the built-in model. Pure. */
import type { BuiltinModel } from './builtin-model.ts'
import { foldText, forEachToken, hashOf, tokenSpans, unknown, type TokenSpan } from './builtin-tokens.ts'

/** Of length 1; a text without a word gets the first direction of all, so that it has one. */
export function embedText(model: BuiltinModel, text: string): Float32Array {
  const vector = new Float32Array(model.dimensions)
  const folded = foldText(text, model.folds)
  forEachToken(folded, model, (token, start, end) => add(model, folded, { token, start, end }, vector))
  return scaleToUnit(vector)
}

function add(model: BuiltinModel, text: string, { token, start, end }: TokenSpan, sum: Float32Array): void {
  if (token === unknown) addStranger(hashOf(text, start, end), sum)
  else addRow(model, token, sum)
}

/** A word that the model does not know has a direction of its own, by chance, and is near to nothing but itself. */
export function addStranger(hash: number, sum: Float32Array): void {
  const size = 1 / Math.sqrt(sum.length)
  let state = hash | 1
  for (let at = 0; at < sum.length; at += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    sum[at] = (sum[at] as number) + (state < 0 ? -size : size)
  }
}

export function addRow({ rows, weights, dimensions }: BuiltinModel, token: number, sum: Float32Array): void {
  const weight = weights[token] as number
  const start = token * dimensions
  for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] as number) + weight * (rows[start + at] as number)
}

export function scaleToUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  if (length === 0) vector[0] = 1
  else for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] as number) / length
  return vector
}

/** A word of a text. */
export interface WeighedWord {
  readonly word: string
  /** What it weighs in the text: the length of its part of the sum. */
  readonly weight: number
  /** Of length 1. */
  readonly vector: Float32Array
  /** Its hash, where the model knows nothing of it: it is like itself, and like no other word. */
  readonly stranger?: number
}

/** Each distinct word with all of its places. */
export function wordsOf(model: BuiltinModel, text: string): WeighedWord[] {
  const folded = foldText(text, model.folds)
  const words = new Map<string, { readonly sum: Float32Array; readonly stranger?: number }>()
  for (const span of tokenSpans(folded, model)) {
    const word = folded.slice(span.start, span.end)
    const known = words.get(word) ?? {
      sum: new Float32Array(model.dimensions),
      ...(span.token === unknown ? { stranger: hashOf(word) } : {}),
    }
    add(model, folded, span, known.sum)
    words.set(word, known)
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
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number)
  return sum
}
