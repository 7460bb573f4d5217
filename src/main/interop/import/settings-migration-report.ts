import { resolve } from 'node:path'
import type { ForeignSettings } from '#shared/contract/index.ts'
import { isRecord } from '#shared/util/json.ts'
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

/** The settings below these keys are valid, or have an effect, only together. */
const jointKeys = /^.*\.memory\.(?:search\.weights|chunking|embedding)(?=\.)/
const secretKeyPattern = /(^|\.)(api_?key|token|secret|password|auth|headers)(\.|$)/i

type Doubt = ForeignSettings['taken'][number]['doubts'][number]

export interface MigrationOptions {
  /** Existing agents, with absolute workspaces. */
  readonly agents: readonly { readonly id: string; readonly workspace: string }[]
  readonly hasKey: (provider: string) => boolean
  /** Configured model providers, by name. */
  readonly providers: Readonly<Record<string, { readonly baseUrl?: string | undefined }>>
  /** Keys of the file to take over; undefined takes all. */
  readonly keys?: readonly string[] | undefined
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
  readonly #changes: Change[] = []
  readonly #skipped: { from: string; reason: Reason }[] = []

  constructor(options: MigrationOptions) {
    this.options = options
  }

  /** Adds a change. @param path key path in the app @returns false if the user did not choose the key */
  take(from: string, path: Path, value: unknown, was = value): boolean {
    const isChosen = this.options.keys?.includes(from) ?? true
    if (isChosen) this.#changes.push({ from, path, value, was })
    else this.skip(from, 'notChosen')
    return isChosen
  }

  skip(from: string, reason: Reason): void {
    this.#skipped.push({ from, reason })
  }

  /** Takes or skips each setting, also in nested objects. @param handledKeys keys that the caller handles */
  takeAll(
    values: Readonly<Record<string, unknown>>,
    counterparts: Readonly<Record<string, Counterpart>>,
    prefix: string,
    targetPath: Path,
    handledKeys: readonly string[],
  ): void {
    const walk = (value: unknown, key: string): void => {
      const from = [prefix, key].filter(Boolean).join('.')
      if (handledKeys.includes(key)) return
      const counterpart = Object.hasOwn(counterparts, key) ? counterparts[key] : undefined
      if (counterpart && !isRecord(value)) {
        const converted = counterpart.value ? counterpart.value(value) : value
        if (converted === undefined) this.skip(from, 'noCounterpart')
        else this.take(from, [...targetPath, ...counterpart.to.split('.')], converted, value)
        return
      }
      // Lists the settings in an object with known keys and in `remote`; skips any other object as a whole.
      const hasKnownKeys = Object.keys(counterparts).some((knownKey) => knownKey.startsWith(`${key}.`))
      if (isRecord(value) && (hasKnownKeys || key.endsWith('.remote')))
        for (const [innerKey, innerValue] of Object.entries(value)) walk(innerValue, `${key}.${innerKey}`)
      else this.skip(from, secretKeyPattern.test(from) ? 'secret' : 'noCounterpart')
    }
    for (const [key, value] of Object.entries(values)) walk(value, key)
  }

  /** Validates each group separately, so that an invalid one does not block the others. */
  createReport(): MigrationReport {
    const valid = [...Map.groupBy(this.#changes, groupOf)].filter(([, members]) => {
      const isValid = isValidConfig(members)
      if (!isValid) for (const { from } of members) this.skip(from, 'invalid')
      return isValid
    })
    const given = valid.flatMap(([, members]) => members.map(({ path }) => path.join('.'))).join(' ')
    const effective = valid.filter(([group, members]) => {
      // The threshold has an effect only with weights, and the name of an embedding model only with its provider.
      const needed = group.endsWith('.search.minScore') ? '.search.weights.' : '.embedding.provider'
      const hasEffect = !/\.(?:search\.minScore|embedding)$/.test(group) || given.includes(needed)
      if (!hasEffect) for (const { from } of members) this.skip(from, 'noCounterpart')
      return hasEffect
    })
    for (const [group, members] of effective) {
      const [size] = members
      // Sizes of chunks have no effect without the unit.
      if (size && group.endsWith('.memory.chunking'))
        members.push({ ...size, path: [...size.path.slice(0, -1), 'unit'], value: 'tokens' })
    }
    const changes = effective.flatMap(([, members]) => members)
    const config = new Map(changes.map(({ path, value }) => [path.join('.'), value]))
    const taken = effective.flatMap(([group, members]) => {
      const doubts = doubtsAbout(group, config, this.options)
      return members.map(({ from, was, path, value }) => {
        return { from, was: textOf(was), to: path.join('.'), value: textOf(value), group, doubts }
      })
    })
    return { changes: changes.map(({ path, value }) => [path, value] as const), taken, left: this.#skipped }
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function groupOf({ path }: Change): string {
  const key = path.join('.')
  return jointKeys.exec(key)?.[0] ?? key
}

/** Returns why a group waits for the user's choice. @param config all changes, by key in the app */
function doubtsAbout(group: string, config: ReadonlyMap<string, unknown>, options: MigrationOptions): Doubt[] {
  const { agents, providers, hasKey } = options
  const [, agent, setting] = /^agents\.(?:defaults|list\.(\d+))\.(model|workspace|memory\.embedding)$/.exec(group) ?? []
  const value = String(config.get(group))
  if (setting === 'workspace') return agents[Number(agent)]?.workspace === resolve(expandHome(value)) ? [] : ['folder']
  const isEmbedding = setting === 'memory.embedding'
  const embedder = config.get(`${group}.provider`) ?? config.get('agents.defaults.memory.embedding.provider')
  const chatProvider = setting === 'model' ? value.split('/')[0] : /^providers\.(.+)\.baseUrl$/.exec(group)?.[1]
  const provider = isEmbedding ? String(embedder) : chatProvider
  if (provider === undefined || (isEmbedding && !isRemoteEmbeddingProvider(provider))) return []
  const address = config.get(isEmbedding ? `${group}.baseUrl` : `providers.${provider}.baseUrl`)
  const configured = isEmbedding ? undefined : providers[provider]?.baseUrl
  const isLocal = isLocalAddress(typeof address === 'string' ? address : configured)
  const needsKey = provider !== 'openai-compatible' || !isLocal
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
