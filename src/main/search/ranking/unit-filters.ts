import { testValue } from '#shared/markdown/properties/property-test.ts'
import { nameKey } from '#shared/markdown/properties/parse-properties.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { Source } from '../indexing/indexed-file.ts'
import { failedFilters, type Filter } from '../query/filters.ts'
import { bigramsOf, lineTerms } from '../text/terms.ts'
import type { DaySpan } from '../text/days.ts'
import type { Lexicon } from './query-words.ts'

export interface UnitFacts {
  readonly id: number
  readonly file: number
  readonly path: string
  readonly source: Source
  /** Days since 1970-01-01, both inclusive; null if the unit has no date. */
  readonly firstDay: number | null
  readonly lastDay: number | null
}

/** Applies the filters of queries to units. */
export class UnitFilters {
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: Db) {
    this.#statements = prepare(db)
  }

  /** Returns true if some note has a property of this name, as written in a query. */
  isProperty(name: string): boolean {
    return this.#statements.isProperty.get(nameKey(name)) !== undefined
  }

  /** Returns a function from a unit to the texts of the filters that exclude it. */
  excludersOf(filters: readonly Filter[], lexicon: Lexicon): (unit: UnitFacts) => string[] {
    const files = new Map(filters.map((filter) => [filter.text, this.#filesWith(filter)]))
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

  /** Returns all units, those of recently changed files first. */
  *newest(): Generator<UnitFacts> {
    yield* this.#statements.newest.iterate()
  }

  factsOf(id: number): UnitFacts | undefined {
    return this.#statements.facts.get(id)
  }

  #filesWith(filter: Filter): ReadonlySet<number> | undefined {
    if (filter.kind === 'tag')
      return new Set(this.#statements.tagged.all(filter.key, `${filter.key}/`, `${filter.key}0`))
    if (filter.kind !== 'property') return undefined
    const rows = this.#statements.withProperty.all(filter.name)
    return new Set(rows.flatMap(({ file, value }) => (testValue(filter.test, value) ? file : [])))
  }
}

export function daysOf({ firstDay, lastDay }: UnitFacts): DaySpan[] {
  return firstDay === null || lastDay === null ? [] : [{ first: firstDay, last: lastDay }]
}

function unitsWithWord(word: string, lexicon: Lexicon): ReadonlySet<number> {
  const { terms, runs } = lineTerms(word)
  const all = [...terms, ...runs.flatMap((run) => ([...run].length === 1 ? [run] : bigramsOf([...run])))]
  return all
    .map((term) => new Set(lexicon.unitsWith(term)))
    .reduce((one, other) => one.intersection(other), new Set(lexicon.unitsWith(all[0] ?? '')))
}

function prepare(db: Db) {
  const facts = `SELECT units.id, file_id AS file, path, source, first_day AS firstDay, last_day AS lastDay
    FROM units JOIN files ON files.id = units.file_id`
  return {
    isProperty: db.prepare<[string], number>('SELECT 1 FROM note_properties WHERE name = ? LIMIT 1').pluck(),
    // Nested tags sort between `tag/` and `tag0`, because 0 follows / in ASCII.
    tagged: db
      .prepare<[string, string, string], number>(
        'SELECT DISTINCT file_id FROM note_tags WHERE tag = ? OR (tag >= ? AND tag < ?)',
      )
      .pluck(),
    withProperty: db.prepare<[string], { file: number; value: string }>(
      'SELECT file_id AS file, value FROM note_properties WHERE name = ?',
    ),
    facts: db.prepare<[number], UnitFacts>(`${facts} WHERE units.id = ?`),
    newest: db.prepare<[], UnitFacts>(`${facts} ORDER BY mtime DESC, path, seq`),
  }
}
