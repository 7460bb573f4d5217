/**
 * BM25 over what a chunk says (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), with the weights
 * that the query's plan gives its terms. On top of the whole chunk comes a second look at its best two lines: a passage
 * that has the words together beats one that has them scattered, and a fact in a long list does not drown in it. Beside
 * the score that ranks stands the coverage: how much of what was asked for is there at all, however often. Pure.
 */
import type { KeywordPlan } from './plan.ts'
import type { Reading } from './query.ts'

/** How soon another occurrence of a word stops adding to the score, and how much a long chunk is held against it. */
const k1 = 0.79
const b = 0.44
/** The same for the coverage: the first occurrence is nearly all. */
const coverageK1 = 0.38
const coverageB = 0.28

/** What the best two-line window adds, relative to the chunk as a whole. */
const windowWeight = 0.56
const coverageWindowWeight = 0.52
/** How much the second line of a window counts, and its length against that of a chunk. */
const secondLine = 0.56
const windowLength = 0.72
/** How much an occurrence in the heading path or in the file's name and date counts, relative to one in the text. */
const headingWeight = 0.33
const placeWeight = 1.05

/** A chunk's terms as the index stores them, line by line. */
export interface ChunkTerms {
  readonly words: string
  readonly chars: string
  readonly heading: string
  readonly place: string
  /** In terms. */
  readonly length: number
}

export interface KeywordScore {
  /** What ranks. */
  readonly raw: number
  /** Each matched term's part of `raw`, in the order of the plan; they sum to it. */
  readonly parts: readonly { readonly term: string; readonly instead?: string; readonly part: number }[]
  /** How much of what the query asks for the chunk has; about 1 when that is all. */
  readonly coverage: number
  /** 0-based line of the chunk at which its best two lines begin. */
  readonly bestLine: number
}

export function scoreChunk(plan: KeywordPlan, chunk: ChunkTerms): KeywordScore {
  const lines = new LineIndex(chunk)
  const relativeLength = chunk.length / plan.averageLength
  const perLine = plan.terms.map(({ readings }) => lines.count(readings))
  const line = bestWindow(plan, perLine, lines.length)
  const parts: { term: string; instead?: string; part: number }[] = []
  let raw = 0
  let coverage = 0
  for (const [index, { shown, weight, readings, instead }] of plan.terms.entries()) {
    const counts = perLine[index]
    if (!counts) continue
    const whole = sum(counts) + besideText(chunk, readings)
    if (whole === 0) continue
    const window = windowCount(counts, line)
    const part =
      weight * (saturate(whole, k1, 1 - b + b * relativeLength) + windowWeight * saturate(window, k1, windowLength))
    coverage +=
      weight *
      (saturate(whole, coverageK1, 1 - coverageB + coverageB * relativeLength) +
        coverageWindowWeight * saturate(window, coverageK1, windowLength))
    raw += part
    parts.push({ term: shown, ...(instead === undefined ? {} : { instead }), part })
  }
  const most = plan.reach * (coverageK1 + 1) * (1 + coverageWindowWeight)
  return { raw, parts, coverage: most > 0 ? coverage / most : 0, bestLine: line }
}

/** True when the chunk has every phrase of the query. */
export function hasPhrases(plan: KeywordPlan, chunk: ChunkTerms): boolean {
  return plan.query.phrases.every(
    ({ kind, term }) =>
      occurrences((kind === 'word' ? chunk.words : chunk.chars).replaceAll('\n', ' '), kind, term) > 0 ||
      occurrences(chunk.heading, kind, term) > 0,
  )
}

/** In [0, k + 1): the more, the nearer to the most; a length below 1 helps. */
function saturate(frequency: number, k: number, length: number): number {
  return frequency === 0 ? 0 : (frequency * (k + 1)) / (frequency + k * length)
}

function besideText(chunk: ChunkTerms, readings: readonly Reading[]): number {
  let count = 0
  for (const { kind, term, weight } of readings) {
    const inHeading = chunk.heading === '' ? 0 : occurrences(chunk.heading, kind, term)
    count += weight * (headingWeight * inHeading + placeWeight * occurrences(chunk.place, kind, term))
  }
  return count
}

function sum(counts: Float32Array): number {
  let total = 0
  for (const count of counts) total += count
  return total
}

function windowCount(counts: Float32Array, line: number): number {
  return (counts[line] ?? 0) + secondLine * (counts[line + 1] ?? 0)
}

/** The line at which the best two lines begin. */
function bestWindow(plan: KeywordPlan, perLine: readonly Float32Array[], lines: number): number {
  let best = 0
  let bestScore = 0
  for (let line = 0; line < lines; line += 1) {
    let score = 0
    for (let index = 0; index < perLine.length; index += 1) {
      const counts = perLine[index]
      const frequency = counts ? windowCount(counts, line) : 0
      if (frequency > 0) score += (plan.terms[index]?.weight ?? 0) * saturate(frequency, k1, windowLength)
    }
    if (score > bestScore) {
      bestScore = score
      best = line
    }
  }
  return best
}

/** Counts whole terms in a space- and line-separated list. */
function occurrences(list: string, kind: Reading['kind'], term: string): number {
  let count = 0
  forEachOccurrence(list, kind, term, () => (count += 1))
  return count
}

function forEachOccurrence(list: string, kind: Reading['kind'], term: string, found: (at: number) => void): void {
  for (let at = list.indexOf(term); at >= 0; at = list.indexOf(term, at + term.length)) {
    // CJK terms are sequences of single characters, which always begin and end at a boundary.
    if (kind === 'cjk' || (isBoundary(list, at - 1) && isBoundary(list, at + term.length))) found(at)
  }
}

function isBoundary(list: string, at: number): boolean {
  if (at < 0 || at >= list.length) return true
  const code = list.charCodeAt(at)
  return code === 32 || code === 10
}

/** Occurrences by line, without splitting the text into lines. */
class LineIndex {
  readonly length: number
  readonly #chunk: ChunkTerms
  readonly #starts = new Map<Reading['kind'], number[]>()

  constructor(chunk: ChunkTerms) {
    this.#chunk = chunk
    this.length = this.#startsOf('word').length
  }

  /** Of all readings together, each by its weight. */
  count(readings: readonly Reading[]): Float32Array {
    const counts = new Float32Array(this.length)
    for (const { kind, term, weight } of readings) {
      const starts = this.#startsOf(kind)
      let line = 0
      forEachOccurrence(this.#listOf(kind), kind, term, (at) => {
        while (line + 1 < starts.length && (starts[line + 1] ?? Infinity) <= at) line += 1
        counts[line] = (counts[line] ?? 0) + weight
      })
    }
    return counts
  }

  #listOf(kind: Reading['kind']): string {
    return kind === 'word' ? this.#chunk.words : this.#chunk.chars
  }

  #startsOf(kind: Reading['kind']): number[] {
    let starts = this.#starts.get(kind)
    if (!starts) {
      const list = this.#listOf(kind)
      starts = [0]
      for (let at = list.indexOf('\n'); at >= 0; at = list.indexOf('\n', at + 1)) starts.push(at + 1)
      this.#starts.set(kind, starts)
    }
    return starts
  }
}
