/**
 * Similarity of a passage and a question: the cosine of their vectors, mixed with the weighted share of question words
 * that have a similar word in the passage. A mean of many word vectors is close to every text on the same subject; an
 * answer has a match for each word of the question. Pure.
 */
import { bestCosines } from './word-cosines.ts'
import type { BuiltinModel } from './builtin-model.ts'
import { dot, embedText, wordsOf, type WeightedWord } from './embed-text.ts'
import type { TokenIdSequence, MeaningTerm } from '../embedding-provider.ts'

/** Weight of the word matches; the cosine has the remaining weight. Tuned on judged questions (docs/guide/recall.md). */
const wordShare = 0.35
/** Words with a cosine up to `unrelatedCosine` are unrelated; from `synonymCosine` on, they mean the same. */
const unrelatedCosine = 0.15
const synonymCosine = 0.65
/** Question words with a smaller share of the total mass are not matched. */
const minMassShare = 0.02

/** Returns a function from a passage's digest and its cosine with the question to the similarity, at most 1. */
export function similarityTo(
  model: BuiltinModel,
  question: string,
): (passage: TokenIdSequence, cosine: number) => number {
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
export function explainCosine(model: BuiltinModel, question: string, passage: string): MeaningTerm[] {
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
