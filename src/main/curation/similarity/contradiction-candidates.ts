/**
 * Finds pairs of lines that may contradict each other: similar in rare words and meaning, with a difference on both
 * sides. A model or the user judges the pairs.
 */
import { cosine, type SimilarityModel } from './similarity-model.ts'
import { commonWords, extractFeatures, toPlainText, type LineFeatures } from './line-features.ts'

/** Words that occur in more lines than this are ignored: they say too little about the topic. */
const maxLinesPerWord = 400
/** Limits per line: candidates for the vector comparison, and resulting pairs. */
const maxCompared = 12
const maxPairsPerLine = 3
/** Minimum score; below it, lines share little more than a word. */
const minScore = 0.42
const minWords = 2
/**
 * Weight of a word that only one line has. Contradicting values are usually rare words, so rarity does not add to it.
 */
const unsharedWeight = 2.2
/** Weight of words against meaning in the score, 0 to 1. */
const wordWeight = 0.65

export interface CandidatePair {
  /** Indexes into the texts; `one` is smaller. */
  readonly one: number
  readonly other: number
  /** 0 to 1. */
  readonly score: number
}

/** Returns at most `limit` pairs, best score first. @param model undefined compares words only */
export async function findContradictionCandidates(
  texts: readonly string[],
  model: SimilarityModel | undefined,
  limit: number,
): Promise<CandidatePair[]> {
  const common = commonWords(texts)
  const features = texts.map((text) => extractFeatures(text, (word) => common.has(word)))
  const weights = weightsOf(features)
  const vectors = await model?.vectors(texts.map(toPlainText))
  const best = new Map<string, CandidatePair>()
  for (const [index, lineFeatures] of features.entries()) {
    if (lineFeatures.words.size < minWords) continue
    const found = linesSharingWords(index, lineFeatures, weights)
      .filter(([at]) => differ(lineFeatures, features[at]))
      .slice(0, maxCompared)
      .map(([at, shared]) => {
        const [a, b] = [vectors?.[index], vectors?.[at]]
        const words = shared / (shared + unsharedWeight * countUnsharedWords(lineFeatures, features[at]))
        const near = a && b && a.length === b.length && a.length > 0 ? Math.max(0, cosine(a, b)) : words
        return { at, score: wordWeight * words + (1 - wordWeight) * near }
      })
      .filter(({ score }) => score >= minScore)
      .sort((one, other) => other.score - one.score)
    for (const { at, score } of found.slice(0, maxPairsPerLine)) {
      const [one, other] = [Math.min(index, at), Math.max(index, at)]
      best.set(`${one} ${other}`, { one, other, score })
    }
  }
  return [...best.values()].sort((a, b) => b.score - a.score || a.one - b.one || a.other - b.other).slice(0, limit)
}

interface Weight {
  readonly weight: number
  readonly places: readonly number[]
}

function weightsOf(features: readonly LineFeatures[]): Map<string, Weight> {
  const places = new Map<string, number[]>()
  for (const [index, { words }] of features.entries())
    for (const word of words.keys()) {
      const known = places.get(word)
      if (known) known.push(index)
      else places.set(word, [index])
    }
  return new Map(
    [...places].map(([word, list]) => [word, { weight: Math.log(1 + features.length / list.length), places: list }]),
  )
}

function linesSharingWords(
  index: number,
  { words }: LineFeatures,
  weights: ReadonlyMap<string, Weight>,
): [number, number][] {
  const shared = new Map<number, number>()
  for (const word of words.keys()) {
    const { weight, places } = weights.get(word) ?? { weight: 0, places: [] }
    if (places.length > maxLinesPerWord) continue
    for (const at of places) if (at !== index) shared.set(at, (shared.get(at) ?? 0) + weight)
  }
  return [...shared].sort((one, other) => other[1] - one[1] || one[0] - other[0]).slice(0, 4 * maxCompared)
}

/** True if each line has a word that the other lacks, or only one is negated. */
function differ(one: LineFeatures, other: LineFeatures | undefined): boolean {
  if (!other || other.words.size < minWords) return false
  if (one.isNegated !== other.isNegated) return true
  return lacks(one, other) && lacks(other, one)
}

function lacks(one: LineFeatures, other: LineFeatures): boolean {
  for (const word of one.words.keys()) if (!other.words.has(word)) return true
  return false
}

function countUnsharedWords(one: LineFeatures, other: LineFeatures | undefined): number {
  let both = 0
  for (const word of one.words.keys()) if (other?.words.has(word)) both += 1
  return one.words.size + (other?.words.size ?? 0) - 2 * both
}
