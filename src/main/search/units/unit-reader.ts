import { cached } from '#shared/util/lazy.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { Lexicon } from '../ranking/query-words.ts'
import { SoundIndex } from '../text/cjk-sounds.ts'
import { termTableOf, type TermTable } from './unit-schema.ts'

export interface Scope {
  readonly isChat: boolean
  readonly hasPrivate: boolean
}

/** Reads the units of one scope. Statistics, words and neighbours come from these units alone. */
export class UnitReader {
  readonly table = new UnitTable()
  readonly #statements: ReturnType<typeof prepare>
  readonly #versions = new Map<number, number>()
  #dataVersion = -1
  #sounds: SoundIndex | undefined
  #wordsByLength: ReadonlyMap<number, readonly [word: string, term: string][]> | undefined

  constructor(db: Db, scope: Scope) {
    this.#statements = prepare(db, scope)
  }

  /** Loads the files that changed since the last call. Must run in the transaction of the search. */
  refresh(): void {
    const dataVersion = this.#statements.version.get() ?? 0
    if (dataVersion === this.#dataVersion) return
    this.#dataVersion = dataVersion
    this.#sounds = undefined
    this.#wordsByLength = undefined
    const removed = new Set(this.#versions.keys())
    for (const { id, version } of this.#statements.files.iterate()) {
      removed.delete(id)
      if (this.#versions.get(id) === version) continue
      this.#versions.set(id, version)
      this.table.setFile(id, this.#statements.units.all(id))
    }
    for (const id of removed) {
      this.#versions.delete(id)
      this.table.setFile(id, [])
    }
  }

  /** Returns the words of the scope; the object caches what it reads, so it serves one query. */
  lexicon(): Lexicon {
    const { unitsWith, unitsUnder } = this.#statements
    return {
      units: this.table.units,
      unitsWith: cached((term: string) => unitsWith.flatMap((statement) => statement.all(term))),
      unitsUnder: cached((term: string) => unitsUnder.flatMap((statement) => statement.all(term))),
      // The words come from notes; without units, none can match.
      wordsFrom: (prefix) =>
        this.table.units === 0 ? [] : this.#statements.wordsFrom.all(prefix, `${prefix}\u{10ffff}`),
      wordsOfLength: (length, tolerance) => (this.table.units === 0 ? [] : this.#wordsOfLength(length, tolerance)),
      sounds: { alternatives: (word, isIndexed) => this.#soundIndex.alternatives(word, isIndexed) },
      labels: this.table.labels(),
    }
  }

  #wordsOfLength(length: number, tolerance: number): (readonly [word: string, term: string])[] {
    this.#wordsByLength ??= Map.groupBy(this.#statements.words.iterate(), ([word]) => word.length)
    const lengths = Array.from({ length: 2 * tolerance + 1 }, (_, at) => length - tolerance + at)
    return lengths.flatMap((one) => this.#wordsByLength?.get(one) ?? [])
  }

  get #soundIndex(): SoundIndex {
    return (this.#sounds ??= new SoundIndex(this.#statements.bigrams.flatMap((statement) => statement.all())))
  }
}

function prepare(db: Db, { isChat, hasPrivate }: Scope) {
  const tables: TermTable[] = [termTableOf({ isChat, isPrivate: false })]
  if (hasPrivate) tables.push(termTableOf({ isChat, isPrivate: true }))
  // One column at a time: rows of a single number are read twice as fast.
  const unitsIn = (column: string) =>
    tables.map((table) =>
      db.prepare<[string], number>(`SELECT doc FROM ${table}_${column}_hits WHERE term = ?`).pluck(),
    )
  const isSeen = `is_chat = ${Number(isChat)} AND private <= ${Number(hasPrivate)}`
  const isSeenWord = `private <= ${Number(hasPrivate)}`
  return {
    version: db.prepare<[], number>("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'units:version'").pluck(),
    files: db.prepare<[], { id: number; version: number }>('SELECT id, version FROM files'),
    units: db.prepare<[number], UnitRow>(
      `SELECT id, file_id AS file, section_id AS section, length, flags, label
       FROM units WHERE file_id = ? AND ${isSeen} ORDER BY seq`,
    ),
    unitsWith: unitsIn('text'),
    unitsUnder: unitsIn('head'),
    bigrams: tables.map((table) =>
      db
        .prepare<[], [string, number]>(
          `SELECT term, doc FROM ${table}_counts WHERE col = 'text' AND length(term) = 2 AND term > 'ƀ'`,
        )
        .raw(),
    ),
    wordsFrom: db
      .prepare<[string, string], [string, string]>(
        `SELECT word, term FROM words WHERE word >= ? AND word < ? AND ${isSeenWord}`,
      )
      .raw(),
    words: db.prepare<[], [string, string]>(`SELECT word, term FROM words WHERE ${isSeenWord}`).raw(),
  }
}

export interface UnitRow {
  readonly id: number
  readonly file: number
  readonly section: number
  readonly length: number
  readonly flags: number
  /** Speaker label; empty if the unit has none. */
  readonly label: string
}

const noUnit: UnitRow = { id: 0, file: 0, section: 0, length: 0, flags: 0, label: '' }

interface Section {
  length: number
  units: number
}

/** The searched units in memory, without their texts. Ids are those of the index; id 0 is never used: it means "none". */
export class UnitTable {
  readonly #places = new Map<number, { readonly rows: readonly UnitRow[]; readonly at: number }>()
  readonly #files = new Map<number, readonly UnitRow[]>()
  readonly #sections = new Map<number, Section>()
  readonly #labels = new Map<string, number>()
  #totalLength = 0

  get units(): number {
    return this.#places.size
  }

  get sections(): number {
    return this.#sections.size
  }

  /** Mean number of terms of a unit, at least 1. */
  get meanLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.units))
  }

  get meanSectionLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.sections))
  }

  /** Replaces the units of a file. @param rows in the order of the file; empty if the file was removed */
  setFile(file: number, rows: readonly UnitRow[]): void {
    for (const row of this.#files.get(file) ?? []) {
      this.#count(row, -1)
      this.#places.delete(row.id)
    }
    this.#files.delete(file)
    if (rows.length > 0) this.#files.set(file, rows)
    for (const [at, row] of rows.entries()) {
      this.#count(row, 1)
      this.#places.set(row.id, { rows, at })
    }
  }

  *ids(): Generator<number> {
    for (const rows of this.#files.values()) for (const { id } of rows) yield id
  }

  has(id: number): boolean {
    return this.#places.has(id)
  }

  /** Returns a row of zeros for an unknown id. */
  get(id: number): UnitRow {
    return this.#at(id, 0) ?? noUnit
  }

  /** Returns the unit at a distance within the file; 0 if there is none. */
  neighbour(id: number, distance: number): number {
    return this.#at(id, distance)?.id ?? 0
  }

  /** Returns the unit at a distance within the section; 0 if there is none. */
  sectionNeighbour(id: number, distance: number): number {
    const other = this.#at(id, distance)
    return other?.section === this.get(id).section ? other.id : 0
  }

  #at(id: number, distance: number): UnitRow | undefined {
    const place = this.#places.get(id)
    return place?.rows[place.at + distance]
  }

  labels(): string[] {
    return [...this.#labels.keys()]
  }

  sectionLength(section: number): number {
    return this.#sections.get(section)?.length ?? 0
  }

  /** @param sign 1 to add the unit to the statistics, -1 to remove it */
  #count({ section, length, label }: UnitRow, sign: 1 | -1): void {
    const known = this.#sections.get(section) ?? { length: 0, units: 0 }
    known.length += sign * length
    known.units += sign
    if (known.units > 0) this.#sections.set(section, known)
    else this.#sections.delete(section)
    this.#totalLength += sign * length
    if (label === '') return
    const speeches = (this.#labels.get(label) ?? 0) + sign
    if (speeches > 0) this.#labels.set(label, speeches)
    else this.#labels.delete(label)
  }
}
