/** Who exists and where they live: the list from the configuration, and the agents that are at work. */
import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Agent as AgentSummary, ChunkSize, Locale, SearchSettings } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import {
  defaultWorkspace,
  expandHome,
  type AgentEntry,
  type AgentSettings,
  type SettingsStore,
} from '../settings/index.ts'
import { seedWorkspace } from '../workspace/index.ts'
import { Agent, type SharedOptions } from './agent.ts'
import type { StateFolders } from './folders.ts'

const defaultAgent = 'main'

/** The first agent has the app's own accent; the others take the next ones of the list. */
const colors = ['#3f5bd9', '#2f8a7b', '#b7791f', '#a04fb5', '#c2453b', '#4d7c2f'] as const

export interface AgentsOptions extends SharedOptions {
  readonly settings: SettingsStore
  readonly folders: StateFolders
  /** A folder to use instead of the agent's own, for a single command. */
  readonly workspaceOverride: string | undefined
}

export class Agents {
  readonly #options: AgentsOptions
  readonly #open = new Map<string, Promise<Agent>>()

  constructor(options: AgentsOptions) {
    this.#options = options
    options.settings.onChange(() => void this.#applySettings())
  }

  async list(): Promise<AgentSummary[]> {
    return Promise.all(
      this.#entries().map(async ({ id, color, model }, index) => ({
        id,
        workspace: this.workspaceOf(id),
        color: color ?? colors[index % colors.length] ?? colors[0],
        model,
        ready: await exists(this.workspaceOf(id)),
      })),
    )
  }

  /** True until somebody has chosen where the first agent lives. */
  get isFirstRun(): boolean {
    return this.#options.settings.config.agents.list.length === 0
  }

  /** @throws AppError `unknown_agent` */
  settingsOf(id: string): AgentSettings {
    const { defaults, list } = this.#options.settings.config.agents
    const entry = list.find((agent) => agent.id === id)
    if (!entry && id !== defaultAgent) throw new AppError('unknown_agent', `there is no agent ${id}`, { agent: id })
    return entry ?? defaults
  }

  /** Absolute. @throws AppError `unknown_agent` */
  workspaceOf(id: string): string {
    if (this.#options.workspaceOverride !== undefined) return this.#options.workspaceOverride
    this.settingsOf(id)
    const entry = this.#options.settings.config.agents.list.find((agent) => agent.id === id)
    return resolve(expandHome(entry?.workspace ?? defaultWorkspace(id)))
  }

  /** The agent at work; opened when it is first asked for. @throws AppError `unknown_agent`, `folder_unreadable` */
  async get(id: string): Promise<Agent> {
    const known = this.#open.get(id)
    if (known) return known
    const opening = this.#openAgent(id)
    this.#open.set(id, opening)
    try {
      return await opening
    } catch (error) {
      this.#open.delete(id)
      throw error
    }
  }

  /** Gives the agent a folder, seeds what is missing there, and writes the choice into the configuration. */
  async setUp(id: string, workspace: string, locale: Locale): Promise<{ workspace: string; created: string[] }> {
    const folder = resolve(expandHome(workspace))
    const created = await this.#seed(folder, locale)
    const { list } = this.#options.settings.config.agents
    const index = list.findIndex((agent) => agent.id === id)
    if (index < 0) await this.#options.settings.set([['agents', 'list', list.length], { id, workspace: folder }])
    else await this.#options.settings.set([['agents', 'list', index, 'workspace'], folder])
    await this.#reopen(id)
    this.#options.publish({ type: 'agentsChanged' })
    return { workspace: folder, created }
  }

  async setModel(id: string, model: string): Promise<void> {
    await this.#options.settings.set([[...this.#pathOf(id), 'model'], model])
    this.#options.publish({ type: 'agentsChanged' })
  }

  /** @returns what was in force before */
  async setSearch(id: string, settings: SearchSettings): Promise<SearchSettings> {
    const before = this.settingsOf(id).memory.search
    await this.#setMemory(id, 'search', settings)
    return before
  }

  /** @returns what was in force before */
  async setChunk(id: string, chunk: ChunkSize): Promise<ChunkSize> {
    const before = this.settingsOf(id).memory.chunk
    await this.#setMemory(id, 'chunk', chunk)
    return before
  }

  async #setMemory(id: string, part: 'search' | 'chunk', values: object): Promise<void> {
    const path = [...this.#pathOf(id), 'memory', part]
    await this.#options.settings.set(...Object.entries(values).map(([key, value]) => [[...path, key], value] as const))
  }

  /** Where an agent's settings are in the configuration; the built-in agent has those of all. @throws AppError `agent_unknown` */
  #pathOf(id: string): (string | number)[] {
    this.settingsOf(id)
    const index = this.#options.settings.config.agents.list.findIndex((agent) => agent.id === id)
    return index < 0 ? ['agents', 'defaults'] : ['agents', 'list', index]
  }

  async close(): Promise<void> {
    const agents = await Promise.allSettled(this.#open.values())
    await Promise.all(agents.map((agent) => (agent.status === 'fulfilled' ? agent.value.close() : undefined)))
    this.#open.clear()
  }

  #entries(): Pick<AgentEntry, 'id' | 'color' | 'model'>[] {
    const { defaults, list } = this.#options.settings.config.agents
    return list.length > 0 ? list : [{ id: defaultAgent, color: undefined, model: defaults.model }]
  }

  async #openAgent(id: string): Promise<Agent> {
    const { folders, workspaceOverride, ...shared } = this.#options
    const workspace = this.workspaceOf(id)
    if (!(await exists(workspace))) {
      throw new AppError('folder_unreadable', `${workspace} does not exist or may not be read`, { path: workspace })
    }
    return Agent.open({
      ...shared,
      id,
      workspace,
      settings: () => this.settingsOf(id),
      setModel: (model) => this.setModel(id, model),
      forbidden: this.#foreignFolders(id),
      indexFile: workspaceOverride === undefined ? folders.index(id) : folders.folderIndex(workspace),
      sessionsFolder: folders.sessions(id),
      checksFolder: folders.checks(id),
      draftsFolder: folders.drafts(id),
      historyFolder: workspaceOverride === undefined ? folders.history(id) : folders.folderHistory(workspace),
      modelsFolder: folders.models,
      indexesSessions: workspaceOverride === undefined,
    })
  }

  /** What an agent may never touch, even where it lies inside its workspace (M27). */
  #foreignFolders(id: string): string[] {
    const others = this.#options.settings.config.agents.list.filter((agent) => agent.id !== id)
    return [this.#options.folders.home, ...others.map((agent) => this.workspaceOf(agent.id))].filter(
      (folder) => folder !== this.workspaceOf(id),
    )
  }

  async #seed(folder: string, locale: Locale): Promise<string[]> {
    try {
      return await seedWorkspace(folder, join(this.#options.resources, 'templates', locale))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new AppError('write_failed', `${folder} cannot be used: ${reason}`, { path: folder }, { cause: error })
    }
  }

  /** Agents at work take over what changed; one that is gone from the list goes on until the app ends. */
  async #applySettings(): Promise<void> {
    for (const [id, opening] of this.#open) {
      try {
        const agent = await opening
        if (agent.workspace.roots.workspace === this.workspaceOf(id)) await agent.applySettings()
        else await this.#reopen(id)
      } catch (error) {
        this.#options.log.fault(error, `new settings for agent ${id}`)
      }
    }
  }

  async #reopen(id: string): Promise<void> {
    const open = this.#open.get(id)
    this.#open.delete(id)
    if (open) await (await open).close()
  }
}

async function exists(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  )
}
