/**
 * Finds duplicate lines: near-duplicates by shingles, and paraphrases by shared rare words and word vectors. Lines that
 * differ in a name, number, date or negation state different facts and are no duplicates.
 */
import { cosine, type SimilarityModel } from './similarity-model.ts'
import { nearDuplicates, similarityOf } from './near-duplicates.ts'
import { commonWords, isValue, extractFeatures, type LineFeatures } from './line-features.ts'

/** Words that occur in more lines than this produce no candidates: such lines share a topic, but not a fact. */
const maxLinesPerWord = 60
const minWords = 3
/** Minimum cosine of two lines, and of two words that replace each other. */
const minLineCosine = 0.72
const minWordCosine = { other: 0.42, cjk: 0.7 }
/** Minimum cosine of words if the lines share at least `minSharedFacts` names and figures. */
const minCosineWithSharedFacts = 0.2
const minSharedFacts = 3
/**
 * Words above this cosine are synonyms, even after the same word. CJK words of one topic have similar vectors, so their
 * threshold is higher.
 */
const synonymCosine = { other: 0.65, cjk: 0.8 }
/** Maximum share of words that match by meaning only. */
const maxSynonymShare = 0.5

export interface Line {
  readonly text: string
  readonly features: LineFeatures
}

export interface DuplicatePair<T extends Line> {
  readonly original: T
  readonly duplicate: T
  /** 0 to 1. */
  readonly similarity: number
}

interface DuplicateOptions<T extends Line> {
  /** Negative if the first line should stay. */
  readonly compare: (one: T, other: T) => number
  readonly isRemovable: (line: T) => boolean
}

/** Returns the features of each text; undefined if it has too few words. */
export function featuresOfLines(texts: readonly string[]): (LineFeatures | undefined)[] {
  const common = commonWords(texts)
  return texts.map((text) => {
    const features = extractFeatures(text, (word) => common.has(word))
    return features.words.size >= minWords ? features : undefined
  })
}

/**
 * Finds duplicates.
 * @param model undefined compares words only
 * @returns each removable line once, with the line that stays
 */
export async function findDuplicates<T extends Line>(
  lines: readonly T[],
  model: SimilarityModel | undefined,
  { compare, isRemovable }: DuplicateOptions<T>,
): Promise<DuplicatePair<T>[]> {
  const vectorByWord = model && (await wordVectors(lines, model))
  const duplicates: DuplicatePair<T>[] = []
  /** Lines to remove; they cannot be the line that stays for another one. */
  const removed = new Set<T>()
  const addIfDuplicate = (one: T, other: T, similarity?: number) => {
    if (removed.has(one) || removed.has(other)) return
    const [original, duplicate] = compare(one, other) <= 0 ? [one, other] : [other, one]
    if (!isRemovable(duplicate) || !coversContent(original.features, duplicate.features, vectorByWord)) return
    removed.add(duplicate)
    duplicates.push({ original, duplicate, similarity: similarity ?? similarityOf(one.text, other.text) })
  }
  for (const { lines: group } of nearDuplicates(lines.map(({ text }) => text))) {
    const sorted = group.flatMap((index) => lines[index] ?? []).sort(compare)
    for (const [index, one] of sorted.entries()) for (const other of sorted.slice(index + 1)) addIfDuplicate(one, other)
  }
  if (!model) return duplicates
  const vectors = await model.vectors(lines.map(({ text }) => text))
  const indexes = new Map(lines.map((line, index) => [line, index]))
  for (const [one, other] of candidatePairs(lines)) {
    const [a, b] = [vectors[indexes.get(one) ?? -1], vectors[indexes.get(other) ?? -1]]
    const lineCosine = a && b ? cosine(a, b) : 0
    if (lineCosine >= minLineCosine) addIfDuplicate(one, other, lineCosine)
  }
  return duplicates
}

/** Yields pairs of lines that share a rare word, each pair once, rarest words first. */
function* candidatePairs<T extends { readonly features: LineFeatures }>(lines: readonly T[]): Generator<[T, T]> {
  const byWord = new Map<string, number[]>()
  for (const [index, { features }] of lines.entries())
    for (const word of features.words.keys()) {
      const indexes = byWord.get(word)
      if (indexes) indexes.push(index)
      else byWord.set(word, [index])
    }
  const yieldedPairs = new Set<number>()
  const rareWordLines = [...byWord.values()].filter(({ length }) => length > 1 && length <= maxLinesPerWord)
  for (const indexes of rareWordLines.sort((one, other) => one.length - other.length))
    for (const [position, first] of indexes.entries())
      for (const second of indexes.slice(position + 1)) {
        const pairKey = first * lines.length + second
        const [one, other] = [lines[first], lines[second]]
        if (yieldedPairs.has(pairKey) || !one || !other) continue
        yieldedPairs.add(pairKey)
        yield [one, other]
      }
}

/** True if the original states everything that the duplicate states, and adds no other fact. */
function coversContent(
  original: LineFeatures,
  duplicate: LineFeatures,
  vectors: ReadonlyMap<string, Float32Array> | undefined,
): boolean {
  if (original.isNegated !== duplicate.isNegated) return false
  for (const value of duplicate.distinctive) if (!original.distinctive.has(value)) return false
  const missing = [...duplicate.words.keys()].filter((word) => !original.words.has(word))
  const extra = [...original.words.keys()].filter((word) => !duplicate.words.has(word))
  if (missing.length === 0) {
    // Extra words are fine, but an extra name or value makes it another fact.
    const addsFact = extra.some((word) => original.distinctive.has(word) || isValue(original.words.get(word) ?? ''))
    return !addsFact && !hasExchangedFacts(original, duplicate)
  }
  if (!vectors || missing.length > duplicate.words.size * maxSynonymShare) return false
  if (extra.some((word) => original.distinctive.has(word))) return false
  const sharesFacts =
    original.distinctive.size >= minSharedFacts && original.numberCount > 0 && ![...missing, ...extra].some(isCjk)
  const unmatched = new Set(extra)
  return missing.every((word) => {
    const wordVector = vectors.get(word)
    const script = isCjk(word) ? 'cjk' : 'other'
    let bestWord: string | undefined
    let bestCosine = sharesFacts ? minCosineWithSharedFacts : minWordCosine[script]
    for (const other of unmatched) {
      const vector = vectors.get(other)
      const wordCosine = wordVector && vector ? cosine(wordVector, vector) : 0
      // Different words after the same word are usually different answers to one question.
      const isOtherAnswer =
        wordCosine < synonymCosine[script] && wordBefore(original, other) === wordBefore(duplicate, word)
      if (wordCosine >= bestCosine && !isOtherAnswer) [bestWord, bestCosine] = [other, wordCosine]
    }
    if (bestWord === undefined) return false
    unmatched.delete(bestWord)
    return true
  })
}

/** True if two lines have the same words, but names or figures are exchanged: "from 9 to 5" and "from 5 to 9". */
function hasExchangedFacts(original: LineFeatures, duplicate: LineFeatures): boolean {
  const otherWords = ({ words, distinctive }: LineFeatures) =>
    [...words.keys()].map((word) => (distinctive.has(word) ? '' : word)).join(' ')
  const allWords = ({ words }: LineFeatures) => [...words.keys()].join(' ')
  return otherWords(original) === otherWords(duplicate) && allWords(original) !== allWords(duplicate)
}

function wordBefore({ words }: LineFeatures, word: string): string | undefined {
  let previous: string | undefined
  for (const current of words.keys()) {
    if (current === word) return previous
    previous = current
  }
  return undefined
}

async function wordVectors(lines: readonly Line[], model: SimilarityModel): Promise<Map<string, Float32Array>> {
  const wordByTerm = new Map<string, string>()
  for (const { features } of lines) for (const [term, word] of features.words) wordByTerm.set(term, word)
  const vectors = await model.vectors([...wordByTerm.values()])
  return new Map([...wordByTerm.keys()].map((term, index) => [term, vectors[index] ?? new Float32Array()]))
}

function isCjk(word: string): boolean {
  return /\p{Script=Han}/u.test(word)
}
