/** The rows of a tree of tags: those above others open and close. Pure. */
import type { TagCount } from '#shared/contract/index.ts'
import { tagKey } from '#shared/markdown/properties/parse-properties.ts'

export interface TagRow {
  readonly key: string
  /** The whole name, and its last step. */
  readonly name: string
  readonly label: string
  readonly notes: number
  /** 1 for those at the top. */
  readonly level: number
  readonly hasBelow: boolean
  readonly isOpen: boolean
}

export type TagOrder = 'name' | 'notes'

/**
 * @param open keys of the tags that are open
 * @param typed what a name must have; those above it are shown, and open
 */
export function rowsOf(tags: readonly TagCount[], open: ReadonlySet<string>, typed: string, order: TagOrder): TagRow[] {
  const below = Map.groupBy(tags, ({ name }) => tagKey(name).split('/').slice(0, -1).join('/'))
  const wanted = tagKey(typed.trim().replace(/^#/, ''))
  const rows: TagRow[] = []
  const fits = ({ name }: TagCount): boolean =>
    tagKey(name).includes(wanted) || (below.get(tagKey(name)) ?? []).some((one) => fits(one))
  const add = (above: string, level: number): void => {
    const found = (below.get(above) ?? []).filter((tag) => wanted === '' || fits(tag))
    const sorted = order === 'notes' ? found.toSorted((one, other) => other.notes - one.notes) : found
    for (const { name, notes } of sorted) {
      const key = tagKey(name)
      const hasBelow = below.has(key)
      const isOpen = hasBelow && (open.has(key) || wanted !== '')
      rows.push({ key, name, label: name.split('/').at(-1) ?? name, notes, level, hasBelow, isOpen })
      if (isOpen) add(key, level + 1)
    }
  }
  add('', 1)
  return rows
}
