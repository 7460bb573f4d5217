/** An index of units in memory. */
import { openForWriting } from '../../src/main/search/indexing/index-schema.ts'
import type { ResultSource } from '../../src/main/search/indexing/indexed-file.ts'
import type { UnitSettings } from '../../src/main/search/units/prepare-units.ts'
import { UnitReader, type Scope } from '../../src/main/search/units/unit-reader.ts'
import { createUnitTables } from '../../src/main/search/units/unit-schema.ts'
import { UnitStore } from '../../src/main/search/units/unit-store.ts'

export const openNotes: Scope = { isChat: false, hasPrivate: false }

export function createUnitIndex(settings: UnitSettings = { folders: [] }) {
  const db = openForWriting(':memory:')
  createUnitTables(db)
  const store = new UnitStore(db, settings)
  const ids = db.prepare<[string], number>('SELECT id FROM units WHERE text = ?').pluck()
  const texts = db.prepare<[number], string>('SELECT text FROM units WHERE id = ?').pluck()
  return {
    db,
    store,
    put(path: string, text: string, source: ResultSource = 'memory') {
      store.replaceFile(store.prepare({ path, source, hash: text, mtime: 0, size: text.length, text }))
    },
    /** @throws Error if no unit has this text, or several have it */
    idOf(text: string): number {
      const found = ids.all(text)
      if (found.length !== 1) throw new Error(`${found.length} units have the text "${text}"`)
      return found[0] as number
    },
    textOf: (id: number): string => texts.get(id) ?? '',
    reader(scope: Scope = openNotes): UnitReader {
      const reader = new UnitReader(db, scope)
      reader.refresh()
      return reader
    },
  }
}
