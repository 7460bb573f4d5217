/**
 * Counts a query's terms in packed chunks: by line in the text, and as a whole beside it. Made once a query, because most
 * of a chunk's terms are none of the query's, and that should cost no more than one look each. Pure.
 */
import { hashTerm, lineEnd, runEnd, type PackedTerms, type TermLists } from './packed-terms.ts'
import type { Phrase, TermVariant } from '../query/parse-query.ts'

interface Counted {
  readonly readings: readonly TermVariant[]
}

/** Numbers that follow each other in a list. */
interface Sequence {
  readonly numbers: readonly number[]
  readonly term: number
  readonly weight: number
  /** Where the last match ended: matches do not overlap. */
  end: number
}

/** What a chunk has of each term of a query, each reading by its weight. */
export interface TermCounts {
  readonly lines: number
  /** By term, then by line. */
  readonly text: Float32Array
  /** By term. */
  readonly heading: Float64Array
  readonly place: Float64Array
}

const filterSize = 1024

export class TermCounter {
  readonly #terms: number
  readonly #words = new Sequences()
  readonly #letters = new Sequences()

  constructor(terms: readonly Counted[]) {
    this.#terms = terms.length
    for (const [term, { readings }] of terms.entries())
      for (const { kind, term: text, weight } of readings)
        (kind === 'word' ? this.#words : this.#letters).add({ numbers: numbersOf(kind, text), term, weight, end: 0 })
  }

  count({ lines, text, heading, place }: PackedTerms): TermCounts {
    const counts: TermCounts = {
      lines,
      text: new Float32Array(this.#terms * lines),
      heading: new Float64Array(this.#terms),
      place: new Float64Array(this.#terms),
    }
    this.#countIn(text, (term, line, weight) => add(counts.text, term * lines + line, weight))
    this.#countIn(heading, (term, _, weight) => add(counts.heading, term, weight))
    this.#countIn(place, (term, _, weight) => add(counts.place, term, weight))
    return counts
  }

  #countIn({ words, letters }: TermLists, found: (term: number, line: number, weight: number) => void): void {
    this.#words.findIn(words, found)
    this.#letters.findIn(letters, found)
  }
}

function add(counts: Float32Array | Float64Array, at: number, weight: number): void {
  counts[at] = (counts[at] ?? 0) + weight
}

class Sequences {
  readonly #byFirst = new Map<number, Sequence[]>()
  readonly #filter = new Uint8Array(filterSize)

  add(sequence: Sequence): void {
    const first = sequence.numbers[0] ?? lineEnd
    if (first === lineEnd) return
    const same = this.#byFirst.get(first)
    if (same) same.push(sequence)
    else this.#byFirst.set(first, [sequence])
    this.#filter[first % filterSize] = 1
  }

  findIn(list: Uint32Array, found: (term: number, line: number, weight: number) => void): void {
    if (this.#byFirst.size === 0) return
    let line = 0
    for (let at = 0; at < list.length; at += 1) {
      const number = list[at] ?? 0
      if (number === lineEnd) line += 1
      else if (this.#filter[number % filterSize] === 1) {
        for (const sequence of this.#byFirst.get(number) ?? []) {
          const { numbers, term, weight } = sequence
          if (numbers.length > 1 && !this.#goesOn(list, at, sequence)) continue
          found(term, line, weight)
        }
      }
    }
    for (const same of this.#byFirst.values()) for (const sequence of same) sequence.end = 0
  }

  #goesOn(list: Uint32Array, at: number, sequence: Sequence): boolean {
    const { numbers, end } = sequence
    if (at < end) return false
    for (let index = 1; index < numbers.length; index += 1) if (list[at + index] !== numbers[index]) return false
    sequence.end = at + numbers.length
    return true
  }
}

/** A term, or several joined by spaces, as packed lists have it. */
function numbersOf(kind: TermVariant['kind'], term: string): number[] {
  const parts = term.split(' ')
  return parts.map((part) => (kind === 'word' ? hashTerm(part) : (part.codePointAt(0) ?? lineEnd)))
}

/** How often a chunk has a phrase, across the ends of lines and with overlaps, as FTS5 counts. */
export function countPhrase({ text, heading, place }: PackedTerms, phrase: Pick<Phrase, 'kind' | 'term'>) {
  const numbers = numbersOf(phrase.kind, phrase.term)
  const countIn = ({ words, letters }: TermLists) =>
    phrase.kind === 'word' ? countSequence(words, numbers, [lineEnd]) : countSequence(letters, numbers, [])
  return { text: countIn(text), heading: countIn(heading), place: countIn(place) }
}

/** @param between what may stand between two numbers of the sequence */
function countSequence(list: Uint32Array, numbers: readonly number[], between: readonly number[]): number {
  const first = numbers[0] ?? lineEnd
  if (first <= runEnd) return 0
  let count = 0
  for (let at = list.indexOf(first); at >= 0; at = list.indexOf(first, at + 1)) {
    let next = at + 1
    let index = 1
    for (; index < numbers.length; index += 1, next += 1) {
      while (between.includes(list[next] ?? -1)) next += 1
      if (list[next] !== numbers[index]) break
    }
    if (index === numbers.length) count += 1
  }
  return count
}
