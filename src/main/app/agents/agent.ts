import { join } from 'node:path'
import type { EndedChange, FileEntry, ListedFile } from '#shared/contract/index.ts'
import type { AddedNote } from '#shared/markdown/added-note.ts'
import { AppError } from '#shared/util/errors.ts'
import { Chat, MessageQueue, Drafts, readKeptRequest, sessionEvents, Sessions } from '#agent'
import { Checks, type Scheduler, type Upkeep } from '#curation'
import {
  Commits,
  Accepted,
  type ChangeStanding,
  Batches,
  type History,
  type Recording,
  Finder,
  type VaultHabits,
  Links,
  FileDrafts,
  type TextFile,
  type Workspace,
  type WorkspaceWrite,
  type WriteOrigin,
  attachFile,
  TextFigures,
  normalizeRequest,
  unsearchedFor,
} from '#workspace'
import { standingsOf } from '#platform'
import { Importer } from '#interop'
import { Memory, transcriptText } from '#search'
import { HeldLooks, type LocalNotes } from '#workspace/privacy'
import type { AgentOptions } from './agent-options.ts'
import { listFiles, nameFiles, type Listed } from './list-files.ts'
import { findRememberedFor, rememberFor, type ProgramNote } from './program-notes.ts'
import { openUpkeep, proposeOutside, upkeepRequests } from './agent-upkeep.ts'
import { localElsewhere, memorySource, notesFolders, openLocalNotes } from './memory-source.ts'
import { openRecording, openWorkspace, rootsOf } from './open-workspace.ts'
import { reportDamaged } from './report-damaged.ts'
import { carryOn } from './recovery.ts'

const undoing: WriteOrigin = { cause: 'user', isUndo: true }

export class Agent {
  readonly id: string
  readonly workspace: Workspace
  readonly memory: Memory
  readonly sessions: Sessions
  readonly checks: Checks
  readonly drafts: Drafts
  readonly fileDrafts: FileDrafts
  readonly importer: Importer
  readonly links: Links
  readonly finder: Finder
  /** Changes of many notes that one undo takes back. */
  readonly batches: Batches
  /** Of the repository of the user's own that its folder lies in. */
  readonly commits: Commits
  readonly upkeep: Upkeep
  readonly localNotes: LocalNotes
  readonly looks = new HeldLooks()
  readonly scheduler: Scheduler
  readonly habits: VaultHabits
  /** A single command only notes what it writes; the next app that runs records it. */
  readonly recording: Recording
  /** Which of the recorded changes somebody has looked at. */
  readonly accepted: Accepted
  readonly chat: Chat
  /** What a crash had interrupted and this start has completed; until somebody has seen that. */
  ended: EndedChange | undefined

  readonly #options: AgentOptions
  readonly #figures: TextFigures
  /** When somebody last did something, as `performance.now()` has it. */
  #usedAt = performance.now()

  private constructor(options: AgentOptions, queue: MessageQueue) {
    const { config, folders, now, watch } = options
    const onFault = (part: string) => (error: unknown) => options.log.fault(error, `${part} of agent ${config.id}`)
    const roots = rootsOf(options)
    this.#options = options
    this.id = config.id
    this.habits = options.habits
    this.recording = openRecording(options, roots)
    const { recording } = this
    this.workspace = openWorkspace(options, roots, () => recording.history)
    this.#figures = new TextFigures(async (path) => (await this.workspace.read(path)).text)
    this.memory = new Memory({
      now,
      source: memorySource(options),
      search: () => config.current.memory.search,
      threads: options.threads,
      watch,
    })
    this.localNotes = openLocalNotes(options)
    this.sessions = new Sessions(folders.sessions, options.workspace, now)
    const { workspace, memory, sessions } = this
    this.checks = new Checks({
      folder: folders.checks,
      memory,
      readText: (path) => this.#textOf(path),
      now,
      watch,
      onFault: onFault('checks'),
    })
    const onDamaged = (aside: string) => reportDamaged(options, aside)
    this.drafts = new Drafts(folders.drafts, now, onDamaged)
    this.fileDrafts = new FileDrafts(folders.drafts, now, onDamaged)
    this.accepted = new Accepted(folders.history, onDamaged)
    this.importer = new Importer({
      entry: options.importEntry,
      workspace,
      folders,
      now,
      localHere: () => notesFolders(options)[0]?.local ?? [],
      localIn: (folder) => localElsewhere(options, folder),
    })
    const { models, windows, mcp, toolLimits, resources, differ, findEntry, linksEntry } = options
    this.batches = new Batches({ workspace, differ, now, folder: folders.undos })
    const { batches } = this
    this.finder = new Finder({ entry: findEntry, workspace, batches })
    this.commits = new Commits({ roots, differ })
    const habitsNow = async () => {
      await this.habits.refresh()
      return this.habits.kept
    }
    this.links = new Links({ entry: linksEntry, workspace, batches, habits: habitsNow })
    const idleFor = () => performance.now() - this.#usedAt
    const { links, localNotes } = this
    const { upkeep, scheduler } = openUpkeep(options, { workspace, sessions, links, localNotes, idleFor })
    this.upkeep = upkeep
    this.scheduler = scheduler
    this.chat = new Chat({
      config,
      queue,
      sessions,
      workspace,
      memory,
      models,
      look: () => this.localNotes.look(),
      propose: (change, model) => proposeOutside(this.upkeep, change, model, now()),
      windows,
      mcp,
      toolLimits,
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
    this.ended = await carryOn(this.#options, this)
    try {
      await this.memory.opened()
    } catch (error) {
      await this.close()
      throw error
    }
    if (watch) this.scheduler.start()
    if (watch) this.workspace.tidy((error) => log.fault(error, `left-overs of agent ${config.id}`))
  }

  /** What is searched follows the habits of the folder. */
  async applyHabits(): Promise<void> {
    await this.memory.use(memorySource(this.#options))
  }

  async applySettings(): Promise<void> {
    await this.memory.use(memorySource(this.#options))
    await this.recording.applySettings()
    this.checks.noteChange('settings')
  }

  /** Undefined while it is turned off, and for a single command. */
  get history(): History | undefined {
    return this.recording.history
  }

  /** @throws AppError `history_off` */
  get recorded(): History {
    if (this.history) return this.history
    throw new AppError('history_off', 'the history is turned off (history.enabled)', {})
  }

  /**
   * Makes a file what it was after a recorded change, by the name that it has now; one that was not there then is put
   * into the trash.
   * @throws AppError `history_off`, `file_not_found`
   */
  async restoreVersion(
    commit: string,
    recordedPath: string,
  ): Promise<{ path: string; hash: string | null; patch: string }> {
    const { after } = await this.recorded.diff(commit, recordedPath)
    const path = await this.recorded.nameNow(recordedPath, commit)
    const write =
      after === null
        ? (await this.workspace.remove(path, undoing)).write
        : await this.workspace.write(path, after, undoing)
    const { patch } = await this.workspace.describe(write)
    return { path, hash: after === null ? null : write.hash, patch }
  }

  /** @throws AppError as `Workspace.read`; `file_not_found` says where the file was moved to, when it was */
  async readFile(path: string): Promise<TextFile> {
    try {
      return await this.workspace.read(path)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'file_not_found') throw error
      const movedTo = await this.history?.movedTo(path)
      if (movedTo === undefined || !(await this.workspace.exists(movedTo))) throw error
      throw new AppError('file_not_found', `${path} is now ${movedTo}`, { path, movedTo }, { cause: error })
    }
  }

  isForPrograms(path: string): boolean {
    return isForPrograms(this.workspace, path, this.#options.config.current.memory.scope)
  }

  /** Keeps a file beside its notes, where the vault keeps such files. */
  async attach(file: Parameters<typeof attachFile>[1]): Promise<{ path: string; link: string }> {
    await this.habits.refresh()
    return attachFile({ workspace: this.workspace, links: this.links, habits: this.habits.kept }, file)
  }

  /** Lines of a file, or of a conversation as it is searched. @param from 1-based @param shown the text as the asker may see it @throws AppError as `readFile` */
  async readLines(path: string, from: number, count: number, shown: (text: string) => string = (text) => text) {
    const lines = shown(await this.#textOf(path)).split(/\r?\n/)
    if (lines.at(-1) === '') lines.pop()
    return { path, lines: lines.slice(from - 1, from - 1 + count), total: lines.length }
  }

  /** Of a file, or of a conversation as it is searched. */
  async #textOf(path: string): Promise<string> {
    const session = /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
    return session === undefined
      ? (await this.readFile(path)).text
      : transcriptText(await this.sessions.readText(session))
  }

  /** Whether a change still stands; `path` is what its file was called then. */
  async standing(path: string, patch: string): Promise<ChangeStanding> {
    if (this.history) return this.history.standing(path, patch)
    const text = (await this.workspace.exists(path)) ? (await this.workspace.read(path)).text : ''
    return { path, hunks: standingsOf(text, patch) }
  }

  /**
   * Takes a change back, where its lines still stand; `path` is what its file was called then. A file that it had made
   * goes into the trash.
   * @throws AppError `undo_conflict`, `history_off`
   */
  async undo(path: string, patch: string, signal: AbortSignal | undefined) {
    return this.workspace.undo(await this.#nameNow(path), patch, undoing, signal)
  }

  /** Does a change again that was taken back. @throws AppError as `undo` */
  async redo(path: string, patch: string, signal: AbortSignal | undefined): Promise<WorkspaceWrite> {
    return this.workspace.redo(await this.#nameNow(path), patch, { cause: 'user' }, signal)
  }

  /** Notes what another program wants remembered. @throws AppError `input_invalid` */
  remember(note: ProgramNote, by: Parameters<typeof rememberFor>[2]): ReturnType<typeof rememberFor> {
    return rememberFor(this, note, by, this.#options.now)
  }

  /** Where that stands already. @param by the program, as it is shown */
  findRemembered(note: ProgramNote, by: string): ReturnType<typeof findRememberedFor> {
    return findRememberedFor(this, note, by, this.#options.now)
  }

  /** Takes out a note that a program had remembered. @param path what its file was called then @throws AppError `undo_conflict` */
  async takeOut(path: string, note: AddedNote, client: string): Promise<WorkspaceWrite> {
    const origin = { cause: 'client' as const, client, isUndo: true }
    return this.workspace.takeOut(await this.#nameNow(path), note, origin)
  }

  async #nameNow(path: string): Promise<string> {
    return (await this.workspace.exists(path)) ? path : ((await this.history?.nameNow(path)) ?? path)
  }

  savePower(isSaving: boolean): void {
    this.memory.savePower(isSaving)
    this.scheduler.savePower(isSaving)
  }

  /** Somebody does something here: upkeep waits. */
  noteUse(): void {
    this.#usedAt = performance.now()
  }

  /** A request of a review, as it was sent; the last one without a number. */
  upkeepRequest(number?: number) {
    return readKeptRequest(upkeepRequests(this.#options), number)
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

  /** The Markdown of its workspace, by what can be told without reading it. */
  async nameFiles(signal: AbortSignal | undefined): Promise<ListedFile[]> {
    return nameFiles(this.#listed(), signal)
  }

  /** The same with the figures that the index has of it; what is not searched is counted here. */
  async listFiles(signal: AbortSignal | undefined): Promise<FileEntry[]> {
    return listFiles(this.#listed(), signal)
  }

  #listed(): Listed {
    const { workspace, memory, habits, localNotes } = this
    const { scope } = this.#options.config.current.memory
    return { workspace, memory, habits, scope, localNotes, figures: this.#figures }
  }

  async close(): Promise<void> {
    this.checks.close()
    this.scheduler.close()
    this.upkeep.close()
    await this.chat.close()
    await this.links.close()
    await this.finder.close()
    await this.recording.close()
    await this.memory.close()
    await this.localNotes.close()
    this.sessions.close()
    this.workspace.close()
  }
}

type Scope = Parameters<typeof unsearchedFor>[1]

function isForPrograms(workspace: Workspace, path: string, scope: Scope): boolean {
  // Folders elsewhere have rules of their own, and conversations are asked for by id.
  if (/^sessions\/[^/]+\.jsonl$/.test(path) || workspace.isReadOnly(path)) return true
  const reason = unsearchedFor(normalizeRequest(path), scope, workspace.layout)
  return reason === undefined || reason === 'project'
}
