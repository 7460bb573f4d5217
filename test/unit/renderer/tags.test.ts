import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../../src/renderer/editor/tags/tag-rows.ts'

describe('M68 rows of the tree of tags', () => {
  const tags = [
    { name: 'fun', notes: 1 },
    { name: 'Work', notes: 5 },
    { name: 'work/home', notes: 2 },
    { name: 'work/home/roof', notes: 1 },
  ]
  const shown = (open: string[], typed: string, order: 'name' | 'notes' = 'name') =>
    rowsOf(tags, new Set(open), typed, order).map(
      ({ label, level, isOpen }) => `${level} ${label}${isOpen ? ' open' : ''}`,
    )

  it.each([
    [[], '', ['1 fun', '1 Work']],
    [['work'], '', ['1 fun', '1 Work open', '2 home']],
    [['work', 'work/home'], '', ['1 fun', '1 Work open', '2 home open', '3 roof']],
    [[], 'ROOF', ['1 Work open', '2 home open', '3 roof']],
    [[], '#fun', ['1 fun']],
    [[], 'nothing', []],
  ])('M68: open %j, typed %j', (open, typed, rows) => expect(shown(open, typed)).toEqual(rows))

  it('M68: by how many notes have them', () => expect(shown([], '', 'notes')).toEqual(['1 Work', '1 fun']))
})
