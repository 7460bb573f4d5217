export interface SettingRow {
  /** Path within its scope: `['memory', 'search', 'minScore']`. */
  readonly path: readonly string[]
  readonly kind: 'boolean' | 'number' | 'choice' | 'text' | 'longText' | 'list' | 'duration'
  readonly options: readonly string[]
  readonly min: number | undefined
  readonly max: number | undefined
  readonly isNullable: boolean
}

/** The part of JSON Schema that the configuration uses. */
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

/** Returns a row for each setting of the schema that can be edited. */
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
  const base = { path, options: [], min: undefined, max: undefined, isNullable }
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

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** Formats milliseconds with the largest exact unit: 300000 → `5m`. */
export function formatDuration(ms: number): string {
  for (const [unit, size] of units) if (ms > 0 && ms % size === 0) return `${ms / size}${unit}`
  return `${ms}ms`
}
