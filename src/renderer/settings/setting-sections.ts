/**
 * Sections of the settings in navigation order, each with its groups. A group is a path prefix, so a new
 * setting is placed automatically; a test finds settings without a group.
 */
import type { SettingRow } from './setting-rows.ts'

export const sections = [
  { id: 'appearance', groups: ['interface', 'capture', 'desktop', 'updates'] },
  { id: 'agents', groups: [] },
  { id: 'models', groups: ['model', 'chat'] },
  { id: 'memory', groups: ['memory', 'visibility', 'vault', 'history', 'upkeep'] },
  { id: 'recall', groups: ['memory.search', 'memory.embedding'] },
  { id: 'keeping', groups: ['compaction', 'session', 'prompts'] },
  { id: 'tools', groups: [] },
  { id: 'programs', groups: [] },
  { id: 'keys', groups: [] },
  { id: 'health', groups: [] },
  { id: 'privacy', groups: [] },
  { id: 'data', groups: [] },
  { id: 'file', groups: [] },
] as const

export type SectionId = (typeof sections)[number]['id']
export type GroupId = (typeof sections)[number]['groups'][number]

const sectionOfPanel: Readonly<Record<string, SectionId>> = {
  spending: 'models',
  meaning: 'recall',
  import: 'data',
  log: 'data',
  shortcuts: 'keys',
  knownPrograms: 'programs',
}

/**
 * Returns the section of an anchor such as `#spending` or `#memory.search.minScore`; the first section if it
 * is unknown.
 */
export function sectionAt(hash: string): SectionId {
  const name = hash.replace(/^#/, '')
  const section = sections.find(({ id }) => id === name)?.id ?? sectionOfPanel[name]
  return section ?? groupOf(name.split('.'))?.section ?? sections[0].id
}

/** Returns the group with the longest matching path prefix, or undefined if none matches. */
export function groupOf(path: readonly string[]): { section: SectionId; group: GroupId } | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = path.slice(0, length).join('.')
    for (const { id, groups } of sections) {
      const group = groups.find((candidate) => candidate === prefix)
      if (group !== undefined) return { section: id, group }
    }
  }
  return undefined
}

export interface PlacedSetting {
  readonly row: SettingRow
  readonly section: SectionId
  readonly group: GroupId
  readonly isOfApp: boolean
}

/** Returns the settings in the order of sections and groups. Settings without a group are omitted. */
export function placeSettings(rows: readonly SettingRow[], isOfApp: boolean): PlacedSetting[] {
  const placed = rows.flatMap((row) => {
    const placement = groupOf(row.path)
    return placement ? [{ row, isOfApp, ...placement }] : []
  })
  return placed.toSorted((one, other) => groupOrder.indexOf(one.group) - groupOrder.indexOf(other.group))
}

const groupOrder: readonly GroupId[] = sections.flatMap(({ groups }) => [...groups])
