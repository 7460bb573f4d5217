/**
 * Part of the postings of an index: for some chunks, which terms they have and how often, by term. Never changed once it
 * is built, but for chunks that are marked as gone; typed arrays throughout, for memory and for the speed of looking.
 */
import type { Source } from '../indexing/indexed-file.ts'
import { Growing, HashTable } from './growing.ts'
import { hashLetters, lineEnd, readTerms, runEnd, type TermLists } from './packed-terms.ts'

/** A posting's 32 bits: the chunk's number, then occurrences in the text, then those beside it (headings, place). */
const chunkShift = 21
const textShift = 6
/** Most chunks of a segment; few, because building one takes several times its room. */
export const maxSegmentChunks = 2 ** (32 - chunkShift)
const maxText = 2 ** (chunkShift - textShift) - 1
const maxBeside = 2 ** textShift - 1

/** What search knows of a chunk without looking into it. */
export interface ChunkPlace {
  readonly id: number
  readonly path: string
  readonly source: Source
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
}

/** A segment as it is kept on disk: numbers by chunk and by term, and each file once. */
export interface SegmentParts {
  readonly files: readonly (readonly [path: string, source: Source])[]
  /** Of each chunk: its id, the number of its file, its first and last line. */
  readonly ids: Float64Array
  readonly fileOf: Uint32Array
  readonly startLines: Uint32Array
  readonly endLines: Uint32Array
  readonly lengths: Float32Array
  readonly tokens: Uint32Array
  readonly gone: Uint8Array
  readonly terms: number
  readonly hashes: Uint32Array
  readonly numbers: Uint32Array
  readonly starts: Uint32Array
  readonly postings: Uint32Array
}

export class Segment {
  readonly places: readonly ChunkPlace[]
  /** Lengths for BM25, and numbers of tokens as FTS5 counts them. */
  readonly lengths: Float32Array
  readonly tokens: Uint32Array
  readonly #gone: Uint8Array
  #goneCount = 0
  readonly #table: HashTable
  /** Where the postings of the term with this number begin. */
  readonly #starts: Uint32Array
  readonly #postings: Uint32Array

  constructor(built: {
    readonly places: readonly ChunkPlace[]
    readonly lengths: Float32Array
    readonly tokens: Uint32Array
    readonly table: HashTable
    readonly starts: Uint32Array
    readonly postings: Uint32Array
  }) {
    this.places = built.places
    this.lengths = built.lengths
    this.tokens = built.tokens
    this.#gone = new Uint8Array(built.places.length)
    this.#table = built.table
    this.#starts = built.starts
    this.#postings = built.postings
  }

  static fromParts({ files, ids, fileOf, startLines, endLines, gone, terms, hashes, numbers, ...rest }: SegmentParts) {
    const places = Array.from(ids, (id, at): ChunkPlace => {
      const [path, source] = files[fileOf[at] ?? 0] ?? ['', 'memory']
      return { id, path, source, startLine: startLines[at] ?? 0, endLine: endLines[at] ?? 0 }
    })
    const segment = new Segment({ ...rest, places, table: new HashTable({ hashes, numbers, size: terms }) })
    for (let at = 0; at < gone.length; at += 1) if (gone[at] === 1) segment.remove(at)
    return segment
  }

  toParts(): SegmentParts {
    const { places, lengths, tokens } = this
    const files: [string, Source][] = []
    const fileOf = Uint32Array.from(places, ({ path, source }) => {
      const last = files.at(-1)
      if (last?.[0] !== path || last[1] !== source) files.push([path, source])
      return files.length - 1
    })
    return {
      files,
      fileOf,
      ids: Float64Array.from(places, ({ id }) => id),
      startLines: Uint32Array.from(places, ({ startLine }) => startLine),
      endLines: Uint32Array.from(places, ({ endLine }) => endLine),
      lengths,
      tokens,
      gone: this.#gone,
      terms: this.#table.size,
      hashes: this.#table.hashes,
      numbers: this.#table.numbers,
      starts: this.#starts,
      postings: this.#postings,
    }
  }

  /** Chunks that are still there. */
  get size(): number {
    return this.places.length - this.#goneCount
  }

  isGone(chunk: number): boolean {
    return this.#gone[chunk] === 1
  }

  remove(chunk: number): void {
    if (this.#gone[chunk] === 1) return
    this.#gone[chunk] = 1
    this.#goneCount += 1
  }

  /** The same with some of its chunks marked as gone; itself where it has none of them. */
  without(ids: ReadonlyMap<number, unknown>): Segment {
    const chunks = [...this.places.entries()].flatMap(([chunk, { id }]) => (ids.has(id) ? [chunk] : []))
    if (chunks.length === 0) return this
    const copy = new Segment({
      places: this.places,
      lengths: this.lengths,
      tokens: this.tokens,
      table: this.#table,
      starts: this.#starts,
      postings: this.#postings,
    })
    for (const chunk of this.#gone.keys()) if (this.isGone(chunk)) copy.remove(chunk)
    for (const chunk of chunks) copy.remove(chunk)
    return copy
  }

  /** The number of a chunk in this segment by its id; -1 where it has none. */
  chunkOf(id: number): number {
    let [low, high] = [0, this.places.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = this.places[middle]?.id ?? 0
      if (found === id) return this.isGone(middle) ? -1 : middle
      if (found < id) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  /** Chunks that have the term. */
  documents(hash: number): number {
    const term = this.#table.find(hash)
    if (term < 0) return 0
    const [from, to] = [this.#starts[term] ?? 0, this.#starts[term + 1] ?? 0]
    if (this.#goneCount === 0) return to - from
    let count = 0
    for (let at = from; at < to; at += 1) if (this.#gone[(this.#postings[at] ?? 0) >>> chunkShift] === 0) count += 1
    return count
  }

  /** Calls for each chunk that has the term, in ascending order, with its occurrences in the text and beside it. */
  forEach(hash: number, found: (chunk: number, inText: number, beside: number) => void): void {
    const term = this.#table.find(hash)
    if (term < 0) return
    const to = this.#starts[term + 1] ?? 0
    for (let at = this.#starts[term] ?? 0; at < to; at += 1) {
      const posting = this.#postings[at] ?? 0
      const chunk = posting >>> chunkShift
      if (this.#gone[chunk] === 0) found(chunk, (posting >>> textShift) & maxText, posting & maxBeside)
    }
  }
}

/** Takes chunks in ascending order of their ids, `maxSegmentChunks` at most. */
export class SegmentBuilder {
  readonly #places: ChunkPlace[] = []
  readonly #lengths: number[] = []
  readonly #tokens: number[] = []
  readonly #table = new HashTable()
  readonly #terms = new Growing()
  readonly #postings = new Growing()
  /** Of each term, where its posting for the current chunk is; those of earlier chunks lie before `#chunkStart`. */
  readonly #current = new Growing()
  #chunkStart = 0

  get size(): number {
    return this.#places.length
  }

  add(place: ChunkPlace, blob: Uint8Array): void {
    const { length, text, heading, place: name } = readTerms(blob)
    this.#chunkStart = this.#postings.length
    const tokens = this.#addLists(text, 1 << textShift) + this.#addLists(heading, 1) + this.#addLists(name, 1)
    const { path } = this.#places.at(-1) ?? place
    // Chunks of one file share the string of its path.
    this.#places.push(path === place.path ? { ...place, path } : place)
    this.#lengths.push(length)
    this.#tokens.push(tokens)
  }

  finish(): Segment {
    const starts = new Uint32Array(this.#table.size + 1)
    const terms = this.#terms.values
    for (const term of terms) starts[term + 1] = (starts[term + 1] ?? 0) + 1
    for (let term = 0; term < this.#table.size; term += 1)
      starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0)
    const next = starts.slice()
    const sorted = new Uint32Array(terms.length)
    const postings = this.#postings.values
    for (let at = 0; at < terms.length; at += 1) {
      const term = terms[at] ?? 0
      const to = next[term] ?? 0
      sorted[to] = postings[at] ?? 0
      next[term] = to + 1
    }
    return new Segment({
      places: this.#places,
      lengths: Float32Array.from(this.#lengths),
      tokens: Uint32Array.from(this.#tokens),
      table: this.#table.fitted(),
      starts,
      postings: sorted,
    })
  }

  /** @returns tokens, as FTS5 counts them: terms, letters, pairs of letters, and what stands between runs of letters */
  #addLists({ words, letters }: TermLists, occurrence: number): number {
    let tokens = 0
    for (const hash of words) {
      if (hash === lineEnd) continue
      this.#addTerm(hash, occurrence)
      tokens += 1
    }
    let last = 0
    for (const letter of letters) {
      if (letter === runEnd) tokens += 2
      else if (letter !== lineEnd) {
        this.#addTerm(hashLetters(letter), occurrence)
        tokens += 1
        if (last > runEnd) {
          this.#addTerm(hashLetters(last, letter), occurrence)
          tokens += 1
        }
      }
      last = letter
    }
    return tokens
  }

  #addTerm(hash: number, occurrence: number): void {
    const term = this.#table.add(hash)
    if (term === this.#current.length) this.#current.push(0)
    const before = this.#current.at(term) - 1
    if (before < this.#chunkStart) {
      this.#current.set(term, this.#postings.length + 1)
      this.#terms.push(term)
      this.#postings.push(((this.#places.length << chunkShift) | occurrence) >>> 0)
      return
    }
    const posting = this.#postings.at(before)
    const isFull =
      occurrence === 1 ? (posting & maxBeside) === maxBeside : ((posting >>> textShift) & maxText) === maxText
    if (!isFull) this.#postings.set(before, posting + occurrence)
  }
}
