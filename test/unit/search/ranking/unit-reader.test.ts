import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Scope, UnitReader } from '../../../../src/main/search/units/unit-reader.ts'
import { rounds } from '../../../support/thorough.ts'
import { createUnitIndex, openNotes } from '../../../support/unit-index.ts'

const scopes = [true, false].flatMap((isChat) => [true, false].map((hasPrivate): Scope => ({ isChat, hasPrivate })))

/** Everything that a reader returns, in a form that does not depend on its history. */
function accountOf(reader: UnitReader) {
  const { table } = reader
  const lexicon = reader.lexicon()
  const sorted = (ids: readonly number[]) => ids.toSorted((one, other) => one - other)
  return {
    units: sorted([...table.ids()]).map((id) => ({
      id,
      place: [table.get(id).file, table.get(id).section, table.neighbour(id, -1), table.neighbour(id, 1)],
      size: [table.get(id).length, table.sectionLength(table.get(id).section)],
      flags: table.get(id).flags,
      label: table.get(id).label,
    })),
    counts: [lexicon.units, table.sections, table.meanLength],
    hits: ['amber', 'birch', 'cedar', '数据', 'tree', 'part', 'a', 'nothing'].map((term) => [
      term,
      sorted(lexicon.unitsWith(term)),
      sorted(lexicon.unitsUnder(term)),
    ]),
    words: [lexicon.wordsFrom('b'), lexicon.wordsOfLength(5, 0)],
    labels: table.labels().sort(),
  }
}

const pieces = ['amber', 'birches', 'cedar ^[local]', '数据', 'Ana: why?', 'Ana: amber', '# Trees', '# Part ^[local]']
const source = fc.constantFrom('memory' as const, 'sessions' as const)
const path = fc.constantFrom('a.md', 'b.md', 'c.md')
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((lines) => lines.join('\n\n'))
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('put' as const), source, path, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), source, path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const), reader: fc.nat(3) }) },
)

describe('a reader', () => {
  it('that refreshes between random changes equals one made from scratch, in every scope', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const { db, store, put, reader } = createUnitIndex()
        const readers = scopes.map((scope) => ({ scope, one: reader(scope) }))
        for (const one of changes)
          if (one.kind === 'put') put(one.path, one.text, one.source)
          else if (one.kind === 'remove') store.removeFile(one.source, one.path)
          else readers[one.reader]?.one.refresh()
        for (const { scope, one } of readers) {
          one.refresh()
          expect(accountOf(one)).toEqual(accountOf(reader(scope)))
        }
        db.close()
      }),
      { numRuns: rounds(25, 500) },
    )
  })
})

describe('private units', () => {
  const note = '- amber\n- cedar bark ^[local]\n- birch\n\n# Diary ^[local]\n\nAna: cedarwood\n\nAna: birch leaves'
  const seenBy = (scope: Scope) => {
    const { put, textOf, reader } = createUnitIndex()
    put('a.md', note)
    const one = reader(scope)
    return { one, table: one.table, lexicon: one.lexicon(), texts: (ids: Iterable<number>) => Array.from(ids, textOf) }
  }

  it('are not read by a reader of open units', () => {
    const { table, lexicon, texts } = seenBy(openNotes)
    expect(texts(table.ids())).toEqual(['amber', 'birch'])
    expect([table.units, table.sections, table.meanLength, lexicon.units]).toEqual([2, 1, 1, 2])
    expect(lexicon.labels).toEqual([])
    const [amber = 0, birch = 0] = table.ids()
    expect([table.neighbour(amber, 1), table.sectionNeighbour(birch, -1), table.neighbour(birch, 1)]).toEqual([
      birch,
      amber,
      0,
    ])
    expect([lexicon.unitsWith('cedar'), lexicon.unitsUnder('diari'), texts(lexicon.unitsWith('birch'))]).toEqual([
      [],
      [],
      ['birch'],
    ])
    expect([lexicon.wordsFrom('ceda'), lexicon.wordsOfLength(9, 0), lexicon.wordsFrom('leav')]).toEqual([[], [], []])
  })
})

describe('chats', () => {
  it('and notes do not see each other', () => {
    const { put, textOf, reader } = createUnitIndex()
    put('a.md', 'amber')
    put('chat.jsonl', '- User: amber?\n\n- Assistant: birch', 'sessions')
    const textsOf = (scope: Scope) => {
      const one = reader(scope)
      return [Array.from(one.table.ids(), textOf), one.lexicon().unitsWith('amber').map(textOf)]
    }
    expect(textsOf(openNotes)).toEqual([['amber'], ['amber']])
    expect(textsOf({ isChat: true, hasPrivate: false })).toEqual([
      ['User: amber?', 'Assistant: birch'],
      ['User: amber?'],
    ])
  })
})
