/**
 * What a query's filters and times mean in this index (M53): which chunks may be returned, which are of the days that a
 * phrase names, and which of the found ones go on. A filter decides before the best are chosen, so that it never leaves
 * a result out that it should let through.
 */
import type { Db } from '../indexing/index-schema.ts'
import type { Source } from '../indexing/indexed-file.ts'
import { overlaps, type DaySpan } from '../text/days.ts'
import { admitsFile, isFileFilter, spanOfFilters, type Filter, type Boost, type FilteredQuery } from './filters.ts'
import { fileKey, isNoteFilter, NoteMetadata, type NotesByFileKey } from './note-metadata.ts'
import type { KeywordMeasure } from '../ranking/calibrate.ts'
import type { PackedTerms } from '../keyword/packed-terms.ts'
import type { LegInput } from '../ranking/fuse.ts'
import { parseQuery, queryTerms, type Phrase } from './parse-query.ts'
import { countPhrase } from '../keyword/term-counter.ts'

/** Candidates of the days that a phrase names, beyond those that are candidates anyway. */
const datedCandidates = 24
/** Candidates that a filter keeps out, for the account. */
const refusedCandidates = 12
/** Chunks that are looked at for a word that they must not have, for each that is wanted. */
const spare = 8

/** Words that notes as such are asked for with: "yesterday's notes" asks for nothing but yesterday. */
const generic = new Set(
  'note log diary journal entri memori しま やっ やりま しました やりました やった ありました あった あり まし 笔记 日记 记录 日志 备忘 メモ 日記 메모 일기 기록'.split(
    ' ',
  ),
)

/** What a query's conditions come to in this index. */
export interface Bounds extends Chosen {
  /** Texts of the filters whose word a chunk has. */
  readonly excludedBy: (terms: PackedTerms) => ReadonlySet<string>
  /** Texts of the filters whose tag or property a note has. */
  readonly havingOf: (source: Source, path: string) => ReadonlySet<string>
  /** Chunks that are asked for by their days, path, source, tags or properties alone, where no topic is. */
  readonly bare: ReadonlySet<number>
  readonly bareMeasure: KeywordMeasure
}

export class Conditions {
  readonly #statements: ReturnType<typeof prepare>
  readonly facts: NoteMetadata

  constructor(db: Db) {
    this.#statements = prepare(db)
    this.facts = new NoteMetadata(db)
  }

  /**
   * @param most chunks that go on where no topic is asked for
   * @param termsOf what a chunk says
   * @param isSeen whether it is there for whoever asks
   */
  boundsOf(
    { filters, boosts, topic }: FilteredQuery,
    most: number,
    termsOf: (id: number) => PackedTerms | undefined,
    isSeen: (id: number) => boolean,
  ): Bounds {
    const words = filters.flatMap((filter) =>
      filter.kind === 'word' ? { text: filter.text, phrases: parseQuery(`"${filter.word}"`).phrases } : [],
    )
    const excludedBy = (terms: PackedTerms) =>
      new Set(words.flatMap(({ text, phrases }) => (phrases.every((phrase) => has(terms, phrase)) ? text : [])))
    const hasExcludedWord = (id: number) => {
      const terms = termsOf(id)
      return terms !== undefined && excludedBy(terms).size > 0
    }
    const having = this.facts.notesMatching(filters)
    const havingOf = (source: Source, path: string) => {
      const key = fileKey(source, path)
      return new Set([...having].flatMap(([text, files]) => (files.has(key) ? text : [])))
    }
    const admitted = this.#admitted(filters, havingOf)
    const dated = boosts.length > 0 ? this.#dated(boosts) : new Set<number>()
    const asked = [...(boosts.length > 0 ? boosts : filters)].map(({ text }) => text)
    const isBareQuery = asked.length > 0 && isBare(parseQuery(topic).terms)
    const named = boosts.length > 0 ? undefined : filters.find((filter) => isNoteFilter(filter) && !filter.isNot)
    const wanted = (): Iterable<number> => {
      if (named) return this.#standing(having.get(named.text), admitted)
      if (boosts.length > 0) return admitted ? dated.intersection(admitted) : dated
      return admitted ?? this.#statements.all.all()
    }
    const bare = isBareQuery
      ? Iterator.from(wanted())
          .filter((id) => isSeen(id) && (words.length === 0 || !hasExcludedWord(id)))
          .take(most)
      : []
    return {
      admitted,
      dated,
      excludedBy,
      havingOf,
      hasExcludedWord: words.length > 0 ? hasExcludedWord : undefined,
      bare: new Set(bare),
      bareMeasure: bareMeasure(asked),
    }
  }

  /** Of each note the chunk where it says what is asked for; newest notes first. */
  #standing(having: NotesByFileKey | undefined, admitted: ReadonlySet<number> | undefined): ReadonlySet<number> {
    const ids = [...(having?.values() ?? [])].map(
      ({ source, path, line }) => this.#statements.at.get(source, path, line, line) ?? 0,
    )
    return new Set(ids.filter((id) => admitted?.has(id) ?? true))
  }

  /** Chunks that path, source, tags, properties and days let through; undefined for all. */
  #admitted(filters: readonly Filter[], havingOf: Bounds['havingOf']): ReadonlySet<number> | undefined {
    const span = spanOfFilters(filters)
    const areAboutFiles = filters.some(isFileFilter)
    if (!span && !areAboutFiles) return undefined
    const inTime = span && new Set(this.#statements.within.all(...sqlSpan(span)))
    if (!areAboutFiles) return inTime
    const files = this.#statements.files
      .all()
      .filter(({ path, source }) => admitsFile(filters, { path, source, having: havingOf(source, path) }))
    const ids = this.#statements.ofFiles.all(JSON.stringify(files.map(({ path, source }) => fileKey(source, path))))
    return new Set(inTime ? ids.filter((id) => inTime.has(id)) : ids)
  }

  /** Chunks of the days that phrases name. */
  #dated(lifts: readonly Boost[]): ReadonlySet<number> {
    return new Set(lifts.flatMap((lift) => this.#statements.within.all(...sqlSpan(lift))))
  }

  daysOf(ids: readonly number[]): ReadonlyMap<number, readonly DaySpan[]> {
    return Map.groupBy(this.#statements.days.all(JSON.stringify(ids)), ({ id }) => id)
  }
}

export interface Chosen {
  /** Undefined for all. */
  readonly admitted: ReadonlySet<number> | undefined
  readonly dated: ReadonlySet<number>
  /** Of words that must not be there; undefined where there are none. */
  readonly hasExcludedWord: ((id: number) => boolean) | undefined
}

/**
 * The candidates of one leg: the best that may be returned, further ones of the days that are asked for, and some that a
 * filter keeps out.
 * @param find the best so many, of some or of all
 */
export function chooseFound(
  find: (count: number, only?: ReadonlySet<number>) => readonly number[],
  count: number,
  { admitted, dated, hasExcludedWord }: Chosen,
): readonly number[] {
  const isFiltered = admitted !== undefined || hasExcludedWord !== undefined
  if (!isFiltered && dated.size === 0) return find(count)
  const open = (most: number, only: ReadonlySet<number> | undefined) =>
    hasExcludedWord
      ? find(most * spare, only)
          .filter((id) => !hasExcludedWord(id))
          .slice(0, most)
      : find(most, only)
  const further = dated.size > 0 ? open(datedCandidates, admitted ? dated.intersection(admitted) : dated) : []
  return [...open(count, admitted), ...further, ...(isFiltered ? find(refusedCandidates) : [])]
}

/** What a passage measures that is of the days, or within the filters, where nothing else is asked for. */
function bareMeasure(texts: readonly string[]): KeywordMeasure {
  return { raw: 1, share: 1, terms: [{ term: texts.join(' '), share: 1 }], bestLine: 0 }
}

/** True for terms that ask for nothing, or for notes as such. */
function isBare(
  terms: readonly {
    readonly shown: string
    readonly role: string
    readonly readings: readonly { readonly term: string }[]
  }[],
): boolean {
  return terms.every(
    ({ role, shown, readings }) =>
      role === 'function' || role === 'filler' || generic.has(shown) || generic.has(readings[0]?.term ?? ''),
  )
}

/**
 * Gives each passage of the right days the part of the lift that it deserves: as much as it has of the topic, against the
 * passage that has most, for what is of the day and of nothing else that was asked is no answer yet. A date that words
 * have found in it already (`May 2024` in its text, heading or name) is not counted twice.
 */
export function withDeservedLifts(inputs: readonly LegInput[], { boosts, topic }: FilteredQuery): readonly LegInput[] {
  if (boosts.length === 0) return inputs
  const telling = new Set(queryTerms(topic).map(({ shown }) => shown))
  const shareOf = ({ keyword }: LegInput) =>
    (keyword?.terms ?? []).reduce((sum, { term, share }) => (telling.has(term) ? sum + share : sum), 0)
  const most = Math.max(...inputs.map(shareOf))
  return inputs.map((input): LegInput => {
    const { lift, keyword } = input
    if (!lift) return input
    const dates = new Set(queryTerms(lift.text).flatMap(({ role, shown }) => (role === 'figure' ? shown : [])))
    if (keyword?.terms.some(({ term }) => dates.has(term))) return { ...input, lift: undefined }
    return most > 0 ? { ...input, lift: { ...lift, part: shareOf(input) / most } } : input
  })
}

/** The first of the lifts whose days a passage is of. */
export function liftOf(lifts: readonly Boost[], days: readonly DaySpan[]): LegInput['lift'] {
  const lift = lifts.find((one) => days.some((span) => overlaps(span, one)))
  return lift && { text: lift.text, part: 1 }
}

function has(terms: PackedTerms, phrase: Phrase): boolean {
  const { text, heading, place } = countPhrase(terms, phrase)
  return text + heading + place > 0
}

/** SQLite has no infinite integers. */
function sqlSpan({ first, last }: DaySpan): [number, number] {
  return [Math.min(last, 1e9), Math.max(first, -1e9)]
}

function prepare(db: Db) {
  return {
    within: db
      .prepare<[number, number], number>('SELECT DISTINCT chunk_id FROM chunk_days WHERE first <= ? AND last >= ?')
      .pluck(),
    files: db.prepare<[], { path: string; source: Source }>('SELECT path, source FROM files'),
    all: db.prepare<[], number>('SELECT id FROM chunks ORDER BY id').pluck(),
    ofFiles: db
      .prepare<[string], number>(
        "SELECT id FROM chunks WHERE source || '/' || path IN (SELECT value FROM json_each(?)) ORDER BY id",
      )
      .pluck(),
    at: db
      .prepare<[string, string, number, number], number>(
        'SELECT id FROM chunks WHERE source = ? AND path = ? AND start_line <= ? AND end_line >= ? ORDER BY start_line LIMIT 1',
      )
      .pluck(),
    days: db.prepare<[string], { id: number } & DaySpan>(
      'SELECT chunk_id AS id, first, last FROM chunk_days WHERE chunk_id IN (SELECT value FROM json_each(?))',
    ),
  }
}
