/** The composition root: builds the modules in order, hands each what it needs, and closes them in reverse. */
import { EventPublisher } from '@orpc/server'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AppEvent } from '../shared/contract/index.ts'
import { AppError } from '../shared/errors.ts'
import { Agents, defaultStateHome, stateFolders } from './agents/index.ts'
import { openLog, type Log } from './log.ts'
import { threadEntries } from './memory/index.ts'
import { Models } from './models/index.ts'
import { makeFolder } from './workspace/index.ts'
import { environmentKeys, SettingsStore, type AgentSettings } from './settings/index.ts'

export interface AppOptions {
  /** The folder of the entry file, `src/main/` or `out/main/`; threads and resources are found from it. */
  readonly mainFolder: URL
  readonly env: NodeJS.ProcessEnv
  /** State folder; `COMMONPLACE_HOME` or `~/.commonplace` when left out. */
  readonly home?: string | undefined
  readonly workspace?: string | undefined
  /** False for a single command: files are looked at once, not followed. */
  readonly watch?: boolean
  readonly now?: () => Date
  /** Used instead of the configured one, for a single command. */
  readonly embeddingProvider?: AgentSettings['memory']['embedding']['provider'] | undefined
}

export interface App {
  readonly agents: Agents
  readonly settings: SettingsStore
  readonly models: Models
  readonly events: EventPublisher<{ event: AppEvent }>
  readonly log: Log
  /** The state folder. */
  readonly home: string
  readonly resources: string
  readonly now: () => Date
  close(): Promise<void>
}

export async function createApp(options: AppOptions): Promise<App> {
  const { env, mainFolder, watch = true, now = () => new Date() } = options
  const folders = stateFolders(options.home === undefined ? defaultStateHome(env) : resolve(options.home))
  const resources = fileURLToPath(new URL('../../resources/', mainFolder))
  await makeStateFolder(folders.home)
  const log = openLog(folders.logs)
  const settings = await SettingsStore.open(folders.config)
  const events = new EventPublisher<{ event: AppEvent }>({ maxBufferedEvents: 10_000 })
  const publish = (event: AppEvent) => events.publish('event', event)
  const keys = environmentKeys(env)
  const models = new Models(() => settings.config, keys, env)
  const agents = new Agents({
    settings,
    folders,
    resources,
    threads: threadEntries(mainFolder),
    models,
    keys,
    log,
    now,
    watch,
    publish,
    workspaceOverride: options.workspace === undefined ? undefined : resolve(options.workspace),
    embeddingProvider: options.embeddingProvider,
  })
  settings.onChange(() => publish({ type: 'settingsChanged' }))
  return {
    agents,
    settings,
    models,
    events,
    log,
    home: folders.home,
    resources,
    now,
    async close() {
      await agents.close()
      settings.close()
      log.close()
    },
  }
}

async function makeStateFolder(home: string): Promise<void> {
  try {
    await makeFolder(home)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('write_failed', `${home} cannot be used: ${reason}`, { path: home, reason }, { cause: error })
  }
}
