/**
 * Owns one index: opens or rebuilds it, syncs it with the files, embeds new units, and reports status. All writes
 * run in one queue, so they never overlap. The states:
 *
 *     starting ── synced ──► ready ◄── sync ──► indexing
 *     rebuilding ─ replaced ──┘
 *     any state ── error ──► failed ── retry ──► starting or rebuilding
 */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IndexStatus } from '#shared/contract/index.ts'
import { createEmbeddings } from '../embeddings/create-embeddings.ts'
import type { ProviderOutcome } from '../embeddings/provider-health.ts'
import { unitSettingsOf, type PlainUnitSettings } from '../units/prepare-units.ts'
import type { UnitCounts } from '../units/unit-statements.ts'
import { UnitStore } from '../units/unit-store.ts'
import { describeIncompleteSettings } from '../vector/embed-queue.ts'
import { ageOf } from '#platform'
import { Embedder, remainingMs } from '../vector/embedder.ts'
import { collectGarbage } from './collect-garbage.ts'
import { openIndexFile, replaceIndexFile, type IndexFileSettings } from './index-file.ts'
import { PendingChanges } from './pending-changes.ts'
import { hasCurrentSchema, hasModel, isCorruption, modelOfIndex, openForWriting } from './index-schema.ts'
import { indexedFolderOf, type IndexedFolder, type SyncProblem } from './indexed-folder.ts'
import { removeForbidden, syncAll, syncPaths } from './sync.ts'
import { FolderWatcher } from './watcher.ts'

export interface MemorySource extends Omit<IndexFileSettings, 'earlier'> {
  /** The first is the workspace. */
  readonly folders: readonly IndexedFolder[]
  readonly debounceMs: number
  /** File of the change log, for the days of lines that have none. */
  readonly changeLog?: string
}

export interface IndexerSettings extends MemorySource, IndexFileSettings {
  readonly watch: boolean
  readonly retryMs: number
}

export type IndexerEvent =
  | { readonly type: 'status'; readonly status: IndexStatus }
  | { readonly type: 'files'; readonly paths: readonly string[] }
  | { readonly type: 'indexed' }
  /** A rebuilt index is ready. The searcher must close the old one, then the owner calls `swap`. */
  | { readonly type: 'replace' }
  | { readonly type: 'provider'; readonly outcome: ProviderOutcome }
  /** The index file was replaced by another one at the same path. */
  | { readonly type: 'reopen' }

const progressMs = 100
/** Watching begins 200 ms after the first sync, or after 2 s at the latest. */
const watchPauseMs = 200
const watchByMs = 2000
/** Step of modification times on FAT. */
const fileTimeStepMs = 2000
/** Delay of the sync that finds changes made before a watcher was ready. Not 0, so that power saving can defer it. */
const readyMs = 1
const filesDelayMs = 50
/** Number of changed files after which memory is given back. */
const manyFiles = 100
const collectDelayMs = 5000

export class Indexer {
  readonly #settings: IndexerSettings
  readonly #emit: (event: IndexerEvent) => void
  readonly #prepareEntry: URL | undefined
  readonly #stop = new AbortController()
  #embedder: Embedder | undefined
  #download: IndexStatus['download']
  #store: UnitStore | undefined
  /** Index of an earlier model or with other units. It is searched and synced until `#store` has all vectors. */
  #old: UnitStore | undefined
  #counts: UnitCounts = { files: 0, units: 0, embedded: 0 }
  #rebuildPath: string | undefined
  /** The rebuilt index is complete; it replaces the old one when the searcher has closed the old one. */
  #isReplacing = false
  #queue: Promise<unknown> = Promise.resolve()
  #queueLength = 0
  readonly #changes: PendingChanges
  #retry: NodeJS.Timeout | undefined
  #changedFiles = new Set<string>()
  #filesTimer: NodeJS.Timeout | undefined
  #state: IndexStatus['state'] = 'starting'
  #done = 0
  #total = 0
  #toldAt = 0
  #etaMs: number | undefined
  readonly #problems = new Map<string, SyncProblem>()
  #watchers: FolderWatcher[] = []
  readonly #openedAt = performance.now()
  /** Set after the first full scan. Of the files that it finds, only those written since `#openedAt` are emitted as `files`. */
  #hasScanned = false
  #isCorrupt = false
  #hasRecreated = false

  constructor(settings: IndexerSettings, emit: (event: IndexerEvent) => void, prepareEntry?: URL) {
    this.#settings = settings
    this.#emit = emit
    this.#prepareEntry = prepareEntry
    this.#changes = new PendingChanges(settings.debounceMs, () => void this.#enqueue(() => this.#sync(false)))
  }

  async open(): Promise<void> {
    const { embedding } = this.#settings
    const provider = await createEmbeddings(embedding, ({ file, share }) => {
      this.#download = share < 1 ? { file, share } : undefined
      this.#progress(this.#done, this.#total)
    })
    if (typeof provider === 'string') this.#raise(provider, describeIncompleteSettings(provider, embedding))
    else if (provider)
      this.#embedder = new Embedder(
        provider,
        {
          onProgress: (etaMs) => {
            this.#etaMs = etaMs
            this.#progress(this.#done, this.#total)
          },
          onOutcome: (outcome) => this.#emit({ type: 'provider', outcome }),
          onEnd: (hasNewResults) => {
            this.#emitStatus()
            if (hasNewResults) this.#emit({ type: 'indexed' })
          },
          onComplete: (store) => {
            // Vectors of the same model serve other units of the same text, for example if the settings are undone.
            store.removeUnusedVectors(this.#old !== undefined && !hasModel(this.#old.db, modelOfIndex(store.db)))
            if (this.#old) this.#requestReplacement(store)
          },
          onError: (error) => void this.#recover(error),
        },
        this.#stop.signal,
        !embedding.isLocal,
      )
    await this.#enqueue(async () => this.#openIndex())
    this.#changes.requestFullSync(0)
    if (this.#settings.watch) void this.#watchSoon()
  }

  /**
   * Starts watching after the first sync. Setting up watchers walks through all folders, which would delay that sync.
   * The `ready` event triggers another sync, which finds changes made in between.
   */
  async #watchSoon(): Promise<void> {
    const pause = (ms: number) => sleep(ms, undefined, { signal: this.#stop.signal, ref: false })
    const first = this.#changes.noticed
    try {
      await Promise.race([this.#untilSynced(first), pause(watchByMs)])
      await pause(watchPauseMs)
      this.#watch()
    } catch {
      // The indexer was closed meanwhile.
    }
  }

  #watch(): void {
    const [workspace] = this.#settings.folders
    for (const one of this.#settings.folders) {
      if (one.source === 'sessions' || !existsSync(one.folder)) continue
      const watcher = new FolderWatcher(one.folder, {
        onChange: (path) => (one === workspace ? this.#onPathChanged(path) : this.#changes.requestFullSync()),
        onReady: () => this.#changes.requestFullSync(readyMs),
        onLimit: (reason) => this.#raise('watch_limit', reason),
        onLimitCleared: () => {
          if (!this.#watchers.some(({ isPolling }) => isPolling)) this.#clear('watch_limit')
        },
        onError: (reason) => this.#raise('watch_failed', reason),
      })
      this.#watchers.push(watcher)
    }
  }

  notifyWritten(paths: readonly string[]): void {
    for (const path of paths) this.#onPathChanged(path)
  }

  savePower(isSaving: boolean): void {
    this.#changes.savePower(isSaving)
  }

  /** Waits until every change noticed so far is indexed, at most `timeoutMs`. @returns false on timeout */
  async flush(timeoutMs: number): Promise<boolean> {
    if (!this.#isPending()) return true
    this.#changes.flush()
    const synced = this.#untilSynced(this.#changes.noticed).then(() => true)
    return Promise.race([synced, sleep(timeoutMs, false, { ref: false })])
  }

  async reindex(signal?: AbortSignal): Promise<IndexStatus> {
    await this.#enqueue(async () => {
      try {
        await this.#sync(true, signal)
      } catch (error) {
        if (!signal?.aborted) throw error
        this.#state = 'ready'
        this.#changes.requestFullSync()
      }
    })
    await this.retryEmbedding()
    return this.status()
  }

  recover(isCorrupt: boolean): Promise<void> {
    return this.#enqueue(async () => {
      this.#isCorrupt ||= isCorrupt
      if (this.#store && !this.#isCorrupt) return this.#sync(false)
      await this.#openIndex()
      await this.#sync(true)
    })
  }

  pauseEmbedding(shouldPause: boolean): void {
    if (this.#embedder) this.#embedder.isPaused = shouldPause
    if (!shouldPause && this.#state === 'ready' && this.#store && this.#canEmbed) this.#embedder?.start(this.#store)
  }

  /** Embeds missing and rejected texts, and all texts if the vectors of the provider have another length now. */
  async retryEmbedding(): Promise<void> {
    if (this.#store && this.#canEmbed) await this.#embedder?.restart(this.#store)
  }

  /** False while the index is built for the first time or replaced. */
  get #canEmbed(): boolean {
    return !this.#isReplacing && (this.#rebuildPath === undefined || this.#old !== undefined)
  }

  /** Waits until all files are synced and embedded. `isStopped`: the provider stopped embedding before the end. */
  async embedded(): Promise<{ readonly status: IndexStatus; readonly isStopped: boolean }> {
    this.#changes.flush()
    if (this.#isPending()) await this.#untilSynced(this.#changes.noticed)
    await this.#embedder?.ended
    return { status: this.status(), isStopped: this.#embedder?.isStopped ?? false }
  }

  async swap(): Promise<void> {
    await this.#enqueue(async () => {
      const rebuiltFile = this.#rebuildPath
      if (rebuiltFile === undefined || !this.#isReplacing) return
      await this.#embedder?.ended
      // There is no store while the files are being replaced.
      this.#counts = this.#store?.counts() ?? this.#counts
      this.#store?.close()
      this.#old?.close()
      this.#store = this.#old = undefined
      const { file } = this.#settings
      await replaceIndexFile(rebuiltFile, file)
      this.#rebuildPath = undefined
      this.#isReplacing = false
      this.#store = new UnitStore(openForWriting(file), unitSettingsOf(this.#unitSettings))
      this.#state = 'ready'
      this.#emitStatus()
      this.#embedder?.start(this.#store)
    })
  }

  status(): IndexStatus {
    const counts = this.#store?.counts() ?? this.#counts
    const { provider, model } = this.#settings.embedding
    return {
      ...counts,
      provider,
      model: provider === 'none' ? '' : model,
      state: this.#state,
      done: this.#done,
      total: this.#total,
      ...(this.#etaMs === undefined ? {} : { etaMs: this.#etaMs }),
      ...(this.#download ? { download: this.#download } : {}),
      problems: [...this.#problems.values(), ...(this.#embedder?.problems() ?? [])],
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#changes.close()
    for (const timer of [this.#retry, this.#filesTimer]) clearTimeout(timer)
    await Promise.all(this.#watchers.map((watcher) => watcher.close()))
    await this.#queue
    await this.#embedder?.ended
    this.#store?.close()
    this.#old?.close()
  }

  async #openIndex(): Promise<void> {
    this.#store?.db.close()
    this.#old?.db.close()
    this.#store = this.#old = undefined
    const isCorrupt = this.#isCorrupt
    const opened = await openIndexFile(this.#settings, isCorrupt)
    const { store, corruptionMessage, movedAsideTo } = opened
    this.#isCorrupt = false
    this.#store = store
    this.#old = opened.old
    this.#rebuildPath = opened.rebuildPath
    this.#isReplacing = false
    removeForbidden(store, this.#settings.folders)
    if (opened.rebuildPath !== undefined) this.#removeForbiddenFromOld()
    this.#clear('index_failed')
    if (movedAsideTo !== undefined)
      this.#raise('index_foreign', `a file at the index's path was not an index; it was moved to ${movedAsideTo}`)
    if (isCorrupt || corruptionMessage !== undefined)
      this.#raise('index_damaged', corruptionMessage ?? 'the index file is corrupt')
    if (opened.isReplaced) this.#emit({ type: 'reopen' })
    this.#state = this.#rebuildPath === undefined ? 'starting' : 'rebuilding'
    this.#emitStatus()
  }

  #removeForbiddenFromOld(): void {
    const old = openForWriting(this.#settings.file)
    if (hasCurrentSchema(old))
      removeForbidden(new UnitStore(old, { folders: this.#settings.notes }), this.#settings.folders)
    old.close()
  }

  get #unitSettings(): PlainUnitSettings {
    const { embedding, notes, chunking } = this.#settings
    const { provider, builtinFile } = embedding
    return { embedding: { provider, builtinFile }, folders: notes, chunking }
  }

  #onPathChanged(path: string): void {
    this.#reportFile(path)
    if (indexedFolderOf(this.#settings.folders, path)) this.#changes.add(path)
  }

  async #isWrittenSinceOpen(path: string): Promise<boolean> {
    const [workspace] = this.#settings.folders
    const facts = await stat(join(workspace?.folder ?? '', path)).catch(() => ({ mtimeMs: 0 }))
    return ageOf(facts) <= performance.now() - this.#openedAt + fileTimeStepMs
  }

  #reportFile(path: string): void {
    this.#changedFiles.add(path)
    this.#filesTimer ??= setTimeout(() => {
      this.#filesTimer = undefined
      this.#emit({ type: 'files', paths: [...this.#changedFiles] })
      this.#changedFiles.clear()
    }, filesDelayMs)
  }

  #isPending(): boolean {
    return this.#queueLength > 0 || !this.#changes.isEmpty
  }

  /** Waits for the first `count` changes only: the watcher may report the same files again meanwhile. */
  async #untilSynced(count: number): Promise<void> {
    await this.#queue
    while (!this.#changes.isSynced(count) && !this.#stop.signal.aborted) {
      await sleep(1)
      await this.#queue
    }
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queueLength += 1
    const turn = this.#queue.then(async () => {
      try {
        if (!this.#stop.signal.aborted) await work()
      } catch (error) {
        if (!this.#stop.signal.aborted) await this.#recover(error)
      } finally {
        this.#queueLength -= 1
      }
    })
    this.#queue = turn
    return turn
  }

  async #sync(force: boolean, signal?: AbortSignal): Promise<void> {
    const { noticed } = this.#changes
    try {
      await this.#syncFiles(force, signal)
    } finally {
      this.#changes.markSynced(noticed)
    }
  }

  async #syncFiles(force: boolean, signal?: AbortSignal): Promise<void> {
    // The index was deleted while in use: create a new one from the files.
    if (this.#store && !existsSync(this.#rebuildPath ?? this.#settings.file)) {
      await this.#openIndex()
      this.#changes.markFull()
      this.#emit({ type: 'reopen' })
    }
    const { paths, isFull } = this.#changes.take()
    const store = this.#store
    // The retry that opens the index runs a full sync.
    if (!store) return
    const full = force || isFull
    if (this.#state === 'ready') this.#state = 'indexing'
    const started = performance.now()
    const options = {
      force,
      worker: this.#prepareEntry && { entry: this.#prepareEntry, settings: this.#unitSettings },
      signal: signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal,
      onProgress: (done: number, total: number) => {
        this.#etaMs = remainingMs(started, done, total)
        this.#progress(done, total)
      },
    }
    const { folders } = this.#settings
    if (this.#old) {
      // Without the worker, which prepares units for the new model.
      const quiet = { force, signal: options.signal, onProgress: () => undefined }
      await (full ? syncAll(this.#old, folders, quiet) : syncPaths(this.#old, folders, paths, quiet))
    }
    const report = full ? await syncAll(store, folders, options) : await syncPaths(store, folders, paths, options)
    this.#etaMs = undefined
    if (full) this.#problems.delete('hard_link')
    for (const { path } of this.#problems.values())
      if (path !== undefined && (full || paths.includes(path))) this.#problems.delete(path)
    for (const problem of report.problems) this.#problems.set(problem.path ?? problem.code, problem)
    if (full && !force)
      for (const path of report.changed)
        if (this.#hasScanned || (await this.#isWrittenSinceOpen(path))) this.#reportFile(path)
    this.#hasScanned ||= full
    if (full && report.problems.some((problem) => problem.path === folders[0]?.folder)) this.#retryLater()
    if (this.#rebuildPath !== undefined && !this.#old) return this.#requestReplacement(store)
    this.#state = this.#isReplacing ? 'rebuilding' : 'ready'
    this.#emitStatus()
    if (report.changed.length > 0) this.#emit({ type: 'indexed' })
    if (report.changed.length > manyFiles) setTimeout(collectGarbage, collectDelayMs).unref()
    if (!this.#isReplacing) this.#embedder?.start(store)
  }

  /**
   * Emits `replace` once: when the new index is complete, or when it is synced, if the model of the old one can't be
   * used. It serves keyword search and cached vectors at once; the rest is embedded while it is in use.
   */
  #requestReplacement(store: UnitStore): void {
    if (this.#isReplacing) return
    this.#isReplacing = true
    this.#state = 'rebuilding'
    this.#embedder?.assignCachedVectors(store)
    this.#emit({ type: 'replace' })
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return
    if (isCorruption(error)) {
      this.#isCorrupt = true
      this.#store?.db.close()
      this.#store = undefined
    }
    this.#state = 'failed'
    this.#clear('index_failed')
    this.#raise('index_failed', error instanceof Error ? error.message : String(error))
    if (!this.#isCorrupt || this.#hasRecreated) return this.#retryLater()
    // A corrupt index is recreated at once, but only the first time; then after the retry delay.
    this.#hasRecreated = true
    void this.recover(true)
  }

  #retryLater(): void {
    clearTimeout(this.#retry)
    if (this.#stop.signal.aborted || !this.#settings.watch) return
    this.#retry = setTimeout(() => {
      this.#changes.markFull()
      void this.#enqueue(async () => {
        if (this.#problems.has('index_failed')) await this.#openIndex()
        await this.#sync(false)
      })
    }, this.#settings.retryMs)
  }

  /** Adds a problem that remains until `#clear`. Does nothing if there is one with this code. */
  #raise(code: string, message: string): void {
    if (this.#problems.has(code)) return
    this.#problems.set(code, { code, message })
    this.#emitStatus()
  }

  #clear(code: string): void {
    if (this.#problems.delete(code)) this.#emitStatus()
  }

  #progress(done: number, total: number): void {
    this.#done = done
    this.#total = total
    const now = performance.now()
    if (now - this.#toldAt < progressMs) return
    this.#toldAt = now
    this.#emitStatus()
  }

  #emitStatus(): void {
    this.#emit({ type: 'status', status: this.status() })
  }
}
