import { setImmediate } from 'node:timers/promises'
import { unlessAppError } from '#shared/util/errors.ts'
import { cached } from '#shared/util/lazy.ts'
import { openBuiltinModel, type BuiltinModel } from './builtin-model.ts'
import {
  foldText,
  addRows,
  addUnknownWord,
  embedText,
  endOfWord,
  tokenNumber,
  tokensOf,
  vectorOf,
  wordsOf,
  type WeightedWord,
} from './embed-text.ts'
import {
  dot,
  type EmbeddingProvider,
  type RelatedWord,
  type SimilarityModel,
  type WordModel,
} from '../embedding-provider.ts'

/** Part of an index's identity: a new model needs a new name. */
export const builtinModelName = 'commonplace-3'
const batchSize = 128

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
    words: builtinWords(file),
  }
}

/** Size of the cache of word vectors; a line has about ten words. */
const maxWords = 5000

function builtinWords(file: string): WordModel {
  const measure = cached((word: string) => {
    const model = openBuiltinModel(file)
    return vectorOf(model, tokensOf(model, word))
  }, maxWords)
  return {
    cosine: (one, other) => dot(measure(one).vector, measure(other).vector),
    rarity: (word) => measure(word).length,
    knows: (word) => {
      const { numbers, folds } = openBuiltinModel(file)
      return numbers.has(foldText(word, folds))
    },
  }
}

export function builtinSimilarity(file: string): SimilarityModel {
  return {
    tokensOf: (passage) => tokensOf(openBuiltinModel(file), passage),
    vectorOf: (tokens) => vectorOf(openBuiltinModel(file), tokens),
    cosinesWith: (vector) => cosinesWith(openBuiltinModel(file), vector),
    similarityTo: (question) => similarityTo(openBuiltinModel(file), question),
  }
}

/** Returns an empty list if the model can't be opened: the provider's health reports that error. */
function relatedWords(file: string, word: string): RelatedWord[] {
  const model = unlessAppError(() => openBuiltinModel(file))
  if (!model) return []
  const token = model.numbers.get(foldText(word, model.folds))
  if (token === undefined) return []
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

/** Returns a function from a passage's tokens and its cosine with the question to the similarity, at most 1. */
function similarityTo(model: BuiltinModel, question: string): (passage: Int32Array, cosine: number) => number {
  const words = wordsOf(model, question)
  const minMass = minMassShare * massOf(words)
  const questionWords = words.filter(({ weight }) => weight ** 2 >= minMass)
  const totalMass = massOf(questionWords)
  const findBest = bestCosines(model, questionWords)
  return (passage, cosine) => {
    if (totalMass === 0) return cosine
    const best = findBest(passage)
    const matchedMass = questionWords.reduce((sum, { weight }, index) => {
      const match = ((best[index] as number) - unrelatedCosine) / (synonymCosine - unrelatedCosine)
      return sum + weight ** 2 * Math.min(1, Math.max(0, match))
    }, 0)
    return cosine + wordShare * (matchedMass / totalMass - cosine)
  }
}

function explainCosine(model: BuiltinModel, question: string, passage: string) {
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

function massOf(words: readonly WeightedWord[]): number {
  return words.reduce((sum, { weight }) => sum + weight ** 2, 0)
}

function cosinesWith(model: BuiltinModel, vector: Float32Array): (passage: Int32Array, length: number) => number {
  const productsOf = rowProducts([vector])
  const productOf = cached((token: number) => {
    if (token >= 0) return (productsOf(rowOf(model, token))[0] as number) * (model.weights[token] as number)
    const word = new Float32Array(model.dimensions)
    addUnknownWord(token, word)
    return dot(vector, word)
  })
  return (passage, length) => {
    // Empty passages have the first unit vector.
    if (length === 0) return vector[0] ?? 0
    let sum = 0
    for (const token of passage) sum += productOf(tokenNumber(token))
    return sum / length
  }
}

/** Returns a function from a passage to the highest cosine of each question word with one of its words, or -1. */
function bestCosines(model: BuiltinModel, words: readonly WeightedWord[]): (passage: Int32Array) => Float32Array {
  // An unknown word's vector is random, so its cosine with other words means nothing.
  const vectors = words.map(({ vector, unknown }) => (unknown === undefined ? vector : vector.map(() => 0)))
  const productsOf = rowProducts(vectors)
  /** The cosines of a token; null if no question word is similar, as for most tokens. */
  const cosinesOf = cached((token: number): Float32Array | null => {
    if (token < 0) {
      const isSame = words.map(({ unknown }) => (unknown === token ? 1 : -1))
      return isSame.includes(1) ? Float32Array.from(isSame) : null
    }
    return normalized(productsOf(rowOf(model, token)))
  })
  /** The same for a word of several tokens. */
  const cosinesOfWord = cached((word: string): Float32Array | null => {
    const vector = new Float32Array(model.dimensions)
    addRows(model, word.split(' ').map(Number), vector)
    return normalized(Float32Array.from([...vectors, vector], (other) => dot(vector, other)))
  })
  return (passage) => {
    const best = new Float32Array(words.length).fill(-1)
    for (let start = 0, end = 0; start < passage.length; start = end) {
      end = endOfWord(passage, start)
      const isToken = end === start + 1
      const word = isToken ? '' : Array.from(passage.subarray(start, end), tokenNumber).join(' ')
      const cosines = isToken ? cosinesOf(passage[start] as number) : cosinesOfWord(word)
      if (!cosines) continue
      for (let at = 0; at < best.length; at += 1) best[at] = Math.max(best[at] as number, cosines[at] as number)
    }
    return best
  }
}

/** Divides products by the length whose square follows them. Returns null if no cosine says anything. */
function normalized(products: Float32Array): Float32Array | null {
  const length = Math.sqrt(products.at(-1) ?? 0) || 1
  const cosines = products.slice(0, -1).map((product) => product / length)
  return cosines.some((cosine) => cosine > unrelatedCosine) ? cosines : null
}

function rowOf({ rows, dimensions }: BuiltinModel, token: number): Int8Array {
  return rows.subarray(token * dimensions, (token + 1) * dimensions)
}

/** `../products.wat`, assembled with wabt (`wat2wasm products.wat`). */
const productsWasm =
  'AGFzbQEAAAABEQJgA39/fwF9YAZ/f39/f38AAhMBBGhvc3QGbWVtb3J5AgEBgIAEAwMCAAEHDAEIcHJvZHVjdHMAAQr4AQJmAQJ7A0AgAyAA/QAEACAB/QAEAP3mAf3kASEDIAQgAP0ABBAgAf0ABBD95gH95AEhBCABQSBqIQEgAEEgaiIAIAJJDQALIAMgBP3kASEDIAP9HwAgA/0fAZIgA/0fAiAD/R8DkpILjgECA38BeyABQQJ0IQYgAiAGaiEHIAIhCANAIAD9AQMAIQkgCCAJ/acB/foB/QsEACAIIAn9qAH9+gH9CwQQIABBCGohACAIQSBqIgggB0kNAAsCQANAIARFDQEgBSACIAMgBxAAOAIAIAMgBmohAyAFQQRqIQUgBEEBayEEDAALCyAFIAIgAiAHEAA4AgAL'

const pageBytes = 65_536
const maxPages = 65_536
/** Vectors are padded to a multiple of this many numbers. */
const blockSize = 8

type Products = (row: number, size: number, floats: number, vectors: number, count: number, out: number) => void

/**
 * Returns a function that computes the dot products of a row with each vector, and then with itself. The next call of
 * any of these functions overwrites the result.
 * @param vectors all with as many dimensions as the rows
 */
export function rowProducts(vectors: readonly Float32Array[]): (row: Int8Array) => Float32Array {
  const slot = vectors.length === 1 ? 'one' : 'many'
  return (row) => {
    const cached = kernels[slot]
    const kernel = cached?.vectors === vectors ? cached : kernelFor(vectors, cached?.memory)
    kernels[slot] = kernel
    kernel.row.set(row)
    kernel.run()
    return kernel.out
  }
}

type Kernel = ReturnType<typeof kernelFor>

/** Two per thread, because memories are expensive: one for whole questions, one for their words. */
const kernels: { one?: Kernel; many?: Kernel } = {}
let wasmModule: WebAssembly.Module | undefined

function kernelFor(vectors: readonly Float32Array[], memoryToReuse: WebAssembly.Memory | undefined) {
  const dimensions = vectors[0]?.length ?? 0
  const size = Math.max(1, Math.ceil(dimensions / blockSize)) * blockSize
  // Memory layout: a row as bytes, the same row as floats, the vectors, the results.
  const [floatsAt, vectorsAt] = [size, 5 * size]
  const outAt = vectorsAt + 4 * size * vectors.length
  const pages = Math.ceil((outAt + 4 * (vectors.length + 1)) / pageBytes)
  const memory = memoryToReuse ?? new WebAssembly.Memory({ initial: pages, maximum: maxPages })
  const missingPages = pages - memory.buffer.byteLength / pageBytes
  if (missingPages > 0) memory.grow(missingPages)
  wasmModule ??= new WebAssembly.Module(Buffer.from(productsWasm, 'base64'))
  const { exports } = new WebAssembly.Instance(wasmModule, { host: { memory } })
  const products = exports['products'] as Products
  new Uint8Array(memory.buffer).fill(0)
  for (const [index, vector] of vectors.entries())
    new Float32Array(memory.buffer, vectorsAt + 4 * size * index, dimensions).set(vector)
  return {
    vectors,
    memory,
    row: new Int8Array(memory.buffer, 0, dimensions),
    out: new Float32Array(memory.buffer, outAt, vectors.length + 1),
    run: () => products(0, size, floatsAt, vectorsAt, vectors.length, outAt),
  }
}
