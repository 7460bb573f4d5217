/**
 * Finds duplicate lines: near-duplicates by shingles, and paraphrases by shared rare words and word vectors. Lines that
 * differ in a name, number, date or negation state different facts and are no duplicates.
 */
import { cosine, type SimilarityModel } from './similarity-model.ts'
import { nearDuplicates, similarityOf } from './near-duplicates.ts'
import { commonWords, isValue, extractFeatures, type LineFeatures } from './line-features.ts'

/** Words that occur in more lines than this produce no candidates: their lines are on one topic but differ. */
const maxOfWord = 60
const minWords = 3
/** Minimum cosine of two lines, and of two words that replace each other. */
const minLineCosine = 0.72
const minWordCosine = { other: 0.42, cjk: 0.7 }
/** Minimum cosine of words if the lines share at least `knownBy` names and figures. */
const minKnownCosine = 0.2
const knownBy = 3
/**
 * Words above this cosine are synonyms, even after the same word. CJK words of one topic have similar vectors, so their
 * threshold is higher.
 */
const sameCosine = { other: 0.65, cjk: 0.8 }
/** Maximum share of words that match by meaning only. */
const maxOther = 0.5

export interface Line {
  /** Text without Markdown marks. */
  readonly text: string
  readonly said: LineFeatures
}

export interface DuplicatePair<T extends Line> {
  readonly kept: T
  readonly other: T
  /** 0 to 1. */
  readonly similarity: number
}

interface Choice<T extends Line> {
  /** Negative if the first line should stay. */
  readonly better: (one: T, other: T) => number
  readonly mayGo: (line: T) => boolean
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
 * @param likeness undefined compares words only
 * @returns each removable line once, with the line that stays
 */
export async function findDuplicates<T extends Line>(
  lines: readonly T[],
  likeness: SimilarityModel | undefined,
  { better, mayGo }: Choice<T>,
): Promise<DuplicatePair<T>[]> {
  const words = likeness && (await wordVectors(lines, likeness))
  const found: DuplicatePair<T>[] = []
  /** Lines to remove; they cannot be the line that stays for another one. */
  const gone = new Set<T>()
  const settle = (one: T, other: T, cosines?: number) => {
    if (gone.has(one) || gone.has(other)) return
    const [kept, lost] = better(one, other) <= 0 ? [one, other] : [other, one]
    if (!mayGo(lost) || !coversContent(kept.said, lost.said, words)) return
    gone.add(lost)
    found.push({ kept, other: lost, similarity: cosines ?? similarityOf(one.text, other.text) })
  }
  for (const { lines: group } of nearDuplicates(lines.map(({ text }) => text))) {
    const inside = group.flatMap((at) => lines[at] ?? []).sort(better)
    for (const [index, one] of inside.entries()) for (const other of inside.slice(index + 1)) settle(one, other)
  }
  if (!likeness) return found
  const vectors = await likeness.vectors(lines.map(({ text }) => text))
  const at = new Map(lines.map((line, index) => [line, index]))
  for (const [one, other] of candidates(lines)) {
    const [a, b] = [vectors[at.get(one) ?? -1], vectors[at.get(other) ?? -1]]
    const near = a && b ? cosine(a, b) : 0
    if (near >= minLineCosine) settle(one, other, near)
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
  const telling = [...byWord.values()].filter(({ length }) => length > 1 && length <= maxOfWord)
  for (const places of telling.sort((one, other) => one.length - other.length))
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
  lost: LineFeatures,
  vectors: ReadonlyMap<string, Float32Array> | undefined,
): boolean {
  if (kept.isNegated !== lost.isNegated) return false
  for (const value of lost.distinctive) if (!kept.distinctive.has(value)) return false
  const missing = [...lost.words.keys()].filter((word) => !kept.words.has(word))
  const spare = [...kept.words.keys()].filter((word) => !lost.words.has(word))
  if (missing.length === 0) {
    // Extra words are fine, but an extra name or value makes it another fact.
    const isMore = spare.some((word) => kept.distinctive.has(word) || isValue(kept.words.get(word) ?? ''))
    return !isMore && !isExchanged(kept, lost)
  }
  if (!vectors || missing.length > lost.words.size * maxOther) return false
  if (spare.some((word) => kept.distinctive.has(word))) return false
  const isKnown = kept.distinctive.size >= knownBy && kept.numbers > 0 && ![...missing, ...spare].some(isCjk)
  const free = new Set(spare)
  return missing.every((word) => {
    const own = vectors.get(word)
    const script = isCjk(word) ? 'cjk' : 'other'
    let best: string | undefined
    let nearest = isKnown ? minKnownCosine : minWordCosine[script]
    for (const other of free) {
      const vector = vectors.get(other)
      const near = own && vector ? cosine(own, vector) : 0
      // Different words after the same word are usually different answers to one question.
      const isAnswer = near < sameCosine[script] && wordBefore(kept, other) === wordBefore(lost, word)
      if (near >= nearest && !isAnswer) [best, nearest] = [other, near]
    }
    if (best === undefined) return false
    free.delete(best)
    return true
  })
}

/** True for the same words with names or figures exchanged: "from 9 to 5" and "from 5 to 9". */
function isExchanged(kept: LineFeatures, lost: LineFeatures): boolean {
  const frame = ({ words, distinctive }: LineFeatures) =>
    [...words.keys()].map((word) => (distinctive.has(word) ? '' : word)).join(' ')
  const order = ({ words }: LineFeatures) => [...words.keys()].join(' ')
  return frame(kept) === frame(lost) && order(kept) !== order(lost)
}

function wordBefore({ words }: LineFeatures, word: string): string | undefined {
  let last: string | undefined
  for (const one of words.keys()) {
    if (one === word) return last
    last = one
  }
  return undefined
}

async function wordVectors(lines: readonly Line[], likeness: SimilarityModel): Promise<Map<string, Float32Array>> {
  const shown = new Map<string, string>()
  for (const { said } of lines) for (const [term, word] of said.words) shown.set(term, word)
  const vectors = await likeness.vectors([...shown.values()])
  return new Map([...shown.keys()].map((term, index) => [term, vectors[index] ?? new Float32Array()]))
}

function isCjk(word: string): boolean {
  return /\p{Script=Han}/u.test(word)
}
