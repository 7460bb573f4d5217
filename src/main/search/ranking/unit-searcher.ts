/**
 * Searches units: finds the words of a query, collects candidates, ranks them and chooses the results. Each search runs
 * in one read transaction. Notes and chats are searched separately, so that chats never change the order of notes.
 */
import { localDate, type WrittenDays } from '#workspace'
import { systemClock, type Clock } from '#platform'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { ResultSource } from '../indexing/indexed-file.ts'
import { indexTermsOf, isTopic, queryTerms, requiredPhrases } from '../query/parse-query.ts'
import { searchedWords, searchTerms, withoutTimes, type SearchTerm } from '../query/parse-query.ts'
import { hasConditions, parseFilters, type FilteredQuery } from '../query/filters.ts'
import { formatDay, parseDay } from '../text/language/dates.ts'
import { bodyOf } from '../units/prepare-units.ts'
import { snippetOf } from '../units/split-chunks.ts'
import { UnitReader, type Scope } from '../units/unit-reader.ts'
import { unitFlags } from '../units/unit-schema.ts'
import { isMarkedOld } from '../text/plain-line.ts'
import { collectCandidates, type UnitSimilarity } from './features.ts'
import { lazy } from '#shared/util/lazy.ts'
import { formatResult } from '#shared/util/format-result.ts'
import { matchedWords } from './matched-words.ts'
import { findQueryWords, wordRelations } from './query-words.ts'
import type { Lexicon, QueryWord, QueryWords, WordRelations } from './query-words.ts'
import { adjust, byLogit, rank, unscoredUnit } from './rank.ts'
import type { RankedUnit, RankingModels, RankingWeights } from './rank.ts'
import { rankClassic, type ClassicWeights } from './classic-ranking.ts'
import { selectResults, thresholdOf } from './select-results.ts'
import type { SelectableText, SelectionLimits, UnitVerdict } from './select-results.ts'
import { askedSection, placeSection } from './asked-section.ts'
import { findNewerLine, placeNewer, type NewerLine } from './newer-line.ts'
import { missingWordsIn, type MissingWord } from './missing-words.ts'
import { lowerSuperseded, Supersessions, type Supersession } from './supersession.ts'
import { isOfDays, listedUnits, nearestDay, UnitFilters, unitsMentioning } from './unit-filters.ts'
import type { UnitFacts, UnitText } from './unit-filters.ts'
import { UnitVectors, type RawSimilarity } from './unit-similarity.ts'

export interface UnitCandidate {
  readonly unit: RankedUnit
  readonly verdict: UnitVerdict
}

export type UnitRanking = ReturnType<UnitSearcher['rank']>

export interface UnitSearchOptions extends SelectionLimits {
  readonly scope: Scope
  readonly classicWeights?: ClassicWeights
  /** Ids of units that are ranked even if none is a candidate. They do not change the candidates. */
  readonly alsoRank?: readonly number[]
  /** Path of its transcript. */
  readonly excludedChat?: string
  /** Texts of the filters and time phrases that the user turned off. */
  readonly without?: readonly string[]
  /** Days until the weight of a dated unit is halved; null for no decay. */
  readonly recencyHalfLifeDays?: number | null
  readonly isRecall?: boolean | undefined
}

/** Maximum number of units that only match a filter or a date. */
const maxListed = 200
/** Logit that a unit of the wanted days gains: fitting the date is evidence, but not an answer. */
const dateLift = 1.5
/** The same for a unit that names a coming day which the query asks for: "(2026-11-28)". */
const mentionLift = 4

/** Number of best units that can be marked as superseded. */
const maxExamined = 40
/** Number of best units whose days are read from the change log: at first, a day takes a few milliseconds. */
const maxDated = 20
/** Number of best units whose texts can say that they are old. */
const maxMarked = 5

interface OpenScope {
  readonly reader: UnitReader
  readonly vectors: UnitVectors
  readonly allSupersessions: Supersessions
}

interface OpenSearch extends OpenScope {
  readonly query: FilteredQuery
  readonly words: QueryWords
  readonly lexicon: Lexicon
  readonly mentioning: ReadonlySet<number>
  readonly similarity: (UnitSimilarity & RawSimilarity) | undefined
  readonly excludedBy: (unit: UnitFacts) => string[]
  readonly excludedFile: number | undefined
  readonly options: UnitSearchOptions
}

type Listed = Omit<Ranked, 'supersessions' | 'newer'> & { readonly query: FilteredQuery }

interface Ranked {
  readonly ranked: RankedUnit[]
  readonly matched: number
  readonly supersessions: ReadonlyMap<number, Supersession>
  readonly newer: NewerLine | undefined
}

export class UnitSearcher {
  readonly relations: WordRelations
  readonly #db: Db
  readonly #provider: EmbeddingProvider | undefined
  readonly #models: RankingModels
  readonly #now: Clock
  readonly #writtenDays: Pick<WrittenDays, 'of'> | undefined
  readonly #filters: UnitFilters
  readonly #statements: ReturnType<typeof prepare>
  readonly #scopes = new Map<string, OpenScope>()

  /** @param provider of the query's vectors and of word relations; undefined for keyword search */
  constructor(
    db: Db,
    provider: EmbeddingProvider | undefined,
    models: RankingModels,
    now: Clock = systemClock,
    writtenDays?: Pick<WrittenDays, 'of'>,
  ) {
    this.#db = db
    this.#provider = provider
    this.relations = wordRelations(provider)
    this.#models = models
    this.#now = now
    this.#writtenDays = writtenDays
    this.#filters = new UnitFilters(db)
    this.#statements = prepare(db)
  }

  /** @throws Error if the index has no such unit */
  textOf(id: number): UnitText {
    const { entry, file, firstDay, label: _label, isPrivate, ...content } = this.#rowOf(id)
    const date = firstDay === null ? undefined : formatDay(firstDay)
    const snippet = snippetOf(content.text)
    return { ...content, snippet, date, entry: `${file}/${entry}`, isPrivate: isPrivate === 1 }
  }

  /** Returns the text with its day, if necessary from the change log. */
  datedTextOf(id: number): UnitText & { readonly knownOn?: string } {
    const text = this.textOf(id)
    const { date, source, path, fileHash, startLine } = text
    const written = date === undefined && source === 'memory' && this.#writtenDays?.of(path, fileHash, startLine)
    return written ? { ...text, [written.isWritten ? 'date' : 'knownOn']: written.day } : text
  }

  embeddedTextOf(id: number): string {
    return bodyOf(this.#rowOf(id))
  }

  #rowOf(id: number): UnitRow {
    const row = this.#statements.content.get(id)
    if (!row) throw new Error(`the index has no unit ${id}`)
    return row
  }

  /**
   * Removes filters and disabled time phrases; only the rest is embedded.
   * @param hasPrivate false ignores the names of properties in private units
   */
  parse(query: string, without: readonly string[] = [], hasPrivate = true): FilteredQuery {
    const today = parseDay(localDate(this.#now()))
    return parseFilters(query, today, without, (name) => this.#filters.isProperty(name, hasPrivate))
  }

  rank(query: string, vector: Float32Array | undefined, options: UnitSearchOptions) {
    const parsed = this.parse(query, options.without, options.scope.hasPrivate)
    const filtered = options.classicWeights ? withoutTimes(parsed) : parsed
    return this.#db.transaction(() => this.#rank(filtered, vector, options))()
  }

  preload(scope: Scope): number {
    return this.#db.transaction(() => this.#open(scope).reader.table.units)()
  }

  /** Returns the vectors. Must run in a transaction. */
  vectors(): UnitVectors {
    return this.#open({ isChat: false, hasPrivate: true }).vectors
  }

  hasPrivateWord(query: string): boolean {
    const lexiconOf = (hasPrivate: boolean) => this.#open({ isChat: false, hasPrivate }).reader.lexicon()
    return this.#db.transaction(() => {
      const [all, open] = [lexiconOf(true), lexiconOf(false)]
      const terms = queryTerms(query).filter(({ role }) => role !== 'function')
      return terms.some(({ readings }) =>
        readings.some((reading) =>
          indexTermsOf(reading).some((term) => all.unitsWith(term).length > 0 && open.unitsWith(term).length === 0),
        ),
      )
    })()
  }

  titleOf(source: ResultSource, path: string, { queryWords: words, hasPrivate }: UnitRanking): string | undefined {
    return this.#statements.names
      .all(source, path, Number(hasPrivate))
      .map(({ name, place }) => ({ name, place, count: matchedWords(name, words).length }))
      .filter(({ place, count }) => place === 0 || count > 0)
      .toSorted((one, other) => other.count - one.count)[0]?.name
  }

  #rank(query: FilteredQuery, vector: Float32Array | undefined, options: UnitSearchOptions) {
    const { reader, vectors, allSupersessions } = this.#open(options.scope)
    const lexicon = reader.lexicon()
    const searched = searchedWords(query)
    const words = findQueryWords(searched, lexicon, this.relations)
    const isClassic = options.classicWeights !== undefined
    // If the model knows no word of the query, its vector means nothing.
    const usesVector = vector !== undefined && (isClassic || !this.#isMisspelled(words))
    const model = this.#provider?.similarity
    const similarity = usesVector ? vectors.similarityTo({ vector, model, text: query.words }) : undefined
    const excludedBy = this.#filters.excludersOf(query.filters, lexicon, options.scope.hasPrivate)
    // Weekdays are no topic, nor are dates beside a filter: without a topic, the notes of the day are listed.
    const boosts = query.boosts.filter(({ kind }) => kind === 'relative')
    const isTopicOf = (term: SearchTerm) =>
      isTopic(term, hasConditions(query)) || (term.role === 'lineKind' && options.isRecall === true)
    const hasTopic = isClassic
      ? /[\p{L}\p{N}]/u.test(query.topic)
      : searchTerms(searchedWords({ ...query, boosts })).some(isTopicOf)
    const { excludedChat } = options
    const excludedFile = excludedChat === undefined ? undefined : this.#statements.fileAt.get('sessions', excludedChat)
    const mentioning = unitsMentioning(query, lexicon)
    const index = { reader, vectors, allSupersessions, lexicon, similarity }
    const search: OpenSearch = { ...index, query, words, mentioning, excludedBy, excludedFile, options }
    const listing = hasTopic || options.isRecall ? { ranked: [], matched: 0, query } : this.#list(search)
    const { ranked, matched, supersessions, newer } = hasTopic
      ? this.#rankTopic(search, [...(this.#admitted(search)?.intersection(mentioning) ?? mentioning)])
      : { ...listing, supersessions: new Map<number, Supersession>(), newer: undefined }
    const recall = options.isRecall && !isClassic ? this.#model(similarity).recall : undefined
    const limits = hasTopic ? { ...options, recall } : { ...options, minScore: 0 }
    const lengths = new Map<number, number>()
    const verdicts = selectResults(ranked, limits, ({ id }) => {
      const selectable = this.#selectable(id, isClassic)
      lengths.set(id, selectable.lineLength)
      return selectable
    })
    const candidates = ranked.map((unit, at) => ({ unit, verdict: verdicts[at] ?? { kind: 'weak' as const } }))
    const shown = candidates.filter(({ verdict: { kind } }) => kind === 'returned' || kind === 'joined')
    return {
      query: listing.query,
      queryWords: words,
      hasPrivate: options.scope.hasPrivate,
      candidates,
      /** Number of units that match the words or the meaning of the query; without a topic, its conditions. */
      matched,
      threshold: thresholdOf(ranked, limits),
      /** The best unit that `alsoRank` names; undefined if one of them is a candidate. */
      alsoRanked: this.#rankAlso(search, ranked, hasTopic),
      characters: shown.reduce((sum, { unit }) => sum + (lengths.get(unit.id) ?? 0), 0),
      weights: isClassic ? null : this.#model(similarity),
      supersessions,
      /** The newer line on the subject of the first note. */
      newer,
      /** Returns the words that decide the query and that a unit lacks, the most decisive one first. */
      missingIn: this.#missingIn(search),
      cosineOf: similarity?.rawCosine,
    }
  }

  #rankAlso(search: OpenSearch, ranked: readonly RankedUnit[], hasTopic: boolean): UnitCandidate | undefined {
    const { alsoRank = [], classicWeights } = search.options
    const ids = alsoRank.filter((id) => search.reader.table.has(id))
    const [first] = ids
    if (first === undefined || ranked.some(({ id }) => ids.includes(id))) return undefined
    const unit = hasTopic
      ? this.#rankTopic(search, ids).ranked.find(({ id }) => ids.includes(id))
      : unscoredUnit(first, false, classicWeights !== undefined)
    const facts = unit && this.#filters.factsOf(unit.id)
    if (!facts) return undefined
    if (this.#admitted(search)?.has(unit.id) !== false) return { unit, verdict: { kind: 'weak' } }
    const by = search.excludedBy(facts)
    if (by.length === 0) by.push(...requiredPhrases(search.query.words).map(({ shown }) => `"${shown}"`))
    return { unit, verdict: { kind: 'outsideFilter', by } }
  }

  #model(similarity: UnitSimilarity | undefined): RankingWeights {
    return similarity ? this.#models.withVectors : this.#models.withoutVectors
  }

  #rankTopic(search: OpenSearch, also: readonly number[]): Ranked {
    const { query, words, reader, similarity, options } = search
    const admitted = this.#admitted(search)
    const { candidates, matched } = collectCandidates(query.words, words, reader.table, similarity, admitted, also)
    if (options.classicWeights) {
      const ranked = rankClassic(candidates, options.classicWeights, similarity?.rawCosine)
      const newer = this.#newerLine(ranked, search)
      return { ranked, matched, supersessions: this.#supersessionsAmong(ranked, search), newer }
    }
    const dated = this.#withDates(rank(candidates, this.#model(similarity)), search)
    const supersessions = this.#supersessionsAmong(dated, search)
    const newer = this.#newerLine(dated, search)
    const superseded = new Map<number, Pick<Supersession, 'successor'>>(supersessions)
    for (const { id } of dated.slice(0, maxMarked))
      if (!superseded.has(id) && isMarkedOld(this.textOf(id).text)) superseded.set(id, { successor: undefined })
    const isPlaced =
      newer && (newer.isOtherFirst || (newer.other === newer.newer && !search.words.kindUnits.has(dated[1]?.id ?? 0)))
    const section = options.scope.isChat ? [] : this.#askedSection(search, admitted)
    const lowered = lowerSuperseded(isPlaced ? placeNewer(dated, newer) : dated, superseded)
    const found = new Set(dated.map(({ id }) => id))
    const missing = [...lowered.missing, ...section.filter((id) => !found.has(id))].filter((id) => !also.includes(id))
    // A successor or a line of the section is an answer even if it shares no word with the query: rank again with it.
    return missing.length > 0
      ? this.#rankTopic(search, [...also, ...missing])
      : { ranked: placeSection(lowered.ranked, section), matched, supersessions, newer }
  }

  #askedSection({ query, words, reader }: OpenSearch, admitted: ReadonlySet<number> | undefined): readonly number[] {
    const isSearched = (id: number) => reader.table.has(id) && admitted?.has(id) !== false
    const sectionOf = (id: number, heading: string) => this.#filters.sectionOf(id, heading).filter(isSearched)
    return askedSection(query.words, words, (id) => this.textOf(id).heading, sectionOf)
  }

  /** Lists and the notes of asked days have no newer line. */
  #newerLine(
    ranked: readonly RankedUnit[],
    { query, words, lexicon, vectors, options }: OpenSearch,
  ): NewerLine | undefined {
    if (options.scope.isChat || hasConditions(query)) return undefined
    const newer = findNewerLine(ranked, {
      query: query.words,
      lexicon,
      relations: this.relations,
      textOf: (id, place) => (place < maxDated ? this.datedTextOf(id) : this.textOf(id)),
      vectorOf: (id) => vectors.vectorOf(id, this.#provider?.similarity),
      missingIn: missingWordsIn(query.words, words, lexicon, this.relations),
    })
    // A later note on an open matter does not replace the decision that a query asks for, nor does an earlier one.
    const asksForKind = words.list.some(({ role }) => role === 'lineKind')
    if (!newer || !asksForKind) return newer
    return newer.other === newer.newer ? { ...newer, isOtherFirst: false, isSure: false } : undefined
  }

  #missingIn({ query, words, lexicon }: OpenSearch): (unit: RankedUnit) => MissingWord[] {
    const find = lazy(() => missingWordsIn(query.words, words, lexicon, this.relations))
    return ({ id, features }) => {
      const { heading, text } = this.textOf(id)
      return find()({ id, text: `${heading}\n${text}`, isDialogue: features.isDialogue === 1 })
    }
  }

  #supersessionsAmong(ranked: readonly RankedUnit[], { reader: { table }, allSupersessions }: OpenSearch) {
    const files = allSupersessions.files()
    const supersessions = new Map<number, Supersession>()
    for (const { id } of ranked.slice(0, maxExamined)) {
      const isMarked = (table.get(id).flags & unitFlags.isSuperseded) !== 0 || files.has(table.get(id).file)
      const supersession = isMarked ? allSupersessions.of(id) : undefined
      if (supersession) supersessions.set(id, supersession)
    }
    return supersessions
  }

  #isMisspelled({ list: words }: QueryWords): boolean {
    const isOtherwiseSpelled = ({ shown, matches }: QueryWord) =>
      matches.some(({ kind }) => kind === 'spelling') && this.#provider?.related?.(shown).length === 0
    return words.length > 0 && words.every(isOtherwiseSpelled)
  }

  /** Returns the units that the filters, the phrases and the excluded chat leave; undefined for all units. */
  #admitted(search: OpenSearch): ReadonlySet<number> | undefined {
    const { query, lexicon, excludedFile } = search
    const { table } = search.reader
    const phrases = requiredPhrases(query.words)
    if (query.filters.length === 0 && phrases.length === 0)
      return excludedFile === undefined
        ? undefined
        : new Set([...table.ids()].filter((id) => table.get(id).file !== excludedFile))
    const withPhrases = this.#filters.unitsWithPhrases(phrases, lexicon)
    const admitted = this.#filters
      .newest()
      .filter((unit) => (withPhrases?.has(unit.id) ?? true) && passesFilters(unit, search))
    return new Set(admitted.map(({ id }) => id))
  }

  /**
   * Lists the units that filters and time phrases concern, newest first, for queries without other words. Lines of the
   * kind that the query asks for, such as decisions, come first. If no note is of those days, lists the notes of the
   * nearest day, and names it in the conditions of the query.
   */
  #list(search: OpenSearch): Listed {
    const { query, words, options, mentioning } = search
    if (!hasConditions(query)) return this.#listWritten(search)
    const [boost] = query.boosts
    const open = this.#filters
      .newest()
      .filter((unit) => passesFilters(unit, search))
      .toArray()
    const listed = listedUnits(open, query, mentioning, words.kindUnits, parseDay(localDate(this.#now())))
    const ranked = this.#unscored(listed, search)
    if (ranked.length > 0 || options.scope.isChat || !boost) return { ranked, matched: listed.length, query }
    const day = nearestDay(open, boost)
    if (day === undefined) return { ranked, matched: 0, query }
    const conditions = query.conditions.map((condition) =>
      condition.kind === 'time' && !condition.isOff ? { ...condition, nearest: formatDay(day) } : condition,
    )
    const boosts = [{ ...boost, first: day, last: day }]
    return this.#list({ ...search, query: { ...query, conditions, boosts } })
  }

  #unscored(units: readonly UnitFacts[], { options }: OpenSearch): RankedUnit[] {
    return units.slice(0, maxListed).map(({ id }) => unscoredUnit(id, true, options.classicWeights !== undefined))
  }

  /** Lists the units that have a query without a topic as it is written, newest first: "The Who", AT&T, 🎂. */
  #listWritten(search: OpenSearch): Listed {
    const isWritten = this.#filters.writtenTest(search.query.words)
    const isFound = (unit: UnitFacts) => passesFilters(unit, search) && isWritten(unit.id)
    const found = this.#filters.newest().filter(isFound).toArray()
    return { ranked: this.#unscored(found, search), matched: found.length, query: search.query }
  }

  /** Raises units of the days that a time phrase names, and lowers old units if the settings ask for it. */
  #withDates(ranked: RankedUnit[], { query, options, mentioning }: OpenSearch): RankedUnit[] {
    const { recencyHalfLifeDays: halfLife = null } = options
    if (query.boosts.length === 0 && halfLife === null) return ranked
    const today = parseDay(localDate(this.#now()))
    const bestCoverage = Math.max(...ranked.map(({ features }) => features.coverageOfThree), 1e-9)
    const adjusted = ranked.map((unit) => {
      const facts = this.#filters.factsOf(unit.id)
      if (mentioning.has(unit.id)) return adjust(unit, { name: 'date', contribution: mentionLift })
      if (!facts || facts.lastDay === null) return unit
      const lift = isOfDays(facts, query) ? (dateLift * unit.features.coverageOfThree) / bestCoverage : 0
      const lifted = lift > 0 ? adjust(unit, { name: 'date', contribution: lift }) : unit
      const loss = halfLife === null ? 0 : (Math.LN2 * Math.max(0, today - facts.lastDay)) / halfLife
      return loss > 0 ? adjust(lifted, { name: 'recency', contribution: -loss }) : lifted
    })
    return adjusted.sort(byLogit)
  }

  /** With classic weights, units with the same text are all returned, and only the characters of the texts count. */
  #selectable(id: number, isClassic: boolean): SelectableText {
    const content = this.textOf(id)
    if (isClassic) return { entry: content.entry, text: undefined, lineLength: content.snippet.length }
    const text = content.text.replace(/\s+/g, ' ').toLowerCase()
    // Every score has the same length.
    return { entry: content.entry, text, lineLength: formatResult({ ...content, score: 0 }).length + 1 }
  }

  #open(scope: Scope): OpenScope {
    const key = JSON.stringify(scope)
    let open = this.#scopes.get(key)
    if (!open) {
      const reader = new UnitReader(this.#db, scope)
      open = {
        reader,
        vectors: new UnitVectors(this.#db, scope, reader.table),
        allSupersessions: new Supersessions(this.#db, (id) => reader.table.has(id)),
      }
      this.#scopes.set(key, open)
    }
    open.reader.refresh()
    return open
  }
}

function passesFilters(unit: UnitFacts, { reader: { table }, excludedFile, excludedBy }: OpenSearch): boolean {
  return table.has(unit.id) && unit.file !== excludedFile && excludedBy(unit).length === 0
}

function prepare(db: Db) {
  return {
    content: db.prepare<[number], UnitRow>(
      `SELECT path, source, start_line AS startLine, end_line AS endLine, heading, text,
         seq, entry, units.file_id AS file, first_day AS firstDay, label, private AS isPrivate, files.hash AS fileHash
       FROM units JOIN files ON files.id = units.file_id JOIN sections ON sections.id = units.section_id
       WHERE units.id = ?`,
    ),
    fileAt: db.prepare<[string, string], number>('SELECT id FROM files WHERE source = ? AND path = ?').pluck(),
    names: db.prepare<[string, string, number], { name: string; place: number }>(
      `SELECT name, place FROM note_names
       WHERE file_id = (SELECT id FROM files WHERE source = ? AND path = ?) AND private <= ? ORDER BY place`,
    ),
  }
}

interface UnitRow extends Omit<UnitText, 'snippet' | 'date' | 'entry' | 'isPrivate'> {
  readonly entry: number
  readonly isPrivate: number
  readonly file: number
  readonly firstDay: number | null
  readonly label: string
}
