/**
 * The first look at a memory: of all chunks with any of a query's rare terms, those that are worth ranking, by BM25 with
 * the constants of FTS5 (sqlite.org/fts5.html#the_bm25_function), headings and places at six tenths of the text. Single
 * terms are looked up in the postings; phrases in FTS5, and counted in the chunks that it names.
 */
import { hashLetters, hashTerm, type PackedTerms } from './packed-terms.ts'
import type { Postings } from './postings.ts'
import type { ParsedQuery, Phrase } from '../query/parse-query.ts'
import { countPhrase } from './term-counter.ts'

const k1 = 1.2
const b = 0.75
const besideWeight = 0.6
/** What a term tells that stands in half of all chunks or more. */
const leastIdf = 1e-6

/** One thing to look for. */
export type Wanted = Pick<Phrase, 'kind' | 'term'> & { readonly weight?: number }

/** What the first look is at. */
export type PostingView = Pick<Postings, 'segments' | 'averages' | 'chunks' | 'documents' | 'spotOf'>

export interface PhraseIndex {
  /** Ids of the chunks that have the phrase, in ascending order. */
  chunksWith(phrase: Wanted): readonly number[]
  termsOf(id: number): PackedTerms | undefined
}

/** The hash by which the postings know it; undefined for what they do not: it is several terms long. */
export function postingHash({ kind, term }: Wanted): number | undefined {
  if (kind === 'word') return term.includes(' ') ? undefined : hashTerm(term)
  const letters = term.split(' ')
  const [one, other] = letters.map((letter) => letter.codePointAt(0) ?? 0)
  return letters.length > 2 || one === undefined ? undefined : hashLetters(one, other)
}

/**
 * Ids of the `count` best chunks that have any of the terms and all of the phrases, best first.
 * @param only the chunks that may be among them; undefined for all
 */
export function firstPass(
  postings: PostingView,
  index: PhraseIndex,
  { terms, phrases }: ParsedQuery,
  count: number,
  only?: ReadonlySet<number>,
): number[] {
  const scores = new Scores(postings)
  const readings: readonly Wanted[] = terms.flatMap((term) => term.readings)
  for (const reading of readings) scores.add(reading, index, undefined)
  if (phrases.length === 0) return scores.best(count, only)
  let allowed: ReadonlySet<number> | undefined
  for (const phrase of phrases) {
    const having = new Set(chunksWith(phrase, postings, index))
    allowed = allowed ? allowed.intersection(having) : having
  }
  // Without a term, the phrases are all there is to find.
  const wanted = readings.length === 0 ? allowed : scores.found(allowed)
  for (const phrase of phrases) scores.add(phrase, index, wanted)
  return scores.best(count, only && wanted ? wanted.intersection(only) : wanted)
}

function chunksWith(wanted: Wanted, postings: PostingView, index: PhraseIndex): readonly number[] {
  const hash = postingHash(wanted)
  if (hash === undefined) return index.chunksWith(wanted)
  const ids: number[] = []
  for (const segment of postings.segments) segment.forEach(hash, (chunk) => ids.push(segment.places[chunk]?.id ?? 0))
  return ids
}

class Scores {
  readonly #postings: PostingView
  readonly #averageTokens: number
  /** Of each segment's chunks; 0 for those that have nothing of what was asked. */
  readonly #scores: Float64Array[]

  constructor(postings: PostingView) {
    this.#postings = postings
    this.#averageTokens = postings.averages.tokens
    this.#scores = postings.segments.map(({ places }) => new Float64Array(places.length))
  }

  /** @param only the chunks that may have it; undefined for all */
  add(wanted: Wanted, index: PhraseIndex, only: ReadonlySet<number> | undefined): void {
    const hash = postingHash(wanted)
    if (hash === undefined) return this.#addPhrase(wanted, index, only)
    const idf = (wanted.weight ?? 1) * this.#idf(this.#postings.documents(hash))
    for (const [number, segment] of this.#postings.segments.entries())
      segment.forEach(hash, (chunk, inText, beside) => {
        if (only && !only.has(segment.places[chunk]?.id ?? 0)) return
        this.#addTo(number, chunk, idf, inText + besideWeight * beside)
      })
  }

  /** Those of `ids` that have a score. */
  found(ids: ReadonlySet<number> | undefined): ReadonlySet<number> {
    return new Set([...(ids ?? [])].filter((id) => this.#scoreOf(id) > 0))
  }

  /** The ids with the best scores, best first; of equals the first. */
  best(count: number, only?: ReadonlySet<number>): number[] {
    const ids: number[] = []
    const best: number[] = []
    for (const [number, segment] of this.#postings.segments.entries()) {
      const scores = this.#scores[number] ?? []
      for (let chunk = 0; chunk < scores.length; chunk += 1) {
        const score = scores[chunk] ?? 0
        if (score === 0 || (best.length === count && score <= (best[count - 1] ?? 0))) continue
        const id = segment.places[chunk]?.id ?? 0
        if (only && !only.has(id)) continue
        let at = best.length
        while (at > 0 && (best[at - 1] ?? 0) < score) at -= 1
        best.splice(at, 0, score)
        ids.splice(at, 0, id)
        if (best.length > count) {
          best.pop()
          ids.pop()
        }
      }
    }
    return ids
  }

  #addPhrase(phrase: Wanted, index: PhraseIndex, only: ReadonlySet<number> | undefined): void {
    const ids = index.chunksWith(phrase)
    const idf = this.#idf(ids.length)
    for (const id of ids) {
      const spot = only && !only.has(id) ? undefined : this.#postings.spotOf(id)
      const terms = spot && index.termsOf(id)
      if (!spot || !terms) continue
      const { text, heading, place } = countPhrase(terms, phrase)
      const segment = this.#postings.segments.indexOf(spot.segment)
      this.#addTo(segment, spot.chunk, idf, Math.max(text + besideWeight * (heading + place), besideWeight))
    }
  }

  #addTo(number: number, chunk: number, idf: number, frequency: number): void {
    const scores = this.#scores[number]
    const tokens = this.#postings.segments[number]?.tokens[chunk] ?? 0
    const length = 1 - b + (b * tokens) / this.#averageTokens
    if (scores) scores[chunk] = (scores[chunk] ?? 0) + (idf * frequency * (k1 + 1)) / (frequency + k1 * length)
  }

  #scoreOf(id: number): number {
    const spot = this.#postings.spotOf(id)
    return (spot && this.#scores[this.#postings.segments.indexOf(spot.segment)]?.[spot.chunk]) ?? 0
  }

  #idf(documents: number): number {
    const { chunks } = this.#postings
    const idf = Math.log((chunks - documents + 0.5) / (documents + 0.5))
    return idf > 0 ? idf : leastIdf
  }
}
