/**
 * Which chunks have which terms, in memory, so that a word's rarity and the chunks worth ranking are found without a look
 * into the index file. Built from the packed terms of all chunks and then kept in step: chunks never change, they come
 * (with ids above all others) and go. Small segments are merged as they grow, so that there are few of them, and each
 * chunk is read a handful of times in its life.
 */
import { maxSegmentChunks, Segment, SegmentBuilder, type ChunkPlace, type SegmentParts } from './segment.ts'

/** Chunks that are read in one go while nobody waits. */
const chunksAtOnce = 500
/** A segment this many times as large as the one after it is not merged with it. */
const tierFactor = 4
/** A segment of which less than this share is still there is built anew. */
const minLive = 0.75

/** What postings are made from. */
export interface PostingSource {
  /** Chunks with ids above `after` and not above `upTo`, in ascending order, with their packed terms. */
  readonly chunks: (after: number, upTo: number) => Iterable<readonly [ChunkPlace, Buffer]>
  readonly count: () => number
  readonly ids: () => number[]
}

/** Where a chunk is: its segment, and its number there. */
interface Spot {
  readonly segment: Segment
  readonly chunk: number
}

interface Averages {
  /** Of a chunk, in terms; 0 where there are no chunks. */
  readonly length: number
  /** The same in tokens as FTS5 counts them. */
  readonly tokens: number
}

/** All that was read, as it is kept on disk. */
export interface PostingParts {
  readonly lastId: number
  readonly segments: readonly SegmentParts[]
}

export class Postings {
  readonly #source: PostingSource
  #segments: Segment[] = []
  #builder: SegmentBuilder | undefined
  #lastId = 0
  #averages: Averages = { length: 0, tokens: 0 }

  constructor(source: PostingSource) {
    this.#source = source
  }

  /** Begins with what was kept instead of with nothing; the next `refresh` reads on from there. */
  begin({ lastId, segments }: PostingParts): void {
    this.#lastId = lastId
    this.#segments = segments.map((parts) => Segment.fromParts(parts))
  }

  /** As of the last `refresh`. */
  toParts(): PostingParts {
    return { lastId: this.#lastId, segments: this.#segments.map((segment) => segment.toParts()) }
  }

  /** Goes on reading what is new, for a moment. @returns false when there was no more */
  readSome(): boolean {
    return this.#read(chunksAtOnce)
  }

  /** Brings it in step with the index as it is now. */
  refresh(): void {
    while (this.#read(maxSegmentChunks));
    this.#close()
    if (this.chunks !== this.#source.count()) this.#dropGone()
    this.#tidy()
    this.#averages = this.#measure()
  }

  /** Chunks of the index. */
  get chunks(): number {
    return this.#segments.reduce((sum, { size }) => sum + size, 0)
  }

  /** As of the last `refresh`. */
  get averages(): Averages {
    return this.#averages
  }

  /** Chunks that have the term. */
  documents(hash: number): number {
    let count = 0
    for (const segment of this.#segments) count += segment.documents(hash)
    return count
  }

  get segments(): readonly Segment[] {
    return this.#segments
  }

  /** Undefined for what is none of the index's chunks. */
  spotOf(id: number): Spot | undefined {
    for (const segment of this.#segments) {
      const last = segment.places.at(-1)
      if (!last || last.id < id) continue
      const chunk = segment.chunkOf(id)
      return chunk < 0 ? undefined : { segment, chunk }
    }
    return undefined
  }

  placeOf(id: number): ChunkPlace | undefined {
    const spot = this.spotOf(id)
    return spot?.segment.places[spot.chunk]
  }

  #measure(): Averages {
    let [length, tokens] = [0, 0]
    for (const segment of this.#segments)
      for (let chunk = 0; chunk < segment.places.length; chunk += 1) {
        if (segment.isGone(chunk)) continue
        length += segment.lengths[chunk] ?? 0
        tokens += segment.tokens[chunk] ?? 0
      }
    const count = Math.max(1, this.chunks)
    return { length: length / count, tokens: tokens / count }
  }

  #read(most: number): boolean {
    let count = 0
    for (const [place, terms] of this.#source.chunks(this.#lastId, Number.MAX_SAFE_INTEGER)) {
      this.#builder ??= new SegmentBuilder()
      this.#builder.add(place, terms)
      this.#lastId = place.id
      if (this.#builder.size === maxSegmentChunks) this.#close()
      count += 1
      if (count === most) return true
    }
    return false
  }

  #close(): void {
    if (this.#builder) this.#segments.push(this.#builder.finish())
    this.#builder = undefined
  }

  #dropGone(): void {
    const there = new Set(this.#source.ids())
    for (const segment of this.#segments)
      for (const [chunk, { id }] of segment.places.entries()) if (!there.has(id)) segment.remove(chunk)
  }

  /** Merges what is small, and what lost much; what is gone is left out for good. */
  #tidy(): void {
    const kept: Segment[] = []
    for (const segment of this.#segments) {
      const group = [segment]
      let { size } = segment
      for (let last = kept.at(-1); last && mayMerge(last.size, size); last = kept.at(-1)) {
        group.unshift(last)
        size += last.size
        kept.pop()
      }
      const isWhole = group.length === 1 && size >= segment.places.length * minLive
      const next = isWhole ? segment : this.#rebuilt(group)
      if (next.size > 0) kept.push(next)
    }
    this.#segments = kept
  }

  #rebuilt(segments: readonly Segment[]): Segment {
    const builder = new SegmentBuilder()
    const after = (segments[0]?.places[0]?.id ?? 1) - 1
    const upTo = segments.at(-1)?.places.at(-1)?.id ?? 0
    for (const [place, terms] of this.#source.chunks(after, upTo)) builder.add(place, terms)
    return builder.finish()
  }
}

function mayMerge(size: number, next: number): boolean {
  return size + next <= maxSegmentChunks && size <= next * tierFactor
}
