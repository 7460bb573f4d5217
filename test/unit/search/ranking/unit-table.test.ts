import { describe, expect, it } from 'vitest'
import { UnitTable, type UnitRow } from '../../../../src/main/search/units/unit-table.ts'
import { rounds, seededRandom } from '../../../support/thorough.ts'

const row = (id: number, more: Partial<UnitRow> = {}): UnitRow => ({
  id,
  file: 1,
  section: 1,
  length: 1,
  flags: 0,
  label: '',
  ...more,
})

function tableOf(files: ReadonlyMap<number, readonly UnitRow[]>): UnitTable {
  const table = new UnitTable()
  for (const [file, rows] of files) table.setFile(file, rows)
  return table
}

/** Everything that a table returns, in a form that does not depend on its history. */
function accountOf(table: UnitTable, ids: number) {
  const unitOf = (id: number) => ({
    id,
    file: table.get(id).file,
    section: table.get(id).section,
    length: table.get(id).length,
    flags: table.get(id).flags,
    label: table.get(id).label,
    neighbours: [-3, -2, -1, 0, 1, 2, 3].map((distance) => table.neighbour(id, distance)),
    inSection: [-2, -1, 1, 2].map((distance) => table.sectionNeighbour(id, distance)),
  })
  return {
    units: [...table.ids()].sort((one, other) => one - other).map(unitOf),
    known: Array.from({ length: ids }, (_, id) => table.has(id)),
    counts: [table.units, table.sections, table.meanLength, table.meanSectionLength],
    sections: Array.from({ length: 40 }, (_, section) => table.sectionLength(section)),
    labels: table.labels().sort(),
  }
}

describe('a table of units', () => {
  it('after random replacements equals a table made from scratch', () => {
    const random = seededRandom()
    const upTo = (limit: number) => Math.floor(random() * limit)
    for (let round = 0; round < rounds(20, 500); round += 1) {
      const files = new Map<number, readonly UnitRow[]>()
      const table = new UnitTable()
      let id = 0
      for (let step = 0; step < 30; step += 1) {
        const file = 1 + upTo(5)
        const kept = (files.get(file) ?? []).filter(() => random() < 0.6)
        const added = Array.from({ length: random() < 0.3 ? 0 : upTo(6) }, () => {
          id += 1 + upTo(200)
          const section = file * 6 + upTo(4)
          const label = ['', '', 'Ana', 'Ben', 'Cleo'][upTo(5)] ?? ''
          return row(id, { file, section, length: upTo(20), flags: upTo(256), label })
        })
        const rows = random() < 0.2 ? [] : [...added, ...kept]
        table.setFile(file, rows)
        files.set(file, rows)
      }
      expect(accountOf(table, id + 2)).toEqual(accountOf(tableOf(files), id + 2))
    }
  })

  it('has the labels of its units only', () => {
    const table = new UnitTable()
    table.setFile(1, [row(1, { label: 'Ana' }), row(2, { label: 'Ana' })])
    table.setFile(2, [row(3, { label: 'Ben', file: 2 }), row(4)])
    expect(table.labels()).toEqual(['Ana', 'Ben'])
    expect([1, 4].map((id) => table.get(id).label)).toEqual(['Ana', ''])
    table.setFile(1, [row(2, { label: 'Ana' })])
    expect(table.labels().sort()).toEqual(['Ana', 'Ben'])
    table.setFile(1, [])
    expect(table.labels()).toEqual(['Ben'])
  })
})
