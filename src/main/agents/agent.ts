/** One agent at work: its workspace, memory, conversations, built from its settings and closed in reverse. */
import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { AppEvent, FileEntry, SurveyStep, WhatIfWindow } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { Checks } from '../checks/index.ts'
import { Chat, definitionsOf, loadPrompts, MessageQueue, type Tool } from '../chat/index.ts'
import {
  assemble,
  budgetOf,
  type Assembly,
  type Budget,
  type ContextFile,
  type KeepingState,
} from '../context/index.ts'
import type { Differ } from '../diff/index.ts'
import type { EmbeddingSource } from '../embeddings/index.ts'
import { reportIndex, type Health } from '../health/index.ts'
import { Recording, type History } from '../history/index.ts'
import { Importer } from '../import/index.ts'
import type { Log } from '../log.ts'
import type { McpServers } from '../mcp/index.ts'
import { Memory, sessionsPrefix, type MemorySource, type ThreadEntries } from '../memory/index.ts'
import type { ChatModel, Models } from '../models/index.ts'
import { Drafts, Sessions } from '../sessions/index.ts'
import { expandHome, type AgentSettings, type KeyRing } from '../settings/index.ts'
import { surveyMemory } from '../survey/index.ts'
import {
  dailyLogDate,
  dailyLogPath,
  FileDrafts,
  fileKind,
  isInside,
  localDate,
  longTermFile,
  memoryFolder,
  projectContextFiles,
  Workspace,
  type ReadableFolder,
} from '../workspace/index.ts'

/** What every agent of the app is given alike. */
export interface SharedOptions {
  readonly resources: string
  readonly differ: Differ
  readonly threads: ThreadEntries
  /** Where the history's thread starts from. */
  readonly historyEntry: URL
  readonly importEntry: URL
  readonly surveyEntry: URL
  readonly models: Models
  readonly keys: KeyRing
  readonly mcp: McpServers
  readonly log: Log
  readonly health: Health
  readonly now: () => Date
  readonly watch: boolean
  readonly publish: (event: AppEvent) => void
  /** Used instead of the configured one, for a single command. */
  readonly embeddingProvider: AgentSettings['memory']['embedding']['provider'] | undefined
}

export interface AgentOptions extends SharedOptions {
  readonly id: string
  readonly workspace: string
  /** The settings in force, looked up anew whenever they are needed. */
  readonly settings: () => AgentSettings
  /** Memories that other agents share with this one, looked up anew whenever they are needed. */
  readonly shared: () => readonly { readonly agent: string; readonly workspace: string }[]
  /** Folders that are not this agent's, looked up anew whenever they are needed. */
  readonly forbidden: () => readonly string[]
  readonly indexFile: string
  readonly sessionsFolder: string
  readonly checksFolder: string
  readonly draftsFolder: string
  readonly historyFolder: string
  readonly modelsFolder: string
  readonly setModel: (model: string) => Promise<void>
}

export class Agent {
  readonly id: string
  readonly workspace: Workspace
  readonly memory: Memory
  readonly sessions: Sessions
  readonly checks: Checks
  readonly drafts: Drafts
  readonly fileDrafts: FileDrafts
  readonly importer: Importer
  readonly chat: Chat

  readonly #options: AgentOptions
  readonly #recording: Recording

  private constructor(options: AgentOptions, foundations: Foundations) {
    const { workspace, memory, recording, queue } = foundations
    this.#options = options
    this.#recording = recording
    this.id = options.id
    this.workspace = workspace
    this.memory = memory
    this.sessions = new Sessions(options.sessionsFolder, options.workspace, options.now)
    this.sessions.onChange((session) => sessionChanged(options, memory, session))
    this.checks = new Checks({
      folder: options.checksFolder,
      memory,
      workspace,
      now: options.now,
      watch: options.watch,
      onChange: () => options.publish({ type: 'checksChanged', agent: options.id }),
      onProgress: (done, total) => options.publish({ type: 'checksProgress', agent: options.id, done, total }),
      onFault: (error) => options.log.fault(error, `checks of agent ${options.id}`),
    })
    const onDamaged = (aside: string) =>
      options.health.report({
        part: 'app',
        code: 'file_damaged',
        level: 'note',
        message: `a draft could not be read; it is in ${aside}`,
        agent: options.id,
        path: aside,
      })
    this.drafts = new Drafts(options.draftsFolder, onDamaged)
    this.fileDrafts = new FileDrafts(options.draftsFolder, onDamaged)
    this.importer = new Importer({ entry: options.importEntry, workspace })
    this.chat = createChat(options, this, queue)
  }

  /** Undefined while it is turned off, and for a single command: what that writes the next app that runs records. */
  get history(): History | undefined {
    return this.#recording.history
  }

  static async open(options: AgentOptions): Promise<Agent> {
    const { id, publish, log, health } = options
    const workspace = openWorkspace(options, () => recording.history)
    const recording: Recording = openRecording(options, workspace)
    let agent: Agent | undefined
    const memory = await Memory.open({
      now: options.now,
      source: memorySource(options),
      search: () => options.settings().memory.search,
      threads: options.threads,
      watch: options.watch,
      onEvent(event) {
        if (event.type === 'status') {
          reportIndex(health, id, event.status)
          publish({ type: 'indexStatus', agent: id, status: event.status })
        } else if (event.type === 'files') {
          recording.history?.look(event.paths.filter((path) => !path.startsWith(sessionsPrefix) && !isAbsolute(path)))
          publish({ type: 'filesChanged', agent: id, paths: [...event.paths] })
        } else {
          publish({ type: 'indexChanged', agent: id })
          agent?.checks.noteChange('index')
        }
      },
      onCrash(error) {
        log.fault(error, `index thread of agent ${id}`)
        health.report({ part: 'index', code: 'thread_ended', level: 'bad', message: error.message, agent: id })
      },
      onRecovered() {
        health.clear('index', 'thread_ended', id)
        publish({ type: 'recovered', agent: id })
      },
    })
    const queue = await MessageQueue.open(join(options.draftsFolder, 'queue'))
    agent = new Agent(options, { workspace, memory, queue, recording })
    if (options.watch) workspace.tidy().catch((error: unknown) => log.fault(error, `left-overs of agent ${id}`))
    workspace.onWrite(({ path, from }) => memory.touch(from === undefined ? [path] : [from, path]))
    return agent
  }

  /** Takes over what changed in the configuration. */
  async applySettings(): Promise<void> {
    await this.memory.use(memorySource(this.#options))
    await this.#recording.applySettings()
    this.checks.noteChange('settings')
  }

  /** The Markdown of its workspace, with the figures that the index has of it. */
  async listFiles(signal: AbortSignal | undefined): Promise<FileEntry[]> {
    const [{ files }, counts] = await Promise.all([this.workspace.list(signal), this.memory.fileCounts()])
    const counted = new Map(counts.filter(({ source }) => source === 'memory').map((file) => [file.path, file]))
    return files.map(({ path, size, modifiedAt }) => {
      const date = dailyLogDate(path)
      return {
        path,
        kind: fileKind(path),
        ...(date === undefined ? {} : { date }),
        size,
        modifiedAt,
        words: counted.get(path)?.words ?? 0,
        tokens: counted.get(path)?.tokens ?? Math.ceil(size / 4),
      }
    })
  }

  /** What its memory is made of, and what of it was ever recalled. */
  async *survey(signal: AbortSignal | undefined): AsyncGenerator<SurveyStep> {
    const { surveyEntry: entry, now } = this.#options
    const { roots } = this.workspace
    yield* surveyMemory({ entry, roots, recalls: await this.sessions.recalls(signal), now: now(), signal })
  }

  async close(): Promise<void> {
    this.checks.close()
    await this.chat.close()
    await this.#recording.close()
    await this.memory.close()
    this.sessions.close()
    this.workspace.close()
  }
}

function openWorkspace(options: AgentOptions, history?: () => History | undefined): Workspace {
  const { id: agent, health } = options
  const roots = {
    workspace: options.workspace,
    get forbidden() {
      return options.forbidden()
    },
    readable: () => readableFolders(options),
  }
  return new Workspace(roots, {
    now: options.now,
    differ: options.differ,
    history,
    onUnlocked: (error) =>
      health.report({
        part: 'locks',
        code: 'workspace_unlocked',
        message: wordsOf(error),
        agent,
        path: roots.workspace,
      }),
  })
}

/** A workspace without the rest of its agent. */
export interface Writer {
  readonly workspace: Workspace
  close(): Promise<void>
}

/** An agent's workspace to write into without opening the agent: whoever has it open sees and records what changed. */
export function openWriter(options: AgentOptions): Writer {
  const workspace = openWorkspace(options)
  const recording = openRecording({ ...options, watch: false }, workspace)
  return {
    workspace,
    async close() {
      await recording.close()
      workspace.close()
    },
  }
}

interface Foundations {
  readonly recording: Recording
  readonly workspace: Workspace
  readonly memory: Memory
  readonly queue: MessageQueue
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whoever stays records; a single command only notes what it wrote. */
function openRecording(options: AgentOptions, workspace: Workspace): Recording {
  const { id, historyFolder: folder, historyEntry: entry, publish, log, health, now, watch: stays } = options
  const onFault = (error: unknown) => void log.fault(error, `history of agent ${id}`)
  const recording = new Recording({
    settings: () => options.settings().history,
    stays,
    entry,
    folder,
    roots: workspace.roots,
    now,
    onRecorded: (paths) => publish({ type: 'historyChanged', agent: id, paths: [...paths] }),
    onFault,
    onProblems: (found) =>
      health.replace(
        ['history'],
        found.map(({ code, message }) => ({
          part: 'history',
          code,
          message,
          agent: id,
          level: code === 'history_failed' ? 'bad' : 'warning',
        })),
        id,
      ),
  })
  workspace.onWrite((write) => recording.record(write))
  return recording
}

/** How the files of another agent are named where it shares them. */
function sharedPrefix(agent: string): string {
  return `@${agent}/`
}

/** Not those that are another agent's: only `shareWith` opens these. */
function extraFolders({ settings, forbidden }: AgentOptions): string[] {
  const foreign = forbidden()
  return settings()
    .memory.extraPaths.map((path) => expandHome(path))
    .filter((path) => !foreign.some((folder) => isInside(folder, path)))
}

function readableFolders(options: AgentOptions): ReadableFolder[] {
  return [
    ...options.shared().map(({ agent, workspace }) => ({
      prefix: sharedPrefix(agent),
      folder: workspace,
      isMemoryOnly: true,
    })),
    ...extraFolders(options).map((folder) => ({ prefix: `${folder}/`, folder, isMemoryOnly: false })),
  ]
}

function memorySource(options: AgentOptions): MemorySource {
  const { chunk, sync, embedding, sessions } = options.settings().memory
  const forbidden = options.forbidden()
  return {
    file: options.indexFile,
    folders: [
      { source: 'memory', folder: options.workspace, prefix: '', forbidden },
      ...extraFolders(options).map((folder) => ({
        source: 'extra' as const,
        folder,
        prefix: `${folder}/`,
        forbidden,
      })),
      ...options.shared().map(({ agent, workspace: folder }) => ({
        source: 'shared' as const,
        folder,
        prefix: sharedPrefix(agent),
        // Its own files alone: not another agent's that lies inside.
        forbidden,
      })),
      ...(sessions
        ? [{ source: 'sessions' as const, folder: options.sessionsFolder, prefix: sessionsPrefix, forbidden: [] }]
        : []),
    ],
    chunk,
    debounceMs: sync.debounceMs,
    embedding: embeddingSource(embedding, options),
  }
}

function embeddingSource(
  embedding: AgentSettings['memory']['embedding'],
  { keys, modelsFolder, embeddingProvider }: AgentOptions,
): EmbeddingSource {
  const { model, baseUrl, dimensions, batchSize, allowDownload } = embedding
  const provider = embeddingProvider ?? embedding.provider
  const apiKey = provider === 'none' || provider === 'local' ? undefined : keys.get(provider)
  return { provider, model, baseUrl, dimensions, batchSize, apiKey, allowDownload, modelsFolder }
}

function createChat(
  options: AgentOptions,
  agent: Pick<Agent, 'sessions' | 'workspace' | 'memory'>,
  queue: MessageQueue,
): Chat {
  const { id, settings, models, now, publish, log } = options
  return new Chat({
    agent: id,
    queue,
    sessions: agent.sessions,
    workspace: agent.workspace,
    memory: agent.memory,
    settings,
    prompts: () => loadPrompts(options.resources, ownPrompts(settings())),
    mcp: options.mcp,
    createModel: (modelId) => {
      const { requestTimeout, idleTimeout } = settings().chat
      const use = { agent: id, timeoutMs: requestTimeout, idleTimeoutMs: idleTimeout }
      return models.create(modelId ?? settings().model, use)
    },
    setModel: options.setModel,
    budget: (model) => budgetFor(settings(), model),
    assemble: (model, state, sessionStart, tools, change = {}) =>
      assembleFor(options, agent.workspace, { model, state, sessionStart, tools, change }),
    now,
    onSessionChanged: (session) => sessionChanged(options, agent.memory, session),
    onContextChanged: (session) => publish({ type: 'contextChanged', agent: id, session }),
    onTurnEnded: (session, reason, ms) => publish({ type: 'turnEnded', agent: id, session, reason, ms }),
    onFault: (error) => log.fault(error, `turn of agent ${id}`),
  })
}

/** Whoever shows conversations and whoever searches them hears of it. */
function sessionChanged({ id, publish }: AgentOptions, memory: Memory, session: string): void {
  publish({ type: 'sessionChanged', agent: id, session })
  memory.touch([`${sessionsPrefix}${session}.jsonl`])
}

function ownPrompts({ prompts, compaction }: AgentSettings) {
  const { systemPrompt, prompt } = compaction.memoryFlush
  return { ...prompts, flushSystem: systemPrompt, flush: prompt }
}

type Window = Pick<ChatModel, 'contextWindow' | 'maxOutput'>

function budgetFor({ compaction }: AgentSettings, model: Window): Budget {
  return budgetOf(model, {
    reserveTokensFloor: compaction.reserveTokensFloor,
    softThresholdTokens: compaction.memoryFlush.softThresholdTokens,
  })
}

interface RequestParts {
  readonly model: ChatModel
  readonly state: KeepingState
  readonly sessionStart: number
  readonly tools: readonly Tool[]
  readonly change: WhatIfWindow
}

async function assembleFor(
  options: AgentOptions,
  workspace: Workspace,
  { model, state, sessionStart, tools, change }: RequestParts,
): Promise<Assembly> {
  const settings = options.settings()
  const { thinking } = settings.chat
  const at = options.now()
  const today = localDate(at)
  const { contextWindow, without = [] } = change
  const files = await contextFiles(workspace, new Date(sessionStart))
  return assemble({
    purpose: { kind: 'chat', today, todaysLog: dailyLogPath(today) },
    modelId: model.id,
    budget: budgetFor(settings, { maxOutput: model.maxOutput, contextWindow: contextWindow ?? model.contextWindow }),
    maxOutput: model.maxOutput,
    systemPrompt: await systemPrompt(options, at),
    files: files.filter(({ path }) => !without.includes(path)),
    tools: definitionsOf(tools),
    thinking: thinking === 'off' ? undefined : thinking,
    summary: state.summary,
    pruned: state.pruned,
    pruning: settings.contextPruning,
    messages: state.live.map(({ message }) => message),
    now: at.getTime(),
  })
}

/** The prompt changes at most once a day, so that a provider can keep it in its cache. */
async function systemPrompt({ resources, workspace, id, settings }: AgentOptions, at: Date): Promise<string> {
  const template = settings().prompts.system ?? (await readFile(join(resources, 'prompts', 'system.md'), 'utf8'))
  const today = localDate(at)
  const values: Record<string, string> = {
    agent: id,
    workspace,
    today,
    weekday: new Intl.DateTimeFormat('en', { weekday: 'long' }).format(at),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    todaysLog: dailyLogPath(today),
  }
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole).trim()
}

/** Project context, MEMORY.md, and the logs of the session's first day and the day before (M3, M8). */
async function contextFiles(workspace: Workspace, sessionStart: Date): Promise<ContextFile[]> {
  const yesterday = new Date(sessionStart)
  yesterday.setDate(yesterday.getDate() - 1)
  const days = [
    { date: localDate(yesterday), day: 'yesterday' as const },
    { date: localDate(sessionStart), day: 'today' as const },
  ]
  // Logs lie in one folder: no need to look through thousands of notes for every request.
  const paths = (await workspace.names(memoryFolder)).map((name) => `${memoryFolder}/${name}`)
  const logs = days.flatMap(({ date, day }) =>
    paths.filter((path) => dailyLogDate(path) === date).map((path) => ({ path, layer: 'logs' as const, day })),
  )
  const project = [...projectContextFiles, longTermFile].map((path) => ({ path, layer: 'project' as const }))
  return Promise.all(
    [...project, ...logs].map(async (file) => ({ ...file, text: await textOrMissing(workspace, file.path) })),
  )
}

async function textOrMissing(workspace: Workspace, path: string): Promise<string | null> {
  try {
    return (await workspace.read(path)).text
  } catch (error) {
    if (error instanceof AppError) return error.code === 'file_not_found' ? null : `[${error.message}]`
    throw error
  }
}
