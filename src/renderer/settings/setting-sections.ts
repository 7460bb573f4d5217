/**
 * Where each setting stands: the sections of the settings in the order of their navigation, and in each the groups of
 * the configuration that belong to it. A group is the beginning of a setting's path, so that a new setting finds its
 * place by itself, and one that finds none is seen by a test. Pure.
 */
import type { SettingRow } from './setting-rows.ts'

export const sections = [
  { id: 'appearance', groups: ['interface', 'capture', 'desktop'] },
  { id: 'agents', groups: [] },
  { id: 'models', groups: ['model', 'chat'] },
  { id: 'memory', groups: ['memory', 'visibility', 'vault', 'history', 'upkeep'] },
  { id: 'recall', groups: ['memory.search', 'memory.chunk', 'memory.embedding'] },
  { id: 'keeping', groups: ['compaction', 'session', 'prompts'] },
  { id: 'tools', groups: [] },
  { id: 'programs', groups: [] },
  { id: 'keys', groups: [] },
  { id: 'health', groups: [] },
  { id: 'data', groups: [] },
  { id: 'file', groups: [] },
] as const

export type SectionId = (typeof sections)[number]['id']
export type GroupId = (typeof sections)[number]['groups'][number]

/** Parts of a section that links lead to by a name of their own. */
const partOf: Readonly<Record<string, SectionId>> = {
  spending: 'models',
  meaning: 'recall',
  import: 'data',
  log: 'data',
  shortcuts: 'keys',
  knownPrograms: 'programs',
}

/** `#spending`, `#memory.search.minScore` → the section that it is in; the first one for what there is not. */
export function sectionAt(hash: string): SectionId {
  const name = hash.replace(/^#/, '')
  return (
    sections.find(({ id }) => id === name)?.id ?? partOf[name] ?? groupOf(name.split('.'))?.section ?? sections[0].id
  )
}

/** The group of a setting: the longest beginning of its path that is one. Undefined for one that has none. */
export function groupOf(path: readonly string[]): { section: SectionId; group: GroupId } | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const prefix = path.slice(0, length).join('.')
    for (const { id, groups } of sections) {
      const group = groups.find((known) => known === prefix)
      if (group !== undefined) return { section: id, group }
    }
  }
  return undefined
}

/** A setting, where it stands, and for whom it can be set. */
export interface PlacedSetting {
  readonly row: SettingRow
  readonly section: SectionId
  readonly group: GroupId
  readonly isOfApp: boolean
}

/** In the order of the sections and their groups. */
export function placed(rows: readonly SettingRow[], isOfApp: boolean): PlacedSetting[] {
  const found = rows.flatMap((row) => {
    const place = groupOf(row.path)
    return place ? [{ row, isOfApp, ...place }] : []
  })
  return found.toSorted((one, other) => inOrder.indexOf(one.group) - inOrder.indexOf(other.group))
}

const inOrder: readonly GroupId[] = sections.flatMap(({ groups }) => [...groups])
