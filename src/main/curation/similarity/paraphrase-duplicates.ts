/**
 * Finds duplicate lines: near-duplicates by shingles, and paraphrases by shared rare words and word vectors. Lines that
 * differ in a name, number, date or negation state different facts and are no duplicates.
 */
import { cosine, type SimilarityModel } from './similarity-model.ts'
import { nearDuplicates, similarityOf } from './near-duplicates.ts'
import { commonWords, isValue, extractFeatures, type LineFeatures } from './line-features.ts'

/** Words that occur in more lines than this produce no candidates: their lines are on one topic but differ. */
const maxLinesPerWord = 60
const minWords = 3
/** Minimum cosine of two lines, and of two words that replace each other. */
const minLineCosine = 0.72
const minWordCosine = { other: 0.42, cjk: 0.7 }
/** Minimum cosine of words if the lines share at least `minSharedFacts` names and figures. */
const minKnownCosine = 0.2
const minSharedFacts = 3
/**
 * Words above this cosine are synonyms, even after the same word. CJK words of one topic have similar vectors, so their
 * threshold is higher.
 */
const synonymCosine = { other: 0.65, cjk: 0.8 }
/** Maximum share of words that match by meaning only. */
const maxOther = 0.5

export interface Line {
  readonly text: string
  readonly said: LineFeatures
}

export interface DuplicatePair<T extends Line> {
  readonly kept: T
  readonly other: T
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
    const said = extractFeatures(text, (word) => common.has(word))
    return said.words.size >= minWords ? said : undefined
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
  const words = model && (await wordVectors(lines, model))
  const found: DuplicatePair<T>[] = []
  /** Lines to remove; they cannot be the line that stays for another one. */
  const removed = new Set<T>()
  const addIfDuplicate = (one: T, other: T, cosines?: number) => {
    if (removed.has(one) || removed.has(other)) return
    const [kept, duplicate] = compare(one, other) <= 0 ? [one, other] : [other, one]
    if (!isRemovable(duplicate) || !coversContent(kept.said, duplicate.said, words)) return
    removed.add(duplicate)
    found.push({ kept, other: duplicate, similarity: cosines ?? similarityOf(one.text, other.text) })
  }
  for (const { lines: group } of nearDuplicates(lines.map(({ text }) => text))) {
    const inside = group.flatMap((at) => lines[at] ?? []).sort(compare)
    for (const [index, one] of inside.entries()) for (const other of inside.slice(index + 1)) addIfDuplicate(one, other)
  }
  if (!model) return found
  const vectors = await model.vectors(lines.map(({ text }) => text))
  const at = new Map(lines.map((line, index) => [line, index]))
  for (const [one, other] of candidates(lines)) {
    const [a, b] = [vectors[at.get(one) ?? -1], vectors[at.get(other) ?? -1]]
    const near = a && b ? cosine(a, b) : 0
    if (near >= minLineCosine) addIfDuplicate(one, other, near)
  }
  return found
}

/** Yields pairs of lines that share a rare word, each pair once, rarest words first. */
function* candidates<T extends { readonly said: LineFeatures }>(lines: readonly T[]): Generator<[T, T]> {
  const byWord = new Map<string, number[]>()
  for (const [index, { said }] of lines.entries())
    for (const word of said.words.keys()) {
      const known = byWord.get(word)
      if (known) known.push(index)
      else byWord.set(word, [index])
    }
  const seen = new Set<number>()
  const rareWordLines = [...byWord.values()].filter(({ length }) => length > 1 && length <= maxLinesPerWord)
  for (const places of rareWordLines.sort((one, other) => one.length - other.length))
    for (const [order, first] of places.entries())
      for (const second of places.slice(order + 1)) {
        const pair = first * lines.length + second
        const [one, other] = [lines[first], lines[second]]
        if (seen.has(pair) || !one || !other) continue
        seen.add(pair)
        yield [one, other]
      }
}

function coversContent(
  kept: LineFeatures,
  duplicate: LineFeatures,
  vectors: ReadonlyMap<string, Float32Array> | undefined,
): boolean {
  if (kept.isNegated !== duplicate.isNegated) return false
  for (const value of duplicate.distinctive) if (!kept.distinctive.has(value)) return false
  const missing = [...duplicate.words.keys()].filter((word) => !kept.words.has(word))
  const extra = [...kept.words.keys()].filter((word) => !duplicate.words.has(word))
  if (missing.length === 0) {
    // Extra words are fine, but an extra name or value makes it another fact.
    const addsFact = extra.some((word) => kept.distinctive.has(word) || isValue(kept.words.get(word) ?? ''))
    return !addsFact && !isExchanged(kept, duplicate)
  }
  if (!vectors || missing.length > duplicate.words.size * maxOther) return false
  if (extra.some((word) => kept.distinctive.has(word))) return false
  const sharesFacts = kept.distinctive.size >= minSharedFacts && kept.numbers > 0 && ![...missing, ...extra].some(isCjk)
  const free = new Set(extra)
  return missing.every((word) => {
    const wordVector = vectors.get(word)
    const script = isCjk(word) ? 'cjk' : 'other'
    let best: string | undefined
    let nearest = sharesFacts ? minKnownCosine : minWordCosine[script]
    for (const other of free) {
      const vector = vectors.get(other)
      const near = wordVector && vector ? cosine(wordVector, vector) : 0
      // Different words after the same word are usually different answers to one question.
      const isOtherAnswer = near < synonymCosine[script] && wordBefore(kept, other) === wordBefore(duplicate, word)
      if (near >= nearest && !isOtherAnswer) [best, nearest] = [other, near]
    }
    if (best === undefined) return false
    free.delete(best)
    return true
  })
}

/** True for the same words with names or figures exchanged: "from 9 to 5" and "from 5 to 9". */
function isExchanged(kept: LineFeatures, duplicate: LineFeatures): boolean {
  const frame = ({ words, distinctive }: LineFeatures) =>
    [...words.keys()].map((word) => (distinctive.has(word) ? '' : word)).join(' ')
  const order = ({ words }: LineFeatures) => [...words.keys()].join(' ')
  return frame(kept) === frame(duplicate) && order(kept) !== order(duplicate)
}

function wordBefore({ words }: LineFeatures, word: string): string | undefined {
  let last: string | undefined
  for (const one of words.keys()) {
    if (one === word) return last
    last = one
  }
  return undefined
}

async function wordVectors(lines: readonly Line[], model: SimilarityModel): Promise<Map<string, Float32Array>> {
  const shown = new Map<string, string>()
  for (const { said } of lines) for (const [term, word] of said.words) shown.set(term, word)
  const vectors = await model.vectors([...shown.values()])
  return new Map([...shown.keys()].map((term, index) => [term, vectors[index] ?? new Float32Array()]))
}

function isCjk(word: string): boolean {
  return /\p{Script=Han}/u.test(word)
}
