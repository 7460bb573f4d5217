import { nameKey } from '#shared/markdown/properties/parse-properties.ts'
import { testValue } from '#shared/markdown/properties/property-test.ts'
import type { Db } from '../indexing/index-schema.ts'
import type { Source } from '../indexing/indexed-file.ts'
import type { Filter, NoteFilter } from './filters.ts'

interface MetadataOccurrence {
  readonly source: Source
  readonly path: string
  /** 1-based. */
  readonly line: number
}

/** Title or alias of a note; the title has place 0. */
export interface NoteName {
  readonly name: string
  readonly place: number
}

/** First occurrence of a tag or property in each note, by `fileKey`; notes are sorted by modification, newest first. */
export type NotesByFileKey = ReadonlyMap<string, MetadataOccurrence>

export class NoteMetadata {
  readonly #statements: ReturnType<typeof prepare> | undefined

  constructor(db: Db) {
    const hasTables = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'note_tags'").get() !== undefined
    this.#statements = hasTables ? prepare(db) : undefined
  }

  /** Returns true if some note has a property of this name, as written in a query. */
  isProperty(name: string): boolean {
    return this.#statements?.isProperty.get(nameKey(name)) !== undefined
  }

  /** Returns the matching notes for each tag or property filter, by the filter's text. */
  notesMatching(filters: readonly Filter[]): ReadonlyMap<string, NotesByFileKey> {
    return new Map(
      filters.flatMap((filter) => (isNoteFilter(filter) ? [[filter.text, this.#notesWith(filter)] as const] : [])),
    )
  }

  namesOf(source: Source, path: string): NoteName[] {
    return this.#statements?.names.all(source, path) ?? []
  }

  #notesWith(filter: NoteFilter): NotesByFileKey {
    const { tagged, withProperty } = this.#statements ?? {}
    const found =
      filter.kind === 'tag'
        ? (tagged?.all(filter.key, `${filter.key}/`, `${filter.key}0`) ?? [])
        : (withProperty?.all(filter.name) ?? []).filter(({ value }) => testValue(filter.test, value))
    const occurrences = new Map<string, MetadataOccurrence>()
    for (const { source, path, line } of found) {
      const key = fileKey(source, path)
      if (!occurrences.has(key)) occurrences.set(key, { source, path, line })
    }
    return occurrences
  }
}

export function isNoteFilter(filter: Filter): filter is NoteFilter {
  return filter.kind === 'tag' || filter.kind === 'property'
}

export function fileKey(source: Source, path: string): string {
  return `${source}/${path}`
}

function prepare(db: Db) {
  const joinFiles = 'JOIN files USING (source, path)'
  return {
    isProperty: db.prepare<[string], number>('SELECT 1 FROM note_properties WHERE name = ? LIMIT 1').pluck(),
    // Nested tags sort between `tag/` and `tag0`, because 0 follows / in ASCII.
    tagged: db.prepare<[string, string, string], MetadataOccurrence>(
      `SELECT source, path, line FROM note_tags ${joinFiles} WHERE tag = ? OR (tag >= ? AND tag < ?)
       ORDER BY mtime DESC, path, line`,
    ),
    withProperty: db.prepare<[string], MetadataOccurrence & { value: string }>(
      `SELECT source, path, line, value FROM note_properties ${joinFiles} WHERE name = ?
       ORDER BY mtime DESC, path, line`,
    ),
    names: db.prepare<[string, string], NoteName>(
      'SELECT name, place FROM note_names WHERE source = ? AND path = ? ORDER BY place',
    ),
  }
}
