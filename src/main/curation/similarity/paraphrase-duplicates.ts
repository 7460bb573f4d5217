/**
 * Lines that say the same: word for word or nearly (shingles), or in other words (rare words in common, and nothing in
 * either that the other does not mean). Two lines that differ in a name, a number, a date, or in what they deny are two
 * facts, however alike they look.
 */
import { cosine, type Likeness } from './similarity-model.ts'
import { nearDuplicates, similarityOf } from './near-duplicates.ts'
import { commonWords, isValue, saidBy, type Said } from './line-features.ts'

/** A word that stands in more lines than this finds no candidates: most pairs that share it are about it, and differ. */
const maxOfWord = 60
/** Words that carry a line; fewer say little, and are alike by chance. */
const minWords = 3
/** Cosine of two lines, and of two words, from which on one may stand for the other. */
const minLineCosine = 0.72
const minWordCosine = { other: 0.42, cjk: 0.7 }
/** Of two words, where the lines have the same names and figures, and enough of them to be about the same thing. */
const minKnownCosine = 0.2
const knownBy = 3
/** From here on two words mean the same, wherever they stand. What a Chinese word is about tells more than what it is not. */
const sameCosine = { other: 0.65, cjk: 0.8 }
/** Share of a line's words that may be another's in meaning alone. */
const maxOther = 0.5

export interface Line {
  /** Without marks. */
  readonly text: string
  readonly said: Said
}

export interface Twins<T extends Line> {
  readonly kept: T
  readonly other: T
  /** In [0, 1]. */
  readonly likeness: number
}

interface Choice<T extends Line> {
  /** Negative when the first one stays. */
  readonly better: (one: T, other: T) => number
  /** False for a line that others need. */
  readonly mayGo: (line: T) => boolean
}

/** What each text says; undefined for those that say too little to be compared. */
export function saidOf(texts: readonly string[]): (Said | undefined)[] {
  const common = commonWords(texts)
  return texts.map((text) => {
    const said = saidBy(text, (word) => common.has(word))
    return said.words.size >= minWords ? said : undefined
  })
}

/** @param likeness without it, by words alone @returns each line that can go once, with the one that stays */
export async function twinsAmong<T extends Line>(
  lines: readonly T[],
  likeness: Likeness | undefined,
  { better, mayGo }: Choice<T>,
): Promise<Twins<T>[]> {
  const words = likeness && (await wordVectors(lines, likeness))
  const found: Twins<T>[] = []
  /** By line: who has a twin that stays goes itself, and keeps nobody. */
  const gone = new Set<T>()
  const settle = (one: T, other: T, cosines?: number) => {
    if (gone.has(one) || gone.has(other)) return
    const [kept, lost] = better(one, other) <= 0 ? [one, other] : [other, one]
    if (!mayGo(lost) || !saysAll(kept.said, lost.said, words)) return
    gone.add(lost)
    found.push({ kept, other: lost, likeness: cosines ?? similarityOf(one.text, other.text) })
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

/** Pairs of lines that share a telling word, each once; those with the rarest one first. */
function* candidates<T extends { readonly said: Said }>(lines: readonly T[]): Generator<[T, T]> {
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

/** True when nothing that the second line says is lost with it. */
function saysAll(kept: Said, lost: Said, vectors: ReadonlyMap<string, Float32Array> | undefined): boolean {
  if (kept.denies !== lost.denies) return false
  for (const value of lost.fixed) if (!kept.fixed.has(value)) return false
  const missing = [...lost.words.keys()].filter((word) => !kept.words.has(word))
  const spare = [...kept.words.keys()].filter((word) => !lost.words.has(word))
  if (missing.length === 0) {
    // The one that stays may say more, but not that it is another thing: a name or a number of its own.
    const isMore = spare.some((word) => kept.fixed.has(word) || isValue(kept.words.get(word) ?? ''))
    return !isMore && !isExchanged(kept, lost)
  }
  if (!vectors || missing.length > lost.words.size * maxOther) return false
  if (spare.some((word) => kept.fixed.has(word))) return false
  const isKnown = kept.fixed.size >= knownBy && kept.figures > 0 && ![...missing, ...spare].some(isCjk)
  const free = new Set(spare)
  return missing.every((word) => {
    const own = vectors.get(word)
    const script = isCjk(word) ? 'cjk' : 'other'
    let best: string | undefined
    let nearest = isKnown ? minKnownCosine : minWordCosine[script]
    for (const other of free) {
      const vector = vectors.get(other)
      const near = own && vector ? cosine(own, vector) : 0
      // What stands behind the same word is most often another answer to the same question.
      const isAnswer = near < sameCosine[script] && wordBefore(kept, other) === wordBefore(lost, word)
      if (near >= nearest && !isAnswer) [best, nearest] = [other, near]
    }
    if (best === undefined) return false
    free.delete(best)
    return true
  })
}

/** The same frame with its names or figures exchanged: from 9 to 5 is not from 5 to 9. */
function isExchanged(kept: Said, lost: Said): boolean {
  const frame = ({ words, fixed }: Said) => [...words.keys()].map((word) => (fixed.has(word) ? '' : word)).join(' ')
  const order = ({ words }: Said) => [...words.keys()].join(' ')
  return frame(kept) === frame(lost) && order(kept) !== order(lost)
}

/** The word that stands before another one, of those that carry the line. */
function wordBefore({ words }: Said, word: string): string | undefined {
  let last: string | undefined
  for (const one of words.keys()) {
    if (one === word) return last
    last = one
  }
  return undefined
}

async function wordVectors(lines: readonly Line[], likeness: Likeness): Promise<Map<string, Float32Array>> {
  const shown = new Map<string, string>()
  for (const { said } of lines) for (const [term, word] of said.words) shown.set(term, word)
  const vectors = await likeness.vectors([...shown.values()])
  return new Map([...shown.keys()].map((term, index) => [term, vectors[index] ?? new Float32Array()]))
}

function isCjk(word: string): boolean {
  return /\p{Script=Han}/u.test(word)
}
