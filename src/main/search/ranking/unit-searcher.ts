/**
 * Searches units: finds the words of a query, collects candidates, ranks them and chooses the results. Each search runs
 * in one read transaction. Notes and chats are searched separately, so that chats never change the order of notes.
 */
import { localDate } from '#workspace'
import { systemClock, type Clock } from '#platform'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { Source } from '../indexing/indexed-file.ts'
import { queryTerms } from '../query/parse-query.ts'
import { hasConditions, parseFilters, type FilteredQuery } from '../query/filters.ts'
import { formatDay, overlaps, parseDay } from '../text/days.ts'
import { UnitReader, type Scope } from '../units/unit-reader.ts'
import type { UnitTable } from '../units/unit-table.ts'
import { collectCandidates, noFeatures, type UnitSimilarity } from './features.ts'
import { findQueryWords, type QueryWords } from './query-words.ts'
import { rank, type RankedUnit, type RankingWeights } from './rank.ts'
import { selectResults, type SelectableText, type SelectionLimits, type UnitVerdict } from './select-results.ts'
import { daysOf, UnitFilters, type UnitFacts } from './unit-filters.ts'
import { UnitVectors } from './unit-similarity.ts'
import { wordRelations } from './word-relations.ts'

export interface UnitText {
  readonly path: string
  readonly source: Source
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  /** Heading trail. */
  readonly heading: string
  readonly text: string
  /** `YYYY-MM-DD`, of the first day; undefined if the unit has no date. */
  readonly date: string | undefined
}

export interface UnitResult extends UnitText {
  readonly score: number
}

export interface UnitCandidate {
  readonly unit: RankedUnit
  readonly verdict: UnitVerdict
}

export interface UnitRanking {
  readonly query: FilteredQuery
  readonly words: QueryWords
  /** Best first. */
  readonly candidates: readonly UnitCandidate[]
}

export interface UnitSearchOptions extends SelectionLimits {
  readonly scope: Scope
  /** Conditions of the query that are turned off, as written there. */
  readonly without?: readonly string[]
  /** Days until the weight of a dated unit is halved; null for no decay. */
  readonly recencyHalfLifeDays?: number | null
}

/** Weights of the ranking model, for memories with and without vectors. */
export interface RankingModels {
  readonly withVectors: RankingWeights
  readonly withoutVectors: RankingWeights
}

/** Maximum number of units that only match a filter or a date. */
const maxListed = 200
/** Logit that a unit of the wanted days gains: fitting the date is evidence, but not an answer. */
const dateLift = 1.5

interface OpenScope {
  readonly reader: UnitReader
  readonly vectors: UnitVectors
}

export class UnitSearcher {
  readonly #db: Db
  readonly #provider: EmbeddingProvider | undefined
  readonly #models: RankingModels
  readonly #now: Clock
  readonly #filters: UnitFilters
  readonly #statements: ReturnType<typeof prepare>
  readonly #scopes = new Map<string, OpenScope>()

  /** @param provider of the query's vectors and of word relations; undefined for keyword search */
  constructor(db: Db, provider: EmbeddingProvider | undefined, models: RankingModels, now: Clock = systemClock) {
    this.#db = db
    this.#provider = provider
    this.#models = models
    this.#now = now
    this.#filters = new UnitFilters(db)
    this.#statements = prepare(db)
  }

  /** Returns the results, best first. @param vector of the query's words, of length 1; undefined for keyword search */
  search(query: string, vector: Float32Array | undefined, options: UnitSearchOptions): UnitResult[] {
    const filtered = this.parse(query, options.without)
    return this.#db.transaction(() => this.#resultsOf(this.#rank(filtered, vector, options)))()
  }

  /** Returns the text of a unit. @throws Error if the index has no such unit */
  textOf(id: number): UnitText {
    return this.#contentOf(id).content
  }

  #contentOf(id: number): { readonly content: UnitText; readonly entry: string } {
    const row = this.#statements.content.get(id)
    if (!row) throw new Error(`the index has no unit ${id}`)
    const { entry, file, firstDay, ...content } = row
    const date = firstDay === null ? undefined : formatDay(firstDay)
    return { content: { ...content, date }, entry: `${file}/${entry}` }
  }

  /** The parts of a divided entry are one result. */
  #resultsOf({ candidates }: UnitRanking): UnitResult[] {
    const results: UnitResult[] = []
    for (const { unit, verdict } of candidates) {
      if (verdict.kind === 'returned') results.push({ ...this.textOf(unit.id), score: unit.score })
      const first = verdict.kind === 'joined' ? results[verdict.rank - 1] : undefined
      if (first && verdict.kind === 'joined')
        results[verdict.rank - 1] = { ...join(first, this.textOf(unit.id)), score: first.score }
    }
    return results
  }

  /** Removes filters and disabled time phrases; only the rest is embedded. */
  parse(query: string, without: readonly string[] = []): FilteredQuery {
    const today = parseDay(localDate(this.#now()))
    return parseFilters(query, today, without, (name) => this.#filters.isProperty(name))
  }

  /** Returns all candidates with their scores and verdicts. */
  rank(query: string, vector: Float32Array | undefined, options: UnitSearchOptions): UnitRanking {
    const filtered = this.parse(query, options.without)
    return this.#db.transaction(() => this.#rank(filtered, vector, options))()
  }

  #rank(query: FilteredQuery, vector: Float32Array | undefined, options: UnitSearchOptions): UnitRanking {
    const { reader, vectors } = this.#open(options.scope)
    const lexicon = reader.lexicon()
    const searched = searchedWords(query)
    const words = findQueryWords(searched, lexicon, wordRelations(this.#provider))
    const excludedBy = this.#filters.excludersOf(query.filters, lexicon)
    const hasTopic = queryTerms(searched).some(({ role }) => role !== 'function')
    const ranked = hasTopic
      ? this.#rankTopic(query, words, vector && vectors.similarityTo(this.#embedded(vector, query)), reader, excludedBy)
      : this.#list(query, reader, excludedBy)
    const adjusted = hasTopic ? this.#withDates(ranked, query, options) : ranked
    const limits = hasTopic ? options : { ...options, minScore: 0 }
    const verdicts = selectResults(adjusted, limits, ({ id }) => this.#selectable(id))
    return {
      query,
      words,
      candidates: adjusted.map((unit, at) => ({ unit, verdict: verdicts[at] ?? { kind: 'weak' } })),
    }
  }

  #rankTopic(
    query: FilteredQuery,
    words: QueryWords,
    similarity: UnitSimilarity | undefined,
    { table }: UnitReader,
    excludedBy: (unit: UnitFacts) => string[],
  ): RankedUnit[] {
    const admitted = query.filters.length > 0 ? this.#admitted(table, excludedBy) : undefined
    const candidates = collectCandidates(query.words, words, table, similarity, admitted)
    return rank(candidates, similarity ? this.#models.withVectors : this.#models.withoutVectors)
  }

  #embedded(vector: Float32Array, query: FilteredQuery) {
    return { vector, digests: this.#provider?.similarity, text: query.words }
  }

  #admitted(table: UnitTable, excludedBy: (unit: UnitFacts) => string[]): ReadonlySet<number> {
    const ids = new Set<number>()
    for (const unit of this.#filters.newest()) if (table.has(unit.id) && excludedBy(unit).length === 0) ids.add(unit.id)
    return ids
  }

  /** Lists the units that filters and time phrases concern, newest first, for queries without other words. */
  #list(query: FilteredQuery, { table }: UnitReader, excludedBy: (unit: UnitFacts) => string[]): RankedUnit[] {
    if (!hasConditions(query)) return []
    const listed: RankedUnit[] = []
    for (const unit of this.#filters.newest()) {
      if (!table.has(unit.id) || excludedBy(unit).length > 0) continue
      if (query.boosts.length > 0 && !isOfDays(unit, query)) continue
      listed.push(listedUnit(unit.id))
      if (listed.length === maxListed) break
    }
    return listed
  }

  /** Raises units of the days that a time phrase names, and lowers old units if the settings ask for it. */
  #withDates(ranked: RankedUnit[], query: FilteredQuery, { recencyHalfLifeDays }: UnitSearchOptions): RankedUnit[] {
    const halfLife = recencyHalfLifeDays ?? null
    if (query.boosts.length === 0 && halfLife === null) return ranked
    const today = parseDay(localDate(this.#now()))
    const bestCoverage = Math.max(...ranked.map(({ features }) => features.coverageOfThree), 1e-9)
    const adjusted = ranked.map((unit) => {
      const facts = this.#filters.factsOf(unit.id)
      if (!facts || facts.lastDay === null) return unit
      const lift = isOfDays(facts, query) ? (dateLift * unit.features.coverageOfThree) / bestCoverage : 0
      const age = Math.max(0, today - facts.lastDay)
      return addToForm(unit, lift - (halfLife === null ? 0 : (Math.LN2 * age) / halfLife))
    })
    return adjusted.sort((one, other) => other.logit - one.logit || one.id - other.id)
  }

  #selectable(id: number): SelectableText {
    const { content, entry } = this.#contentOf(id)
    const text = content.text.replace(/\s+/g, ' ').toLowerCase()
    return { entry, text, lineLength: formatResult(content).length + 1 }
  }

  #open(scope: Scope): OpenScope {
    const key = JSON.stringify(scope)
    let open = this.#scopes.get(key)
    if (!open) {
      const reader = new UnitReader(this.#db, scope)
      open = { reader, vectors: new UnitVectors(this.#db, scope, reader.table) }
      this.#scopes.set(key, open)
    }
    open.reader.refresh()
    return open
  }
}

/** Returns the topic and the dates of a query. Notes contain dates, but no relative times such as `last week`. */
function searchedWords({ topic, boosts }: FilteredQuery): string {
  const dates = boosts.filter(({ text }) => queryTerms(text).some(({ role }) => role === 'figure'))
  return [topic, ...dates.map(({ text }) => text)].join(' ')
}

function isOfDays(unit: UnitFacts, { boosts }: FilteredQuery): boolean {
  return boosts.some((boost) => daysOf(unit).some((days) => overlaps(days, boost)))
}

function addToForm(unit: RankedUnit, amount: number): RankedUnit {
  const logit = unit.logit + amount
  const contributions = { ...unit.contributions, form: unit.contributions.form + amount }
  return { ...unit, logit, score: 1 / (1 + Math.exp(-logit)), contributions }
}

/** Logit of units that a query without words lists: they match for certain. */
const listedLogit = 10

function listedUnit(id: number): RankedUnit {
  const contributions = { ownWords: 0, nearbyWords: 0, section: 0, meaning: 0, form: 0, distance: 0 }
  return {
    id,
    bm25: 0,
    features: noFeatures,
    logit: listedLogit,
    score: 1 / (1 + Math.exp(-listedLogit)),
    contributions: { ...contributions, constant: listedLogit },
  }
}

function join(one: UnitText, other: UnitText): UnitText {
  const [before, after] = one.startLine <= other.startLine ? [one, other] : [other, one]
  const separator = after.startLine - before.endLine > 1 ? ' … ' : '\n'
  const endLine = Math.max(before.endLine, after.endLine)
  return { ...before, endLine, text: `${before.text}${separator}${after.text}` }
}

/** Formats a result as one line for models: `path:line · date · text`. The date is left out if the path has it. */
export function formatResult({ path, startLine, date, text }: UnitText): string {
  const day = date === undefined || path.includes(date) ? [] : [date]
  return [`${path}:${startLine}`, ...day, text.replace(/\s*\n\s*/g, ' ')].join(' · ')
}

function prepare(db: Db) {
  return {
    content: db.prepare<[number], UnitRow>(
      `SELECT path, source, start_line AS startLine, end_line AS endLine, heading, text,
         entry, units.file_id AS file, first_day AS firstDay
       FROM units JOIN files ON files.id = units.file_id JOIN sections ON sections.id = units.section_id
       WHERE units.id = ?`,
    ),
  }
}

interface UnitRow extends Omit<UnitText, 'date'> {
  readonly entry: number
  readonly file: number
  readonly firstDay: number | null
}
