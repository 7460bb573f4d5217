/**
 * The words of an index as somebody sees them who may not see all of it (M64): chunks that stay on this machine are not
 * there, and of those that do in part, what is left counts. Ranks, scores and rarities are those of a memory without the
 * rest: no word that stands there alone changes anything.
 */
import { visibilityOf } from '#shared/markdown/visibility.ts'
import type { Unseen } from '#workspace/privacy'
import { ChunkPacker, readTerms, type PackedTerms } from './packed-terms.ts'
import type { Db } from '../indexing/index-schema.ts'
import { firstPass, postingHash, type PostingView, type Wanted } from './first-pass.ts'
import type { ChunkWithTerms, KeywordIndex, Keywords } from './keyword-index.ts'
import type { KeywordPlan } from '../query/keyword-plan.ts'
import { chooseCandidateTerms } from '../query/parse-query.ts'
import { SegmentBuilder, type ChunkPlace, type Segment } from './segment.ts'
import { countPhrase } from './term-counter.ts'

interface Part {
  readonly place: ChunkPlace
  /** With as many lines; those that stay here are empty. */
  readonly text: string
  readonly terms: PackedTerms
}

export class SeenIndex implements Keywords {
  readonly #all: KeywordIndex
  /** Chunks that are not as they are; undefined for those that are not there. */
  readonly #changed: ReadonlyMap<number, Part | undefined>
  readonly #view: SeenPostings

  constructor(
    all: KeywordIndex,
    changed: ReadonlyMap<number, Part | undefined>,
    packed: readonly [ChunkPlace, Buffer][],
  ) {
    this.#all = all
    this.#changed = changed
    this.#view = new SeenPostings(all.segments, changed, packed)
  }

  get chunks(): number {
    return this.#view.chunks
  }

  get averageLength(): number {
    return this.#view.averages.length
  }

  get spellings(): Keywords['spellings'] {
    const isThere = (term: string) => this.documents({ kind: 'word', term }) > 0
    const { spellings } = this.#all
    return { has: (word) => spellings.has(word), nearest: (word) => spellings.nearest(word, isThere) }
  }

  documents(wanted: Wanted): number {
    const hash = postingHash(wanted)
    return hash === undefined ? this.chunksWith(wanted).length : this.#view.documents(hash)
  }

  candidates({ query, terms }: KeywordPlan, count: number, only?: ReadonlySet<number>): number[] {
    return firstPass(this.#view, this, { ...query, terms: chooseCandidateTerms(terms) }, count, only)
  }

  chunksWith(phrase: Wanted): readonly number[] {
    return this.#all.chunksWith(phrase).filter((id) => {
      if (!this.#changed.has(id)) return true
      const terms = this.#changed.get(id)?.terms
      if (!terms) return false
      const { text, heading, place } = countPhrase(terms, phrase)
      return text + heading + place > 0
    })
  }

  termsOf(id: number): PackedTerms | undefined {
    return this.#changed.has(id) ? this.#changed.get(id)?.terms : this.#all.termsOf(id)
  }

  read(ids: Iterable<number>): ChunkWithTerms[] {
    return this.#all.read(ids).flatMap((chunk) => {
      if (!this.#changed.has(chunk.id)) return [chunk]
      const terms = this.#changed.get(chunk.id)?.terms
      return terms ? [{ ...chunk, terms }] : []
    })
  }

  isSeen(id: number): boolean {
    return !this.#changed.has(id) || this.#changed.get(id) !== undefined
  }

  isAsItIs(id: number): boolean {
    return !this.#changed.has(id)
  }

  /** What is left of a chunk that is there in part; undefined for one that is there as it is. */
  textOf(id: number): string | undefined {
    return this.#changed.get(id)?.text
  }

  /** Chunks that are not there, or in part. */
  get changed(): number {
    return this.#changed.size
  }
}

/** The postings without the chunks that are not there, and with what is left of the others. */
class SeenPostings implements PostingView {
  readonly segments: readonly Segment[]
  readonly averages: PostingView['averages']
  readonly #parts: Segment

  constructor(
    segments: readonly Segment[],
    changed: ReadonlyMap<number, unknown>,
    packed: readonly (readonly [ChunkPlace, Buffer])[],
  ) {
    const builder = new SegmentBuilder()
    for (const [place, terms] of packed) builder.add(place, terms)
    this.#parts = builder.finish()
    this.segments = [...segments.map((segment) => segment.without(changed)), this.#parts]
    let [length, tokens] = [0, 0]
    for (const segment of this.segments)
      for (let chunk = 0; chunk < segment.places.length; chunk += 1) {
        if (segment.isGone(chunk)) continue
        length += segment.lengths[chunk] ?? 0
        tokens += segment.tokens[chunk] ?? 0
      }
    const count = Math.max(1, this.chunks)
    this.averages = { length: length / count, tokens: tokens / count }
  }

  get chunks(): number {
    return this.segments.reduce((sum, { size }) => sum + size, 0)
  }

  documents(hash: number): number {
    return this.segments.reduce((sum, segment) => sum + segment.documents(hash), 0)
  }

  spotOf(id: number) {
    for (const segment of [this.#parts, ...this.segments]) {
      const chunk = segment.chunkOf(id)
      if (chunk >= 0) return { segment, chunk }
    }
    return undefined
  }
}

/** Makes such indexes, and keeps the one that was asked for last. */
export class SeenIndexes {
  readonly #texts: (id: number) => { readonly text: string } | undefined
  readonly #markedAfter: (id: number) => number[]
  /** Chunks of conversations with a mark; chunks never change, and new ones have ids above all others. */
  readonly #marked = new Set<number>()
  #lastMarked = 0
  #kept: { readonly key: string; readonly index: SeenIndex } | undefined

  constructor(db: Db) {
    const text = db.prepare<[number], { text: string }>('SELECT text FROM chunks WHERE id = ?')
    const marked = db
      .prepare<[number], number>(
        "SELECT id FROM chunks WHERE id > ? AND source = 'sessions' AND instr(text, '^[local]') > 0 ORDER BY id",
      )
      .pluck()
    this.#texts = (id) => text.get(id)
    this.#markedAfter = (id) => marked.all(id)
  }

  /** @param version of the index, with which `all` is in step */
  of(all: KeywordIndex, version: number, unseen: Unseen): SeenIndex {
    const key = `${version} ${JSON.stringify(unseen)}`
    if (this.#kept?.key !== key) this.#kept = { key, index: this.#make(all, unseen) }
    return this.#kept.index
  }

  #make(all: KeywordIndex, unseen: Unseen): SeenIndex {
    const notes = new Map(unseen.map(([path, lines]) => [path, lines && new Set(lines)]))
    const lastId = all.segments.at(-1)?.places.at(-1)?.id ?? 0
    for (const id of this.#markedAfter(this.#lastMarked)) this.#marked.add(id)
    this.#lastMarked = Math.max(this.#lastMarked, lastId)
    const changed = new Map<number, Part | undefined>()
    const packed: [ChunkPlace, Buffer][] = []
    for (const segment of all.segments)
      for (const [chunk, place] of segment.places.entries()) {
        const lines = notes.get(place.path)
        const isMarked = place.source === 'sessions' && this.#marked.has(place.id)
        if ((lines === undefined && !isMarked) || segment.isGone(chunk)) continue
        const text = lines === null ? undefined : this.#left(place, lines)
        // Nothing of it stays here.
        if (text === '') continue
        const terms = text === undefined ? undefined : new ChunkPacker(place.path).pack({ text, heading: '' }).terms
        changed.set(place.id, text === undefined || !terms ? undefined : { place, text, terms: readTerms(terms) })
        if (terms) packed.push([place, terms])
      }
    packed.sort(([one], [other]) => one.id - other.id)
    return new SeenIndex(all, changed, packed)
  }

  /** The text without its local lines; undefined where none is left, '' where none of them is local. */
  #left({ id, startLine }: ChunkPlace, local: ReadonlySet<number> = new Set()): string | undefined {
    const lines = (this.#texts(id)?.text ?? '').split('\n')
    const marked = visibilityOf(lines.join('\n')).localLines
    const isLocal = (at: number) => marked.has(at) || local.has(startLine - 1 + at)
    if (!lines.some((_, at) => isLocal(at))) return ''
    const left = lines.map((line, at) => (isLocal(at) ? '' : line))
    return left.some((line) => line.trim() !== '') ? left.join('\n') : undefined
  }
}
