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

/**
 * An agent with its workspace, index, sessions and chat. `create` opens no index; `start` does, and `close` ends all.
 */
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
  /** Changes of several notes that one undo reverts. */
  readonly batches: Batches
  /** Git log of the user's own repository, if the workspace is part of one. */
  readonly commits: Commits
  readonly upkeep: Upkeep
  readonly localNotes: LocalNotes
  readonly looks = new HeldLooks()
  readonly scheduler: Scheduler
  readonly habits: VaultHabits
  /** A single command only notes its writes; the next app that runs records them. */
  readonly recording: Recording
  /** Recorded changes that the user has reviewed. */
  readonly accepted: Accepted
  readonly chat: Chat
  /** A change that this start completed after a crash; undefined if there is none or the user has seen it. */
  ended: EndedChange | undefined

  readonly #options: AgentOptions
  readonly #figures: TextFigures
  /** Time of the last use, in ms of `performance.now()`. */
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

  /** Recovers interrupted changes and waits until the index is open. Subscribe to events before the call. */
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
    if (watch) this.workspace.tidy((error) => log.fault(error, `leftovers of agent ${config.id}`))
  }

  /** Applies changed vault conventions to the search. */
  async applyHabits(): Promise<void> {
    await this.memory.use(memorySource(this.#options))
  }

  async applySettings(): Promise<void> {
    await this.memory.use(memorySource(this.#options))
    await this.recording.applySettings()
    this.checks.noteChange('settings')
  }

  /** Undefined while the history is turned off, and for a single command. */
  get history(): History | undefined {
    return this.recording.history
  }

  /** @throws AppError `history_off` */
  get recorded(): History {
    if (this.history) return this.history
    throw new AppError('history_off', 'the history is turned off (history.enabled)', {})
  }

  /**
   * Restores a file as it was after a recorded change, under its current name. Moves it to the trash if it did not
   * exist then.
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

  /** @throws AppError as `Workspace.read`; `file_not_found` has `movedTo` if the file was moved */
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

  /** Returns true if other programs may read the file: it is searched, a session, or in an extra folder. */
  isForPrograms(path: string): boolean {
    return isForPrograms(this.workspace, path, this.#options.config.current.memory.scope)
  }

  /** Saves a file in the attachment folder of the vault. */
  async attach(file: Parameters<typeof attachFile>[1]): Promise<{ path: string; link: string }> {
    await this.habits.refresh()
    return attachFile({ workspace: this.workspace, links: this.links, habits: this.habits.kept }, file)
  }

  /**
   * Reads lines of a file, or of a session as it is searched.
   * @param from 1-based
   * @param shown returns the part of the text that the requester may see
   * @throws AppError as `readFile`
   */
  async readLines(path: string, from: number, count: number, shown: (text: string) => string = (text) => text) {
    const lines = shown(await this.#textOf(path)).split(/\r?\n/)
    if (lines.at(-1) === '') lines.pop()
    return { path, lines: lines.slice(from - 1, from - 1 + count), total: lines.length }
  }

  /** Text of a file, or of a session as it is searched. */
  async #textOf(path: string): Promise<string> {
    const session = /^sessions\/([^/]+)\.jsonl$/.exec(path)?.[1]
    return session === undefined
      ? (await this.readFile(path)).text
      : transcriptText(await this.sessions.readText(session))
  }

  /**
   * Tells for each hunk whether it can be reverted.
   * @param path name of the file at the time of the change
   */
  async standing(path: string, patch: string): Promise<ChangeStanding> {
    if (this.history) return this.history.standing(path, patch)
    const text = (await this.workspace.exists(path)) ? (await this.workspace.read(path)).text : ''
    return { path, hunks: standingsOf(text, patch) }
  }

  /**
   * Reverts the hunks whose lines are unchanged since. A file that the change created goes to the trash.
   * @param path name of the file at the time of the change
   * @throws AppError `undo_conflict`, `history_off`
   */
  async undo(path: string, patch: string, signal: AbortSignal | undefined) {
    return this.workspace.undo(await this.#nameNow(path), patch, undoing, signal)
  }

  /**
   * Applies a reverted change again.
   * @throws AppError as `undo`
   */
  async redo(path: string, patch: string, signal: AbortSignal | undefined): Promise<WorkspaceWrite> {
    return this.workspace.redo(await this.#nameNow(path), patch, { cause: 'user' }, signal)
  }

  /**
   * Saves a note from another program.
   * @throws AppError `input_invalid`
   */
  remember(note: ProgramNote, by: Parameters<typeof rememberFor>[2]): ReturnType<typeof rememberFor> {
    return rememberFor(this, note, by, this.#options.now)
  }

  /**
   * Returns the place of that note; undefined if it is not saved.
   * @param by name of the program, for display
   */
  findRemembered(note: ProgramNote, by: string): ReturnType<typeof findRememberedFor> {
    return findRememberedFor(this, note, by, this.#options.now)
  }

  /**
   * Removes a note that a program saved.
   * @param path name of the file at that time
   * @throws AppError `undo_conflict`
   */
  async takeOut(path: string, note: AddedNote, client: string): Promise<WorkspaceWrite> {
    const origin = { cause: 'client' as const, client, isUndo: true }
    return this.workspace.takeOut(await this.#nameNow(path), note, origin)
  }

  async #nameNow(path: string): Promise<string> {
    return (await this.workspace.exists(path)) ? path : ((await this.history?.nameNow(path)) ?? path)
  }

  /** While saving, indexing waits for a search and no review runs on schedule. */
  savePower(isSaving: boolean): void {
    this.memory.savePower(isSaving)
    this.scheduler.savePower(isSaving)
  }

  /** Resets the idle time, so that scheduled reviews wait. */
  noteUse(): void {
    this.#usedAt = performance.now()
  }

  /**
   * Returns a request of a review as it was sent.
   * @param number the last one if undefined
   */
  upkeepRequest(number?: number) {
    return readKeptRequest(upkeepRequests(this.#options), number)
  }

  /**
   * Returns a session for display.
   * @throws AppError `unknown_session`
   */
  async conversation(id: string) {
    const transcript = await this.sessions.get(id)
    const summary = await this.sessions.summary(id)
    if (!summary) throw new AppError('unknown_session', 'this conversation no longer exists', { session: id })
    return {
      summary,
      messages: transcript.shownMessages(),
      events: sessionEvents(transcript.branch()),
      skippedLines: [...transcript.skippedLines],
      over: this.chat.isOver(transcript),
    }
  }

  /** Lists the Markdown files without reading them. */
  async nameFiles(signal: AbortSignal | undefined): Promise<ListedFile[]> {
    return nameFiles(this.#listed(), signal)
  }

  /** Lists the Markdown files with word and token counts from the index. Files outside the index are counted here. */
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
  // Extra folders have no scope rule, and sessions are requested by id.
  if (/^sessions\/[^/]+\.jsonl$/.test(path) || workspace.isReadOnly(path)) return true
  const reason = unsearchedFor(normalizeRequest(path), scope, workspace.layout)
  return reason === undefined || reason === 'project'
}
