/**
 * BM25 over what a chunk says (Robertson & Zaragoza, "The Probabilistic Relevance Framework", 2009), as a share of the
 * most that the query could score, so that the figure means the same for every query. On top of the whole chunk comes a
 * second look at its best two lines: a passage that has the words together beats one that has them scattered. Pure.
 */
import type { ParsedQuery } from './query.ts'

const k1 = 1.2
const b = 0.75

/** What the best two-line window adds, relative to the chunk as a whole. */
const windowWeight = 0.5
/** How much an occurrence in the heading path or in the file's name and date counts, relative to one in the text. */
const headingWeight = 0.3
const placeWeight = 1

/** Below this many chunks a term's rarity is no evidence yet; the collection counts as this large. */
const leastDocuments = 200

export interface TermStatistics {
  readonly kind: 'word' | 'cjk'
  readonly term: string
  readonly shown: string
  /** Chunks that have the term. */
  readonly documents: number
  readonly idf: number
}

export interface KeywordPlan {
  readonly query: ParsedQuery
  readonly terms: readonly TermStatistics[]
  /** Mean length of a chunk, in terms. */
  readonly averageLength: number
  /** The most that a chunk could score. */
  readonly most: number
}

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
  readonly raw: number
  /** raw / most, in [0, 1]. */
  readonly share: number
  /** Each matched term's part of the share; they sum to it. */
  readonly terms: readonly { readonly term: string; readonly share: number }[]
  /** 0-based line of the chunk at which its best two lines begin. */
  readonly bestLine: number
}

export function planKeywords(
  query: ParsedQuery,
  collection: { readonly chunks: number; readonly averageLength: number },
  documentsWith: (kind: 'word' | 'cjk', term: string) => number,
): KeywordPlan {
  const size = Math.max(collection.chunks, leastDocuments)
  const terms = query.terms.map(({ kind, term, shown }) => {
    const documents = documentsWith(kind, term)
    return { kind, term, shown, documents, idf: Math.log(1 + (size - documents + 0.5) / (documents + 0.5)) }
  })
  const most = terms.reduce((sum, term) => sum + term.idf, 0) * (k1 + 1) * (1 + windowWeight)
  return { query, terms, averageLength: Math.max(1, collection.averageLength), most }
}

export function scoreChunk(plan: KeywordPlan, chunk: ChunkTerms): KeywordScore {
  const lines = new LineIndex(chunk)
  const norm = 1 - b + (b * chunk.length) / plan.averageLength
  const wholes: number[] = []
  const perLine: Uint16Array[] = []
  for (const { kind, term } of plan.terms) {
    const counts = lines.count(kind, term)
    let inText = 0
    for (const count of counts) inText += count
    const frequency =
      inText +
      headingWeight * occurrences(chunk.heading, kind, term) +
      placeWeight * occurrences(chunk.place, kind, term)
    wholes.push(saturate(frequency, norm))
    perLine.push(counts)
  }
  const window = bestWindow(plan, perLine, lines.length)
  const terms: { term: string; share: number }[] = []
  let raw = 0
  for (const [index, { shown, idf }] of plan.terms.entries()) {
    const part = idf * ((wholes[index] ?? 0) + windowWeight * (window.parts[index] ?? 0))
    if (part > 0) terms.push({ term: shown, share: plan.most > 0 ? part / plan.most : 0 })
    raw += part
  }
  terms.sort((one, other) => other.share - one.share)
  return { raw, share: plan.most > 0 ? raw / plan.most : 0, terms, bestLine: window.line }
}

/** True when the chunk has every phrase of the query. */
export function hasPhrases(plan: KeywordPlan, chunk: ChunkTerms): boolean {
  return plan.query.phrases.every(
    ({ kind, term }) =>
      occurrences((kind === 'word' ? chunk.words : chunk.chars).replaceAll('\n', ' '), kind, term) > 0 ||
      occurrences(chunk.heading, kind, term) > 0,
  )
}

function saturate(frequency: number, norm: number): number {
  return frequency === 0 ? 0 : (frequency * (k1 + 1)) / (frequency + k1 * norm)
}

interface Window {
  readonly line: number
  /** Saturated frequency of each term within the two lines. */
  readonly parts: readonly number[]
}

function bestWindow(plan: KeywordPlan, perLine: readonly Uint16Array[], lines: number): Window {
  let best: Window = { line: 0, parts: [] }
  let bestScore = 0
  for (let line = 0; line < lines; line += 1) {
    let score = 0
    for (const [index, term] of plan.terms.entries()) {
      const counts = perLine[index]
      const frequency = (counts?.[line] ?? 0) + (counts?.[line + 1] ?? 0)
      if (frequency > 0) score += term.idf * saturate(frequency, 1)
    }
    if (score > bestScore) {
      bestScore = score
      best = { line, parts: perLine.map((counts) => saturate((counts[line] ?? 0) + (counts[line + 1] ?? 0), 1)) }
    }
  }
  return best
}

/** Counts whole terms in a space- and line-separated list. */
function occurrences(list: string, kind: 'word' | 'cjk', term: string): number {
  let count = 0
  forEachOccurrence(list, kind, term, () => (count += 1))
  return count
}

function forEachOccurrence(list: string, kind: 'word' | 'cjk', term: string, found: (at: number) => void): void {
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
  readonly #starts = new Map<'word' | 'cjk', number[]>()

  constructor(chunk: ChunkTerms) {
    this.#chunk = chunk
    this.length = this.#startsOf('word').length
  }

  count(kind: 'word' | 'cjk', term: string): Uint16Array {
    const counts = new Uint16Array(this.length)
    const starts = this.#startsOf(kind)
    let line = 0
    forEachOccurrence(this.#listOf(kind), kind, term, (at) => {
      while (line + 1 < starts.length && (starts[line + 1] ?? Infinity) <= at) line += 1
      counts[line] = (counts[line] ?? 0) + 1
    })
    return counts
  }

  #listOf(kind: 'word' | 'cjk'): string {
    return kind === 'word' ? this.#chunk.words : this.#chunk.chars
  }

  #startsOf(kind: 'word' | 'cjk'): number[] {
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
