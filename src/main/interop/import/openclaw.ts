import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import type { ForeignSettings } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { isRecord } from '#shared/util/json.ts'
import { expandHome } from '#platform'
import { readText } from '#workspace'
import {
  SettingsMigration,
  type Counterpart,
  type MigrationOptions,
  type MigrationReport,
} from './settings-migration-report.ts'

const sameValue = (to: string): Counterpart => ({ to })
const embedderOf = (value: unknown) => ['openai', 'gemini', 'local'].find((name) => name === value)
const embedder: Counterpart = { to: 'memory.embedding.provider', value: embedderOf }
const pruningMode = (value: unknown) => (value === 'adaptive' || value === 'aggressive' ? 'always' : value)
const stringList = (value: unknown) =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined

/** Settings of an agent that have the same name here. */
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
const agentCounterparts: Readonly<Record<string, Counterpart>> = {
  ...Object.fromEntries(sharedKeys.split(' ').map((key) => [key, sameValue(key)])),
  'contextPruning.mode': { to: 'contextPruning.mode', value: pruningMode },
  model: { to: 'model', value: modelOf },
  'model.primary': { to: 'model', value: modelOf },
  thinkingDefault: { to: 'chat.thinking', value: thinkingOf },
  'memory.embeddingProvider': embedder,
  'memory.embeddingModel': sameValue('memory.embedding.model'),
  'memory.chunkSize': sameValue('memory.chunking.tokens'),
  'memory.chunkOverlap': sameValue('memory.chunking.overlap'),
  'memory.searchWeights.vector': sameValue('memory.search.weights.vector'),
  'memory.searchWeights.keyword': sameValue('memory.search.weights.text'),
  'memorySearch.provider': embedder,
  'memorySearch.model': sameValue('memory.embedding.model'),
  'memorySearch.remote.baseUrl': sameValue('memory.embedding.baseUrl'),
  'memorySearch.extraPaths': { to: 'memory.extraPaths', value: stringList },
  'memorySearch.chunking.tokens': sameValue('memory.chunking.tokens'),
  'memorySearch.chunking.overlap': sameValue('memory.chunking.overlap'),
  'memorySearch.sync.watchDebounceMs': sameValue('memory.sync.debounceMs'),
  'memorySearch.query.maxResults': sameValue('memory.search.maxResults'),
  'memorySearch.query.minScore': sameValue('memory.search.minScore'),
  'memorySearch.query.hybrid.vectorWeight': sameValue('memory.search.weights.vector'),
  'memorySearch.query.hybrid.textWeight': sameValue('memory.search.weights.text'),
  'memorySearch.query.hybrid.temporalDecay.halfLifeDays': sameValue('memory.search.recencyHalfLifeDays'),
  'memorySearch.experimental.sessionMemory': sameValue('memory.sessions'),
}

const globalCounterparts: Readonly<Record<string, Counterpart>> = {
  'session.reset.mode': sameValue('session.reset.mode'),
  'session.reset.atHour': sameValue('session.reset.atHour'),
  'session.reset.idleMinutes': sameValue('session.reset.idleMinutes'),
  'session.idleMinutes': sameValue('session.reset.idleMinutes'),
  'hooks.internal.entries.session-memory.enabled': sameValue('session.memoryHook.enabled'),
}

const idPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/

type Settings = Readonly<Record<string, unknown>>

function convertSettings(file: Settings, options: MigrationOptions): MigrationReport {
  const migration = new SettingsMigration(options)
  const { agents: agentSettings, agent: singular, models: modelSettings, ...globalSettings } = file
  const [agents, models] = [recordOf(agentSettings), recordOf(modelSettings)]
  const { defaults: plural, list, ...byId } = agents
  const allDefaults = { agent: recordOf(singular), 'agents.defaults': recordOf(plural) }
  const workspaces = new Map<string, unknown>()
  for (const [key, { workspace, ...defaults }] of Object.entries(allDefaults)) {
    migration.takeAll(defaults, agentCounterparts, key, ['agents', 'defaults'])
    if (workspace !== undefined) workspaces.set(`${key}.workspace`, workspace)
  }
  const entries = [
    ...recordsIn(list).map((entry) => [`agents.list[${String(entry['id'])}]`, entry] as const),
    ...Object.entries(byId).flatMap(([id, entry]) =>
      isRecord(entry) ? [[`agents.${id}`, { ...entry, id }] as const] : [],
    ),
  ]
  takeAgents(migration, entries, [...workspaces].at(-1))
  if (isRecord(models['providers'])) takeProviders(migration, models['providers'])
  migration.takeAll(globalSettings, globalCounterparts, '', ['agents', 'defaults'])
  for (const key of Object.keys(models)) if (key !== 'providers') migration.skip(`models.${key}`, 'noCounterpart')
  for (const [key, value] of Object.entries(file)) migration.skipRest(value, key)
  return migration.createReport()
}

const recordOf = (value: unknown): Settings => (isRecord(value) ? value : {})
const recordsIn = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : [])

/** @param defaultWorkspace its key and value; the default agent (or `main`) has it unless it has another one */
function takeAgents(
  migration: SettingsMigration,
  listed: readonly (readonly [key: string, entry: Settings])[],
  defaultWorkspace: readonly [key: string, value: unknown] | undefined,
): void {
  const [agentIds, existing] = [migration.agentIds, migration.options.agents]
  const agents = listed.length === 0 && defaultWorkspace ? [['agents.main', { id: 'main' }] as const] : listed
  const owner = agents.find(([, { id, default: isDefault }]) => isDefault === true || id === 'main')
  for (const agent of agents) {
    const [from, { id, name, workspace: ownFolder, default: _isDefault, ...settings }] = agent
    const own = [`${from}.workspace`, ownFolder] as const
    const [workspaceKey, workspace] =
      agent === owner && ownFolder === undefined && defaultWorkspace ? defaultWorkspace : own
    const folder = typeof workspace === 'string' ? resolve(expandHome(workspace)) : undefined
    const index = agentIds.indexOf(String(id))
    const isUsed = existing.some((other) => other.id !== id && other.workspace === folder)
    // The only agent of the file needs no folder: its settings are the defaults.
    const needsFolder = index < 0 && agents.length > 1
    if (typeof id !== 'string' || !idPattern.test(id)) migration.skip(from, 'invalid')
    else if (isUsed || agents.find(([, other]) => other['id'] === id) !== agent) migration.skip(from, 'taken')
    else if (folder === undefined && needsFolder) migration.skip(from, 'noFolder')
    else {
      const place = ['agents', 'list', index < 0 ? agentIds.length : index]
      const path = index < 0 && folder === undefined ? ['agents', 'defaults'] : place
      if (folder !== undefined && index < 0) {
        if (!migration.take(workspaceKey, path, { id, workspace }, workspace)) {
          migration.listed.set(from, undefined)
          continue
        }
        agentIds.push(id)
      } else if (folder !== undefined) migration.take(workspaceKey, [...path, 'workspace'], workspace)
      if (typeof name === 'string' && name.trim() !== '')
        migration.take(`${from}.name`, [...path, 'name'], name.trim().slice(0, 60), name)
      migration.takeAll(settings, agentCounterparts, from, path)
    }
  }
}

const providerCounterparts = { baseUrl: sameValue('baseUrl') }
const modelCounterparts: Readonly<Record<string, Counterpart>> = {
  contextWindow: sameValue('contextWindow'),
  maxTokens: sameValue('maxOutput'),
  input: { to: 'images', value: (input) => (Array.isArray(input) ? input.includes('image') : undefined) },
}

/** Takes base URLs, context windows and prices. The first unknown provider becomes `openai-compatible`. */
function takeProviders(migration: SettingsMigration, providers: Settings): void {
  let hasCompatible = false
  for (const [name, provider] of Object.entries(providers)) {
    const from = `models.providers.${name}`
    if (!isRecord(provider)) continue
    const isKnownProvider = name === 'anthropic' || name === 'openai'
    if (!isKnownProvider && hasCompatible) {
      migration.skip(from, 'taken')
      continue
    }
    hasCompatible ||= !isKnownProvider
    const providerName = isKnownProvider ? name : 'openai-compatible'
    const { models, ...others } = provider
    migration.takeAll(others, providerCounterparts, from, ['providers', providerName])
    for (const model of recordsIn(models)) takeModel(migration, `${from}.models`, providerName, model)
  }
}

function takeModel(migration: SettingsMigration, from: string, provider: string, model: Settings): void {
  const { id, cost, ...others } = model
  if (typeof id !== 'string') return
  const path = ['models', `${provider}/${id}`]
  const name = `${from}[${id}]`
  migration.takeAll(others, modelCounterparts, name, path)
  if (!isRecord(cost)) return
  const { input = 0, output = 0 } = cost
  migration.take(`${name}.cost`, [...path, 'prices'], { input, output })
  for (const key of ['cacheRead', 'cacheWrite']) if (cost[key]) migration.skip(`${name}.cost.${key}`, 'noCounterpart')
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

/** @throws errors of the YAML parser */
function parseSettings(text: string, isYaml: boolean): unknown {
  // Without comments and tabs, JSON5 is valid YAML. Lines keep their numbers.
  const blank = (token: string) => (token.startsWith('/') ? token.replaceAll(/[^\n]/g, ' ') : token)
  const yaml = isYaml ? text : text.replaceAll(stringOrComment, blank).replaceAll('\t', ' ')
  return parse(yaml, { maxAliasCount: 100, uniqueKeys: false })
}

type ForeignMigration = ForeignSettings & Pick<MigrationReport, 'changes'>

const homeFolders = ['.clawdbot', '.moltbot', '.openclaw']
const settingsNames = ['clawdbot.yaml', 'clawdbot.yml', 'clawdbot.json', 'openclaw.json', 'moltbot.json']

/**
 * Finds and converts settings files of OpenClaw and its earlier names in the home folder.
 * @param workspaces absolute folders; files in and beside them are found, too
 */
export async function findOpenClawSettings(
  workspaces: readonly string[],
  options: Omit<MigrationOptions, 'earlier'>,
): Promise<ForeignMigration[]> {
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
    if (isRecord(value)) return { file, ...convertSettings(value, options) }
  } catch (error) {
    // The parser throws a RangeError for deep nesting and a ReferenceError for too many aliases.
    if (error instanceof YAMLParseError && error.linePos) from += `:${error.linePos[0].line}`
    else if (!(error instanceof AppError || error instanceof RangeError || error instanceof ReferenceError)) throw error
    // A message of the parser ends with text of the file, which can contain an API key.
    from += `: ${error.message.replace(/(?:: | at line \d)[\s\S]*/, '')}`
  }
  return { file, changes: [], taken: [], left: [{ from, reason: 'unreadable' }] }
}
