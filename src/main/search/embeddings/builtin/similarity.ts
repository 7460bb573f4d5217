/**
 * How near a passage is to a question by the built-in model: mostly by the cosine of their vectors, and partly by how many of
 * the question's words, as they weigh, have a word in the passage that means something like it. A mean of many words is
 * somewhat near to every text about the same things; an answer has a word for each thing that was asked about. Pure.
 */
import { WordCosines } from './cosines.ts'
import type { BuiltinModel } from './builtin-model.ts'
import { dot, embedText, wordsOf, type WeighedWord } from './vector-table.ts'
import type { Digest, MeaningTerm } from '../embedding-provider.ts'

/** How much the words count, against the cosine; tuned on judged questions (docs/guide/recall.md). */
const wordShare = 0.35
/** Words this near have nothing to do with each other, and words that near mean the same. */
const strange = 0.15
const same = 0.65
/** Words of the question that weigh less than this share of it are not looked at one by one. */
const leastMass = 0.02

/** @returns for the digest of a passage and its cosine with the question, how near it is; at most 1 */
export function nearnessTo(model: BuiltinModel, question: string): (passage: Digest, cosine: number) => number {
  const asked = carrying(wordsOf(model, question))
  const whole = massOf(asked)
  const cosines = new WordCosines(model, asked, strange)
  const best = new Float64Array(asked.length)
  return (passage, cosine) => {
    if (whole === 0) return cosine
    cosines.best(passage, best)
    const found = asked.reduce((sum, { weight }, at) => sum + weight ** 2 * toMatch(best[at] as number), 0)
    return cosine + wordShare * (found / whole - cosine)
  }
}

/** What each word of the question gives to its nearness to the passage, largest first; they sum to it. */
export function sharedTerms(model: BuiltinModel, question: string, passage: string): MeaningTerm[] {
  const wanted = embedText(model, passage)
  const asked = wordsOf(model, question)
  const there = wordsOf(model, passage)
  const carriers = carrying(asked)
  const whole = massOf(carriers)
  const sum = new Float32Array(model.dimensions)
  for (const { weight, vector } of asked)
    for (const [at, value] of vector.entries()) sum[at] = (sum[at] ?? 0) + weight * value
  const length = Math.sqrt(dot(sum, sum))
  if (length === 0) return []
  return asked
    .map((one) => {
      // A word's vector is part of the question's sum, so its share of the cosine is exact.
      const ofCosine = (one.weight * dot(one.vector, wanted)) / length
      const near = there.map((other) => ({ word: other.word, cosine: dot(one.vector, other.vector) }))
      const nearest = near.reduce((best, other) => (other.cosine > best.cosine ? other : best), {
        word: '',
        cosine: -1,
      })
      const match = carriers.includes(one) ? Math.max(0, ...there.map((other) => matchOf(one, other))) : 0
      const share = (1 - wordShare) * ofCosine + (wordShare * one.weight ** 2 * match) / (whole || 1)
      return { term: one.word, nearest: nearest.word, share }
    })
    .sort((one, other) => other.share - one.share || (one.term < other.term ? -1 : 1))
}

/** In [0, 1]: whether the one word can stand for the other. */
function matchOf(one: WeighedWord, other: WeighedWord): number {
  if (one.stranger !== undefined || other.stranger !== undefined) return one.stranger === other.stranger ? 1 : 0
  return toMatch(dot(one.vector, other.vector))
}

function toMatch(cosine: number): number {
  return Math.min(1, Math.max(0, (cosine - strange) / (same - strange)))
}

/** The words that are worth a look: the others, together, hardly count. */
function carrying(words: readonly WeighedWord[]): WeighedWord[] {
  const least = leastMass * massOf(words)
  return words.filter(({ weight }) => weight ** 2 >= least)
}

function massOf(words: readonly WeighedWord[]): number {
  return words.reduce((sum, { weight }) => sum + weight ** 2, 0)
}
