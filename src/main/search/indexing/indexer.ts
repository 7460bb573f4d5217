/**
 * Owns one index: opens or rebuilds it, follows the files, embeds what is new, and tells how far it is. Everything it
 * does is one piece of work after another, so that two never write at once; it is one file because all of it takes its
 * turn in that queue and shares what it knows of the index.
 */
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IndexStatus } from '#shared/contract/index.ts'
import { createEmbeddings, type EmbeddingSource } from '../embeddings/create-embeddings.ts'
import type { ProviderOutcome } from '../embeddings/provider-health.ts'
import { LocalNotes, type NotesFolder } from '#workspace/privacy'
import type { ChunkSettings } from './chunk.ts'
import { describeMissing } from '../vector/embed-queue.ts'
import { Embedder, remaining } from '../vector/embedder.ts'
import { FolderWatchers } from './folder-watchers.ts'
import { openIndexFile, replaceIndexFile } from './index-file.ts'
import { IndexProblems } from './index-problems.ts'
import { PendingChanges } from './pending-changes.ts'
import { isDamage, openForWriting } from './index-schema.ts'
import { IndexStore, type IndexCounts } from './index-store.ts'
import { folderOf, type IndexedFolder } from './indexed-folder.ts'
import { dropForeign, syncAll, syncPaths, type SyncReport } from './sync.ts'

export interface IndexerSettings {
  readonly file: string
  /** The first is the workspace itself. */
  readonly folders: readonly IndexedFolder[]
  readonly chunk: ChunkSettings
  readonly embedding: EmbeddingSource
  /** Whose notes may be local. */
  readonly notes: readonly NotesFolder[]
  readonly debounceMs: number
  /** False for a single command: the files are looked at once. */
  readonly watch: boolean
  /** How long a folder or disk is given to come back. */
  readonly retryMs: number
}

export type IndexerEvent =
  | { readonly type: 'status'; readonly status: IndexStatus }
  /** Markdown of the workspace changed on disk, whether the index covers it or not. */
  | { readonly type: 'files'; readonly paths: readonly string[] }
  /** The index answers differently from now on. */
  | { readonly type: 'indexed' }
  /** A rebuilt index waits to take the place of the old one; the searcher must let go of that first. */
  | { readonly type: 'replace' }
  /** What became of a request to the embedding provider. */
  | { readonly type: 'provider'; readonly outcome: ProviderOutcome }
  /** Whether there is work to do, for who has called `touch` so often. */
  | { readonly type: 'pending'; readonly isPending: boolean; readonly touches: number }
  /** The index is another file of the same name now. */
  | { readonly type: 'reopen' }

/** What the paths of transcripts begin with in the index. */
export const sessionsPrefix = 'sessions/'

/** Between two tellings of progress. */
const progressMs = 100
/** Watching begins so long after the first look, and by then at the latest, ms. */
const watchPauseMs = 200
const watchByMs = 2000
/** What changed before a watcher saw its folder is looked for soon, though not while power is saved, ms. */
const readyMs = 1
/** Changes on disk are told to the interface in bunches. */
const tellFilesMs = 50

export class Indexer {
  readonly #settings: IndexerSettings
  readonly #emit: (event: IndexerEvent) => void
  readonly #prepareEntry: URL | undefined
  readonly #stop = new AbortController()
  #embedder: Embedder | undefined
  #download: IndexStatus['download']
  #store: IndexStore | undefined
  /** While there is no store. */
  #counts: IndexCounts = { files: 0, chunks: 0, embedded: 0 }
  #building: string | undefined
  /** What is built has all that was there to read, and takes the old one's place as soon as nobody reads that. */
  #isReplacing = false
  #work: Promise<unknown> = Promise.resolve()
  #queued = 0
  #touches = 0
  /** How often it had been touched when it said that there was nothing to do; undefined while there is. */
  #toldIdleAt: number | undefined
  readonly #changes: PendingChanges
  #retry: NodeJS.Timeout | undefined
  #toldFiles = new Set<string>()
  #tellTimer: NodeJS.Timeout | undefined
  #state: IndexStatus['state'] = 'starting'
  #done = 0
  #total = 0
  #toldAt = 0
  #etaMs: number | undefined
  readonly #problems = new IndexProblems(() => this.#tell())
  readonly #watchers = new FolderWatchers(
    {
      onPath: (path) => this.#noticed(path),
      onOther: () => this.#changes.addAll(),
      onReady: () => this.#changes.addAll(readyMs),
    },
    this.#problems,
  )
  /** What a further look at everything finds, nobody has told of. */
  #hasLooked = false
  /** The database was found to be broken while it was used. */
  #isDamaged = false
  #hasMended = false

  /** @param prepareEntry of the thread that prepares many files */
  constructor(settings: IndexerSettings, emit: (event: IndexerEvent) => void, prepareEntry?: URL) {
    this.#settings = settings
    this.#emit = emit
    this.#prepareEntry = prepareEntry
    this.#changes = new PendingChanges(
      settings.debounceMs,
      () => void this.#enqueue(() => this.#look(false)),
      () => this.#tellPending(),
    )
  }

  /** Opens the database; the first look at the files goes on in the background. */
  async open(): Promise<void> {
    const { embedding } = this.#settings
    const provider = await createEmbeddings(embedding, ({ file, share }) => {
      this.#download = share < 1 ? { file, share } : undefined
      this.#progress(this.#done, this.#total)
    })
    if (typeof provider === 'string') this.#problems.begin(provider, describeMissing(provider, embedding))
    else if (provider) {
      const { notes } = this.#settings
      const local = embedding.isLocal ? undefined : new LocalNotes(() => notes)
      this.#embedder = new Embedder(provider, this.#embedderEvents(), this.#stop.signal, local)
    }
    await this.#enqueue(async () => this.#openIndex())
    this.#changes.addAll(0)
    if (this.#settings.watch) void this.#watchSoon()
  }

  /**
   * Watching begins with a walk of its own through all folders: whoever waits for the first look, and asks then, comes first.
   * What changes before it sees everything is found by the look that follows.
   */
  async #watchSoon(): Promise<void> {
    const pause = (ms: number) => sleep(ms, undefined, { signal: this.#stop.signal, ref: false })
    const first = this.#changes.noticed
    const latest = performance.now() + watchByMs
    try {
      while (!this.#changes.isLookedAt(first) && performance.now() < latest) await pause(watchPauseMs / 10)
      await pause(watchPauseMs)
      this.#watchers.watch(this.#settings.folders)
    } catch {
      // It was closed before.
    }
  }

  /** A file was written by the app itself. */
  touch(paths: readonly string[]): void {
    this.#touches += 1
    for (const path of paths) this.#noticed(path)
    this.#tellPending()
  }

  /** While power is short, changes wait until somebody searches. */
  savePower(isSaving: boolean): void {
    this.#changes.savePower(isSaving)
  }

  /**
   * Waits until every change noticed so far is in the index, at most `timeoutMs`.
   * @returns false when there is more to do than that
   */
  async settle(timeoutMs: number): Promise<boolean> {
    if (!this.#isPending()) return true
    this.#changes.hurry()
    const stop = new AbortController()
    const settled = this.#untilLookedAt(this.#changes.noticed).then(() => true)
    const late = sleep(timeoutMs, false, { signal: stop.signal, ref: false }).catch(() => false)
    const answer = await Promise.race([settled, late])
    stop.abort()
    return answer
  }

  /** Reads every file anew and waits for it. Aborting leaves what is done as it is; the rest is looked at later. */
  async reindex(signal?: AbortSignal): Promise<IndexStatus> {
    await this.#enqueue(async () => {
      try {
        await this.#look(true, signal)
      } catch (error) {
        if (!signal?.aborted) throw error
        this.#state = 'ready'
        this.#changes.addAll()
      }
    })
    await this.askAgain()
    return this.status()
  }

  /** Somebody could not open or read the index: looks whether it is there, and makes it anew if it is not sound. */
  revive(isDamaged: boolean): Promise<void> {
    return this.#enqueue(async () => {
      this.#isDamaged ||= isDamaged
      if (this.#store && !this.#isDamaged) return this.#look(false)
      await this.#openIndex()
      await this.#look(true)
    })
  }

  /** While the provider does not work it is not asked; then embedding goes on where it stopped. */
  hold(isHeld: boolean): void {
    if (this.#embedder) this.#embedder.isHeld = isHeld
    if (!isHeld) this.goOn()
  }

  /** Asks the provider again for what is missing. */
  goOn(): void {
    if (this.#store && this.#building === undefined && this.#state === 'ready') this.#embedder?.start(this.#store)
  }

  /** The same, and for what it did not take before. */
  async askAgain(): Promise<void> {
    if (this.#store && this.#building === undefined) await this.#embedder?.startAnew(this.#store)
  }

  /** Waits until all is looked at and embedded; `isStopped`: embedding was stopped by the provider before. */
  async embedded(): Promise<{ readonly status: IndexStatus; readonly isStopped: boolean }> {
    this.#changes.hurry()
    if (this.#isPending()) await this.#untilLookedAt(this.#changes.noticed)
    await this.#embedder?.ended
    return { status: this.status(), isStopped: this.#embedder?.isStopped ?? false }
  }

  /** Puts the rebuilt index in the place of the old one; called when nobody reads the old one any more. */
  async swap(): Promise<void> {
    await this.#enqueue(async () => {
      const built = this.#building
      if (built === undefined) return
      // While the files change places there is nothing to ask.
      this.#counts = this.#store?.counts() ?? this.#counts
      this.#store?.close()
      this.#store = undefined
      const { file } = this.#settings
      await replaceIndexFile(built, file)
      this.#building = undefined
      const { chunk, embedding } = this.#settings
      this.#store = new IndexStore(openForWriting(file), chunk, embedding)
      this.#state = 'ready'
      this.#tell()
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
      problems: [...this.#problems.all, ...(this.#embedder?.problems() ?? [])],
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#changes.close()
    for (const timer of [this.#retry, this.#tellTimer]) clearTimeout(timer)
    await this.#watchers.close()
    await this.#work
    await this.#embedder?.ended
    this.#store?.close()
  }

  async #openIndex(): Promise<void> {
    this.#store?.db.close()
    this.#store = undefined
    const isDamaged = this.#isDamaged
    const { file, folders } = this.#settings
    const { store, building, damage, aside } = await openIndexFile(file, this.#settings, isDamaged)
    this.#isDamaged = false
    this.#store = store
    this.#building = building
    this.#isReplacing = false
    dropForeign(store, folders)
    this.#problems.end('index_failed')
    if (aside !== undefined) this.#problems.begin('index_foreign', `what had the name of the index is in ${aside}`)
    if (isDamaged || damage !== undefined)
      this.#problems.begin('index_damaged', damage ?? 'the index was found to be broken while it was used')
    if (isDamaged) this.#emit({ type: 'reopen' })
    this.#state = this.#building === undefined ? 'starting' : 'rebuilding'
    this.#tell()
  }

  #noticed(path: string): void {
    this.#tellFile(path)
    if (folderOf(this.#settings.folders, path)) this.#changes.add(path)
  }

  #tellFile(path: string): void {
    this.#toldFiles.add(path)
    this.#tellTimer ??= setTimeout(() => {
      this.#tellTimer = undefined
      this.#emit({ type: 'files', paths: [...this.#toldFiles] })
      this.#toldFiles.clear()
    }, tellFilesMs)
  }

  #isPending(): boolean {
    return this.#queued > 0 || !this.#changes.isEmpty
  }

  /** Whoever hears that nothing is pending need not ask before each search. */
  #tellPending(): void {
    const isPending = this.#isPending()
    const idleAt = isPending ? undefined : this.#touches
    if (idleAt === this.#toldIdleAt) return
    this.#toldIdleAt = idleAt
    this.#emit({ type: 'pending', isPending, touches: this.#touches })
  }

  /** What is noticed meanwhile, as the watcher's word of a write that was told before, is not waited for. */
  async #untilLookedAt(count: number): Promise<void> {
    await this.#work
    while (!this.#changes.isLookedAt(count) && !this.#stop.signal.aborted) {
      await sleep(1)
      await this.#work
    }
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#queued += 1
    this.#tellPending()
    const turn = this.#work.then(async () => {
      try {
        if (!this.#stop.signal.aborted) await work()
      } catch (error) {
        if (!this.#stop.signal.aborted) await this.#recover(error)
      } finally {
        this.#queued -= 1
        this.#tellPending()
      }
    })
    this.#work = turn
    return turn
  }

  async #look(force: boolean, signal?: AbortSignal): Promise<void> {
    const { noticed } = this.#changes
    try {
      await this.#lookAtFiles(force, signal)
    } finally {
      this.#changes.lookedAt(noticed)
    }
  }

  async #lookAtFiles(force: boolean, signal?: AbortSignal): Promise<void> {
    // Somebody deleted the index while it was in use: the files have all that it takes to make it anew.
    if (this.#store && !existsSync(this.#building ?? this.#settings.file)) {
      await this.#openIndex()
      this.#changes.expectAll()
      this.#emit({ type: 'reopen' })
    }
    const { paths, isFull } = this.#changes.take()
    const store = this.#store
    // Nothing to look for until the index can be opened; whoever tries that looks at everything.
    if (!store) return
    const full = force || isFull
    if (this.#state === 'ready') this.#state = 'indexing'
    const started = performance.now()
    const options = {
      force,
      prepareEntry: this.#prepareEntry,
      signal: signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal,
      onProgress: (done: number, total: number) => {
        this.#etaMs = remaining(started, done, total)
        this.#progress(done, total)
      },
    }
    const { folders } = this.#settings
    const report = full ? await syncAll(store, folders, options) : await syncPaths(store, folders, paths, options)
    this.#etaMs = undefined
    this.#problems.note(report, full ? undefined : paths)
    if (full && !force && this.#hasLooked) for (const path of report.changed) this.#tellFile(path)
    this.#hasLooked ||= full
    if (full && report.problems.some((problem) => problem.path === folders[0]?.folder)) this.#retryLater()
    await this.#finish(store, report)
  }

  async #finish(store: IndexStore, report: SyncReport): Promise<void> {
    if (this.#building !== undefined) return this.#replaceOld(store)
    this.#state = 'ready'
    this.#tell()
    if (report.changed.length > 0) this.#emit({ type: 'indexed' })
    this.#embedder?.start(store)
  }

  /**
   * It answers by words at once, and by those vectors that are known: what a provider takes minutes for comes while it is
   * in use. The old index would know nothing of files that change meanwhile.
   */
  #replaceOld(store: IndexStore): void {
    if (this.#isReplacing) return
    this.#isReplacing = true
    this.#embedder?.giveKnown(store)
    this.#emit({ type: 'replace' })
  }

  #embedderEvents(): ConstructorParameters<typeof Embedder>[1] {
    return {
      onProgress: (etaMs) => {
        this.#etaMs = etaMs
        this.#progress(this.#done, this.#total)
      },
      onOutcome: (outcome) => this.#emit({ type: 'provider', outcome }),
      onEnd: (isOther) => {
        this.#tell()
        if (isOther) this.#emit({ type: 'indexed' })
      },
      onFault: (error) => void this.#recover(error),
    }
  }

  /** The database was deleted, damaged or filled up while it was in use: start over; the files are untouched. */
  async #recover(error: unknown): Promise<void> {
    if (this.#stop.signal.aborted) return
    const message = error instanceof Error ? error.message : String(error)
    if (isDamage(error)) {
      this.#isDamaged = true
      this.#store?.db.close()
      this.#store = undefined
    }
    this.#state = 'failed'
    this.#problems.end('index_failed')
    this.#problems.begin('index_failed', message)
    if (!this.#isDamaged || this.#hasMended) return this.#retryLater(() => this.#openIndex())
    // A broken file does not mend itself: it is made anew at once, though not again and again.
    this.#hasMended = true
    void this.#enqueue(async () => {
      await this.#openIndex()
      await this.#look(true)
    })
  }

  #retryLater(first: () => Promise<void> = async () => undefined): void {
    clearTimeout(this.#retry)
    if (this.#stop.signal.aborted || !this.#settings.watch) return
    this.#retry = setTimeout(() => {
      this.#changes.expectAll()
      void this.#enqueue(async () => {
        await first()
        await this.#look(false)
      })
    }, this.#settings.retryMs)
  }

  #progress(done: number, total: number): void {
    this.#done = done
    this.#total = total
    const now = performance.now()
    if (now - this.#toldAt < progressMs) return
    this.#toldAt = now
    this.#tell()
  }

  #tell(): void {
    this.#emit({ type: 'status', status: this.status() })
  }
}
