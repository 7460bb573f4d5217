/**
 * The model that comes with the app: a vector for each token, weighted by its rarity and averaged. It runs in the thread
 * that asks, needs nobody, and sends nothing anywhere; the same text always has the same vector.
 */
import { setImmediate } from 'node:timers/promises'
import { openBuiltinModel, type BuiltinModel } from './builtin-model.ts'
import { foldText, forEachToken, hashOf, tokenSpans, unknown, type TokenSpan } from './builtin-tokens.ts'
import { AppError } from '../../shared/errors.ts'
import type { EmbeddingProvider, MeaningTerm, RelatedWord } from './provider.ts'

/** Part of an index's identity: another model has another name. */
export const builtinModelName = 'commonplace-1'
const batchSize = 128
/** Tuned on judged questions (docs/recall.md). */
const knownWorth = { latin: 0.25, cjk: 0.1 }

/** @param file of the model, read when it is first needed */
export function createBuiltinEmbeddings(file: string): EmbeddingProvider {
  let dimensions = 0
  return {
    provider: 'builtin',
    model: builtinModelName,
    get dimensions() {
      return dimensions
    },
    batchSize,
    knownWorth,
    async embed(texts, signal) {
      const model = openBuiltinModel(file)
      dimensions = model.dimensions
      const vectors = texts.map((text) => embedText(model, text))
      // So that the thread hears others between two batches.
      if (texts.length > 1) await setImmediate()
      signal?.throwIfAborted()
      return vectors
    },
    reads: (text) => !isJapaneseOrKorean(text),
    terms: (question, passage) => sharedTerms(openBuiltinModel(file), question, passage),
    related: (word) => relatedWords(file, word),
  }
}

/** Its Han characters are Chinese words: in other languages the same characters say other things. */
function isJapaneseOrKorean(text: string): boolean {
  return /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)
}

/** None where the file is missing: words stand for themselves then, and the vectors' health says what is wrong. */
function relatedWords(file: string, word: string): RelatedWord[] {
  try {
    const model = openBuiltinModel(file)
    const folded = foldText(word, model.folds)
    const token = model.find(hashOf(folded), folded.length)
    return token < 0 ? [] : model.related(token).map((one) => ({ word: model.textOf(one.token), cosine: one.cosine }))
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

/** Of length 1; a text without a word gets the first direction of all, so that it has one. */
function embedText(model: BuiltinModel, text: string): Float32Array {
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
function addStranger(hash: number, sum: Float32Array): void {
  const size = 1 / Math.sqrt(sum.length)
  let state = hash | 1
  for (let at = 0; at < sum.length; at += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    sum[at] = (sum[at] as number) + (state < 0 ? -size : size)
  }
}

function addRow({ rows, weights, dimensions }: BuiltinModel, token: number, sum: Float32Array): void {
  const weight = weights[token] as number
  const start = token * dimensions
  for (let at = 0; at < dimensions; at += 1) sum[at] = (sum[at] as number) + weight * (rows[start + at] as number)
}

function scaleToUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  if (length === 0) vector[0] = 1
  else for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] as number) / length
  return vector
}

/**
 * What each word of the question gives to its cosine with the passage, largest first; they sum to it. A word's vector is
 * part of the question's sum, so its share is exact.
 */
function sharedTerms(model: BuiltinModel, question: string, passage: string): MeaningTerm[] {
  const wanted = embedText(model, passage)
  const asked = wordsOf(model, question)
  const there = wordsOf(model, passage).map(({ word, vector }) => ({ word, vector: scaleToUnit(vector) }))
  const whole = new Float32Array(model.dimensions)
  for (const { vector } of asked) for (const [at, value] of vector.entries()) whole[at] = (whole[at] ?? 0) + value
  const length = Math.sqrt(dot(whole, whole))
  if (length === 0) return []
  return asked
    .map(({ word, vector }) => {
      const share = dot(vector, wanted) / length
      const own = scaleToUnit(vector)
      const near = there.map((other) => ({ word: other.word, cosine: dot(own, other.vector) }))
      const nearest = near.reduce((best, one) => (one.cosine > best.cosine ? one : best), { word: '', cosine: -1 })
      return { term: word, nearest: nearest.word, share }
    })
    .sort((one, other) => other.share - one.share || (one.term < other.term ? -1 : 1))
}

/** Each distinct word with the sum of its tokens over all of its places. */
function wordsOf(model: BuiltinModel, text: string): { readonly word: string; readonly vector: Float32Array }[] {
  const folded = foldText(text, model.folds)
  const words = new Map<string, Float32Array>()
  for (const span of tokenSpans(folded, model)) {
    const word = folded.slice(span.start, span.end)
    const sum = words.get(word) ?? new Float32Array(model.dimensions)
    add(model, folded, span, sum)
    words.set(word, sum)
  }
  return [...words].map(([word, vector]) => ({ word, vector }))
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number)
  return sum
}
