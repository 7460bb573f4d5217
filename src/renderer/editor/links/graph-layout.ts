/**
 * Where the notes about a note are drawn: in rings by their distance, each beyond the one by which it was reached, so that
 * lines cross as little as may be. Always the same for the same graph. Pure.
 */
import type { LinkGraph } from '#shared/contract/index.ts'

export interface PlacedNode {
  readonly id: string
  readonly x: number
  readonly y: number
  /** In radians, from the middle; 0 to the right. */
  readonly angle: number
}

export interface GraphLayout {
  readonly nodes: ReadonlyMap<string, PlacedNode>
  /** Of the outermost ring. */
  readonly radius: number
}

/** Between two nodes of a ring at least, and between two rings, in px. */
const gap = 20
const ringGap = 130

export function layoutOf({ nodes, edges }: LinkGraph): GraphLayout {
  const distances = new Map(nodes.map(({ id, distance }) => [id, distance]))
  const near = new Map<string, string[]>()
  for (const { from, to } of edges)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      near.set(one, [...(near.get(one) ?? []), other])
  const below = Map.groupBy(
    nodes.filter(({ distance }) => distance > 0),
    ({ id, distance }) => (near.get(id) ?? []).find((other) => distances.get(other) === distance - 1) ?? '',
  )
  const most = Math.max(0, ...nodes.map(({ distance }) => distance))
  // An inner ring is shorter: who stands on it needs more of the angle.
  const leavesOf = (id: string): number =>
    Math.max(
      most / (distances.get(id) || most || 1),
      (below.get(id) ?? []).reduce((sum, child) => sum + leavesOf(child.id), 0),
    )
  const placed = new Map<string, PlacedNode>()
  const [middle] = nodes
  if (!middle) return { nodes: placed, radius: 0 }
  placed.set(middle.id, { id: middle.id, x: 0, y: 0, angle: 0 })
  const leaves = leavesOf(middle.id)
  const outer = Math.max(ringGap * most, (leaves * gap) / (2 * Math.PI))
  const place = (id: string, from: number, to: number, depth: number): void => {
    const children = below.get(id) ?? []
    const sum = children.reduce((all, child) => all + leavesOf(child.id), 0)
    const share = (to - from) / Math.max(leavesOf(id), sum)
    // In the middle of what its parent has.
    let at = (from + to - share * sum) / 2
    for (const child of children) {
      const end = at + share * leavesOf(child.id)
      const angle = (at + end) / 2
      const radius = (outer * depth) / most
      placed.set(child.id, { id: child.id, angle, x: radius * Math.cos(angle), y: radius * Math.sin(angle) })
      place(child.id, at, end, depth + 1)
      at = end
    }
  }
  place(middle.id, -Math.PI / 2, (3 * Math.PI) / 2, 1)
  return { nodes: placed, radius: most === 0 ? 0 : outer }
}
