import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../../src/renderer/editor/links/graph-layout.ts'
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

describe('M68 where the surroundings of a note are drawn', () => {
  const node = (id: string, distance: number) => ({ id, path: id, label: id, distance, makes: null })

  it('M68: every node has a place of its own, farther out the farther away, each beyond its neighbour', () => {
    const ring = Array.from({ length: 30 }, (_, at) => node(`one${at}`, 1))
    const outer = Array.from({ length: 60 }, (_, at) => node(`two${at}`, 2))
    const edges = [
      ...ring.map(({ id }) => ({ from: 'middle', to: id })),
      ...outer.map(({ id }, at) => ({ from: id, to: `one${at % 7}` })),
    ]
    const { nodes, radius } = layoutOf({ nodes: [node('middle', 0), ...ring, ...outer], edges, left: 0 })
    const places = [...nodes.values()]
    expect(places).toHaveLength(91)
    const away = ({ x, y }: { x: number; y: number }) => Math.hypot(x, y)
    for (const { id } of outer) expect(away(nodes.get(id) ?? { x: 0, y: 0 })).toBeCloseTo(radius)
    for (const { id } of ring) expect(away(nodes.get(id) ?? { x: 0, y: 0 })).toBeCloseTo(radius / 2)
    const nearest = (some: typeof places) =>
      Math.min(
        ...some.flatMap((one, at) => some.slice(at + 1).map((other) => Math.hypot(one.x - other.x, one.y - other.y))),
      )
    expect(nearest(places)).toBeGreaterThan(9)
  })

  it('M68: a note that is alone', () =>
    expect(layoutOf({ nodes: [node('a', 0)], edges: [], left: 0 })).toMatchObject({ radius: 0 }))
})
