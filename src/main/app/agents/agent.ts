import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecoveredChange, FileEntry, ListedFile, VaultConventions } from '#shared/contract/index.ts'
import { folderOf } from '#shared/markdown/links/resolve-link.ts'
import { attachmentType } from '#shared/util/attachments.ts'
import { AppError, onAppError, orUndefined } from '#shared/util/errors.ts'
import type { EmbeddingProviderName } from '#shared/util/providers.ts'
import {
  Chat,
  ChatPrivacy,
  isOver,
  MessageQueue,
  readRequestWithWire,
  sessionEvents,
  Sessions,
  type Reader,
  VisibleMemory,
} from '#agent'
import { SavedSearches, type Scheduler, type SuggestionService } from '#curation'
import {
  gitLog,
  Batches,
  History,
  createFinder,
  type Conventions,
  Links,
  normalizePath,
  toFileName,
  type Workspace,
  type WriteOrigin,
} from '#workspace'
import { workerEntry } from '#platform'
import { Importer } from '#interop'
import { Memory, threadEntries } from '#search'
import { marksBy, type PrivacyMarks } from '#workspace/privacy'
import { reportDamaged, type AgentOptions } from './agent-options.ts'
import { openDrafts } from './drafts.ts'
import { cachedStatistics, listFiles, listPaths, privacyOfFiles, type ListOptions } from './list-files.ts'
import { openSuggestions, suggestMemories, suggestUntrustedChange, reviewRequestsFolder } from './agent-suggestions.ts'
import { allPrivateRules, foldersWithPrivateRules, memorySource, privateRulesOf } from './memory-source.ts'
import { clearChangeProblems, openWorkspace, rootsOf, recoverInterruptedChanges } from './open-workspace.ts'
import { changeLogFile } from './state-folders.ts'

const restoreOrigin: WriteOrigin = { cause: 'user', undoes: 0 }

/** `start` opens the index; `close` closes everything. */
export class OpenAgent {
  readonly id: string
  readonly workspace: Workspace
  readonly memory: Memory
  readonly sessions: Sessions
  readonly savedQueries: SavedSearches
  readonly drafts: ReturnType<typeof openDrafts>
  readonly importer: Importer
  readonly links: Links
  readonly findReplace: ReturnType<typeof createFinder>
  readonly batches: Batches
  readonly commits: ReturnType<typeof gitLog>
  readonly suggestions: SuggestionService
  readonly scheduler: Scheduler
  readonly conventions: Conventions
  readonly history: History
  readonly privacy: ChatPrivacy
  readonly chat: Chat
  recoveredChange: RecoveredChange | undefined

  readonly #options: AgentOptions
  readonly #textStatistics = cachedStatistics(async (path) => (await this.workspace.read(path)).text)
  #comparison: Memory | undefined
  /** Time of the last use, in ms of `performance.now()`. */
  #usedAt = performance.now()

  private constructor(options: AgentOptions, queue: MessageQueue) {
    const { config, folders, now, watch, mainFolder } = options
    const onFault = (name: string) => (error: unknown) => options.log.fault(error, `${name} of agent ${config.id}`)
    const roots = rootsOf(options)
    this.#options = options
    this.id = config.id
    this.conventions = options.conventions
    this.history = new History({
      settings: () => config.current.history,
      isLongRunning: watch,
      entry: workerEntry(mainFolder, 'workspace/changes/changes.worker'),
      file: changeLogFile(folders.history, options.workspace),
      roots,
      now,
      onFault: onFault('history'),
    })
    const { log } = this.history
    this.workspace = openWorkspace(options, roots, log)
    this.memory = this.#openMemory(watch)
    this.sessions = new Sessions(folders.sessions, options.workspace, now)
    this.batches = new Batches(this.workspace, log)
    const { workspace, memory, sessions, batches } = this
    this.savedQueries = new SavedSearches({
      folder: folders.checks,
      memory,
      readText: async (path) => (await this.visibleTo({ seesPrivate: true }).read(path)).text,
      now,
      watch,
      onFault: onFault('checks'),
    })
    this.drafts = openDrafts(folders.drafts, now, (newPath) => reportDamaged(options, newPath))
    this.importer = new Importer({
      entry: workerEntry(mainFolder, 'interop/import/import.worker'),
      workspace,
      log,
      folders,
      now,
      privateRules: () => privateRulesOf(options),
      privateRulesFor: (path) => allPrivateRules(options, path),
      suggestMemories: (memories) => suggestMemories(this.suggestions, workspace, memories, now()),
    })
    this.findReplace = createFinder(workerEntry(mainFolder, 'workspace/find-replace/find.worker'), workspace)
    this.commits = gitLog(roots)
    const currentConventions = async () => {
      await this.conventions.refresh()
      return this.conventions.effective
    }
    const linksEntry = workerEntry(mainFolder, 'workspace/links/links.worker')
    this.links = new Links({ entry: linksEntry, workspace, batches, conventions: currentConventions })
    const places = { workspace, log, sessions, links: this.links }
    const { suggestions, scheduler } = openSuggestions(options, places, () => performance.now() - this.#usedAt)
    this.suggestions = suggestions
    this.scheduler = scheduler
    this.privacy = new ChatPrivacy({
      sessions,
      workspace,
      memory,
      visible: this.visibleTo({ seesPrivate: false }),
      history: this.history,
      stateFile: folders.privateLines,
      stopTurn: async (session) => this.chat.turns.stop(session),
      now,
    })
    this.chat = new Chat({
      ...options,
      queue,
      sessions,
      workspace,
      memory,
      visibleTo: (reader) => this.visibleTo(reader),
      privacy: this.privacy,
      propose: (change, model) => suggestUntrustedChange(suggestions, change, { kind: 'model', model }, now()),
      endingsFile: folders.endings,
      onFault: onFault('turn'),
    })
  }

  static async create(options: AgentOptions): Promise<OpenAgent> {
    return new OpenAgent(options, await MessageQueue.open(join(options.folders.drafts, 'queue')))
  }

  /** Recovers interrupted changes and waits until the index is open. Subscribe to events before the call. */
  async start(): Promise<void> {
    const { watch, log, config } = this.#options
    this.recoveredChange = await recoverInterruptedChanges(this.#options, this)
    try {
      await Promise.all([this.memory.opened(), this.workspace.known && orUndefined(this.workspace.known.accept([]))])
    } catch (error) {
      await this.close()
      throw error
    }
    if (!watch) return
    this.scheduler.start()
    this.chat.endings.start()
    this.workspace.startCleanup((error) => log.fault(error, `leftovers of agent ${config.id}`))
  }

  #openMemory(watch: boolean, provider?: EmbeddingProviderName): Memory {
    const { now, config, mainFolder } = this.#options
    return new Memory({
      now,
      source: memorySource(this.#options, provider),
      search: () => config.current.memory.search,
      threads: threadEntries(mainFolder),
      watch,
    })
  }

  /** Opens another index with the vectors of `provider`; undefined closes it. */
  async compareWith(provider: EmbeddingProviderName | undefined): Promise<void> {
    const earlier = this.#comparison
    this.#comparison = provider === undefined ? undefined : this.#openMemory(false, provider)
    await earlier?.close()
  }

  /** Returns the index that `compareWith` has opened. @throws AppError `index_unavailable` if there is none */
  get comparison(): Memory {
    if (this.#comparison) return this.#comparison
    throw new AppError('index_unavailable', 'another command has closed the index of this provider')
  }

  async applyConventions(): Promise<void> {
    await this.memory.setSource(memorySource(this.#options))
  }

  async applySettings(): Promise<void> {
    await this.conventions.refresh()
    await this.applyConventions()
    await this.history.applySettings()
    this.savedQueries.scheduleRun('settings')
  }

  /**
   * @returns `hash` null if it is in the trash
   * @throws AppError `file_not_found`, `change_removed`, as `Workspace.write`
   */
  async restoreVersion(changeSet: number, recordedPath: string) {
    const { after } = this.history.texts(changeSet, recordedPath)
    const path = this.history.currentPath(recordedPath, changeSet)
    const write =
      after === null
        ? (await this.workspace.remove(path, restoreOrigin)).write
        : await this.workspace.write(path, after, restoreOrigin)
    return { path, change: write.change ?? null }
  }

  /** @throws AppError as `Workspace.read`; `file_not_found` has `movedTo` if the file was moved */
  async readFile(path: string) {
    try {
      return await this.workspace.read(path)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'file_not_found') throw error
      const movedTo = this.history.currentPath(path)
      if (movedTo === path || !(await this.workspace.exists(movedTo))) throw error
      throw new AppError('file_not_found', `${path} is now ${movedTo}`, { path, movedTo }, { cause: error })
    }
  }

  /**
   * Stores a file in the attachment folder of the vault, under the next free name, for a note that need not exist.
   * @returns the workspace-relative path of the file, and the link to embed in the note
   * @throws AppError `attachment_unknown` if notes cannot embed this type, `disk_full`, and as `resolveInside`
   */
  async attach(embeddingNote: string, name: string, bytes: Uint8Array): Promise<{ path: string; link: string }> {
    const { workspace, links, conventions } = this
    await conventions.refresh()
    const { kind, attachments } = conventions.effective
    await workspace.locate(embeddingNote)
    const note = normalizePath(embeddingNote)
    const [, stem = name, extension = ''] = /^(.*?)(\.[^.]*)$/.exec(name) ?? []
    if (attachmentType(name) === undefined)
      throw new AppError('attachment_unknown', `${name} is not a supported attachment type`, { path: name })
    const target = `${attachmentFolder(attachments, note)}${toFileName(stem, 'File')}`
    const path = await writeNewFile(workspace, target, extension.toLowerCase(), bytes)
    links.markStale()
    // Logseq links pages by name, but files by relative path.
    const style = kind === 'logseq' ? ({ links: 'markdown', linkPaths: 'relative' } as const) : undefined
    return { path, link: await links.formatLink({ from: note, path, label: stem, isEmbed: true, style }) }
  }

  /** @param path path after the change @throws AppError as `textsOf` */
  async revertStatus(changeSet: number, path: string) {
    const currentPath = this.history.currentPath(path, changeSet)
    const text = (await this.workspace.exists(currentPath)) ? (await this.workspace.read(currentPath)).text : ''
    return { path: currentPath, hunks: await this.history.revertStatus(changeSet, path, text) }
  }

  /** @throws AppError as `Workspace.revert` */
  async revert(request: Parameters<Workspace['revert']>[0]) {
    const { change, path } = request
    const kind = path === undefined ? this.history.log.setOf(change)?.kind : undefined
    const undo = async () => {
      if (!kind) return this.workspace.revert(request, { cause: 'user' })
      return kind === 'import' ? this.importer.undo(change) : this.batches.undo(change, { cause: 'user' })
    }
    const reverted = await undo()
    if (change === this.recoveredChange?.change) {
      this.recoveredChange = undefined
      clearChangeProblems(this.#options)
    }
    return reverted
  }

  /** @param folder absolute @throws AppError as `History.exportGit` */
  exportHistory(folder: string, includesPrivate: boolean, signal?: AbortSignal) {
    const notes = foldersWithPrivateRules(this.#options)
    return this.history.exportGit({ folder, includesPrivate, agentName: this.#options.config.name, notes }, signal)
  }

  /** While `isSaving`, indexing waits for a search, and scheduled reviews do not run. */
  savePower(isSaving: boolean): void {
    this.memory.savePower(isSaving)
    this.scheduler.savePower(isSaving)
  }

  resetIdleTime(): void {
    this.#usedAt = performance.now()
  }

  /** Returns a stored request; `request` is null if there is none. */
  reviewRequest(number: number) {
    return readRequestWithWire(reviewRequestsFolder(this.#options), number)
  }

  /** @throws AppError `unknown_session` */
  async conversation(id: string) {
    const transcript = await this.sessions.get(id)
    const summary = await this.sessions.summary(id)
    if (!summary) throw new AppError('unknown_session', 'this chat no longer exists', { session: id })
    return {
      summary,
      messages: transcript.shownMessages(),
      events: sessionEvents(transcript.branch()),
      skippedLines: [...transcript.skippedLines],
      over: isOver(transcript, this.#options.now(), this.#options.config.current.session.reset),
    }
  }

  async listFileNames(signal?: AbortSignal): Promise<ListedFile[]> {
    return listPaths(this.#listOptions(), signal)
  }

  async listFiles(signal?: AbortSignal): Promise<FileEntry[]> {
    return listFiles(this.#listOptions(), signal)
  }

  #listOptions(): ListOptions {
    const { workspace, memory, conventions } = this
    const { scope } = this.#options.config.current.memory
    return { workspace, memory, conventions, scope, marks: this.marks(), textStatistics: this.#textStatistics }
  }

  marks(): PrivacyMarks {
    return marksBy(foldersWithPrivateRules(this.#options))
  }

  /** @param memory index to search */
  visibleTo(reader: Reader, memory = this.memory): VisibleMemory {
    const sources = {
      workspace: this.workspace,
      memory,
      readNote: (path: string) => this.readFile(path),
      readChat: (session: string, mayBePrivate: boolean) => this.sessions.readText(session, mayBePrivate),
      marks: () => this.marks(),
      privacyOf: (files: Parameters<typeof privacyOfFiles>[0]) => privacyOfFiles(files, this.#listOptions()),
      scope: () => this.#options.config.current.memory.scope,
      settle: (signal?: AbortSignal) => this.privacy.settle(signal),
    }
    return new VisibleMemory(sources, reader)
  }

  async close(finishMs?: number): Promise<void> {
    this.savedQueries.close()
    this.scheduler.close()
    this.suggestions.close()
    await this.chat.close(finishMs)
    await this.links.close()
    await this.findReplace.close()
    await this.privacy.close()
    await this.history.close()
    await this.memory.close()
    await this.#comparison?.close()
    this.workspace.close()
  }
}

function attachmentFolder(attachments: VaultConventions['attachments'], note: string): string {
  if (attachments === 'beside') return folderOf(note)
  if ('below' in attachments) return `${folderOf(note)}${attachments.below}/`
  return attachments.path === '' ? '' : `${attachments.path}/`
}

async function writeNewFile(workspace: Workspace, stem: string, extension: string, bytes: Uint8Array): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? stem + extension : `${stem} ${number}${extension}`
    if (await workspace.exists(path)) continue
    const write = workspace.attach(path, (file) => writeFile(file, bytes, { flag: 'wx' }))
    if (await write.then(() => true).catch(onAppError('file_exists'))) return path
  }
}
