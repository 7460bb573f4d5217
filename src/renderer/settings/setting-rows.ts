import { embeddingModelOrDefault, embeddingProviders, isRemoteEmbeddingProvider } from '#shared/util/providers.ts'

export interface SettingRow {
  /** Path within its scope: `['memory', 'search', 'minScore']`. */
  readonly path: readonly string[]
  readonly kind: 'boolean' | 'number' | 'choice' | 'text' | 'longText' | 'list' | 'duration'
  readonly options: readonly string[]
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly isNullable: boolean
}

export interface JsonSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly enum?: readonly string[]
  readonly const?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly default?: unknown
  /** True for the older name of a setting: it works, but is not offered. */
  readonly deprecated?: boolean
}

/** Settings that have a panel of their own or more than one value. */
const elsewhere = new Set([
  'agents',
  'providers',
  'models',
  'mcp',
  'spending',
  'shortcuts',
  'id',
  'name',
  'color',
  'workspace',
  'archived',
  'memory.shareWith',
  'memory.search.weights',
  'vault.own',
])
const longTextKeys = /(^|\.)(prompts\.|memoryFlush\.(systemPrompt|prompt)$)/

export function settingRows(schema: JsonSchema, path: readonly string[] = []): SettingRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const innerPath = [...path, key]
    if (inner.deprecated || elsewhere.has(innerPath.join('.'))) return []
    if (inner.properties) return settingRows(inner, innerPath)
    const row = rowOf(innerPath, inner)
    return row ? [row] : []
  })
}

function rowOf(path: readonly string[], schema: JsonSchema): SettingRow | undefined {
  const choices = (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null')
  const isNullable = schema.anyOf?.some(({ type }) => type === 'null') ?? false
  const number = choices.find(({ type }) => type === 'number' || type === 'integer')
  const text = choices.find(({ type }) => type === 'string')
  const base = { path, options: [], isNullable }
  if (number && text) return { ...base, kind: 'duration' }
  if (number)
    return {
      ...base,
      kind: 'number',
      min: number.minimum ?? number.exclusiveMinimum,
      max: number.maximum === Number.MAX_SAFE_INTEGER ? undefined : number.maximum,
    }
  if (text?.enum) return { ...base, kind: 'choice', options: text.enum }
  if (text) return { ...base, kind: longTextKeys.test(path.join('.')) ? 'longText' : 'text' }
  const [choice] = choices
  if (choice?.type === 'boolean') return { ...base, kind: 'boolean' }
  return choice?.type === 'array' && choice.items?.type === 'string' ? { ...base, kind: 'list' } : undefined
}

const unitSizes = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 }

/** Formats milliseconds with the largest exact unit: 300000 → `5m`. */
export function formatDuration(ms: number): string {
  for (const [unit, size] of Object.entries(unitSizes)) if (ms > 0 && ms % size === 0) return `${ms / size}${unit}`
  return `${ms}ms`
}

/** In navigation order. A group is a path prefix, so a new setting is placed automatically. */
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

/** Settings that are shown before *Advanced* is opened. */
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

/** Returns the section of an anchor such as `#spending` or `#memory.search.minScore`; the first one if it is unknown. */
export function sectionAt(hash: string): SectionId {
  const name = hash.replace(/^#/, '')
  const section = sections.find(({ id }) => id === name)?.id ?? sectionOfPanel[name]
  return section ?? groupOf(name.split('.'))?.section ?? sections[0].id
}

/** Returns the group with the longest matching path prefix, or undefined if none matches. */
export function groupOf(path: readonly string[]): { section: SectionId; group: GroupId } | undefined {
  return allGroups
    .filter(({ group }) => `${path.join('.')}.`.startsWith(`${group}.`))
    .toSorted((one, other) => other.group.length - one.group.length)[0]
}

const allGroups = sections.flatMap(({ id, groups }) => groups.map((group: GroupId) => ({ section: id, group })))

export type PlacedSetting = ReturnType<typeof placeSettings>[number]

/** Returns the settings of agents and of the app in the order of the groups. Settings without a group are omitted. */
export function placeSettings(ofAgents: readonly SettingRow[], ofApp: readonly SettingRow[]) {
  const placed = [...ofAgents, ...ofApp].flatMap((row, index) => {
    /** False if the setting is shown only after *Advanced* is opened. */
    const isEveryday = everydayKeys.has(row.path.join('.'))
    const placement = groupOf(row.path)
    return placement ? [{ row, isOfApp: index >= ofAgents.length, isEveryday, ...placement }] : []
  })
  const rankOf = ({ group }: { group: GroupId }) => allGroups.findIndex((other) => other.group === group)
  return placed.toSorted((one, other) => rankOf(one) - rankOf(other))
}

const prefix = 'memory.embedding.'

/**
 * Returns the remote embedding model that receives the texts of the notes after a change of a setting.
 * @param value the effective value after the change, also if the setting is removed
 * @param effectiveValue returns the current effective value of a key
 * @returns undefined if the setting does not affect embeddings, its value stays the same, or the model is local
 */
export function newEmbeddingRecipient(key: string, value: unknown, effectiveValue: (key: string) => unknown) {
  const keys = ['provider', 'model', 'baseUrl'].map((name) => `${prefix}${name}`)
  if (!keys.includes(key) || value === effectiveValue(key)) return undefined
  const [providerName, modelName, baseUrl] = keys.map((other) => (other === key ? value : effectiveValue(other)))
  const provider = embeddingProviders.find((known) => known === providerName)
  if (provider === undefined || !isRemoteEmbeddingProvider(provider)) return undefined
  const model = embeddingModelOrDefault(provider, typeof modelName === 'string' ? modelName : undefined)
  return { provider, model, ...(typeof baseUrl === 'string' ? { baseUrl } : {}) }
}

/** Returns the default model of the current embedding provider; undefined if it has none, or for any other setting. */
export function defaultEmbeddingModel(key: string, effectiveValue: (key: string) => unknown): string | undefined {
  if (key !== `${prefix}model`) return undefined
  const provider = embeddingProviders.find((known) => known === effectiveValue(`${prefix}provider`))
  return provider && (embeddingModelOrDefault(provider, undefined) || undefined)
}
