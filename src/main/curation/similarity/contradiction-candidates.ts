/**
 * Lines that may not both hold: about the same people and things, by rare words in common and by meaning, and each with
 * something that the other does not say. Whether they do contradict each other is for a reader to judge; here the few
 * pairs are found that are worth a reader's time, the most telling first.
 */
import { cosine, type Likeness } from './similarity-model.ts'
import { commonWords, saidBy, withoutMarks, type Said } from './line-features.ts'

/** A word that stands in more lines than this joins too many to say what two are about. */
const maxOfWord = 400
/** Of one line: those that share most with it are looked at for their meaning, and the best of them kept. */
const looked = 12
const keptOf = 3
/** Below it two lines have a word in common and no more. */
const minScore = 0.42
/** A line of so few words says too little. */
const minWords = 2
/** What each word counts that one of both lacks: another value is most often a rare word, and no sign of another matter. */
const otherWeight = 2.2
/** What a pair's words weigh beside its meaning, in [0, 1]. */
const wordWeight = 0.65

export interface Rivals {
  /** Indexes into the texts, the lesser one first. */
  readonly one: number
  readonly other: number
  /** In [0, 1]. */
  readonly score: number
}

/** @param most pairs at most @returns best first */
export async function rivalsAmong(
  texts: readonly string[],
  likeness: Likeness | undefined,
  most: number,
): Promise<Rivals[]> {
  const common = commonWords(texts)
  const said = texts.map((text) => saidBy(text, (word) => common.has(word)))
  const weights = weightsOf(said)
  const vectors = await likeness?.vectors(texts.map(withoutMarks))
  const best = new Map<string, Rivals>()
  for (const [index, own] of said.entries()) {
    if (own.words.size < minWords) continue
    const found = sharing(index, own, weights)
      .filter(([at]) => differ(own, said[at]))
      .slice(0, looked)
      .map(([at, shared]) => {
        const [a, b] = [vectors?.[index], vectors?.[at]]
        const words = shared / (shared + otherWeight * othersOf(own, said[at]))
        const near = a && b && a.length === b.length && a.length > 0 ? Math.max(0, cosine(a, b)) : words
        return { at, score: wordWeight * words + (1 - wordWeight) * near }
      })
      .filter(({ score }) => score >= minScore)
      .sort((one, other) => other.score - one.score)
    for (const { at, score } of found.slice(0, keptOf)) {
      const [one, other] = [Math.min(index, at), Math.max(index, at)]
      best.set(`${one} ${other}`, { one, other, score })
    }
  }
  return [...best.values()].sort((a, b) => b.score - a.score || a.one - b.one || a.other - b.other).slice(0, most)
}

interface Weight {
  readonly weight: number
  readonly places: readonly number[]
}

/** The rarer a word, the more it says of what a line is about. */
function weightsOf(said: readonly Said[]): Map<string, Weight> {
  const places = new Map<string, number[]>()
  for (const [index, { words }] of said.entries())
    for (const word of words.keys()) {
      const known = places.get(word)
      if (known) known.push(index)
      else places.set(word, [index])
    }
  return new Map(
    [...places].map(([word, list]) => [word, { weight: Math.log(1 + said.length / list.length), places: list }]),
  )
}

/** The other lines by how much they share with one, most first. */
function sharing(index: number, { words }: Said, weights: ReadonlyMap<string, Weight>): [number, number][] {
  const shared = new Map<number, number>()
  for (const word of words.keys()) {
    const { weight, places } = weights.get(word) ?? { weight: 0, places: [] }
    if (places.length > maxOfWord) continue
    for (const at of places) if (at !== index) shared.set(at, (shared.get(at) ?? 0) + weight)
  }
  return [...shared].sort((one, other) => other[1] - one[1] || one[0] - other[0]).slice(0, 4 * looked)
}

/** True where each says what the other does not, or one denies. */
function differ(one: Said, other: Said | undefined): boolean {
  if (!other || other.words.size < minWords) return false
  if (one.denies !== other.denies) return true
  return lacks(one, other) && lacks(other, one)
}

function lacks(one: Said, other: Said): boolean {
  for (const word of one.words.keys()) if (!other.words.has(word)) return true
  return false
}

/** How many words stand in one of the two alone. */
function othersOf(one: Said, other: Said | undefined): number {
  let both = 0
  for (const word of one.words.keys()) if (other?.words.has(word)) both += 1
  return one.words.size + (other?.words.size ?? 0) - 2 * both
}
