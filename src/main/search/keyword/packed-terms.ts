/**
 * What a chunk says, as search reads it: one blob of numbers, the terms of its text in reading order, line by line, then
 * those of its headings and of its file's name. A word or another term is a hash; a CJK letter is its code point. Of
 * 200,000 different terms in a memory, one word in 20,000 that it lacks shares its hash with one that it has. Pure.
 */
import { pathText } from '../indexing/path-text.ts'
import { lineTerms, type OnSpelling } from '../text/terms.ts'

/** Ends a line where another follows; neither a hash nor a letter is this. */
export const lineEnd = 0
/** Stands between two runs of CJK letters of one line, so that no word matches across them. */
export const runEnd = 1
const firstHash = 2

/** Numbers of the head: twice the length, the number of lines, and how long each of the six lists is. */
const headLength = 8

export interface TermLists {
  /** Hashes, with `lineEnd` between two lines. */
  readonly words: Uint32Array
  /** Code points, with `runEnd` between two runs and `lineEnd` between two lines; empty where there are none. */
  readonly letters: Uint32Array
}

export interface PackedTerms {
  /** In terms, for BM25; two CJK letters count as one. */
  readonly length: number
  /** Of the text. */
  readonly lines: number
  readonly text: TermLists
  readonly heading: TermLists
  readonly place: TermLists
}

export interface PackedChunk {
  readonly terms: Buffer
  /** The same for FTS5, which looks for phrases in it: terms and pairs of CJK letters, with a space between two. */
  readonly phrases: string
}

/** Packs the chunks of one file. Chunks share lines and headings, which are read once. */
export class ChunkPacker {
  readonly #onSpelling: OnSpelling | undefined
  readonly #lines = new Map<string, PackedLine>()
  readonly #headings = new Map<string, PackedLine>()
  readonly #place: PackedLine

  /**
   * @param onSpelling hears of the words of the text, not of its headings
   * @param names what the note calls itself besides
   */
  constructor(path: string, onSpelling?: OnSpelling, names: readonly string[] = []) {
    this.#place = packLine(pathText(path, names))
    this.#onSpelling = onSpelling
  }

  pack({ text, heading }: { readonly text: string; readonly heading: string }): PackedChunk {
    const lines = text.split('\n').map((line) => this.#line(line))
    const above = this.#heading(heading)
    const place = this.#place
    const hasLetters = lines.some(({ letters }) => letters.length > 0)
    const [wordCount, letterCount, doubleLength] = lines.reduce(
      ([words, letters, length], line) => [
        words + line.words.length,
        letters + line.letters.length,
        length + line.doubleLength,
      ],
      [lines.length - 1, hasLetters ? lines.length - 1 : 0, 0],
    )
    const beside = [above.words, above.letters, place.words, place.letters]
    const packed = new Uint32Array(
      headLength + wordCount + letterCount + beside.reduce((sum, list) => sum + list.length, 0),
    )
    packed.set([doubleLength, lines.length, wordCount, letterCount, ...beside.map((list) => list.length)])
    let at = setLines(packed, headLength, lines, 'words')
    if (hasLetters) at = setLines(packed, at, lines, 'letters')
    for (const list of beside) {
      packed.set(list, at)
      at += list.length
    }
    const phrases = `${lines.map((line) => line.phrases).join(' ')} | ${hasLetters ? lines.map(({ pairs }) => pairs).join(' ') : ''}`
    return { terms: Buffer.from(packed.buffer), phrases: `${phrases} ${phrasesOf(above)} ${phrasesOf(place)}` }
  }

  #line(raw: string): PackedLine {
    const known = this.#lines.get(raw)
    if (known) return known
    const line = packLine(raw, this.#onSpelling)
    if (this.#lines.size >= maxRemembered) this.#lines.clear()
    this.#lines.set(raw, line)
    return line
  }

  #heading(heading: string): PackedLine {
    const known = this.#headings.get(heading)
    if (known) return known
    const line = packLine(heading)
    if (this.#headings.size >= maxRemembered) this.#headings.clear()
    this.#headings.set(heading, line)
    return line
  }
}

/** Lines of a file whose terms are remembered. */
const maxRemembered = 2000

interface PackedLine {
  readonly words: readonly number[]
  readonly letters: readonly number[]
  readonly phrases: string
  readonly pairs: string
  readonly doubleLength: number
}

const noNumbers: readonly number[] = []

function packLine(raw: string, onSpelling?: OnSpelling): PackedLine {
  const { terms, runs, count } = lineTerms(raw, onSpelling)
  const words = terms.map(hashTerm)
  const phrases = terms.join(' ')
  if (runs.length === 0) return { words, letters: noNumbers, phrases, pairs: '', doubleLength: 2 * count }
  const letters: number[] = []
  const pairs: string[] = []
  let doubleLength = 2 * count
  for (const [index, run] of runs.entries()) {
    if (index > 0) letters.push(runEnd)
    doubleLength += run.length
    pushRun(run, letters, pairs)
  }
  return { words, letters, phrases, pairs: pairs.join(' '), doubleLength }
}

function setLines(packed: Uint32Array, from: number, lines: readonly PackedLine[], list: 'words' | 'letters'): number {
  let at = from
  for (const [index, line] of lines.entries()) {
    // What follows is 0 already, as `lineEnd` is.
    if (index > 0) at += 1
    for (const number of line[list]) packed[at++] = number
  }
  return at
}

function phrasesOf({ phrases, pairs }: PackedLine): string {
  return `| ${phrases} | ${pairs}`
}

/** @param blob as `packChunk` made it */
export function readTerms(blob: Uint8Array): PackedTerms {
  // Numbers of four bytes must lie at such an address.
  const bytes = blob.byteOffset % 4 === 0 ? blob : Uint8Array.from(blob)
  const packed = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  let at = headLength
  let part = 2
  const next = (): Uint32Array => packed.subarray(at, (at += packed[part++] ?? 0))
  const lists = (): TermLists => ({ words: next(), letters: next() })
  return { length: (packed[0] ?? 0) / 2, lines: packed[1] ?? 1, text: lists(), heading: lists(), place: lists() }
}

/** FNV-1a over UTF-16 units (Fowler, Noll, Vo), mixed as MurmurHash3 ends (Appleby, 2011). */
export function hashTerm(term: string): number {
  let hash = offsetBasis
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), prime)
  return finished(hash)
}

/** `hashTerm` of one CJK letter, or of two that follow each other, by code points. */
export function hashLetters(one: number, other?: number): number {
  const hash = withLetter(offsetBasis, one)
  return finished(other === undefined ? hash : withLetter(hash, other))
}

const offsetBasis = 0x811c9dc5
const prime = 0x01000193

function withLetter(hash: number, code: number): number {
  if (code < 0x10000) return Math.imul(hash ^ code, prime)
  const high = Math.imul(hash ^ (0xd800 + ((code - 0x10000) >> 10)), prime)
  return Math.imul(high ^ (0xdc00 + ((code - 0x10000) & 0x3ff)), prime)
}

function finished(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  const whole = (mixed ^ (mixed >>> 16)) >>> 0
  return whole < firstHash ? whole + firstHash : whole
}

function pushRun(run: string, letters: number[], pairs: string[]): void {
  let last = ''
  for (const letter of run) {
    letters.push(letter.codePointAt(0) ?? 0)
    if (last !== '') pairs.push(last + letter)
    last = letter
  }
  pairs.push('|')
}
