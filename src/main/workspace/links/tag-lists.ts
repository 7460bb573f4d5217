/** The tags and properties of a workspace, counted. */
import type { PropertyCount, TagCount } from '#shared/contract/index.ts'
import { nameKey, tagKey } from '#shared/markdown/properties/parse-properties.ts'
import type { LinkIndex } from './link-index.ts'

const maxTags = 5000
const maxProperties = 500
const maxValues = 50
/** Of a value, as it is told. */
const maxCharacters = 200

/** What notes have, in whatever case, by the writing that is most frequent. */
class Counter {
  readonly #found = new Map<string, { writings: Map<string, number>; notes: Set<string> }>()

  /** @param weight of this writing against others */
  add(key: string, name: string, note: string, weight = 1): void {
    let found = this.#found.get(key)
    if (!found) this.#found.set(key, (found = { writings: new Map(), notes: new Set() }))
    found.notes.add(note)
    found.writings.set(name, (found.writings.get(name) ?? 0) + weight)
  }

  counts(): { key: string; name: string; notes: number }[] {
    return [...this.#found].map(([key, { writings, notes }]) => ({
      key,
      name: mostFrequent(writings),
      notes: notes.size,
    }))
  }
}

function mostFrequent(writings: ReadonlyMap<string, number>): string {
  return [...writings].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0])[0]
}

export function listTags(index: LinkIndex): { tags: TagCount[]; properties: PropertyCount[] } {
  const tags = new Counter()
  const properties = new Counter()
  const values = new Map<string, Counter>()
  for (const note of index.notes.values()) {
    for (const { name } of note.tags) {
      const steps = name.split('/')
      for (let depth = 1; depth <= steps.length; depth += 1) {
        const above = steps.slice(0, depth).join('/')
        tags.add(tagKey(above), above, note.path, depth === steps.length ? 2 : 1)
      }
    }
    for (const { name, values: said } of note.properties) {
      const key = nameKey(name)
      properties.add(key, name, note.path)
      let known = values.get(key)
      if (!known) values.set(key, (known = new Counter()))
      for (const value of said) known.add(value.toLowerCase(), value.slice(0, maxCharacters).toWellFormed(), note.path)
    }
  }
  return {
    tags: tags
      .counts()
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .slice(0, maxTags)
      .map(({ name, notes }) => ({ name, notes })),
    properties: properties
      .counts()
      .toSorted(byNotes)
      .slice(0, maxProperties)
      .map(({ key, name, notes }): PropertyCount => {
        const all = values.get(key)?.counts().toSorted(byNotes) ?? []
        const shown = all.slice(0, maxValues).map(({ name: value, notes: count }) => ({ value, notes: count }))
        return { name, notes, values: shown, valueCount: all.length }
      }),
  }
}

function byNotes(one: { notes: number; key: string }, other: { notes: number; key: string }): number {
  return other.notes - one.notes || (one.key < other.key ? -1 : 1)
}

/** What one note says of itself. */
export function propertiesOf(index: LinkIndex, path: string) {
  const { properties = [], tags = [] } = index.notes.get(path) ?? {}
  return {
    properties: properties.map(({ name, values, line }) => ({ name, values: [...values], line })),
    tags: tags.map(({ name, line }) => ({ name, line })),
  }
}
