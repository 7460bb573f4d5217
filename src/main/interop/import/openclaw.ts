import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { Document, parse, YAMLParseError } from 'yaml'
import type { ForeignSettings } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { isRecord, recordsIn, valueAt } from '#shared/util/json.ts'
import { isLocalAddress } from '#shared/util/locality.ts'
import { isRemoteEmbeddingProvider } from '#shared/util/providers.ts'
import { expandHome, SettingsStore } from '#platform'
import { readText } from '#workspace'

type Settings = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]
type KeyValue<Value = unknown> = readonly [key: string, value: Value]
type Doubt = ForeignSettings['taken'][number]['doubts'][number]
/** Key below an agent in this app; `convert` returns undefined for a value without a counterpart. */
type Counterparts = Readonly<Record<string, string | readonly [to: string, convert: (value: unknown) => unknown]>>

const embedderOf = (value: unknown) => ['openai', 'gemini', 'local'].find((name) => name === value)
const embedder = ['memory.embedding.provider', embedderOf] as const
const pruningMode = (value: unknown) => (value === 'adaptive' || value === 'aggressive' ? 'always' : value)
const stringList = (value: unknown) =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
const agentNameOf = (value: unknown) => (typeof value === 'string' && value.trim().slice(0, 60)) || undefined

const sharedKeys =
  'compaction.enabled compaction.reserveTokensFloor compaction.keepRecentTokens compaction.memoryFlush.enabled ' +
  'compaction.memoryFlush.softThresholdTokens compaction.memoryFlush.systemPrompt compaction.memoryFlush.prompt ' +
  'contextPruning.ttl contextPruning.keepLastAssistants contextPruning.softTrim.maxChars ' +
  'contextPruning.softTrim.headChars contextPruning.softTrim.tailChars contextPruning.hardClear.enabled ' +
  'contextPruning.hardClear.placeholder'

/**
 * Settings of an agent (agents.defaults, agents.list[], agents.<id>) and their counterparts in this app. Names below
 * `memorySearch` are OpenClaw's (docs.openclaw.ai/concepts/memory), those below `memory` are Clawdbot's.
 */
const agentCounterparts: Counterparts = {
  ...Object.fromEntries(sharedKeys.split(' ').map((key) => [key, key])),
  'contextPruning.mode': ['contextPruning.mode', pruningMode],
  name: ['name', agentNameOf],
  model: ['model', modelOf],
  'model.primary': ['model', modelOf],
  thinkingDefault: ['chat.thinking', thinkingOf],
  'memory.embeddingProvider': embedder,
  'memory.embeddingModel': 'memory.embedding.model',
  'memory.chunkSize': 'memory.chunking.tokens',
  'memory.chunkOverlap': 'memory.chunking.overlap',
  'memory.searchWeights.vector': 'memory.search.weights.vector',
  'memory.searchWeights.keyword': 'memory.search.weights.text',
  'memorySearch.provider': embedder,
  'memorySearch.model': 'memory.embedding.model',
  'memorySearch.remote.baseUrl': 'memory.embedding.baseUrl',
  'memorySearch.extraPaths': ['memory.extraPaths', stringList],
  'memorySearch.chunking.tokens': 'memory.chunking.tokens',
  'memorySearch.chunking.overlap': 'memory.chunking.overlap',
  'memorySearch.sync.watchDebounceMs': 'memory.sync.debounceMs',
  'memorySearch.query.maxResults': 'memory.search.maxResults',
  'memorySearch.query.minScore': 'memory.search.minScore',
  'memorySearch.query.hybrid.vectorWeight': 'memory.search.weights.vector',
  'memorySearch.query.hybrid.textWeight': 'memory.search.weights.text',
  'memorySearch.query.hybrid.temporalDecay.halfLifeDays': 'memory.search.recencyHalfLifeDays',
  'memorySearch.experimental.sessionMemory': 'memory.sessions',
}

const globalCounterparts: Counterparts = {
  'session.reset.mode': 'session.reset.mode',
  'session.reset.atHour': 'session.reset.atHour',
  'session.reset.idleMinutes': 'session.reset.idleMinutes',
  'session.idleMinutes': 'session.reset.idleMinutes',
  'hooks.internal.entries.session-memory.enabled': 'session.memoryHook.enabled',
}

const modelCounterparts: Counterparts = {
  contextWindow: 'contextWindow',
  maxTokens: 'maxOutput',
  input: ['images', (input) => (Array.isArray(input) ? input.includes('image') : undefined)],
}

const idPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/
/** Only OpenClaw has these settings: which agent is the default one, and a workspace that agents inherit. */
const unusedKey = /^agents\.(?:.*\.default|defaults\.workspace)$|^agent\.workspace$/
/** The settings below these keys are valid, or have an effect, only together. */
const jointKeys = /^.*\.memory\.(?:search\.weights|chunking|embedding)(?=\.)/
const secretKeyPattern = /(^|\.)(api_?key|token|secret|password|auth|headers)(\.|$)/i

interface MigrationOptions {
  readonly agents: readonly { readonly id: string; readonly workspace: string }[]
  readonly hasKey: (provider: string) => boolean
  readonly config: unknown
  readonly keys?: readonly string[] | undefined
  /** Values that the files before this one set, by key; a report adds its own. */
  readonly earlier: Map<string, string>
}

interface Change {
  readonly from: string
  readonly path: Path
  readonly value: unknown
  readonly was: unknown
}

class SettingsMigration {
  readonly #options: MigrationOptions
  readonly #agentIds: string[]
  /** Handled keys of the file, which include the keys below them; with the reason if a key is left. */
  readonly #listed = new Map<string, ForeignSettings['left'][number]['reason'] | undefined>()
  readonly #changes: Change[] = []

  constructor(options: MigrationOptions) {
    this.#options = options
    this.#agentIds = options.agents.map(({ id }) => id)
  }

  convert(file: Settings) {
    const { agents: agentSettings, agent: singular, models: modelSettings, ...globalSettings } = file
    const { defaults: plural, list, ...byId } = recordOf(agentSettings)
    let defaultWorkspace: KeyValue | undefined
    for (const [key, settings] of [['agent', singular] as const, ['agents.defaults', plural] as const]) {
      const { workspace, ...defaults } = recordOf(settings)
      this.#takeAll(defaults, agentCounterparts, key, ['agents', 'defaults'])
      if (workspace !== undefined) defaultWorkspace = [`${key}.workspace`, workspace]
    }
    const entries = [
      ...recordsIn(list).map((entry) => [`agents.list[${String(entry['id'])}]`, entry] as const),
      ...Object.entries(byId).flatMap(([id, entry]) =>
        isRecord(entry) ? [[`agents.${id}`, { ...entry, id }] as const] : [],
      ),
    ]
    this.#takeAgents(entries, defaultWorkspace)
    const { providers, ...others } = recordOf(modelSettings)
    this.#takeProviders(recordOf(providers))
    this.#takeAll(others, {}, 'models', [])
    this.#takeAll(globalSettings, globalCounterparts, '', ['agents', 'defaults'])
    for (const [key, value] of Object.entries(file)) this.#skipRest(value, key)
    return this.#createReport()
  }

  /** @param defaultWorkspace its key and value; the default agent (or `main`) has it unless it has another one */
  #takeAgents(listed: readonly KeyValue<Settings>[], defaultWorkspace: KeyValue | undefined): void {
    const agents = listed.length === 0 && defaultWorkspace ? [['agents.main', { id: 'main' }] as const] : listed
    const owner = agents.find(([, { id, default: isDefault }]) => isDefault === true || id === 'main')
    for (const agent of agents) {
      const [from, { id, workspace: ownFolder, default: _isDefault, ...settings }] = agent
      const own = [`${from}.workspace`, ownFolder] as const
      const [workspaceKey, workspace] =
        agent === owner && ownFolder === undefined && defaultWorkspace ? defaultWorkspace : own
      const folder = typeof workspace === 'string' ? resolve(expandHome(workspace)) : undefined
      const index = this.#agentIds.indexOf(String(id))
      const isUsed = this.#options.agents.some((other) => other.id !== id && other.workspace === folder)
      // The only agent of the file needs no folder: its settings are the defaults.
      const needsFolder = index < 0 && agents.length > 1
      if (typeof id !== 'string' || !idPattern.test(id)) this.#listed.set(from, 'invalid')
      else if (isUsed || agents.find(([, other]) => other['id'] === id) !== agent) this.#listed.set(from, 'taken')
      else if (folder === undefined && needsFolder) this.#listed.set(from, 'noFolder')
      else {
        const place = ['agents', 'list', index < 0 ? this.#agentIds.length : index]
        const path = index < 0 && folder === undefined ? ['agents', 'defaults'] : place
        if (folder !== undefined && index < 0) {
          if (!this.#take(workspaceKey, path, { id, workspace }, workspace)) {
            this.#listed.set(from, undefined)
            continue
          }
          this.#agentIds.push(id)
        } else if (folder !== undefined) this.#take(workspaceKey, [...path, 'workspace'], workspace)
        this.#takeAll(settings, agentCounterparts, from, path)
      }
    }
  }

  /** Takes the providers over; the first unknown one becomes `openai-compatible`. */
  #takeProviders(providers: Settings): void {
    const known = new Set(['anthropic', 'openai'])
    const compatible = Object.keys(providers).find((name) => !known.has(name) && isRecord(providers[name]))
    for (const [name, provider] of Object.entries(providers)) {
      const from = `models.providers.${name}`
      if (!isRecord(provider)) continue
      if (!known.has(name) && name !== compatible) {
        this.#listed.set(from, 'taken')
        continue
      }
      const providerName = name === compatible ? 'openai-compatible' : name
      const { models, ...others } = provider
      this.#takeAll(others, { baseUrl: 'baseUrl' }, from, ['providers', providerName])
      for (const { id, cost, ...model } of recordsIn(models)) {
        if (typeof id !== 'string') continue
        const path = ['models', `${providerName}/${id}`]
        const modelKey = `${from}.models[${id}]`
        this.#takeAll(model, modelCounterparts, modelKey, path)
        if (!isRecord(cost)) continue
        const { input = 0, output = 0 } = cost
        this.#take(`${modelKey}.cost`, [...path, 'prices'], { input, output })
        for (const key of ['cacheRead', 'cacheWrite'])
          if (cost[key]) this.#listed.set(`${modelKey}.cost.${key}`, 'noCounterpart')
      }
    }
  }

  /** @param path in the app @returns false if the user did not choose the key */
  #take(from: string, path: Path, value: unknown, was = value): boolean {
    const isChosen = this.#options.keys?.includes(from) ?? true
    if (isChosen) this.#changes.push({ from, path, value, was })
    this.#listed.set(from, undefined)
    return isChosen
  }

  #takeAll(values: Settings, counterparts: Counterparts, prefix: string, targetPath: Path): void {
    const walk = (value: unknown, key: string): void => {
      const from = [prefix, key].filter(Boolean).join('.')
      const counterpart = Object.hasOwn(counterparts, key) ? counterparts[key] : undefined
      if (counterpart && !isRecord(value)) {
        const [to, convert] = typeof counterpart === 'string' ? [counterpart] : counterpart
        const converted = convert ? convert(value) : value
        if (converted === undefined) this.#listed.set(from, 'invalid')
        else this.#take(from, [...targetPath, ...to.split('.')], converted, value)
        return
      }
      // Lists the settings in an object with known keys and in `remote`; skips any other object as a whole.
      const hasKnownKeys = Object.keys(counterparts).some((knownKey) => knownKey.startsWith(`${key}.`))
      // OpenClaw uses `temporalDecay` only if it is turned on.
      const isOff = isRecord(value) && !(value['enabled'] ?? !key.endsWith('.temporalDecay'))
      if (isOff && hasKnownKeys && !Object.hasOwn(counterparts, `${key}.enabled`)) this.#listed.set(from, 'noEffect')
      else if (isRecord(value) && (hasKnownKeys || key.endsWith('.remote')))
        for (const [innerKey, innerValue] of Object.entries(value)) walk(innerValue, `${key}.${innerKey}`)
      else this.#listed.set(from, secretKeyPattern.test(from) ? 'secret' : 'noCounterpart')
    }
    for (const [key, value] of Object.entries(values)) walk(value, key)
  }

  /** Skips the values at and below a key that are not listed, such as a text in place of a list. */
  #skipRest(value: unknown, key: string): void {
    const keyOf = (item: unknown, at: number) => `${key}[${isRecord(item) ? String(item['id']) : at}]`
    if (this.#listed.has(key)) return
    if (Array.isArray(value)) for (const [at, item] of value.entries()) this.#skipRest(item, keyOf(item, at))
    else if (isRecord(value)) for (const [name, item] of Object.entries(value)) this.#skipRest(item, `${key}.${name}`)
    else if (!key.endsWith('.id')) this.#listed.set(key, unusedKey.test(key) ? 'noCounterpart' : 'invalid')
  }

  /** Validates each group separately, so that an invalid one does not block the others. */
  #createReport() {
    const { earlier } = this.#options
    const groups = [...Map.groupBy(this.#changes, ({ path }) => jointKeys.exec(path.join('.'))?.[0] ?? path.join('.'))]
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
      if (reason) for (const { from } of members) this.#listed.set(from, reason)
      return !reason
    })
    const changes = effective.flatMap(([, members]) => members)
    const config = new Map(changes.map(({ path, value }) => [path.join('.'), value]))
    const taken = effective.flatMap(([group, members]) => {
      const entries = members.map(({ from, was, path, value: newValue }) => {
        const [to, value] = [path.join('.'), textOf(newValue)]
        const [place = '', index] = /^agents\.list\.(\d+)/.exec(to) ?? []
        const agent = this.#agentIds[Number(index)]
        // New agents of two files can have the same place.
        const key = `${agent ?? ''}${to.slice(place.length)}`
        const replaces = [this.#ownValue(path), earlier.get(key)].find((other) => (other ?? value) !== value)
        earlier.set(key, value)
        return { from, was: textOf(was), to, value, group, newAgent: place === to ? agent : undefined, replaces }
      })
      const doubts = doubtsAbout(group, config, this.#options)
      if (entries.some(({ replaces }) => replaces !== undefined)) doubts.push('replaces')
      return entries.map((entry) => ({ ...entry, doubts }))
    })
    const left = [...this.#listed].flatMap(([from, reason]) => (reason ? [{ from, reason }] : []))
    return { changes: changes.map(({ path, value }) => [path, value] as const), taken, left }
  }

  /** Returns the user's own value, which an agent can inherit, as text; undefined if there is none. */
  #ownValue(path: Path): string | undefined {
    const { agents, config } = this.#options
    const isAgent = path[1] === 'list' && Number(path[2]) < agents.length
    const inherited = isAgent ? valueAt(config, ['agents', 'defaults', ...path.slice(3)]) : undefined
    const value = valueAt(config, path) ?? inherited
    // The doubt `folder` compares workspaces.
    return value === undefined || value === null || path[3] === 'workspace' ? undefined : textOf(value)
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const recordOf = (value: unknown): Settings => (isRecord(value) ? value : {})

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
  const config = new Document({})
  for (const { path, value } of changes) {
    // Settings of one agent are validated as defaults: they have the same schema.
    const isOfOneAgent = path[1] === 'list'
    if (!isOfOneAgent) config.setIn(path, value)
    else if (path.length > 4) config.setIn(['agents', 'defaults', ...path.slice(3)], value)
  }
  const parsed = SettingsStore.parse(String(config))
  return parsed.ok && parsed.ignoredKeys.length === 0
}

function modelOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const [, provider = '', model = ''] = /^([^/]+)\/(.+)$/.exec(value) ?? []
  if (provider === 'anthropic' || provider === 'openai') return value
  return model === ''
    ? undefined
    : `openai-compatible/${provider === 'openrouter' || provider === 'ollama' ? model : value}`
}

function thinkingOf(value: unknown): string | undefined {
  if (value === 'minimal') return 'low'
  return ['off', 'low', 'medium', 'high'].find((level) => level === value)
}

const stringOrComment = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

function parseSettings(text: string, isYaml: boolean): unknown {
  // Without comments and tabs, JSON5 is valid YAML. Lines keep their numbers.
  const blank = (token: string) => (token.startsWith('/') ? token.replaceAll(/[^\n]/g, ' ') : token)
  const yaml = isYaml ? text : text.replaceAll(stringOrComment, blank).replaceAll('\t', ' ')
  return parse(yaml, { maxAliasCount: 100, uniqueKeys: false })
}

type ForeignMigration = { readonly file: string } & ReturnType<SettingsMigration['convert']>

const homeFolders = ['.clawdbot', '.moltbot', '.openclaw']
const settingsNames = ['clawdbot.yaml', 'clawdbot.yml', 'clawdbot.json', 'openclaw.json', 'moltbot.json']

/** @param workspaces absolute folders; settings files in and beside them are found, too */
export async function findOpenClawSettings(workspaces: readonly string[], options: Omit<MigrationOptions, 'earlier'>) {
  const folders = homeFolders.map((name) => join(homedir(), name))
  for (const workspace of workspaces) folders.push(workspace, dirname(workspace))
  // OpenClaw links the folders of its earlier names to the new one.
  const byRealPath = new Map<string, string>()
  for (const file of folders.flatMap((folder) => settingsNames.map((name) => join(folder, name)))) {
    const real = await realpath(file).catch(() => undefined)
    if (real !== undefined && !byRealPath.has(real)) byRealPath.set(real, file)
  }
  const earlier = new Map<string, string>()
  return Array.fromAsync(byRealPath.values(), (file) => readMigration(file, { ...options, earlier }))
}

/** Lists a file that cannot be read as left, with the line of the error, if it is known, and the parser's message. */
async function readMigration(file: string, options: MigrationOptions): Promise<ForeignMigration> {
  let from = basename(file)
  try {
    const { text } = await readText(file)
    const value = text.length > 1_000_000 ? undefined : parseSettings(text, /\.ya?ml$/.test(file))
    if (isRecord(value)) return { file, ...new SettingsMigration(options).convert(value) }
  } catch (error) {
    // The parser throws a RangeError for deep nesting and a ReferenceError for too many aliases.
    if (error instanceof YAMLParseError && error.linePos) from += `:${error.linePos[0].line}`
    else if (!(error instanceof AppError || error instanceof RangeError || error instanceof ReferenceError)) throw error
    // The parser's message ends with text of the file. That text can contain an API key.
    from += `: ${error.message.replace(/(?:: | at line \d)[\s\S]*/, '')}`
  }
  return { file, changes: [], taken: [], left: [{ from, reason: 'unreadable' }] }
}
