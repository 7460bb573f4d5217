/**
 * Commits the changes in the journal. Consecutive changes of one origin become one commit. Changes by other programs
 * are recorded before the app's next write of the file, when the watcher reports them, and at the start. Only one
 * process records; others wait for its lock and take over. All steps run in one queue.
 */
import { existsSync } from 'node:fs'
import { lstat, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import {
  clockWithOffset,
  type Clock,
  blobId,
  Mutex,
  resolveRealPath,
  inBatches,
  lockForName,
  makeFolder,
  renameDamaged,
  writeDurably,
  type FileLock,
} from '#platform'
import { resolveRoots, resolveInside, type ResolvedRoots } from '../files/paths.ts'
import { readText } from '../files/text-files.ts'
import { walkMarkdown } from '../files/walk.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import { Journal, repositoryPath, type JournalLine, type JournalContent } from './journal.ts'
import { Repository, type FileTransition } from './repository.ts'

const debounceMs = 150
const maxDebounceMs = 1000
const retryMs = 2000
const scanBatchSize = 100
const filesAtOnce = 32
const absentCodes: ReadonlySet<string> = new Set(['file_not_found', 'path_outside_workspace', 'path_hidden'])

/** Reason why changes are not recorded, or earlier ones are lost. */
export interface HistoryProblem {
  readonly code: 'history_elsewhere' | 'history_unlocked' | 'history_damaged' | 'history_failed'
  readonly message: string
}

export type RecorderEvent =
  | { readonly type: 'recorded'; readonly paths: readonly string[] }
  | { readonly type: 'problems'; readonly problems: readonly HistoryProblem[] }

export interface RecorderSettings {
  readonly folder: string
  readonly workspace: string
  /** Absolute paths of folders that this agent must not use. */
  readonly forbidden: readonly string[]
  /** True to scan all files for changes made while no recorder ran. False after a pause of an idle recorder. */
  readonly scanAtStart: boolean
  /** Offset of the app's clock from the system's, ms. Commits use the app's clock. */
  readonly clockAheadMs: number
}

interface RecordedChange extends FileTransition {
  readonly id: string
  readonly origin: WriteOrigin
  readonly at: number
}

export class Recorder {
  readonly #settings: RecorderSettings
  readonly #now: Clock
  #forbidden: readonly string[]
  readonly #scanAbort = new AbortController()
  readonly #emit: (event: RecorderEvent) => void
  readonly #gitdir: string
  readonly #journal: Journal
  readonly #workspaceMutex: Mutex
  readonly #problems = new Map<HistoryProblem['code'], string>()
  #lock: FileLock | undefined
  /** Undefined before the first catch-up, and while another process records. */
  #repository: Repository | undefined
  #lastRecordedId: string | undefined
  #needsFullScan: boolean
  /** True while a new history records existing files (as `adopted`, not as changes). */
  #isAdopting = false
  #flushTimer: NodeJS.Timeout | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #debounceStartMs: number | undefined
  #isClosing = false
  #lastTask: Promise<void>

  constructor(settings: RecorderSettings, emit: (event: RecorderEvent) => void) {
    this.#settings = settings
    this.#forbidden = settings.forbidden
    this.#now = clockWithOffset(settings.clockAheadMs)
    this.#emit = emit
    this.#gitdir = repositoryPath(settings.folder)
    this.#journal = new Journal(settings.folder, (error) => this.#raiseProblem('history_failed', error))
    this.#workspaceMutex = new Mutex(settings.workspace)
    this.#needsFullScan = settings.scanAtStart
    this.#lastTask = this.#catchUp().catch((error: unknown) => this.#handleFailure(error))
  }

  /** Records the journal after a short delay, during which further calls are combined. */
  scheduleFlush(): void {
    const now = performance.now()
    this.#debounceStartMs ??= now
    clearTimeout(this.#flushTimer)
    const remainingMs = this.#debounceStartMs + maxDebounceMs - now
    const delayMs = Math.min(debounceMs, Math.max(0, remainingMs))
    this.#flushTimer = setTimeout(() => void this.#queueCatchUp().catch(() => undefined), delayMs)
  }

  /** Records the journal, then files (workspace-relative) that another program may have changed. */
  async recordExternalChanges(paths: readonly string[], forbidden: readonly string[]): Promise<void> {
    this.#forbidden = forbidden
    await this.#queueCatchUp()
    await this.#enqueue(() => this.#recordFiles(paths))
  }

  /** Records the journal, then all files that differ from the newest commit. */
  async rescan(forbidden: readonly string[]): Promise<void> {
    this.#forbidden = forbidden
    this.#needsFullScan = true
    await this.#queueCatchUp()
  }

  /** Resolves when all changes so far are recorded; rejects if that fails (a retry follows). */
  async flush(): Promise<void> {
    await this.#queueCatchUp()
    await this.#lastTask
  }

  /** Records pending changes. Aborts a scan of all files, which the next start repeats. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#scanAbort.abort()
    try {
      await this.flush()
    } finally {
      clearTimeout(this.#retryTimer)
      await this.#journal.close()
      this.#workspaceMutex.close()
      this.#lock?.close()
    }
  }

  /** Returns the repository for reading, after recording what can be recorded now. */
  async repositoryUpToDate(): Promise<Repository> {
    await this.flush().catch(() => undefined)
    return this.repositoryNow()
  }

  /**
   * Returns the repository without waiting for the queue, so that code that the recorder waits for can read texts.
   * Texts are stored before the journal refers to them.
   */
  async repositoryNow(): Promise<Repository> {
    return this.#repository ?? Repository.openReadOnly(this.#gitdir)
  }

  async #queueCatchUp(): Promise<void> {
    clearTimeout(this.#flushTimer)
    this.#debounceStartMs = undefined
    await this.#enqueue(() => this.#catchUp())
  }

  #enqueue(task: () => Promise<void>): Promise<void> {
    const done = this.#lastTask.then(task)
    this.#lastTask = done.then(
      () => this.#clearProblem('history_failed'),
      (error: unknown) => this.#handleFailure(error),
    )
    return done
  }

  /** Reports the error and retries later. No change is lost: unrecorded ones are in the journal and on disk. */
  #handleFailure(error: unknown): void {
    this.#raiseProblem('history_failed', error)
    this.#scheduleRetry()
  }

  #scheduleRetry(): void {
    clearTimeout(this.#retryTimer)
    if (!this.#isClosing) this.#retryTimer = setTimeout(() => void this.#queueCatchUp().catch(() => undefined), retryMs)
  }

  #raiseProblem(code: HistoryProblem['code'], error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    if (this.#problems.get(code) === message) return
    this.#problems.set(code, message)
    this.#emitProblems()
  }

  #clearProblem(code: HistoryProblem['code']): void {
    if (this.#problems.delete(code)) this.#emitProblems()
  }

  #emitProblems(): void {
    this.#emit({ type: 'problems', problems: [...this.#problems].map(([code, message]) => ({ code, message })) })
  }

  /** Commits the journal and, if needed, scans all files. Only schedules a retry if another process records. */
  async #catchUp(): Promise<void> {
    if (this.#repository && !existsSync(join(this.#gitdir, 'HEAD'))) {
      this.#raiseProblem('history_damaged', 'the history was deleted while in use; a new one was started')
      this.#repository = undefined
      this.#needsFullScan = true
    }
    const repository = (this.#repository ??= await this.#open())
    if (!repository) return this.#scheduleRetry()
    await this.#recordLines(repository, await this.#journal.read())
    if (!this.#needsFullScan || this.#isClosing) return
    this.#needsFullScan = false
    try {
      const { signal } = this.#scanAbort
      const { files } = await walkMarkdown(this.#settings.workspace, signal, this.#forbidden)
      const recordedPaths = [...repository.files()].map(([path]) => path)
      await this.#recordFiles([...new Set([...files.map(({ path }) => path), ...recordedPaths])], signal)
      if (this.#isAdopting) await rm(this.#adoptionMarker, { force: true })
      this.#isAdopting = false
    } catch (error) {
      this.#needsFullScan = true
      // The next start repeats the scan.
      if (!this.#scanAbort.signal.aborted) throw error
    }
  }

  /** Returns undefined if another process records. */
  async #open(): Promise<Repository | undefined> {
    const { folder, workspace } = this.#settings
    await makeFolder(folder)
    // Earlier versions had a lock file with a process id.
    const pidFile = `${this.#gitdir}.lock`
    if ((await lstat(pidFile).catch(() => undefined))?.isFile()) await rm(pidFile, { force: true })
    if (!(await this.#acquireLock())) {
      this.#raiseProblem(
        'history_elsewhere',
        'another process records the history; this one takes over when that process ends',
      )
      // This process misses changes until it takes over.
      this.#needsFullScan = true
      return undefined
    }
    this.#clearProblem('history_elsewhere')
    const damagedCopy = await this.#journal.checkIntegrity()
    if (damagedCopy !== undefined)
      this.#raiseProblem('history_damaged', `the journal could not be read; the damaged file is in ${damagedCopy}`)
    const repository = await this.#openRepository(workspace)
    // The marker stays until a process completes the scan of all files.
    if (repository.isEmpty) await writeDurably(this.#adoptionMarker, '')
    this.#isAdopting = existsSync(this.#adoptionMarker)
    if (this.#isAdopting) this.#needsFullScan = true
    this.#lastRecordedId = await repository.lastJournalId()
    return repository
  }

  async #acquireLock(): Promise<boolean> {
    try {
      this.#lock ??= lockForName(await resolveRealPath(this.#gitdir))
      return this.#lock.isHeld || this.#lock.tryAcquire()
    } catch (error) {
      this.#raiseProblem('history_unlocked', error)
      return true
    }
  }

  async #openRepository(workspace: string): Promise<Repository> {
    try {
      return await Repository.open(this.#gitdir, workspace)
    } catch (error) {
      const isDiskError = isSystemError(error) && !isSystemError(error, 'ENOENT', 'ENOTDIR', 'EISDIR')
      if (error instanceof AppError || isDiskError || !existsSync(this.#gitdir)) throw error
      const damagedCopy = await renameDamaged(this.#gitdir)
      this.#raiseProblem(
        'history_damaged',
        `the history could not be read; it was moved to ${damagedCopy}, and a new one was started`,
      )
      return Repository.open(this.#gitdir, workspace)
    }
  }

  async #recordLines(repository: Repository, { lines, bytes }: JournalContent): Promise<void> {
    const lastRecordedIndex = lines.findIndex(({ id }) => id === this.#lastRecordedId)
    const incompletePaths: string[] = []
    let group: RecordedChange[] = []
    for (const line of lines.slice(lastRecordedIndex + 1)) {
      const change = await this.#readChange(repository, line)
      if (!change) {
        incompletePaths.push(line.path, ...(line.from === undefined ? [] : [line.from]))
        continue
      }
      const last = group.at(-1)
      if (last && !isSameOrigin(last.origin, change.origin)) {
        await this.#commitGroup(repository, group)
        group = []
      }
      group.push(change)
    }
    await this.#commitGroup(repository, group)
    if (bytes > 0) await this.#journal.removeLines(bytes)
    if (incompletePaths.length > 0)
      await this.#commitExternal(repository, await this.#transitionsOf(repository, incompletePaths))
  }

  /** Returns undefined if a text of the line is missing. */
  async #readChange(repository: Repository, line: JournalLine): Promise<RecordedChange | undefined> {
    const { id, path, from, origin, at } = line
    const [before, after] = [
      await this.#textOf(repository, line.before, path),
      await this.#textOf(repository, line.after, path),
    ]
    if (before === undefined || after === undefined) return undefined
    return { id, path, ...(from === undefined ? {} : { from }), before, after, origin, at }
  }

  async #textOf(repository: Repository, id: string | null, path: string): Promise<string | null | undefined> {
    if (id === null) return null
    try {
      return await repository.text(id)
    } catch {
      // A power failure may have lost the object; the file itself was synced.
      const text = await this.#readFile(path, await this.#resolveRoots())
      return typeof text === 'string' && blobId(text) === id ? text : undefined
    }
  }

  async #commitGroup(repository: Repository, group: readonly RecordedChange[]): Promise<void> {
    const [first] = group
    const last = group.at(-1)
    if (!first || !last) return
    await this.#commitExternal(repository, await this.#externalChangesBefore(repository, group), first.at)
    await this.#commit(repository, first.origin, coalesceChanges(group), last.at, { journal: last.id })
    this.#lastRecordedId = last.id
  }

  async #commit(
    repository: Repository,
    origin: WriteOrigin,
    transitions: readonly FileTransition[],
    at: number,
    { journal, signal }: { readonly journal?: string; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    if (transitions.length === 0) return
    const record = await repository.commit(origin, transitions, at, { journal, signal })
    if (record) this.#emit({ type: 'recorded', paths: record.files.map(({ path }) => path) })
  }

  /**
   * Records files as they are now. Changes that are not in the journal came from other programs. Reads the journal
   * and the files under one lock.
   */
  async #recordFiles(paths: readonly string[], signal?: AbortSignal): Promise<void> {
    const repository = this.#repository
    if (!repository || !existsSync(this.#settings.workspace)) return
    await this.#recordLines(repository, await this.#journal.read())
    const resolvedRoots = await this.#resolveRoots()
    const changes = await this.#transitionsOf(repository, paths, signal)
    const transitions: FileTransition[] = []
    for (let start = 0; start < changes.length; start += scanBatchSize) {
      signal?.throwIfAborted()
      const batch = changes.slice(start, start + scanBatchSize).map(({ path }) => path)
      const { journal, texts } = await this.#workspaceMutex.run(async () => ({
        journal: await this.#journal.read(),
        texts: await Promise.all(batch.map(async (path) => [path, await this.#readFile(path, resolvedRoots)] as const)),
      }))
      await this.#recordLines(repository, journal)
      for (const [path, text] of texts) {
        const transition = await this.#transitionFromRecorded(repository, path, text)
        if (transition) transitions.push(transition)
      }
    }
    await this.#commitExternal(repository, transitions, undefined, signal)
  }

  #resolveRoots(): Promise<ResolvedRoots> {
    return resolveRoots({ workspace: this.#settings.workspace, forbidden: this.#forbidden })
  }

  async #commitExternal(
    repository: Repository,
    changes: readonly FileTransition[],
    at = this.#now().getTime(),
    signal?: AbortSignal,
  ) {
    const isAdopted = ({ before }: FileTransition) => this.#isAdopting && before === null
    const outside = changes.filter((change) => !isAdopted(change))
    await this.#commit(repository, { cause: 'adopted' }, changes.filter(isAdopted), at, { signal })
    await this.#commit(repository, { cause: 'outside' }, outside, at, { signal })
  }

  /** Marker file that exists until a new history has recorded all existing files, even across restarts. */
  get #adoptionMarker(): string {
    return join(this.#settings.folder, 'adopting')
  }

  async #transitionsOf(
    repository: Repository,
    paths: readonly string[],
    signal?: AbortSignal,
  ): Promise<FileTransition[]> {
    const resolvedRoots = await this.#resolveRoots()
    const readTransition = async (path: string) =>
      this.#transitionFromRecorded(repository, path, await this.#readFile(path, resolvedRoots))
    const transitions = await inBatches(paths, filesAtOnce, readTransition, signal)
    return transitions.filter((transition) => transition !== undefined)
  }

  async #externalChangesBefore(repository: Repository, group: readonly RecordedChange[]): Promise<FileTransition[]> {
    const checkedPaths = new Set<string>()
    const transitions: FileTransition[] = []
    for (const { path, from = path, before } of group) {
      if (checkedPaths.has(from)) continue
      checkedPaths.add(from)
      checkedPaths.add(path)
      const transition = await this.#transitionFromRecorded(repository, from, before)
      if (transition) transitions.push(transition)
    }
    return transitions
  }

  /** Returns the change from the recorded text to `text`; undefined if both are equal or `text` is undefined. */
  async #transitionFromRecorded(
    repository: Repository,
    path: string,
    text: string | null | undefined,
  ): Promise<FileTransition | undefined> {
    if (text === undefined) return undefined
    const recordedId = repository.blobIdAt(path)
    if ((text === null ? undefined : blobId(text)) === recordedId) return undefined
    // The recorded text only counts lines, so a missing one does not matter.
    const before = recordedId === undefined ? null : await repository.text(recordedId).catch(() => '')
    return { path, before, after: text }
  }

  /**
   * Returns null if the workspace has no such file; undefined if the file has no history because it is not text, too
   * large, or unreadable now.
   */
  async #readFile(path: string, resolvedRoots: ResolvedRoots): Promise<string | null | undefined> {
    const roots = { workspace: this.#settings.workspace, forbidden: this.#forbidden }
    try {
      return (await readText(await resolveInside(roots, path, resolvedRoots), path, resolvedRoots.isAllowed)).text
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return absentCodes.has(error.code) ? null : undefined
    }
  }
}

/** Merges the changes of a group into one transition for each file, from its first to its last state. */
function coalesceChanges(group: readonly RecordedChange[]): FileTransition[] {
  const transitions = new Map<string, FileTransition>()
  for (const { path, from, before, after } of group) {
    const earlier = transitions.get(from ?? path)
    transitions.delete(from ?? path)
    const originalPath = earlier?.from ?? from
    transitions.set(path, {
      path,
      ...(originalPath === undefined ? {} : { from: originalPath }),
      before: earlier?.before ?? before,
      after,
    })
  }
  return [...transitions.values()]
}

function isSameOrigin(a: WriteOrigin, b: WriteOrigin): boolean {
  const keys = ['cause', 'session', 'turn', 'client', 'isUndo'] as const
  return keys.every((key) => a[key] === b[key]) && a.sources?.join('\n') === b.sources?.join('\n')
}
