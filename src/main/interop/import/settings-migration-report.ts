import { resolve } from 'node:path'
import type { ForeignSettings } from '#shared/contract/index.ts'
import { isRecord, valueAt } from '#shared/util/json.ts'
import { isLocalAddress } from '#shared/util/locality.ts'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import { expandHome, parseConfig } from '#platform'

export type Path = readonly (string | number)[]
type Reason = ForeignSettings['left'][number]['reason']

export interface MigrationReport extends Pick<ForeignSettings, 'taken' | 'left'> {
  readonly changes: readonly (readonly [path: Path, value: unknown])[]
}

export interface Counterpart {
  /** Key path in the settings of an agent of this app. */
  readonly to: string
  /** Converts the value; undefined means that it has no counterpart. */
  readonly value?: (value: unknown) => unknown
}

/** Only OpenClaw has these settings: which agent is the default one, and a workspace that agents inherit. */
const unusedKey = /^agents\.(?:.*\.default|defaults\.workspace)$|^agent\.workspace$/
/** The settings below these keys are valid, or have an effect, only together. */
const jointKeys = /^.*\.memory\.(?:search\.weights|chunking|embedding)(?=\.)/
const secretKeyPattern = /(^|\.)(api_?key|token|secret|password|auth|headers)(\.|$)/i

type Doubt = ForeignSettings['taken'][number]['doubts'][number]

export interface MigrationOptions {
  /** Existing agents, with absolute workspaces. */
  readonly agents: readonly { readonly id: string; readonly workspace: string }[]
  readonly hasKey: (provider: string) => boolean
  /** The user's own settings, without defaults. */
  readonly config: unknown
  /** Keys of the file to take over; undefined takes all. */
  readonly keys?: readonly string[] | undefined
  /** Values that the files before this one set, by key; a report adds its own. */
  readonly earlier: Map<string, string>
}

interface Change {
  readonly from: string
  readonly path: Path
  readonly value: unknown
  /** Value in the file. */
  readonly was: unknown
}

export class SettingsMigration {
  readonly options: MigrationOptions
  /** Existing agents, then new ones. */
  readonly agentIds: string[]
  /** Handled keys of the file, which include the keys below them; with the reason if a key is left. */
  readonly listed = new Map<string, Reason | undefined>()
  readonly #changes: Change[] = []

  constructor(options: MigrationOptions) {
    this.options = options
    this.agentIds = options.agents.map(({ id }) => id)
  }

  /** Adds a change. @param path key path in the app @returns false if the user did not choose the key */
  take(from: string, path: Path, value: unknown, was = value): boolean {
    const isChosen = this.options.keys?.includes(from) ?? true
    if (isChosen) this.#changes.push({ from, path, value, was })
    this.listed.set(from, undefined)
    return isChosen
  }

  skip(from: string, reason: Reason): void {
    this.listed.set(from, reason)
  }

  /** Takes or skips each setting, also in nested objects. */
  takeAll(
    values: Readonly<Record<string, unknown>>,
    counterparts: Readonly<Record<string, Counterpart>>,
    prefix: string,
    targetPath: Path,
  ): void {
    const walk = (value: unknown, key: string): void => {
      const from = [prefix, key].filter(Boolean).join('.')
      const counterpart = Object.hasOwn(counterparts, key) ? counterparts[key] : undefined
      if (counterpart && !isRecord(value)) {
        const converted = counterpart.value ? counterpart.value(value) : value
        if (converted === undefined) this.skip(from, 'invalid')
        else this.take(from, [...targetPath, ...counterpart.to.split('.')], converted, value)
        return
      }
      // Lists the settings in an object with known keys and in `remote`; skips any other object as a whole.
      const hasKnownKeys = Object.keys(counterparts).some((knownKey) => knownKey.startsWith(`${key}.`))
      // OpenClaw uses `temporalDecay` only if it is turned on.
      const isOff = isRecord(value) && !(value['enabled'] ?? !key.endsWith('.temporalDecay'))
      if (isOff && hasKnownKeys && !Object.hasOwn(counterparts, `${key}.enabled`)) this.skip(from, 'noEffect')
      else if (isRecord(value) && (hasKnownKeys || key.endsWith('.remote')))
        for (const [innerKey, innerValue] of Object.entries(value)) walk(innerValue, `${key}.${innerKey}`)
      else this.skip(from, secretKeyPattern.test(from) ? 'secret' : 'noCounterpart')
    }
    for (const [key, value] of Object.entries(values)) walk(value, key)
  }

  /** Skips the values at and below a key that are not listed, such as a text in place of a list. */
  skipRest(value: unknown, key: string): void {
    const keyOf = (item: unknown, at: number) => `${key}[${isRecord(item) ? String(item['id']) : at}]`
    if (this.listed.has(key)) return
    if (Array.isArray(value)) for (const [at, item] of value.entries()) this.skipRest(item, keyOf(item, at))
    else if (isRecord(value)) for (const [name, item] of Object.entries(value)) this.skipRest(item, `${key}.${name}`)
    else if (!key.endsWith('.id')) this.skip(key, unusedKey.test(key) ? 'noCounterpart' : 'invalid')
  }

  /** Validates each group separately, so that an invalid one does not block the others. */
  createReport(): MigrationReport {
    const { earlier } = this.options
    const groups = [...Map.groupBy(this.#changes, groupOf)]
    for (const [group, members] of groups) {
      // Sizes of chunks have no effect without the unit.
      const size = group.endsWith('.memory.chunking') ? members[0] : undefined
      if (size) members.push({ ...size, path: [...size.path.slice(0, -1), 'unit'], value: 'tokens' })
    }
    const valid = groups.filter(([, members]) => isValidConfig(members))
    const given = valid.flatMap(([, members]) => members.map(({ path }) => path.join('.'))).join(' ')
    const effective = groups.filter((entry) => {
      const [group, members] = entry
      const isSame = members.every(({ path, value }) => this.#ownValue(path) === textOf(value))
      // The threshold has an effect only with weights, and the name of an embedding model only with its provider.
      const needed = group.endsWith('.search.minScore') ? '.search.weights.' : '.embedding.provider'
      const lack = /\.(?:search\.minScore|embedding)$/.test(group) && !given.includes(needed) ? 'noEffect' : undefined
      const reason = valid.includes(entry) ? (isSame ? 'same' : lack) : 'invalid'
      if (reason) for (const { from } of members) this.skip(from, reason)
      return !reason
    })
    const changes = effective.flatMap(([, members]) => members)
    const config = new Map(changes.map(({ path, value }) => [path.join('.'), value]))
    const taken = effective.flatMap(([group, members]) => {
      const entries = members.map(({ from, was, path, value: newValue }) => {
        const [to, value] = [path.join('.'), textOf(newValue)]
        const [place = '', index] = /^agents\.list\.(\d+)/.exec(to) ?? []
        const agent = this.agentIds[Number(index)]
        // New agents of two files can have the same place.
        const key = `${agent ?? ''}${to.slice(place.length)}`
        const replaces = [this.#ownValue(path), earlier.get(key)].find((other) => (other ?? value) !== value)
        earlier.set(key, value)
        return { from, was: textOf(was), to, value, group, newAgent: place === to ? agent : undefined, replaces }
      })
      const doubts = doubtsAbout(group, config, this.options)
      if (entries.some(({ replaces }) => replaces !== undefined)) doubts.push('replaces')
      return entries.map((entry) => ({ ...entry, doubts }))
    })
    const left = [...this.listed].flatMap(([from, reason]) => (reason ? [{ from, reason }] : []))
    return { changes: changes.map(({ path, value }) => [path, value] as const), taken, left }
  }

  /** Returns the user's own value, which an agent can inherit, as text; undefined if there is none. */
  #ownValue(path: Path): string | undefined {
    const { agents, config } = this.options
    const isAgent = path[1] === 'list' && Number(path[2]) < agents.length
    const inherited = isAgent ? valueAt(config, ['agents', 'defaults', ...path.slice(3)]) : undefined
    const value = valueAt(config, path) ?? inherited
    // The doubt `folder` compares workspaces.
    return value === undefined || value === null || path[3] === 'workspace' ? undefined : textOf(value)
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function groupOf({ path }: Change): string {
  const key = path.join('.')
  return jointKeys.exec(key)?.[0] ?? key
}

/** Returns why a group waits for the user's choice. @param config all changes, by key in the app */
function doubtsAbout(group: string, config: ReadonlyMap<string, unknown>, options: MigrationOptions): Doubt[] {
  const { agents, config: own, hasKey } = options
  const [, agent, setting] = /^agents\.(?:defaults|list\.(\d+))\.(model|workspace|memory\.embedding)$/.exec(group) ?? []
  const value = String(config.get(group))
  if (setting === 'workspace') return agents[Number(agent)]?.workspace === resolve(expandHome(value)) ? [] : ['folder']
  const isEmbedding = setting === 'memory.embedding'
  const embedder = config.get(`${group}.provider`) ?? config.get('agents.defaults.memory.embedding.provider')
  const chatProvider = setting === 'model' ? value.split('/')[0] : /^providers\.(.+)\.baseUrl$/.exec(group)?.[1]
  const provider = isEmbedding ? String(embedder) : chatProvider
  if (isEmbedding && provider === 'local') return ['download']
  if (provider === undefined || (isEmbedding && !isRemoteEmbeddingProvider(provider))) return []
  const key = isEmbedding ? `${group}.baseUrl` : `providers.${provider}.baseUrl`
  const address = config.get(key) ?? valueAt(own, key.split('.'))
  const isLocal = isLocalAddress(address === undefined ? undefined : String(address))
  const needsKey = provider !== 'openai-compatible' || address === undefined
  return [...(isLocal ? [] : ['remote' as const]), ...(needsKey && !hasKey(provider) ? ['noKey' as const] : [])]
}

function isValidConfig(changes: readonly Change[]): boolean {
  const config: Record<string, unknown> = {}
  for (const { path, value } of changes) {
    // Settings of one agent are validated as defaults: they have the same schema.
    const isAgentSetting = path[0] === 'agents' && path[1] === 'list' && path.length > 4
    const steps = isAgentSetting ? ['agents', 'defaults', ...path.slice(3)] : path
    if (!isAgentSetting && path[0] === 'agents' && path[1] === 'list') continue
    let node = config
    for (const step of steps.slice(0, -1)) node = (node[String(step)] ??= {}) as Record<string, unknown>
    node[String(steps.at(-1))] = value
  }
  const parsed = parseConfig(JSON.stringify(config))
  return parsed.ok && parsed.ignoredKeys.length === 0
}
