/**
 * The words of an index, as a search asks for them: what is kept in memory of them (postings, spellings), and what is
 * read when it is needed (a chunk's terms, phrases). Kept in step with the file, version by version.
 */
import { readTerms, type PackedTerms } from './packed-terms.ts'
import type { Db } from '../indexing/index-schema.ts'
import { firstPass, postingHash, type PhraseIndex, type Wanted } from './first-pass.ts'
import { Postings, type PostingParts } from './postings.ts'
import { chooseCandidateTerms, toIndexPhrase } from '../query/parse-query.ts'
import type { KeywordPlan } from '../query/keyword-plan.ts'
import type { ChunkPlace } from './segment.ts'
import { SpellingDictionary } from './spellings.ts'
import { termSource, type TermSource } from './index-statements.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface ChunkWithTerms extends ChunkPlace {
  readonly terms: PackedTerms
}

/** What a search asks of the words of an index. */
export interface Keywords extends PhraseIndex, Vocabulary {
  readonly chunks: number
  /** Of a chunk, in terms. */
  readonly averageLength: number
  candidates(plan: KeywordPlan, count: number, only?: ReadonlySet<number>): number[]
  /** Those of the chunks that are there. */
  read(ids: Iterable<number>): ChunkWithTerms[]
}

export class KeywordIndex implements Keywords {
  readonly spellings: SpellingDictionary
  readonly #phrase: (expression: string) => number[]
  readonly #terms: TermSource
  readonly #postings: Postings
  #version: number | undefined
  /** Chunks with each phrase that was asked for since the index last changed. */
  readonly #phraseChunks = new Map<string, readonly number[]>()

  constructor(db: Db) {
    this.spellings = new SpellingDictionary(db)
    this.#terms = termSource(db)
    this.#postings = new Postings(this.#terms)
    const phrase = db
      .prepare<[string], number>('SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ? ORDER BY rowid')
      .pluck()
    this.#phrase = (expression) => phrase.all(expression)
  }

  begin(parts: PostingParts): void {
    this.#postings.begin(parts)
  }

  toParts(): PostingParts {
    return this.#postings.toParts()
  }

  /** Goes on reading what is new, for a moment. @returns false when there was no more */
  readSome(): boolean {
    return this.#postings.readSome()
  }

  /** Brings what is kept in step with the index, if that is of another version than last time. */
  refresh(version: number): void {
    if (version === this.#version) return
    this.#phraseChunks.clear()
    this.spellings.refresh(version)
    this.#postings.refresh()
    this.#version = version
  }

  get segments(): Postings['segments'] {
    return this.#postings.segments
  }

  get chunks(): number {
    return this.#postings.chunks
  }

  /** Of a chunk, in terms. */
  get averageLength(): number {
    return this.#postings.averages.length
  }

  /** Chunks that have it. */
  documents(wanted: Wanted): number {
    const hash = postingHash(wanted)
    return hash === undefined ? this.chunksWith(wanted).length : this.#postings.documents(hash)
  }

  /**
   * Ids of the `count` chunks that are worth ranking.
   * @param only the chunks that may be among them; undefined for all
   */
  candidates({ query, terms }: KeywordPlan, count: number, only?: ReadonlySet<number>): number[] {
    return firstPass(this.#postings, this, { ...query, terms: chooseCandidateTerms(terms) }, count, only)
  }

  chunksWith(phrase: Wanted): readonly number[] {
    const expression = toIndexPhrase(phrase)
    let ids = this.#phraseChunks.get(expression)
    if (!ids) {
      ids = this.#phrase(expression)
      this.#phraseChunks.set(expression, ids)
    }
    return ids
  }

  termsOf(id: number): PackedTerms | undefined {
    const blob = this.#terms.termsOf(id)
    return blob && readTerms(blob)
  }

  /** Those of the chunks that are there. */
  read(ids: Iterable<number>): ChunkWithTerms[] {
    const found: ChunkWithTerms[] = []
    for (const id of ids) {
      const place = this.#postings.placeOf(id)
      const terms = place && this.termsOf(id)
      if (terms) found.push({ ...place, terms })
    }
    return found
  }
}
