import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Agent as AgentSummary, Locale, NewAgent } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import {
  EventEmitter,
  type Subscribable,
  AgentConfig,
  defaultAgentId,
  expandHome,
  type AgentSettings,
  workerEntry,
  SettingsStore,
} from '#platform'
import { openConventions, isInside } from '#workspace'
import { OpenAgent } from './agent.ts'
import type { AgentOptions, SharedMemory, SharedOptions } from './agent-options.ts'
import { type AgentFolders, type StateFolders, type SingleFolder, defaultWorkspace } from './state-folders.ts'
import { toAbsoluteFolder, colorAt, uniqueId, addTemplates, moveAgentFiles, layoutIn } from './new-agent.ts'
import { recordTemplates, openWriter } from './open-workspace.ts'
import { createDeletion } from './permanent-deletion.ts'
import { subscribeAgent } from '../composition/agent-subscriptions.ts'

export interface AgentsOptions extends SharedOptions {
  readonly settings: SettingsStore
  readonly folders: StateFolders
  /** Replaces the agent's own workspace and hides all other agents (`--workspace DIR`). */
  readonly singleFolder: SingleFolder | undefined
}

/** The two stages of an agent: its index opens after it was created. */
interface OpeningAgent {
  readonly created: Promise<OpenAgent>
  readonly opened: Promise<OpenAgent>
}

/** Names of the default agent by language; in other languages it has the app's name. */
const firstAgentNames: Readonly<Partial<Record<string, string>>> = { 'zh-CN': '助手', 'zh-TW': '助理' }

export class AgentRegistry {
  readonly #changes = new EventEmitter()
  readonly changes: Subscribable<void> = this.#changes
  readonly #options: AgentsOptions
  #lastAnnouncedKey: string
  readonly #openAgents = new Map<string, OpeningAgent>()
  /** Folders that an agent is taking over: absolute path to agent id. */
  readonly #claimedFolders = new Map<string, string>()
  #isSavingPower = false
  readonly deletion: ReturnType<typeof createDeletion>

  constructor(options: AgentsOptions) {
    this.#options = options
    this.deletion = createDeletion(this, workerEntry(options.mainFolder, 'workspace/deletion/deletion.worker'))
    this.#lastAnnouncedKey = this.#agentListKey()
    options.settings.changes.subscribe(() => {
      void this.#applySettings()
      if (this.#agentListKey() !== this.#lastAnnouncedKey) this.#emitChange()
    })
  }

  /** Archived agents do not serve other programs. */
  isArchived(id: string): boolean {
    return this.#entries().some((agent) => agent.id === id && agent.archived)
  }

  async list(): Promise<AgentSummary[]> {
    return this.#entries().map(({ id, name, color, model, archived }, index) => ({
      id,
      name: AgentConfig.nameOf({ id, name }),
      workspace: this.workspaceOf(id),
      color: color ?? colorAt(index),
      model,
      isPrivateByDefault: this.settingsOf(id).chat.default === 'private',
      archived,
      reads: this.#memoriesSharedWith(id).map(({ agent }) => agent),
      ready: existsSync(this.workspaceOf(id)),
    }))
  }

  get isFirstRun(): boolean {
    const { singleFolder, settings } = this.#options
    return singleFolder === undefined && settings.hasBeenRead && this.#list.length === 0
  }

  /** Returns the agent's settings, or the defaults for `main` without an entry. @throws AppError `unknown_agent` */
  settingsOf(id: string): AgentSettings {
    const { singleFolder, settings } = this.#options
    const { defaults, list } = settings.config.agents
    const entry = list.find((agent) => agent.id === id)
    const isKnown = singleFolder ? singleFolder.agent === id : entry !== undefined || id === defaultAgentId
    if (!isKnown) throw new AppError('unknown_agent', `there is no agent ${id}`, { agent: id })
    return entry ?? defaults
  }

  /** @throws AppError `unknown_agent` */
  configOf(id: string): AgentConfig {
    this.settingsOf(id)
    return new AgentConfig(id, this.#options.settings)
  }

  /** Returns an absolute path. @throws AppError `unknown_agent` */
  workspaceOf(id: string): string {
    this.settingsOf(id)
    return this.#options.singleFolder?.folder ?? this.#configuredWorkspaceOf(id)
  }

  #configuredWorkspaceOf(id: string): string {
    const workspace = this.#list.find((agent) => agent.id === id)?.workspace
    return resolve(expandHome(workspace ?? defaultWorkspace(id)))
  }

  /** Opens the agent at the first call. @throws AppError `config_invalid`, `unknown_agent`, `folder_unreadable` */
  async get(id: string): Promise<OpenAgent> {
    return this.#opening(id).opened
  }

  /** Returns the agent before its index is open: enough to list and read files. @throws AppError as `get` */
  async getBeforeIndexing(id: string): Promise<OpenAgent> {
    return this.#opening(id).created
  }

  /**
   * Sets the agent's workspace, adds missing files from the templates and saves the choice in the configuration.
   * @param options `seed`: adds templates, by default only to an empty folder; `own`: subfolder for the agent's files
   * @throws AppError `single_folder`, `folder_taken`, `folder_unusable`, `write_failed`, `input_invalid`, `unknown_agent`
   */
  async setUp(
    id: string,
    workspace: string,
    locale: Locale,
    { seed, own, model }: { [Name in 'own' | 'model']?: string | undefined } & { seed?: boolean | undefined } = {},
  ): Promise<{ workspace: string; created: string[] }> {
    this.#assertNotSingleFolder()
    const folder = toAbsoluteFolder(workspace)
    if (folder !== this.workspaceOf(id)) this.#assertFolderUnused(folder)
    const created = await this.#whileClaimed(id, folder, async () => {
      const vault = { ...this.settingsOf(id).vault, ...(own === undefined ? {} : { own }) }
      const addedFiles = await addTemplates(folder, this.#templates(locale), { mayAdd: seed, vault })
      // The settings come last: a window opens the agent as soon as they change.
      await this.#closeAgent(id)
      await recordTemplates(await this.#agentOptions(id, folder), addedFiles)
      const index = this.#list.findIndex((agent) => agent.id === id)
      const name = id === defaultAgentId ? firstAgentNames[locale] : undefined
      const entry = { id, ...(name === undefined ? {} : { name }), workspace: folder }
      const place = ['agents', 'list', index < 0 ? this.#list.length : index]
      await this.#options.settings.set(
        index < 0 ? [place, entry] : [[...place, 'workspace'], folder],
        ...(model === undefined ? [] : [[[...place, 'model'], model] as const]),
        ...(own === undefined ? [] : [[[...place, 'vault', 'own'], own] as const]),
      )
      return addedFiles
    })
    this.#emitChange()
    return { workspace: folder, created }
  }

  /** Creates an agent, in the default folder without `workspace`. @throws AppError as `setUp` */
  async create({ name, workspace, color, locale }: NewAgent): Promise<{ agent: string; workspace: string }> {
    this.#assertNotSingleFolder()
    const id = uniqueId(name, [defaultAgentId, ...this.#list.map((agent) => agent.id)])
    const folder = toAbsoluteFolder(workspace ?? defaultWorkspace(id))
    this.#assertFolderUnused(folder)
    const entry = { id, name, workspace: folder, ...(color === undefined ? {} : { color }) }
    await this.#whileClaimed(id, folder, async () => {
      const { vault } = this.#options.settings.config.agents.defaults
      const created = await addTemplates(folder, this.#templates(locale), { vault })
      // The default agent exists without an entry only while the list is empty.
      if (this.#list.length === 0) await this.#ensureEntry(defaultAgentId)
      await this.#options.settings.set([['agents', 'list', this.#list.length], entry])
      await recordTemplates(await this.#agentOptions(id), created)
    })
    return { agent: id, workspace: folder }
  }

  /** @throws AppError `single_folder`, `unknown_agent`, `last_agent` */
  async update(
    id: string,
    change: { name?: string | undefined; color?: string | undefined; archived?: boolean | undefined },
  ): Promise<void> {
    this.#assertNotSingleFolder()
    this.settingsOf(id)
    const others = this.#entries().filter((agent) => agent.id !== id && !agent.archived)
    if (change.archived === true && others.length === 0)
      throw new AppError('last_agent', 'the last agent cannot be archived', { agent: id })
    const entry = await this.#ensureEntry(id)
    await this.#options.settings.set(...Object.entries(change).map(([key, value]) => [[...entry, key], value] as const))
  }

  /** Lets exactly these agents read the memory of agent `id`. @throws AppError `single_folder`, `unknown_agent` */
  async setReaders(id: string, readers: string[]): Promise<void> {
    this.#assertNotSingleFolder()
    for (const reader of readers) this.settingsOf(reader)
    const path = [...(await this.#ensureEntry(id)), 'memory', 'shareWith']
    await this.#options.settings.set([path, readers.length === 0 ? undefined : readers])
  }

  /** Moves the agent's own files and updates links to them. @throws AppError as `Links.move`; then nothing has changed */
  async moveAgentFiles(id: string, targetFolder: string): ReturnType<typeof moveAgentFiles> {
    this.#assertNotSingleFolder()
    const agent = await this.get(id)
    return moveAgentFiles(agent, targetFolder, async () => {
      await this.#options.settings.set([[...(await this.#ensureEntry(id)), 'vault', 'own'], targetFolder])
    })
  }

  /** Adds an entry for the agent if none exists, so that its settings do not change the defaults. @returns its path */
  async #ensureEntry(id: string): Promise<(string | number)[]> {
    const workspace = this.workspaceOf(id)
    const index = this.#list.findIndex((agent) => agent.id === id)
    const path = ['agents', 'list', index < 0 ? this.#list.length : index]
    if (index < 0) await this.#options.settings.set([path, { id, workspace }])
    return path
  }

  #templates(locale: Locale): string {
    return join(this.#options.resources, 'templates', locale)
  }

  get #list() {
    return this.#options.settings.config.agents.list
  }

  #assertNotSingleFolder(): void {
    const path = this.#options.singleFolder?.folder
    if (path === undefined) return
    throw new AppError('single_folder', `only ${path} is open here; agents are managed without --workspace`, { path })
  }

  #memoriesSharedWith(id: string): SharedMemory[] {
    if (this.#options.singleFolder) return []
    return this.#list
      .filter((agent) => agent.id !== id && !agent.archived && agent.memory.shareWith.includes(id))
      .map(({ id: agent, vault, visibility }) => {
        const workspace = this.workspaceOf(agent)
        return { agent, workspace, layout: layoutIn(workspace, vault.own), privateRules: visibility.private }
      })
  }

  #assertFolderUnused(folder: string): void {
    const owningAgent = this.#entries().find(({ id }) => this.workspaceOf(id) === folder)
    if (owningAgent || isInside(this.#options.folders.home, folder))
      throw new AppError('folder_taken', `${folder} belongs to another agent or to the app`, {
        path: folder,
        agent: owningAgent ? AgentConfig.nameOf(owningAgent) : 'Commonplace',
      })
  }

  /** While `isSaving`, agents update their index only for a search. Also applies to agents opened later. */
  async savePower(isSaving: boolean): Promise<void> {
    this.#isSavingPower = isSaving
    await this.#forEach((agent) => agent.savePower(isSaving))
  }

  async close(finishMs?: number): Promise<void> {
    await this.#forEach((agent) => agent.close(finishMs))
    this.#openAgents.clear()
  }

  async #forEach(work: (agent: OpenAgent) => unknown): Promise<void> {
    const agents = await Promise.allSettled(this.#openAgents.values().map(({ opened }) => opened))
    await Promise.all(agents.map((agent) => agent.status === 'fulfilled' && work(agent.value)))
  }

  #agentListKey(): string {
    return JSON.stringify([this.#entries(), this.#list.map(({ workspace, memory }) => [workspace, memory.shareWith])])
  }

  #emitChange(): void {
    this.#lastAnnouncedKey = this.#agentListKey()
    this.#changes.emit()
  }

  #entries() {
    const { singleFolder, settings } = this.#options
    const entries = singleFolder ? this.#list.filter(({ id }) => id === singleFolder.agent) : this.#list
    const { model } = settings.config.agents.defaults
    return entries.length > 0
      ? entries
      : [{ id: defaultAgentId, name: undefined, color: undefined, model, archived: false }]
  }

  /** Another process may have the agent open. @throws AppError `unknown_agent`, `folder_unreadable` */
  async openWriter(id: string) {
    return openWriter(await this.#agentOptions(id))
  }

  /** Runs `work` while the agent is closed, then opens it again. Calls of `get` wait meanwhile. */
  async whileClosed<T>(agent: OpenAgent, work: () => Promise<T>): Promise<T> {
    const result = agent.close().then(work)
    const settled = result.catch(() => undefined)
    this.#openAgent(agent.id, settled)
    return result
  }

  deletionFolders(id: string) {
    const { home, logs } = this.#options.folders
    const workspace = this.workspaceOf(id)
    return { ...this.foldersOf(id), home, logs, workspace, forbidden: this.#foreignFolders(id) }
  }

  /** @throws AppError `config_invalid`: without a readable configuration, the folders of the agents are unknown */
  #opening(id: string): OpeningAgent {
    const { hasBeenRead, file, problems } = this.#options.settings
    if (hasBeenRead) return this.#openAgents.get(id) ?? this.#openAgent(id)
    const reason = SettingsStore.describe(file, problems)
    throw new AppError('config_invalid', reason, { file, reason })
  }

  #openAgent(id: string, earlier: Promise<unknown> = Promise.resolve()): OpeningAgent {
    const { promise: created, resolve, reject } = Promise.withResolvers<OpenAgent>()
    const opened = earlier.then(() => this.#startAgent(id, resolve))
    // Callers handle rejections; this handler prevents that an unused promise counts as unhandled.
    created.catch(() => undefined)
    opened.catch((error: unknown) => {
      this.#openAgents.delete(id)
      reject(error)
    })
    const opening = { created, opened }
    this.#openAgents.set(id, opening)
    return opening
  }

  async #startAgent(id: string, onCreated: (agent: OpenAgent) => void): Promise<OpenAgent> {
    const options = await this.#agentOptions(id)
    // Completes a deletion that a crash interrupted, before anything reads the files.
    await this.deletion.resume(id).catch((error: unknown) => {
      options.log.fault(error, `deletion for agent ${id}`)
    })
    const agent = await OpenAgent.create(options)
    onCreated(agent)
    subscribeAgent(agent, options)
    await agent.start()
    if (this.#isSavingPower) agent.savePower(true)
    return agent
  }

  async #agentOptions(id: string, workspace: string = this.workspaceOf(id)): Promise<AgentOptions> {
    const { folders, ...shared } = this.#options
    if (!existsSync(workspace))
      throw new AppError('folder_unreadable', `${workspace} does not exist or may not be read`, { path: workspace })
    const config = this.configOf(id)
    return {
      ...shared,
      config,
      conventions: await openConventions(workspace, () => config.current.vault),
      workspace,
      folders: this.foldersOf(id),
      modelsFolder: folders.models,
      outboundFile: folders.outbound,
      sharedMemories: () => this.#memoriesSharedWith(id),
      allMemories: () =>
        this.#entries().map(({ id: agent }) => ({
          workspace: this.workspaceOf(agent),
          privateRules: this.settingsOf(agent).visibility.private,
        })),
      forbiddenFolders: () => this.#foreignFolders(id),
    }
  }

  foldersOf(id: string): AgentFolders {
    const { folders, singleFolder } = this.#options
    return singleFolder ? folders.folder(singleFolder.folder) : folders.agent(id)
  }

  /** Returns folders that the agent may never access, even inside its workspace. */
  #foreignFolders(id: string): string[] {
    const others = this.#list.filter((agent) => agent.id !== id)
    const otherWorkspaces = others.map((agent) => this.#configuredWorkspaceOf(agent.id))
    const claimedFolders = [...this.#claimedFolders].flatMap(([folder, owner]) => (owner === id ? [] : [folder]))
    const ownWorkspace = this.workspaceOf(id)
    const folders = [this.#options.folders.home, ...otherWorkspaces, ...claimedFolders]
    return [...new Set(folders)].filter((folder) => folder !== ownWorkspace)
  }

  async #whileClaimed<T>(id: string, folder: string, work: () => Promise<T>): Promise<T> {
    this.#claimedFolders.set(folder, id)
    try {
      await this.#applySettings()
      return await work()
    } finally {
      this.#claimedFolders.delete(folder)
      // If `work` failed, the previous owner gets the folder back.
      await this.#applySettings()
    }
  }

  /** Applies changed settings to open agents. An agent that was removed from the list stays open until the app ends. */
  async #applySettings(): Promise<void> {
    for (const [id, { opened }] of this.#openAgents) {
      try {
        const agent = await opened
        if (agent.workspace.roots.workspace === this.workspaceOf(id)) await agent.applySettings()
        else await this.#closeAgent(id)
      } catch (error) {
        const isRemoved = error instanceof AppError && error.code === 'unknown_agent'
        if (!isRemoved) this.#options.log.fault(error, `new settings for agent ${id}`)
      }
    }
  }

  async #closeAgent(id: string): Promise<void> {
    const opening = this.#openAgents.get(id)
    this.#openAgents.delete(id)
    if (opening) await (await opening.opened).close()
  }
}
