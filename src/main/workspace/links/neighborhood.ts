/** A note and the notes one or two links from it, as a graph of bounded size: near ones first, then those with most links. */
import type { LinkGraph } from '#shared/contract/index.ts'
import { baseOf, stemOf } from '#shared/markdown/links/resolve-link.ts'
import { pageOf } from '#shared/markdown/links/pages.ts'
import type { LinkIndex } from './link-index.ts'
import { newNoteOf } from './new-linked-note.ts'

const maxNodes = 200
/** Of links that lead nowhere; the notes that are there come first. */
const maxUnresolved = 40

/** A name of what is not there, apart from every path. */
const unresolvedKey = (target: string) => `?${target.toLowerCase()}`

type Node = LinkGraph['nodes'][number]

export function linksAround(index: LinkIndex, path: string, steps: number): LinkGraph {
  const distances = new Map([[path, 0]])
  let edge = [path]
  let left = 0
  for (let step = 1; step <= steps; step += 1) {
    const next = [...new Set(edge.flatMap((at) => neighbours(index, at)))].filter((at) => !distances.has(at))
    const ranked = next
      .map((at) => ({ at, links: neighbours(index, at).length }))
      .toSorted((one, other) => other.links - one.links || (one.at < other.at ? -1 : 1))
      .map(({ at }) => at)
    edge = ranked.slice(0, Math.max(0, maxNodes - distances.size))
    left += ranked.length - edge.length
    for (const at of edge) distances.set(at, step)
  }
  const nodes = [...distances].map(([at, distance]): Node => ({
    id: at,
    path: at,
    label: labelOf(at),
    distance,
    makes: null,
  }))
  const inner = [...distances].filter(([, distance]) => distance < steps)
  const { missing, missed, edges: dangling } = unresolved(index, inner, maxNodes - nodes.length)
  const edges = [...distances.keys()].flatMap((from) =>
    [...new Set(targetsOf(index, from))].filter((to) => distances.has(to)).map((to) => ({ from, to })),
  )
  return { nodes: [...nodes, ...missing], edges: [...edges, ...dangling], left: left + missed }
}

function labelOf(path: string): string {
  return pageOf(stemOf(baseOf(path)))
}

/** Notes that a note links to, itself left out. */
function targetsOf(index: LinkIndex, path: string): string[] {
  return (index.notes.get(path)?.links ?? []).flatMap((link) => {
    const to = index.resolver.resolve(path, link)?.path
    return to === undefined || to === path || !index.notes.has(to) ? [] : to
  })
}

function neighbours(index: LinkIndex, path: string): string[] {
  return [...new Set([...targetsOf(index, path), ...index.referrersOf(path).map(({ note }) => note.path)])]
}

/** What those notes link to and nobody has written. @param notes with their distances */
function unresolved(index: LinkIndex, notes: readonly (readonly [string, number])[], room: number) {
  const nodes = new Map<string, Node>()
  const edges: LinkGraph['edges'] = []
  let missed = 0
  for (const [from, distance] of notes) {
    for (const link of index.notes.get(from)?.links ?? []) {
      if (index.resolver.resolve(from, link)) continue
      const makes = newNoteOf(from, link, index.newNotes)
      if (makes === undefined) continue
      const id = unresolvedKey(link.target)
      if (!nodes.has(id) && nodes.size >= Math.min(room, maxUnresolved)) {
        missed += 1
        continue
      }
      if (!nodes.has(id)) nodes.set(id, { id, path: null, label: link.target, distance: distance + 1, makes })
      if (!edges.some((known) => known.from === from && known.to === id)) edges.push({ from, to: id })
    }
  }
  return { missing: [...nodes.values()], missed, edges }
}
