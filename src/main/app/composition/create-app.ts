import { EventPublisher } from '@orpc/server'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AppEvent } from '#shared/contract/index.ts'
import {
  systemClock,
  type Clock,
  Differ,
  measureDataLocations,
  openLog,
  Outbound,
  openRemoteImages,
  workerEntry,
  appVersion,
  makeFolder,
  scheduleCleanup,
  KeyRing,
  type KeyVault,
  SettingsStore,
  defaultAgentId,
  redact,
} from '#platform'
import { showInFileManager, type RevealFile } from '../shell.ts'
import { createDiagnosticReport, readLog } from '../diagnostics/report.ts'
import { Health, monitorDiskSpace, withFaultReports } from '../diagnostics/health.ts'
import { AppError, onAppError, orUndefined } from '#shared/util/errors.ts'
import { AgentRegistry } from '../agents/agent-registry.ts'
import {
  raiseStateFormat,
  readStateFormat,
  defaultStateHome,
  stateFolders,
  type StateFolders,
  resolveSingleFolder,
} from '../agents/state-folders.ts'
import { ClientApps, ClientInstaller, launcherPath } from '#interop'
import { defaultToolLimits, openWindowEstimates, type ToolLimits } from '#agent'
import { McpServers } from '#agent/mcp-client'
import { UsageStore, Models } from '#llm'

export interface AppOptions {
  /** `src/main/` or `out/main/`. Workers and resources are found relative to it. */
  readonly mainFolder: URL
  readonly env: NodeJS.ProcessEnv
  /** Absolute or relative to the working directory; default: `COMMONPLACE_HOME` or `~/.commonplace`. */
  readonly home?: string | undefined
  /** Absolute or relative to the working directory, instead of the workspace of `agent`. Hides other agents. */
  readonly workspace?: string | undefined
  readonly agent?: string | undefined
  /** False for a single command: files are scanned once and not watched. */
  readonly watch?: boolean
  readonly now?: Clock
  readonly showFile?: RevealFile
  /** Undefined keeps API keys in memory only. */
  readonly keyVault?: KeyVault | undefined
  readonly permissionTimeoutMs?: number | undefined
  readonly toolLimits?: Partial<ToolLimits> | undefined
  /** Servers of remote images; default: public addresses only. */
  readonly isOpenAddress?: ((address: string) => boolean) | undefined
  /** The caller closes it. Default: opened and closed with the app. */
  readonly base?: AppBase
}

export type AppBase = Awaited<ReturnType<typeof openBase>>

const openAgentsMs = 5000
/** Time after which the app starts without the stored keys, ms. They are used when they are read. */
const keysMs = 1000

async function activeAgents(agents: AgentRegistry) {
  return agents.isFirstRun ? [] : (await agents.list()).filter(({ archived }) => !archived)
}

async function openAgents(agents: AgentRegistry): Promise<void> {
  for (const { id } of await activeAgents(agents)) await orUndefined(agents.get(id))
}

/** @throws AppError `state_newer`, `write_failed`, `unknown_agent` */
export async function openBase({ env, home, workspace, agent = defaultAgentId, now }: AppOptions) {
  const folders = stateFolders(home === undefined ? defaultStateHome(env) : resolve(home))
  await readStateFormat(folders.home)
  await makeStateFolder(folders.home)
  const log = openLog(folders.logs)
  const isInUse = existsSync(folders.agent(agent).history)
  const settings = await SettingsStore.open(folders.config, isInUse ? configRetryMs : 0)
  const close = () => settings.close()
  try {
    const singleFolder =
      workspace === undefined ? undefined : resolveSingleFolder(settings.config, agent, resolve(workspace))
    return { folders, log, settings, outbound: new Outbound(folders.outbound, now), singleFolder, close }
  } catch (error) {
    close()
    throw error
  }
}

export type App = Awaited<ReturnType<typeof createApp>>

/** Time to wait if the configuration of a state folder in use is missing or empty, ms: an editor may be saving it. */
const configRetryMs = 500

const reportedLogLines = 100

/** Creates all services. The caller must close the result. @throws AppError `write_failed`, `unknown_agent` */
export async function createApp(options: AppOptions) {
  const { env, mainFolder, watch = true, now = systemClock } = options
  const base = options.base ?? (await openBase(options))
  const { folders, settings, singleFolder, outbound } = base
  await raiseStateFormat(folders.home)
  const resources = resourcesOf(mainFolder)
  const events = new EventPublisher<{ event: AppEvent }>({ maxBufferedEvents: 10_000 })
  const publish = (event: AppEvent) => events.publish('event', event)
  const health = new Health(now)
  const log = withFaultReports(base.log, health, now)
  const faultIn = (part: string) => (error: unknown) => void log.fault(error, part)
  const cancelCleanup = scheduleCleanup(folders.home, () => true, faultIn('temporary files'))
  const keys = new KeyRing(env, options.keyVault)
  const keysLoaded = keys.load().catch((error: unknown) => {
    log.fault(error, 'stored keys')
    health.report({ part: 'keys', code: 'unreadable', message: String(error), remedy: modelSettingsRemedy })
  })
  // macOS can ask the user for the keychain, who then sees the window first.
  await Promise.race([keysLoaded, sleep(keysMs, undefined, { ref: false })])
  const ledger = new UsageStore({ file: folders.usage, now, settings, onProblem: faultIn('usage') })
  const models = new Models({
    settings,
    keys,
    env,
    ledger,
    outbound,
    now,
    listFile: folders.modelLists,
    onProblem: faultIn('model lists'),
  })
  await models.load()
  const windowsFile = { file: folders.learnedWindows, now, onProblem: faultIn('learned windows') }
  const windowEstimates = await openWindowEstimates(windowsFile)
  const mcp = new McpServers({ settings, env, outbound, version: appVersion, keys })
  const pictures = openRemoteImages({ env, outbound, isAllowedAddress: options.isOpenAddress })
  const clients = new ClientApps({
    file: folders.clients,
    now,
    onFault: faultIn('clients'),
    timeoutMs: options.permissionTimeoutMs,
  })
  const clientInstaller = createClientInstaller(options, folders)
  void clientInstaller.renewLauncher().catch(onAppError('app_portable')).catch(faultIn('launcher'))
  const differ = new Differ({ entry: workerEntry(mainFolder, 'platform/diff/diff.worker') })
  const agents = new AgentRegistry({
    settings,
    folders,
    resources,
    differ,
    mainFolder,
    models,
    windowEstimates,
    keys,
    mcp,
    toolLimits: { ...defaultToolLimits, ...options.toolLimits },
    log,
    health,
    now,
    watch,
    publish,
    singleFolder,
  })
  const unsubscribe = subscribeServices({ settings, keys, ledger, models, mcp, clients, agents, health }, publish)
  // Chats may have ended while the app was closed.
  const openTimer = watch
    ? setTimeout(() => void openAgents(agents).catch(faultIn('agents')), openAgentsMs).unref()
    : undefined
  const watchedFolders = async () => [folders.home, ...(await activeAgents(agents)).map(({ workspace }) => workspace)]
  const stopDiskMonitor = watch ? monitorDiskSpace(health, watchedFolders, faultIn('free space')) : undefined
  return {
    agents,
    settings,
    models,
    keys,
    ledger,
    outbound,
    mcp,
    pictures,
    clients,
    clientInstaller,
    events,
    log,
    health,
    now,
    showFile: options.showFile ?? showInFileManager,
    async locations() {
      const allAgents = await agents.list()
      return measureDataLocations([
        { kind: 'settings', path: folders.config },
        ...allAgents.flatMap(({ id, name: agent, workspace }) => {
          const { index, sessions, history, suggestions } = agents.foldersOf(id)
          const relatedPaths = [`${index}-wal`, `${index}-shm`]
          return [
            { kind: 'workspace' as const, path: workspace, agent },
            { kind: 'index' as const, path: index, agent, relatedPaths },
            { kind: 'sessions' as const, path: sessions, agent },
            { kind: 'history' as const, path: history, agent },
            { kind: 'upkeep' as const, path: suggestions, agent },
          ]
        }),
        { kind: 'models', path: folders.models },
        { kind: 'logs', path: folders.logs },
        { kind: 'usage', path: folders.usage },
      ])
    },
    async diagnostics() {
      const allAgents = await agents.list()
      const agentStates = allAgents.map(async ({ id, model, ready }) => ({
        model,
        status: ready ? await (await agents.get(id)).memory.status() : undefined,
      }))
      return createDiagnosticReport({
        version: appVersion,
        home: folders.home,
        settings: settings.configWithoutDefaults(),
        agents: await Promise.all(agentStates),
        log: await readLog(log.file, reportedLogLines),
        now: now(),
      })
    },
    async close(finishMs?: number) {
      clearTimeout(openTimer)
      cancelCleanup()
      unsubscribe()
      stopDiskMonitor?.()
      await agents.close(finishMs)
      await differ.close()
      await mcp.close()
      await pictures.close()
      await clients.close()
      await ledger.close()
      if (!options.base) base.close()
    },
  }
}

export function createClientInstaller({ mainFolder, env }: AppOptions, { home }: StateFolders): ClientInstaller {
  const isDefaultHome = home === defaultStateHome({})
  return new ClientInstaller({
    mainFolder,
    env,
    home: isDefaultHome ? undefined : home,
    launcher: isDefaultHome ? launcherPath(home, process.platform) : undefined,
    version: appVersion,
  })
}

export function resourcesOf(mainFolder: URL): string {
  return fileURLToPath(new URL('../../resources/', mainFolder))
}

async function makeStateFolder(home: string): Promise<void> {
  try {
    await makeFolder(home)
    // The folder contains private chats and keys.
    if (process.platform !== 'win32') await chmod(home, 0o700).catch(() => undefined)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('write_failed', `${home} cannot be used: ${reason}`, { path: home, reason }, { cause: error })
  }
}

type Services = Pick<App, 'settings' | 'keys' | 'ledger' | 'models' | 'mcp' | 'clients' | 'agents' | 'health'>

const modelSettingsRemedy = { kind: 'settings', section: 'models' } as const

/** Publishes changes and problems of services as events. @returns a function that unsubscribes from the settings */
function subscribeServices(
  { settings, keys, ledger, models, mcp, clients, agents, health }: Services,
  publish: (event: AppEvent) => void,
): () => void {
  reportSettings(health, settings)
  health.changes.subscribe(() => publish({ type: 'healthChanged' }))
  agents.changes.subscribe(() => publish({ type: 'agentsChanged' }))
  ledger.changes.subscribe(() => publish({ type: 'usageChanged' }))
  keys.changes.subscribe(() => publish({ type: 'settingsChanged' }))
  models.changes.subscribe(({ model, failure }) => reportModel(health, model, failure))
  clients.changes.subscribe(() => publish({ type: 'clientsChanged' }))
  mcp.changes.subscribe(() => {
    publish({ type: 'mcpChanged' })
    reportTools(health, mcp)
  })
  return settings.changes.subscribe(() => {
    reportSettings(health, settings)
    health.clear('model')
    publish({ type: 'settingsChanged' })
    publish({ type: 'usageChanged' })
    void mcp.applySettings()
  })
}

function reportSettings(health: Health, { problems, ignoredKeys, file }: SettingsStore): void {
  const problemsOf = (code: string, settingsProblems: typeof problems) => {
    if (settingsProblems.length === 0) return []
    const message = SettingsStore.describe(file, settingsProblems)
    return [{ part: 'settings', code, message, remedy: { kind: 'configFile' } } as const]
  }
  const reports = [...problemsOf('config_invalid', problems), ...problemsOf('config_ignored', ignoredKeys)]
  health.replace(['settings'], reports)
}

function reportTools(health: Health, mcp: McpServers): void {
  const failedServers = mcp.status().filter(({ state }) => state === 'failed')
  const reports = failedServers.map(({ name, problem }) => {
    const message = `${name}: ${problem ?? ''}`
    return { part: 'tools', code: 'tools_failed', message, path: name, remedy: modelSettingsRemedy } as const
  })
  health.replace(['tools'], reports)
}

function reportModel(health: Health, model: string, failure: AppError | undefined): void {
  if (!failure) return health.clear('model')
  const failureMessage = redact(failure.message)
  const causeMessage = failure.cause instanceof Error ? redact(failure.cause.message) : ''
  const addedTexts = failureMessage.includes(causeMessage) ? [] : [causeMessage]
  const message = [model, failureMessage, ...addedTexts].join(': ').slice(0, 400)
  health.replace(['model'], [{ part: 'model', code: failure.code, message, remedy: modelSettingsRemedy }])
}
