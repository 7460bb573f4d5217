import { parse } from 'yaml'
import { isRecord, parseJson } from '#shared/util/json.ts'
import {
  SettingsMigration,
  secretKeyPattern,
  type Counterpart,
  type MigrationReport,
} from './settings-migration-report.ts'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ForeignSettings } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { readText } from '#workspace'

const sameValue = (to: string): Counterpart => ({ to })
const embedders: Readonly<Record<string, string>> = { openai: 'openai', gemini: 'gemini', local: 'local', auto: '' }
const stringList = (value: unknown) =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined

/** OpenClaw's settings of an agent (agents.defaults.*, agents.list[]) and their counterparts in this app. */
const agentCounterparts: Readonly<Record<string, Counterpart>> = {
  model: { to: 'model', value: modelOf },
  'model.primary': { to: 'model', value: modelOf },
  thinkingDefault: { to: 'chat.thinking', value: thinkingOf },
  'memorySearch.provider': { to: 'memory.embedding.provider', value: (value) => embedders[String(value)] || undefined },
  'memorySearch.model': sameValue('memory.embedding.model'),
  'memorySearch.remote.baseUrl': sameValue('memory.embedding.baseUrl'),
  'memorySearch.extraPaths': { to: 'memory.extraPaths', value: stringList },
  'memorySearch.query.maxResults': sameValue('memory.search.maxResults'),
  'memorySearch.query.minScore': sameValue('memory.search.minScore'),
  'memorySearch.query.hybrid.vectorWeight': sameValue('memory.search.weights.vector'),
  'memorySearch.query.hybrid.textWeight': sameValue('memory.search.weights.text'),
  'memorySearch.query.hybrid.temporalDecay.halfLifeDays': sameValue('memory.search.recencyHalfLifeDays'),
  'memorySearch.experimental.sessionMemory': sameValue('memory.sessions'),
  'compaction.memoryFlush.enabled': sameValue('compaction.memoryFlush.enabled'),
  'compaction.memoryFlush.prompt': sameValue('compaction.memoryFlush.prompt'),
}

const globalCounterparts: Readonly<Record<string, Counterpart>> = {
  'session.reset.mode': sameValue('session.reset.mode'),
  'session.reset.atHour': sameValue('session.reset.atHour'),
  'session.reset.idleMinutes': sameValue('session.reset.idleMinutes'),
  'session.idleMinutes': sameValue('session.reset.idleMinutes'),
  'hooks.internal.entries.session-memory.enabled': sameValue('session.memoryHook.enabled'),
}

const idPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/

/**
 * Converts the settings of OpenClaw.
 * @param text JSON5 of openclaw.json or clawdbot.json @param existing agents, with absolute workspaces
 * @returns undefined if the text is not a settings file
 */
export function convertSettings(text: string, existing: Agents = []): MigrationReport | undefined {
  const file = parseJson5(text)
  if (!isRecord(file)) return undefined
  const migration = new SettingsMigration()
  const { agents: agentSettings, agent: oldDefaults, models: modelSettings, ...globalSettings } = file
  const [agents, models] = [recordOf(agentSettings), recordOf(modelSettings)]
  const defaults = { ...recordOf(oldDefaults), ...recordOf(agents['defaults']) }
  const defaultsKey = isRecord(agents['defaults']) ? 'agents.defaults' : 'agent'
  const handledKeys = ['workspace', 'memorySearch.enabled']
  migration.takeAll(defaults, agentCounterparts, defaultsKey, ['agents', 'defaults'], handledKeys)
  if (isRecord(defaults['memorySearch']) && defaults['memorySearch']['enabled'] === false)
    migration.skip(`${defaultsKey}.memorySearch.enabled`, 'noCounterpart')
  const list = Array.isArray(agents['list']) ? agents['list'] : []
  takeAgents(migration, list, defaults, `${defaultsKey}.workspace`, existing)
  if (isRecord(models['providers'])) takeProviders(migration, models['providers'])
  migration.takeAll(globalSettings, globalCounterparts, '', ['agents', 'defaults'], [])
  for (const key of Object.keys(agents))
    if (key !== 'defaults' && key !== 'list') migration.skip(`agents.${key}`, 'noCounterpart')
  for (const key of Object.keys(models)) if (key !== 'providers') migration.skip(`models.${key}`, 'noCounterpart')
  return migration.createReport()
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

function takeAgents(
  migration: SettingsMigration,
  list: readonly unknown[],
  defaults: Readonly<Record<string, unknown>>,
  workspaceKey: string,
  existing: Agents,
): void {
  const agents = list.filter(isRecord)
  const defaultWorkspace = defaults['workspace']
  if (typeof defaultWorkspace === 'string') {
    // The default agent (or `main`) gets the default workspace if it has none.
    const defaultIndex = agents.findIndex((agent) => agent['default'] === true || agent['id'] === 'main')
    if (agents.length === 0) agents.push({ id: 'main', workspace: defaultWorkspace })
    else if (agents[defaultIndex] && agents[defaultIndex]['workspace'] === undefined)
      agents[defaultIndex] = { ...agents[defaultIndex], workspace: defaultWorkspace }
    if (!agents.some(({ workspace }) => workspace === defaultWorkspace)) migration.skip(workspaceKey, 'noCounterpart')
  }
  const ids = new Set(existing.map(({ id }) => id))
  let nextIndex = existing.length
  for (const agent of agents) {
    const { id, workspace, name, default: _isDefault, ...settings } = agent
    const from = `agents.list[${String(id)}]`
    if (typeof id !== 'string' || !idPattern.test(id)) {
      migration.skip(from, 'invalid')
      continue
    }
    const existingIndex = existing.findIndex((other) => other.id === id)
    const isTaken =
      typeof workspace === 'string' && existing.some((other) => other.id !== id && other.workspace === workspace)
    if (isTaken || (existingIndex < 0 && (ids.has(id) || typeof workspace !== 'string'))) {
      migration.skip(from, isTaken || ids.has(id) ? 'taken' : 'noFolder')
      continue
    }
    ids.add(id)
    const index = existingIndex < 0 ? nextIndex : existingIndex
    if (existingIndex < 0) nextIndex += 1
    const path = ['agents', 'list', index]
    if (existingIndex < 0) migration.take(from, path, { id, workspace }, String(workspace))
    if (typeof name === 'string' && name.trim() !== '')
      migration.take(`${from}.name`, [...path, 'name'], name.trim().slice(0, 60))
    migration.takeAll(settings, agentCounterparts, from, path, ['memorySearch.enabled'])
  }
}

/** Takes base URLs, context windows and prices. The first unknown provider becomes `openai-compatible`. */
function takeProviders(migration: SettingsMigration, providers: Readonly<Record<string, unknown>>): void {
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
    for (const [key, value] of Object.entries(provider)) {
      if (key === 'baseUrl') migration.take(`${from}.baseUrl`, ['providers', providerName, 'baseUrl'], value)
      else if (key === 'models' && Array.isArray(value))
        for (const model of value.filter(isRecord)) takeModel(migration, `${from}.models`, providerName, model)
      else migration.skip(`${from}.${key}`, secretKeyPattern.test(key) ? 'secret' : 'noCounterpart')
    }
  }
}

function takeModel(
  migration: SettingsMigration,
  from: string,
  provider: string,
  model: Readonly<Record<string, unknown>>,
): void {
  const { id, contextWindow, maxTokens, input, cost } = model
  if (typeof id !== 'string') return
  const path = ['models', `${provider}/${id}`]
  const name = `${from}[${id}]`
  if (contextWindow !== undefined) migration.take(`${name}.contextWindow`, [...path, 'contextWindow'], contextWindow)
  if (maxTokens !== undefined) migration.take(`${name}.maxTokens`, [...path, 'maxOutput'], maxTokens)
  if (Array.isArray(input)) migration.take(`${name}.input`, [...path, 'images'], input.includes('image'))
  if (isRecord(cost)) {
    const { input: inputPrice = 0, output = 0 } = cost
    migration.take(`${name}.cost`, [...path, 'prices'], { input: inputPrice, output })
    for (const key of ['cacheRead', 'cacheWrite']) if (cost[key]) migration.skip(`${name}.cost.${key}`, 'noCounterpart')
  }
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

/** Parses JSON5: without comments it is valid YAML. @returns undefined if the text is invalid or too long */
function parseJson5(text: string): unknown {
  if (text.length > 1_000_000) return undefined
  const withoutComments = text.replaceAll(stringOrComment, (token) => (token.startsWith('/') ? ' ' : token))
  try {
    return parseJson(withoutComments) ?? parse(withoutComments.replaceAll('\t', ' '), { maxAliasCount: 0 })
  } catch {
    return undefined
  }
}

type ForeignMigration = ForeignSettings & Pick<MigrationReport, 'changes'>
type Agents = readonly { readonly id: string; readonly workspace: string }[]

const settingsFolders = ['.openclaw', '.clawdbot']
const settingsNames = ['openclaw.json', 'clawdbot.json']

/** Converts each readable settings file of OpenClaw. @param agents existing agents */
export async function findOpenClawSettings(agents: Agents): Promise<ForeignMigration[]> {
  const files = settingsFolders.flatMap((folder) => settingsNames.map((name) => join(homedir(), folder, name)))
  const migrations: ForeignMigration[] = []
  for (const file of files) {
    // The file may be missing or unreadable.
    const report = await readText(file)
      .then(({ text }) => convertSettings(text, agents))
      .catch(() => undefined)
    if (report) migrations.push({ file, ...report })
  }
  return migrations
}

/** Converts one of the files that `findOpenClawSettings` finds. @throws AppError `file_not_found` for another path */
export async function readOpenClawSettings(file: string, agents: Agents): Promise<ForeignMigration> {
  const migration = (await findOpenClawSettings(agents)).find((candidate) => candidate.file === file)
  if (migration) return migration
  throw new AppError('file_not_found', `${file} is not a settings file of OpenClaw`, { path: file })
}
