import { setImmediate } from 'node:timers/promises'
import { unlessAppError } from '#shared/util/errors.ts'
import { cosinesWith, tokenEncoder, vectorOf, floatFromBits, uint32At } from './digest.ts'
import { openBuiltinModel, type BuiltinModel } from './builtin-model.ts'
import { foldText, hashOf, multiTokenMarker } from './tokenizer.ts'
import { dot, embedText, wordsOf, type WeightedWord } from './embed-text.ts'
import type {
  EmbeddingProvider,
  MeaningTerm,
  RelatedWord,
  SimilarityModel,
  TokenIdSequence,
} from '../embedding-provider.ts'
import { rowProducts } from './row-products.ts'

/** Part of an index's identity: a new model needs a new name. */
export const builtinModelName = 'commonplace-3'
const batchSize = 128

/** @param file of the model, opened on first use */
export function createBuiltinEmbeddings(file: string): EmbeddingProvider {
  let dimensions = 0
  return {
    provider: 'builtin',
    model: builtinModelName,
    get dimensions() {
      return dimensions
    },
    batchSize,
    async embed(texts, signal) {
      const model = openBuiltinModel(file)
      dimensions = model.dimensions
      const vectors = texts.map((text) => embedText(model, text))
      // Yields to other tasks of this thread between batches.
      if (texts.length > 1) await setImmediate()
      signal?.throwIfAborted()
      return vectors
    },
    prepare: () => void openBuiltinModel(file),
    // The model treats Han characters as Chinese words; in Japanese and Korean they mean something else.
    understands: (text) => !/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text),
    similarity: builtinSimilarity(file),
    explain: (question, passage) => explainCosine(openBuiltinModel(file), question, passage),
    related: (word) => relatedWords(file, word),
    wordCosine: (one, other) => dot(embedText(openBuiltinModel(file), one), embedText(openBuiltinModel(file), other)),
  }
}

/** @param file of the model, opened on first use */
export function builtinSimilarity(file: string): SimilarityModel {
  let digestOf: SimilarityModel['digestOf'] | undefined
  return {
    digestOf(passage) {
      digestOf ??= tokenEncoder(openBuiltinModel(file))
      return digestOf(passage)
    },
    vectorOf: (passage) => vectorOf(openBuiltinModel(file), passage),
    cosinesWith: (vector) => cosinesWith(openBuiltinModel(file), vector),
    similarityTo: (question) => similarityTo(openBuiltinModel(file), question),
  }
}

/** Returns an empty list if the model can't be opened: the provider's health reports that error. */
function relatedWords(file: string, word: string): RelatedWord[] {
  const model = unlessAppError(() => openBuiltinModel(file))
  if (!model) return []
  const folded = foldText(word, model.folds)
  const token = model.find(hashOf(folded), folded.length)
  if (token < 0) return []
  return model.related(token).map((related) => ({ word: model.textOf(related.token), cosine: related.cosine }))
}

/**
 * Similarity of a passage and a question: the cosine of their vectors, mixed with the weighted share of question words
 * that have a similar word in the passage. A mean of many word vectors is close to every text on the same subject; an
 * answer has a match for each word of the question. Pure.
 */

/** Weight of the word matches; the cosine has the remaining weight. Tuned on judged questions (docs/guide/recall.md). */
const wordShare = 0.35
/** Words with a cosine up to `unrelatedCosine` are unrelated; from `synonymCosine` on, they mean the same. */
const unrelatedCosine = 0.15
const synonymCosine = 0.65
/** Question words with a smaller share of the total mass are not matched. */
const minMassShare = 0.02

/** Returns a function from a passage's digest and its cosine with the question to the similarity, at most 1. */
function similarityTo(model: BuiltinModel, question: string): (passage: TokenIdSequence, cosine: number) => number {
  const questionWords = significantWords(wordsOf(model, question))
  const totalMass = massOf(questionWords)
  const findBest = bestCosines(model, questionWords, unrelatedCosine)
  const best = new Float64Array(questionWords.length)
  return (passage, cosine) => {
    if (totalMass === 0) return cosine
    findBest(passage, best)
    const matchedMass = questionWords.reduce(
      (sum, { weight }, index) => sum + weight ** 2 * toMatch(best[index] as number),
      0,
    )
    return cosine + wordShare * (matchedMass / totalMass - cosine)
  }
}

/** Returns each question word's contribution to the cosine, largest first; the contributions add up to it. */
function explainCosine(model: BuiltinModel, question: string, passage: string): MeaningTerm[] {
  const passageVector = embedText(model, passage)
  const questionWords = wordsOf(model, question)
  const passageWords = wordsOf(model, passage)
  const sum = new Float32Array(model.dimensions)
  for (const { weight, vector } of questionWords)
    for (const [index, value] of vector.entries()) sum[index] = (sum[index] ?? 0) + weight * value
  const length = Math.sqrt(dot(sum, sum))
  if (length === 0) return []
  return questionWords
    .map((word) => {
      const neighbors = passageWords.map((other) => ({ word: other.word, cosine: dot(word.vector, other.vector) }))
      const nearest = neighbors.reduce((best, other) => (other.cosine > best.cosine ? other : best), {
        word: '',
        cosine: -1,
      })
      // Exact, because the question's vector is the sum of its words' vectors.
      const share = (word.weight * dot(word.vector, passageVector)) / length
      return { term: word.word, nearest: nearest.word, share }
    })
    .sort((one, other) => other.share - one.share || (one.term < other.term ? -1 : 1))
}

function toMatch(cosine: number): number {
  return Math.min(1, Math.max(0, (cosine - unrelatedCosine) / (synonymCosine - unrelatedCosine)))
}

function significantWords(words: readonly WeightedWord[]): WeightedWord[] {
  const minMass = minMassShare * massOf(words)
  return words.filter(({ weight }) => weight ** 2 >= minMass)
}

/** Returns the sum of the squared weights. */
function massOf(words: readonly WeightedWord[]): number {
  return words.reduce((sum, { weight }) => sum + weight ** 2, 0)
}

const initialCapacity = 1024

/** Kinds of tokens: `relatedKind` if any question word is similar to the token. */
const unrelatedKind = 1
const relatedKind = 2

/**
 * Returns a function that writes into `best` each question word's highest cosine with a word of a passage, or -1 if none
 * is similar. Cosines with tokens are cached across passages.
 * @param minCosine cosines of question words up to this one count as 0
 */
function bestCosines(
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
