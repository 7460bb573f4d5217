/** One agent at work: its workspace, memory, conversations, built from its settings and closed in reverse. */
import { join } from 'node:path'
import type { FileEntry, SurveyStep } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { Chat, MessageQueue } from '../chat/index.ts'
import { Checks } from '../checks/index.ts'
import { History, type Journal } from '../history/index.ts'
import { Importer } from '../import/index.ts'
import { Memory } from '../memory/index.ts'
import { Drafts, sessionEvents, Sessions } from '../sessions/index.ts'
import { surveyMemory } from '../survey/index.ts'
import { dailyLogDate, FileDrafts, fileKind, type Workspace } from '../workspace/index.ts'
import type { AgentOptions } from './agent-options.ts'
import { memorySource } from './memory-source.ts'
import { noteWrites, openWorkspace, rootsOf } from './open-workspace.ts'

export class Agent {
  readonly id: string
  readonly workspace: Workspace
  readonly memory: Memory
  readonly sessions: Sessions
  readonly checks: Checks
  readonly drafts: Drafts
  readonly fileDrafts: FileDrafts
  readonly importer: Importer
  /** Undefined for a single command: what it writes is recorded by the next app that runs. */
  readonly history: History | undefined
  readonly chat: Chat

  readonly #options: AgentOptions
  readonly #journal: Journal | undefined

  private constructor(options: AgentOptions, queue: MessageQueue) {
    const { config, folders, now, watch } = options
    const onFault = (part: string) => (error: unknown) => options.log.fault(error, `${part} of agent ${config.id}`)
    const roots = rootsOf(options)
    this.#options = options
    this.id = config.id
    this.history = openHistory(options, onFault('history'))
    const { history } = this
    this.workspace = openWorkspace(options, roots, history && ((blob) => history.text(blob)))
    this.#journal = watch ? undefined : noteWrites(options, this.workspace)
    this.memory = new Memory({
      source: memorySource(options),
      search: () => config.current.memory.search,
      threads: options.threads,
      watch,
    })
    this.sessions = new Sessions(folders.sessions, options.workspace)
    const { workspace, memory, sessions } = this
    this.checks = new Checks({ folder: folders.checks, memory, workspace, now, watch, onFault: onFault('checks') })
    const onDamaged = (aside: string) => reportDamagedDraft(options, aside)
    this.drafts = new Drafts(folders.drafts, onDamaged)
    this.fileDrafts = new FileDrafts(folders.drafts, onDamaged)
    this.importer = new Importer({ entry: options.importEntry, workspace })
    const { models, mcp, resources } = options
    this.chat = new Chat({
      config,
      queue,
      sessions,
      workspace,
      memory,
      models,
      mcp,
      resources,
      now,
      onFault: onFault('turn'),
    })
  }

  static async create(options: AgentOptions): Promise<Agent> {
    return new Agent(options, await MessageQueue.open(join(options.folders.drafts, 'queue')))
  }

  /** Waits until its memory can be asked; whoever wants to hear of changes has subscribed before. */
  async start(): Promise<void> {
    const { watch, log, config } = this.#options
    try {
      await this.memory.opened()
    } catch (error) {
      await this.close()
      throw error
    }
    if (watch) this.workspace.tidy().catch((error: unknown) => log.fault(error, `left-overs of agent ${config.id}`))
  }

  /** Takes over what changed in the configuration. */
  async applySettings(): Promise<void> {
    await this.memory.use(memorySource(this.#options))
    await this.history?.applyRoots()
    this.checks.noteChange('settings')
  }

  /** @throws AppError `history_off` */
  get recorded(): History {
    if (this.history) return this.history
    throw new AppError('history_off', 'the history is turned off (history.enabled)', {})
  }

  /**
   * Makes a file what it was after a recorded change; one that was not there then is put into the trash.
   * @throws AppError `history_off`, `file_not_found`
   */
  async restoreVersion(commit: string, path: string): Promise<{ hash: string | null; patch: string }> {
    const { after } = await this.recorded.diff(commit, path)
    const origin = { cause: 'user' as const }
    const write =
      after === null
        ? (await this.workspace.remove(path, origin)).write
        : await this.workspace.write(path, after, origin)
    const { patch } = await this.workspace.describe(write)
    return { hash: after === null ? null : write.hash, patch }
  }

  /** A conversation as it is shown. @throws AppError `unknown_session` */
  async conversation(id: string) {
    const transcript = await this.sessions.get(id)
    const summary = await this.sessions.summary(id)
    if (!summary) throw new AppError('unknown_session', 'this conversation does not exist any more', { session: id })
    return {
      summary,
      messages: transcript.shownMessages(),
      events: sessionEvents(transcript.branch()),
      skippedLines: [...transcript.skippedLines],
      over: this.chat.isOver(transcript),
    }
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
    await this.history?.close()
    await this.#journal?.close()
    await this.memory.close()
    this.sessions.close()
    this.workspace.close()
  }
}

/** Whoever stays records; a single command only notes what it wrote. */
function openHistory(options: AgentOptions, onFault: (error: unknown) => void): History | undefined {
  const { enabled, keepDays } = options.config.current.history
  if (!options.watch || !enabled) return undefined
  const { folders, historyEntry: entry } = options
  return new History({ entry, folder: folders.history, roots: rootsOf(options), keepDays, onFault })
}

function reportDamagedDraft({ health, config }: AgentOptions, aside: string): void {
  health.report({
    part: 'app',
    code: 'file_damaged',
    level: 'note',
    message: `a draft could not be read; it is in ${aside}`,
    agent: config.id,
    path: aside,
  })
}
