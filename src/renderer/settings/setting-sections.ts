/**
 * Sections of the settings in navigation order, each with its groups. A group is a path prefix, so a new
 * setting is placed automatically; a test finds settings without a group.
 */
import type { SettingRow } from './setting-rows.ts'

export const sections = [
  { id: 'general', groups: ['interface', 'desktop'] },
  { id: 'models', groups: ['model', 'chat', 'prompts'] },
  {
    id: 'memory',
    groups: [
      'session',
      'compaction',
      'contextPruning',
      'memory',
      'chat.context',
      'memory.search',
      'memory.embedding',
      'memory.chunking',
      'memory.sync',
      'upkeep',
    ],
  },
  { id: 'privacy', groups: ['chat.default', 'visibility', 'interface.remotePictures'] },
  { id: 'notes', groups: ['interface.autosave', 'vault', 'history'] },
  { id: 'programs', groups: ['desktop.mcpPort'] },
  { id: 'shortcuts', groups: ['capture'] },
  { id: 'data', groups: [] },
  { id: 'about', groups: ['updates'] },
] as const

/** Settings that are shown before *Advanced* is opened; a test limits their number. */
const everydayKeys: ReadonlySet<string> = new Set([
  'interface.theme',
  'interface.locale',
  'desktop.launchAtLogin',
  'desktop.closeTo',
  'desktop.notifications',
  'model',
  'chat.thinking',
  'session.reset.mode',
  'session.reset.atHour',
  'session.memoryHook.enabled',
  'memory.scope',
  'memory.sessions',
  'chat.default',
  'visibility.private',
  'interface.remotePictures',
  'interface.autosave',
  'vault.ignored',
  'history.enabled',
  'capture.shortcut',
])

export type SectionId = (typeof sections)[number]['id']
export type GroupId = (typeof sections)[number]['groups'][number]

const sectionOfPanel: Readonly<Record<string, SectionId>> = {
  agents: 'general',
  providers: 'models',
  searchMode: 'memory',
  spending: 'models',
  outbound: 'privacy',
  tools: 'programs',
  knownPrograms: 'programs',
  import: 'data',
  health: 'about',
  version: 'about',
  log: 'about',
  file: 'about',
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
  /** False if the setting is shown only after *Advanced* is opened. */
  readonly isEveryday: boolean
}

/** Returns the settings of agents and of the app in the order of the groups. Settings without a group are omitted. */
export function placeSettings(ofAgents: readonly SettingRow[], ofApp: readonly SettingRow[]): PlacedSetting[] {
  const placed = [...ofAgents, ...ofApp].flatMap((row, index) => {
    const isEveryday = everydayKeys.has(row.path.join('.'))
    const placement = groupOf(row.path)
    return placement ? [{ row, isOfApp: index >= ofAgents.length, isEveryday, ...placement }] : []
  })
  return placed.toSorted((one, other) => groupOrder.indexOf(one.group) - groupOrder.indexOf(other.group))
}

const groupOrder: readonly GroupId[] = sections.flatMap(({ groups }) => [...groups])
