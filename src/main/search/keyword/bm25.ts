/**
 * BM25 over what a chunk says (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), with the weights
 * that the query's plan gives its terms. On top of the whole chunk comes a second look at its best two lines: a passage
 * that has the words together beats one that has them scattered, and a fact in a long list does not drown in it. Beside
 * the score that ranks stands the coverage: how much of what was asked for is there at all, however often. Pure.
 */
import type { PackedTerms } from './packed-terms.ts'
import type { KeywordPlan } from '../query/keyword-plan.ts'
import { countPhrase, type TermCounts } from './term-counter.ts'

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

export interface KeywordScore {
  /** What ranks. */
  readonly raw: number
  /** Each matched term's part of `raw`, in the order of the plan; they sum to it. */
  readonly parts: readonly {
    readonly term: string
    readonly instead?: string
    readonly alike?: string
    readonly part: number
  }[]
  /** How much of what the query asks for the chunk has; about 1 when that is all. */
  readonly coverage: number
  /** 0-based line of the chunk at which its best two lines begin. */
  readonly bestLine: number
}

/** @param counts of the plan's terms in the chunk */
export function scoreChunk(plan: KeywordPlan, chunk: Pick<PackedTerms, 'length'>, counts: TermCounts): KeywordScore {
  const relativeLength = chunk.length / plan.averageLength
  const line = bestWindow(plan, counts)
  const parts: { term: string; instead?: string; alike?: string; part: number }[] = []
  let raw = 0
  let coverage = 0
  for (const [index, { shown, weight, instead, alike }] of plan.terms.entries()) {
    const beside = headingWeight * (counts.heading[index] ?? 0) + placeWeight * (counts.place[index] ?? 0)
    const whole = textCount(counts, index) + beside
    if (whole === 0) continue
    const window = windowCount(counts, index, line)
    const part =
      weight * (saturate(whole, k1, 1 - b + b * relativeLength) + windowWeight * saturate(window, k1, windowLength))
    coverage +=
      weight *
      (saturate(whole, coverageK1, 1 - coverageB + coverageB * relativeLength) +
        coverageWindowWeight * saturate(window, coverageK1, windowLength))
    raw += part
    parts.push({
      term: shown,
      ...(instead === undefined ? {} : { instead }),
      ...(alike === undefined ? {} : { alike }),
      part,
    })
  }
  const most = plan.expectedWeight * (coverageK1 + 1) * (1 + coverageWindowWeight)
  return { raw, parts, coverage: most > 0 ? coverage / most : 0, bestLine: line }
}

/** True when the chunk has every phrase of the query. */
export function hasPhrases(plan: KeywordPlan, chunk: PackedTerms): boolean {
  return plan.query.phrases.every((phrase) => {
    const { text, heading } = countPhrase(chunk, phrase)
    return text > 0 || heading > 0
  })
}

/** In [0, k + 1): the more, the nearer to the most; a length below 1 helps. */
function saturate(frequency: number, k: number, length: number): number {
  return frequency === 0 ? 0 : (frequency * (k + 1)) / (frequency + k * length)
}

function textCount({ text, lines }: TermCounts, term: number): number {
  let total = 0
  for (let at = term * lines; at < (term + 1) * lines; at += 1) total += text[at] ?? 0
  return total
}

/** Of the two lines from `line` on. */
function windowCount({ text, lines }: TermCounts, term: number, line: number): number {
  const second = line + 1 < lines ? (text[term * lines + line + 1] ?? 0) : 0
  return (text[term * lines + line] ?? 0) + secondLine * second
}

/** The line at which the best two lines begin. */
function bestWindow({ terms }: KeywordPlan, counts: TermCounts): number {
  let best = 0
  let bestScore = 0
  for (let line = 0; line < counts.lines; line += 1) {
    let score = 0
    for (let term = 0; term < terms.length; term += 1) {
      const frequency = windowCount(counts, term, line)
      if (frequency > 0) score += (terms[term]?.weight ?? 0) * saturate(frequency, k1, windowLength)
    }
    if (score > bestScore) {
      bestScore = score
      best = line
    }
  }
  return best
}
