import { parse } from 'yaml'
import { isRecord } from '#shared/util/json.ts'
import {
  SettingsMigration,
  secretKeyPattern,
  type Counterpart,
  type MigrationReport,
} from './settings-migration-report.ts'
import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ForeignSettings } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { readText } from '#workspace'

const unchanged = (to: string): Counterpart => ({ to })
const providers: Readonly<Record<string, string>> = { openai: 'openai', gemini: 'gemini', local: 'local', auto: '' }
const stringList = (value: unknown) =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined

/** OpenClaw's settings of an agent (agents.defaults.*, agents.list[]) and their counterparts here. */
const agentCounterparts: Readonly<Record<string, Counterpart>> = {
  model: { to: 'model', value: modelOf },
  'model.primary': { to: 'model', value: modelOf },
  thinkingDefault: { to: 'chat.thinking', value: thinkingOf },
  'memorySearch.provider': { to: 'memory.embedding.provider', value: (value) => providers[String(value)] || undefined },
  'memorySearch.model': unchanged('memory.embedding.model'),
  'memorySearch.remote.baseUrl': unchanged('memory.embedding.baseUrl'),
  'memorySearch.extraPaths': { to: 'memory.extraPaths', value: stringList },
  'memorySearch.query.maxResults': unchanged('memory.search.maxResults'),
  'memorySearch.query.minScore': unchanged('memory.search.minScore'),
  'memorySearch.query.hybrid.vectorWeight': unchanged('memory.search.weights.vector'),
  'memorySearch.query.hybrid.textWeight': unchanged('memory.search.weights.text'),
  'memorySearch.query.hybrid.temporalDecay.halfLifeDays': unchanged('memory.search.recencyHalfLifeDays'),
  'memorySearch.experimental.sessionMemory': unchanged('memory.sessions'),
  'compaction.memoryFlush.enabled': unchanged('compaction.memoryFlush.enabled'),
  'compaction.memoryFlush.prompt': unchanged('compaction.memoryFlush.prompt'),
}

const globalCounterparts: Readonly<Record<string, Counterpart>> = {
  'session.reset.mode': unchanged('session.reset.mode'),
  'session.reset.atHour': unchanged('session.reset.atHour'),
  'session.reset.idleMinutes': unchanged('session.reset.idleMinutes'),
  'session.idleMinutes': unchanged('session.reset.idleMinutes'),
  'hooks.internal.entries.session-memory.enabled': unchanged('session.memoryHook.enabled'),
}

const idForm = /^[a-z0-9][a-z0-9_-]{0,63}$/

/**
 * Converts the settings of OpenClaw.
 * @param text JSON5 of openclaw.json or clawdbot.json @param existing agents, with absolute workspaces
 * @returns undefined if the text is no settings file
 */
export function convertSettings(
  text: string,
  existing: readonly { id: string; workspace: string }[] = [],
): MigrationReport | undefined {
  const file = parseJson5(text)
  if (!isRecord(file)) return undefined
  const account = new SettingsMigration()
  const agents = isRecord(file['agents']) ? file['agents'] : {}
  const defaults = {
    ...(isRecord(file['agent']) ? file['agent'] : {}),
    ...(isRecord(agents['defaults']) ? agents['defaults'] : {}),
  }
  const defaultsName = isRecord(agents['defaults']) ? 'agents.defaults' : 'agent'
  account.takeAll(
    defaults,
    agentCounterparts,
    defaultsName,
    ['agents', 'defaults'],
    ['workspace', 'memorySearch.enabled'],
  )
  if (isRecord(defaults['memorySearch']) && defaults['memorySearch']['enabled'] === false)
    account.skip(`${defaultsName}.memorySearch.enabled`, 'noCounterpart')
  takeAgents(
    account,
    Array.isArray(agents['list']) ? agents['list'] : [],
    defaults,
    `${defaultsName}.workspace`,
    existing,
  )
  const rest = Object.fromEntries(Object.entries(file).filter(([key]) => key !== 'agents' && key !== 'agent'))
  const models = isRecord(rest['models']) ? rest['models'] : {}
  if (isRecord(models['providers'])) takeProviders(account, models['providers'])
  const { models: _taken, ...others } = rest
  account.takeAll(others, globalCounterparts, '', ['agents', 'defaults'], [])
  for (const key of Object.keys(agents))
    if (key !== 'defaults' && key !== 'list') account.skip(`agents.${key}`, 'noCounterpart')
  for (const key of Object.keys(models)) if (key !== 'providers') account.skip(`models.${key}`, 'noCounterpart')
  return account.result()
}

function takeAgents(
  account: SettingsMigration,
  list: readonly unknown[],
  defaults: Readonly<Record<string, unknown>>,
  workspaceName: string,
  existing: readonly { id: string; workspace: string }[],
): void {
  const found = list.filter(isRecord)
  const defaultWorkspace = defaults['workspace']
  if (typeof defaultWorkspace === 'string') {
    // The default agent (or `main`) gets the default workspace if it has none.
    const defaultAt = found.findIndex((agent) => agent['default'] === true || agent['id'] === 'main')
    if (found.length === 0) found.push({ id: 'main', workspace: defaultWorkspace })
    else if (found[defaultAt] && found[defaultAt]['workspace'] === undefined)
      found[defaultAt] = { ...found[defaultAt], workspace: defaultWorkspace }
    if (found.some(({ workspace }) => workspace === defaultWorkspace)) account.suppress(workspaceName)
    else account.skip(workspaceName, 'noCounterpart')
  }
  const ids = new Set(existing.map(({ id }) => id))
  let nextIndex = existing.length
  for (const agent of found) {
    const { id, workspace, name, default: _isDefault, ...settings } = agent
    const from = `agents.list[${String(id)}]`
    if (typeof id !== 'string' || !idForm.test(id)) {
      account.skip(from, 'invalid')
      continue
    }
    const existingIndex = existing.findIndex((one) => one.id === id)
    const isTaken =
      typeof workspace === 'string' && existing.some((one) => one.id !== id && one.workspace === workspace)
    if (isTaken || (existingIndex < 0 && (ids.has(id) || typeof workspace !== 'string'))) {
      account.skip(from, isTaken || ids.has(id) ? 'taken' : 'noFolder')
      continue
    }
    ids.add(id)
    const index = existingIndex < 0 ? (nextIndex += 1) - 1 : existingIndex
    const path = ['agents', 'list', index]
    if (existingIndex < 0) account.take(from, path, { id, workspace }, String(workspace))
    if (typeof name === 'string' && name.trim() !== '')
      account.take(`${from}.name`, [...path, 'name'], name.trim().slice(0, 60))
    account.takeAll(settings, agentCounterparts, from, path, ['memorySearch.enabled'])
  }
}

/** Takes base URLs, context windows and prices. The first unknown provider becomes `openai-compatible`. */
function takeProviders(account: SettingsMigration, found: Readonly<Record<string, unknown>>): void {
  let hasCompatible = false
  for (const [name, provider] of Object.entries(found)) {
    const from = `models.providers.${name}`
    if (!isRecord(provider)) continue
    const isKnownProvider = name === 'anthropic' || name === 'openai'
    if (!isKnownProvider && hasCompatible) {
      account.skip(from, 'taken')
      continue
    }
    hasCompatible ||= !isKnownProvider
    const providerName = isKnownProvider ? name : 'openai-compatible'
    for (const [key, value] of Object.entries(provider)) {
      if (key === 'baseUrl') account.take(`${from}.baseUrl`, ['providers', providerName, 'baseUrl'], value)
      else if (key === 'models' && Array.isArray(value))
        for (const model of value.filter(isRecord)) takeModel(account, `${from}.models`, providerName, model)
      else account.skip(`${from}.${key}`, secretKeyPattern.test(key) ? 'secret' : 'noCounterpart')
    }
  }
}

function takeModel(
  account: SettingsMigration,
  from: string,
  provider: string,
  model: Readonly<Record<string, unknown>>,
): void {
  const { id, contextWindow, maxTokens, input, cost } = model
  if (typeof id !== 'string') return
  const path = ['models', `${provider}/${id}`]
  const name = `${from}[${id}]`
  if (contextWindow !== undefined) account.take(`${name}.contextWindow`, [...path, 'contextWindow'], contextWindow)
  if (maxTokens !== undefined) account.take(`${name}.maxTokens`, [...path, 'maxOutput'], maxTokens)
  if (Array.isArray(input)) account.take(`${name}.input`, [...path, 'images'], input.includes('image'))
  if (isRecord(cost)) {
    const { input: read = 0, output = 0 } = cost
    account.take(`${name}.cost`, [...path, 'prices'], { input: read, output })
    for (const key of ['cacheRead', 'cacheWrite']) if (cost[key]) account.skip(`${name}.cost.${key}`, 'noCounterpart')
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
  const levels: Readonly<Record<string, string>> = {
    off: 'off',
    minimal: 'low',
    low: 'low',
    medium: 'medium',
    high: 'high',
  }
  return levels[String(value)]
}

/** Removes comments outside strings: the rest of JSON5 is YAML. @returns undefined if it is invalid or too long */
function parseJson5(text: string): unknown {
  if (text.length > 1_000_000) return undefined
  const plain = text.replaceAll(/"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('/') ? ' ' : found,
  )
  try {
    return JSON.parse(plain)
  } catch {
    try {
      return parse(plain.replaceAll('\t', ' '), { maxAliasCount: 0 })
    } catch {
      return undefined
    }
  }
}

type ForeignMigration = ForeignSettings & Pick<MigrationReport, 'changes'>
type Agents = readonly { readonly id: string; readonly workspace: string }[]

const folders = ['.openclaw', '.clawdbot']
const names = ['openclaw.json', 'clawdbot.json']

/** Returns the readable settings files of OpenClaw. @param agents existing agents */
export async function findOpenClawSettings(agents: Agents, home: string = homedir()): Promise<ForeignMigration[]> {
  const files = folders.flatMap((folder) => names.map((name) => join(home, folder, name)))
  const found: ForeignMigration[] = []
  for (const file of files) {
    try {
      if ((await stat(file)).isFile()) found.push(await readForeign(file, agents))
    } catch {
      // The file is missing or unreadable.
    }
  }
  return found
}

/** Returns one of the files from `findOpenClawSettings`. @throws AppError `file_not_found` for another path */
export async function readOpenClawSettings(
  file: string,
  agents: Agents,
  home: string = homedir(),
): Promise<ForeignMigration> {
  const found = (await findOpenClawSettings(agents, home)).find((one) => one.file === file)
  if (found) return found
  throw new AppError('file_not_found', `${file} is not a settings file of OpenClaw`, { path: file })
}

/** @throws AppError `file_not_found`, `import_unknown` */
async function readForeign(file: string, agents: Agents): Promise<ForeignMigration> {
  const { text } = await readText(file)
  const report = convertSettings(text, agents)
  if (!report) throw new AppError('import_unknown', `${file} has no readable settings`, { path: file })
  return { file, ...report }
}
