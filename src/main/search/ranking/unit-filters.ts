import { testValue } from '#shared/markdown/properties/property-test.ts'
import { nameKey } from '#shared/markdown/properties/parse-properties.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { ResultSource } from '../indexing/indexed-file.ts'
import { failedFilters, type Filter, type FilteredQuery } from '../query/filters.ts'
import { indexTermsOf, type Phrase } from '../query/parse-query.ts'
import { stem } from '../text/stem.ts'
import { bigramsOf, cjkRun, fold, forEachWord, lineTerms } from '../text/terms.ts'
import { formatDay, overlaps, type Day, type DaySpan } from '../text/language/dates.ts'
import { headingSeparator } from '../units/unit.ts'
import type { Lexicon } from './query-words.ts'

export interface UnitFacts {
  readonly id: number
  readonly file: number
  readonly path: string
  readonly source: ResultSource
  /** Days since 1970-01-01, both inclusive; null if the unit has no date. */
  readonly firstDay: number | null
  readonly lastDay: number | null
}

export interface UnitText {
  readonly path: string
  readonly source: ResultSource
  /** 1-based, inclusive. */
  readonly startLine: number
  readonly endLine: number
  readonly heading: string
  readonly text: string
  readonly snippet: string
  /** `YYYY-MM-DD`, of the first day; undefined if the unit has no date. */
  readonly date: string | undefined
  readonly seq: number
  /** Equal for the parts of one divided entry. */
  readonly entry: string
  readonly isPrivate: boolean
  readonly fileHash: string
}

export class UnitFilters {
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: Db) {
    this.#statements = prepare(db)
  }

  /** Returns true if a note has a property of this name. @param hasPrivate false ignores private units */
  isProperty(name: string, hasPrivate: boolean): boolean {
    return this.#statements.isProperty.get(nameKey(name), Number(hasPrivate)) !== undefined
  }

  /** Returns a function from a unit to the texts of filters that exclude it. @param hasPrivate as for `isProperty` */
  excludersOf(filters: readonly Filter[], lexicon: Lexicon, hasPrivate: boolean): (unit: UnitFacts) => string[] {
    const files = new Map(filters.map((filter) => [filter.text, this.#filesWith(filter, hasPrivate)]))
    const words = filters.flatMap((filter) =>
      filter.kind === 'word' ? { text: filter.text, units: unitsWithWord(filter.word, lexicon) } : [],
    )
    return (unit) =>
      failedFilters(filters, {
        path: unit.path,
        source: unit.source,
        days: daysOf(unit),
        excludedBy: new Set(words.flatMap(({ text, units }) => (units.has(unit.id) ? text : []))),
        having: new Set([...files].flatMap(([text, ids]) => (ids?.has(unit.file) === true ? text : []))),
      })
  }

  /** Returns the units that have all phrases in their text or headings; undefined if there are no phrases. */
  unitsWithPhrases(phrases: readonly Phrase[], lexicon: Lexicon): ReadonlySet<number> | undefined {
    if (phrases.length === 0) return undefined
    const sets = phrases.map((phrase) => {
      const found = unitsWithTerms(indexTermsOf(phrase), (term) => [
        ...lexicon.unitsWith(term),
        ...lexicon.unitsUnder(term),
      ])
      const texts = (id: number) => Object.values(this.#statements.texts.get(id) ?? {})
      return new Set([...found].filter((id) => texts(id).some((text) => hasPhrase(text, phrase))))
    })
    return sets.reduce((one, other) => one.intersection(other))
  }

  /**
   * Returns a test if a unit has a text as it is written. Capital letters must be the same; without any, case is ignored.
   * One small word, such as "the" or 的, is only found in quotation marks.
   */
  writtenTest(quoted: string): (id: number) => boolean {
    const text = quoted.replace(/^["“「『](.*)["”」』]$/s, '$1').trim()
    const hasContent = /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text)
    if (!hasContent || /^[\p{Ll}\p{Lo}]+$/u.test(quoted)) return () => false
    const [start, end] = [/^[\p{L}\p{N}]/u, /[\p{L}\p{N}]$/u].map((edge) =>
      edge.test(text) ? '[\\p{L}\\p{N}]' : '(?!)',
    )
    const pattern = new RegExp(`(?<!${start})${RegExp.escape(text)}(?!${end})`, /\p{Lu}/u.test(text) ? 'u' : 'iu')
    return (id) => Object.values(this.#statements.texts.get(id) ?? {}).some((own) => pattern.test(own))
  }

  *newest(): Generator<UnitFacts> {
    yield* this.#statements.newest.iterate()
  }

  /** Returns the units of a unit's note that are below a heading, in their order. */
  sectionOf(id: number, heading: string): readonly number[] {
    return this.#statements.section.all({ id, heading, below: `${heading}${headingSeparator}` })
  }

  factsOf(id: number): UnitFacts | undefined {
    return this.#statements.facts.get(id)
  }

  #filesWith(filter: Filter, hasPrivate: boolean): ReadonlySet<number> | undefined {
    if (filter.kind === 'tag')
      return new Set(this.#statements.tagged.all(filter.key, `${filter.key}/`, `${filter.key}0`, Number(hasPrivate)))
    if (filter.kind !== 'property') return undefined
    const rows = this.#statements.withProperty.all(filter.name, Number(hasPrivate))
    return new Set(rows.flatMap(({ file, value }) => (testValue(filter.test, value) ? file : [])))
  }
}

export function daysOf({ firstDay, lastDay }: UnitFacts): DaySpan[] {
  return firstDay === null || lastDay === null ? [] : [{ first: firstDay, last: lastDay }]
}

/** Returns the day nearest to a span that is the only day of a unit, the earlier one of two; undefined if none is. */
export function nearestDay(units: readonly UnitFacts[], { first, last }: DaySpan): Day | undefined {
  const distance = (day: Day) => (day < first ? first - day : day - last + 0.5)
  const days = units.flatMap(({ firstDay, lastDay }) => (firstDay !== null && firstDay === lastDay ? firstDay : []))
  return days.reduce<Day | undefined>(
    (nearest, day) => (nearest !== undefined && distance(nearest) <= distance(day) ? nearest : day),
    undefined,
  )
}

const maxMentionedDays = 62

export function unitsMentioning({ boosts }: FilteredQuery, lexicon: Lexicon): ReadonlySet<number> {
  const days = boosts
    .filter(({ first, last }) => last - first < maxMentionedDays)
    .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, index) => first + index))
  return new Set(days.flatMap((day) => unitsNaming(day, lexicon)))
}

const otherYears = [-3, -2, -1, 1, 2, 3]

/** Returns the units with the date, and those with its day and month without a year. */
function unitsNaming(day: Day, lexicon: Lexicon): number[] {
  const date = formatDay(day)
  const withOtherYear = otherYears.map((years) => `${Number(date.slice(0, 4)) + years}${date.slice(4)}`)
  const others = new Set(withOtherYear.flatMap((term) => lexicon.unitsWith(term)))
  return [...lexicon.unitsWith(date), ...lexicon.unitsWith(`-${date.slice(4)}`).filter((id) => !others.has(id))]
}

function unitsWithWord(word: string, lexicon: Lexicon): ReadonlySet<number> {
  const { terms, runs } = lineTerms(word)
  const all = [...terms, ...runs.flatMap((run) => ([...run].length === 1 ? [run] : bigramsOf([...run])))]
  return unitsWithTerms(all, (term) => lexicon.unitsWith(term))
}

function unitsWithTerms(terms: readonly string[], unitsWith: (term: string) => readonly number[]): Set<number> {
  const [first = new Set<number>(), ...others] = terms.map((term) => new Set(unitsWith(term)))
  return others.reduce((one, other) => one.intersection(other), first)
}

function hasPhrase(text: string, { kind, term }: Phrase): boolean {
  const folded = fold(text)
  if (kind === 'cjk') return folded.includes(term.replaceAll(' ', ''))
  const terms: string[] = []
  forEachWord(folded.replace(cjkRun, ' '), (word, isWhole) => terms.push(isWhole ? word : stem(word)))
  return ` ${terms.join(' ')} `.includes(` ${term} `)
}

function prepare(db: Db) {
  const facts = `SELECT units.id, file_id AS file, path, source, first_day AS firstDay, last_day AS lastDay
    FROM units JOIN files ON files.id = units.file_id`
  // A heading belongs to the unit below it.
  const isSeen = (table: string) => `(? OR (
    SELECT private FROM units WHERE units.file_id = ${table}.file_id AND end_line >= line ORDER BY seq LIMIT 1
  ) = 0)`
  return {
    isProperty: db
      .prepare<[string, number], number>(
        `SELECT 1 FROM note_properties WHERE name = ? AND ${isSeen('note_properties')} LIMIT 1`,
      )
      .pluck(),
    // Nested tags sort between `tag/` and `tag0`, because 0 follows / in ASCII.
    tagged: db
      .prepare<[string, string, string, number], number>(
        `SELECT DISTINCT file_id FROM note_tags
         WHERE (tag = ? OR (tag >= ? AND tag < ?)) AND ${isSeen('note_tags')}`,
      )
      .pluck(),
    withProperty: db.prepare<[string, number], { file: number; value: string }>(
      `SELECT file_id AS file, value FROM note_properties WHERE name = ? AND ${isSeen('note_properties')}`,
    ),
    texts: db.prepare<[number], { heading: string; text: string }>(
      'SELECT heading, text FROM units JOIN sections ON sections.id = section_id WHERE units.id = ?',
    ),
    section: db
      .prepare<[{ id: number; heading: string; below: string }], number>(
        `SELECT units.id FROM units JOIN sections ON sections.id = units.section_id
         WHERE units.file_id = (SELECT file_id FROM units WHERE id = :id)
           AND (heading = :heading OR substr(heading, 1, length(:below)) = :below) ORDER BY start_line, seq`,
      )
      .pluck(),
    facts: db.prepare<[number], UnitFacts>(`${facts} WHERE units.id = ?`),
    newest: db.prepare<[], UnitFacts>(`${facts} ORDER BY mtime DESC, path, seq`),
  }
}

export function isOfDays(unit: UnitFacts, { boosts }: Pick<FilteredQuery, 'boosts'>): boolean {
  return boosts.some((boost) => daysOf(unit).some((days) => overlaps(days, boost)))
}

/**
 * Returns the units of the days that a query names, in the given order, those that mention a day or are of the asked kind
 * first. Plans for a past day come last.
 */
export function listedUnits(
  units: readonly UnitFacts[],
  query: Pick<FilteredQuery, 'boosts'>,
  mentioning: ReadonlySet<number>,
  kindUnits: ReadonlySet<number>,
  today: Day,
): UnitFacts[] {
  const [boost] = query.boosts
  const isPlan = ({ lastDay }: UnitFacts) => boost && boost.last < today && lastDay !== null && lastDay < boost.first
  const placeOf = (unit: UnitFacts) => (isPlan(unit) ? 2 : mentioning.has(unit.id) || kindUnits.has(unit.id) ? 0 : 1)
  return units
    .filter((unit) => !boost || isOfDays(unit, query) || mentioning.has(unit.id))
    .sort((one, other) => placeOf(one) - placeOf(other))
}
