import { cached } from '#shared/util/lazy.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { Lexicon } from '../ranking/query-words.ts'
import { SoundIndex } from '../text/cjk-sounds.ts'
import { termTableOf, type TermTable } from './unit-schema.ts'
import { UnitTable, type UnitRow } from './unit-table.ts'

export interface Scope {
  readonly isChat: boolean
  readonly hasPrivate: boolean
}

/** Reads the units of one scope. Statistics, words and neighbours come from these units alone. */
export class UnitReader {
  readonly table = new UnitTable()
  readonly scope: Scope
  readonly #statements: ReturnType<typeof prepare>
  readonly #versions = new Map<number, number>()
  #dataVersion = -1
  #sounds: SoundIndex | undefined
  #wordsByLength: ReadonlyMap<number, readonly [word: string, term: string][]> | undefined

  constructor(db: Db, scope: Scope) {
    this.scope = scope
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
      sounds: { alternatives: (word, isIndexed) => this.#soundIndex().alternatives(word, isIndexed) },
      labels: this.table.labels(),
    }
  }

  #wordsOfLength(length: number, tolerance: number): (readonly [word: string, term: string])[] {
    this.#wordsByLength ??= Map.groupBy(this.#statements.words.iterate(), ([word]) => word.length)
    const lengths = Array.from({ length: 2 * tolerance + 1 }, (_, at) => length - tolerance + at)
    return lengths.flatMap((one) => this.#wordsByLength?.get(one) ?? [])
  }

  #soundIndex(): SoundIndex {
    this.#sounds ??= new SoundIndex(this.#statements.bigrams.flatMap((statement) => statement.all()))
    return this.#sounds
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
