import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { dirname } from 'node:path/posix'
import { writeFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ImportPlan, ImportStatus, KnownMemory, PastImport } from '#shared/contract/index.ts'
import { AppError } from '#shared/util/errors.ts'
import { parseJson } from '#shared/util/json.ts'
import { sourceName, withImport } from '#shared/markdown/provenance.ts'
import { type Clock, expandHome, KeyedQueue, runInWorker, type WorkerClient } from '#platform'
import { type ChangeLog, isMarkdown, localDate, toLeftFile, walkMarkdown, type Workspace } from '#workspace'
import type { PrivateRules } from '#workspace/privacy'
import type { ExportTask } from '../export/export-zip.ts'
import type { ImportJobs } from './import.worker.ts'
import { memoryNote } from './chats.ts'
import { targetPathOf } from './import-names.ts'

/** Detail of the change set of an import. The files of the set are the created ones. */
const detailSchema = z.object({
  source: z.string().catch(''),
  /** Folders that the import created, innermost first. */
  folders: z.array(z.string()).catch([]),
  /** Set by an undo: current paths of the files that it left. */
  left: z.array(z.string()).optional(),
})

type EndedImport = ImportStatus['ended'][number]

interface ImportTask {
  readonly path: string
  readonly into: string
  readonly withAttachments: boolean
}

/** Claude's memory of the user. */
export interface ImportedMemories {
  /** Parts in Markdown. */
  readonly parts: readonly string[]
  /** File name of the import. */
  readonly source: string
  /** Path of the note with all parts. */
  readonly note: string
}

interface ImporterOptions {
  readonly entry: URL
  readonly workspace: Workspace
  readonly log: ChangeLog
  readonly now: Clock
  /** `privateRulesFor` takes the absolute path of any file or folder. */
  readonly privateRules: () => PrivateRules
  readonly privateRulesFor: (path: string) => PrivateRules
  readonly folders: { readonly suggestions: string }
  readonly suggestMemories: (memories: ImportedMemories) => Promise<void>
}

const maxAttempts = 5
const maxListed = 20
/** Files that are created and recorded together. */
const filesAtOnce = 32

interface ImportJob extends ImportTask {
  /** Created files by path, with their `stampOf`. */
  readonly stamps: Map<string, string>
  /** Undefined if nothing was created, or the log could not store it. */
  change: number | undefined
  total: number
  readonly controller: AbortController
}

/** One import runs at a time; others wait. */
export class Importer {
  readonly #options: ImporterOptions
  readonly #jobs: ImportJob[] = []
  readonly #queue = new KeyedQueue()
  #ended: EndedImport[] = []

  constructor(options: ImporterOptions) {
    this.#options = options
  }

  recover(results: Awaited<ReturnType<Workspace['recover']>>): void {
    for (const { change } of results) {
      if (change.kind !== 'import') continue
      const path = detailOf(change).source
      const made = this.#options.log.filesOf(change.id).map((file) => file.path)
      const failure = { code: 'import_broken_off', data: { path } } as const
      const end = { id: randomUUID(), change: change.id, path, made, isCancelled: false, failure }
      if (made.length > 0) this.#ended.push(end)
    }
  }

  /** @throws AppError `file_not_found`, `file_too_large`, `archive_unusable`, `import_unknown` */
  async plan(task: ImportTask, signal?: AbortSignal): Promise<ImportPlan> {
    return this.#inWorker(async (client) => (await this.#prepare(client, task, signal)).plan)
  }

  /** Runs after earlier imports. @returns its end; never rejects */
  start(task: ImportTask): Promise<EndedImport> {
    const job: ImportJob = {
      ...task,
      stamps: new Map(),
      change: undefined,
      total: 0,
      controller: new AbortController(),
    }
    this.#jobs.push(job)
    return this.#queue.run('import', () => this.#run(job))
  }

  status(): ImportStatus {
    const [running] = this.#jobs
    return {
      running: running ? { path: running.path, done: running.stamps.size, total: running.total } : null,
      ended: this.#ended,
    }
  }

  markSeen(id: string): void {
    this.#ended = this.#ended.filter((end) => end.id !== id)
  }

  /** Stops the running import after the current file and drops waiting ones. */
  cancel(): void {
    for (const job of this.#jobs) job.controller.abort()
  }

  async #run(job: ImportJob): Promise<EndedImport> {
    const { signal } = job.controller
    const isDropped = signal.aborted
    let failure: EndedImport['failure'] = null
    try {
      if (!isDropped)
        await this.#inWorker(async (client) => {
          for (let attempt = 0; attempt < maxAttempts; attempt += 1) if (await this.#createFiles(client, job)) return
          const message = 'other programs keep taking the names of new files'
          throw new AppError('file_changed', message, { path: job.into })
        })
    } catch (error) {
      const { code, data } = error instanceof AppError ? error : new AppError('internal', String(error))
      if (!signal.aborted || error instanceof AppError) failure = { code, data }
    }
    const { path, change, stamps } = job
    const made = [...stamps.keys()]
    const end = { id: randomUUID(), change: change ?? null, path, made, isCancelled: signal.aborted, failure }
    this.#jobs.shift()
    if (!isDropped) this.#ended.push(end)
    return end
  }

  /** @returns false if another program took a name: the remaining files then need a plan with other names and links */
  async #createFiles(client: WorkerClient<ImportJobs>, job: ImportJob): Promise<boolean> {
    const { workspace, log, now } = this.#options
    const { signal } = job.controller
    const importName = basename(job.path.trim())
    const origin = { cause: 'import', sources: [sourceName({ kind: 'import', name: importName })] } as const
    const { files, memories } = await this.#prepare(client, job, signal)
    const remaining = new Set(files.map(({ path }) => path))
    const detail = { source: job.path, folders: await this.#missingFolders(remaining) }
    job.total = job.stamps.size + files.length
    try {
      for (let from = 0; from < files.length && !signal.aborted; from += filesAtOnce) {
        const texts = await client.texts({ from, count: filesAtOnce })
        const batch = files.slice(from, from + filesAtOnce).map(({ path, source }, at) => {
          const text = texts[at] ?? null
          const after = text !== null && isMarkdown(path) ? withImport(text, importName, localDate(now())) : text
          return { path, source, before: null, after }
        })
        const draft = { origin, at: now().getTime(), kind: 'import', detail, files: batch } as const
        job.change = (await workspace.begin(draft, job.change)) ?? job.change
        const errors = await this.#createBatch(client, batch, origin, job)
        for (const { path } of batch.filter((file) => !errors.has(file.path))) {
          remaining.delete(path)
          job.stamps.set(path, (await workspace.stampOf(path)) ?? '')
        }
        const [error] = errors.values()
        if (error instanceof AppError && error.code === 'file_exists') return false
        if (error !== undefined) throw error
      }
    } finally {
      log.cancel(job.change, remaining)
      // Without files, the log has removed the change set.
      if (job.stamps.size === 0) job.change = undefined
      log.done(job.change, job.stamps)
    }
    const note = files.find(({ source }) => source === memoryNote)?.path
    if (!signal.aborted && note !== undefined && memories.length > 0)
      await this.#options.suggestMemories({ parts: memories, source: importName, note })
    return true
  }

  /** @returns the errors by path */
  async #createBatch(
    client: WorkerClient<ImportJobs>,
    files: readonly { readonly path: string; readonly source: string; readonly after: string | null }[],
    origin: Parameters<Workspace['createNotes']>[1],
    { change }: ImportJob,
  ): Promise<Map<string, unknown>> {
    const { workspace } = this.#options
    const notes = files.flatMap(({ path, after }) =>
      after !== null && isMarkdown(path) ? [{ path, text: after }] : [],
    )
    const results = await workspace.createNotes(notes, origin, { change })
    const errors = new Map<string, unknown>()
    for (const [at, result] of results.entries())
      if (result.status === 'rejected') errors.set(notes[at]?.path ?? '', result.reason)
    for (const { path, source, after } of files) {
      if (after !== null && isMarkdown(path)) continue
      const fill = (to: string) =>
        after === null ? client.copy({ from: source, to }) : writeFile(to, after, { flag: 'wx' })
      await workspace.attach(path, fill).catch((error: unknown) => errors.set(path, error))
    }
    return errors
  }

  /** Imports that can be undone, latest first. @throws AppError `history_unavailable` */
  past(): PastImport[] {
    return this.#options.log.listSets(['import'], maxListed).map((change) => {
      const { source, left } = detailOf(change)
      return { change: change.id, at: change.at, path: source, files: left?.length ?? change.files, left: left ?? [] }
    })
  }

  /**
   * Moves the files of an import to the trash and removes its empty folders. Keeps changed files (`left`); a further undo
   * removes them if they have their imported content again.
   * @returns `notes`: number of removed files
   * @throws AppError `undo_conflict` if the import was undone; as `Workspace.revert`
   */
  async undo(change: number) {
    const { workspace, log } = this.#options
    const detail = detailOf(log.setOf(change))
    const { left: only, folders, source } = detail
    if (only?.length === 0) throw new AppError('undo_conflict', 'this import was already undone', { path: source })
    const reverted = await workspace.revert({ change, leavesEdited: true, only }, { cause: 'import' })
    const left = [...reverted.left]
    let { notes } = reverted
    for (const { path, before, after, stamp } of log.filesOf(change)) {
      const isAttachment = before === null && after === null
      if (!isAttachment || (only && !only.includes(path))) continue
      try {
        const current = await workspace.stampOf(path)
        if (current === undefined) continue
        if (withoutInode(current) !== withoutInode(stamp ?? '')) left.push({ path, reason: 'changed' })
        else {
          await workspace.detach(path)
          notes += 1
        }
      } catch (error) {
        left.push(toLeftFile(path, error))
      }
    }
    await workspace.removeEmpty(folders)
    log.setDetail(change, { ...detail, left: left.map(({ path }) => path) })
    return { ...reverted, notes, left }
  }

  async #missingFolders(paths: ReadonlySet<string>): Promise<string[]> {
    const missing = new Set<string>()
    for (const path of paths) {
      let folder = dirname(path)
      while (folder !== '.' && !missing.has(folder) && !(await this.#options.workspace.exists(folder))) {
        missing.add(folder)
        folder = dirname(folder)
      }
    }
    return [...missing].toSorted((one, other) => other.length - one.length)
  }

  /** @param repository history, absolute path @throws AppError `folder_too_large` */
  async pack(repository?: string): Promise<Blob> {
    return this.#pack({ suggestions: this.#options.folders.suggestions, repository })
  }

  /** @throws AppError `folder_too_large`, as `Workspace.locateNote` */
  async packNote(note: string): Promise<Blob> {
    await this.#options.workspace.locateNote(note)
    return this.#pack({ note })
  }

  async #pack(selection: Pick<ExportTask, 'note' | 'suggestions' | 'repository'>): Promise<Blob> {
    const { workspace, forbidden } = this.#options.workspace.roots
    const task = { workspace, forbidden, privateRules: this.#options.privateRules(), ...selection }
    // A blob of a worker has no content after the worker has ended.
    return new Blob([await this.#inWorker((client) => client.pack(task))], { type: 'application/zip' })
  }

  async #prepare(client: WorkerClient<ImportJobs>, task: ImportTask, signal: AbortSignal | undefined) {
    const { path: givenPath, into, withAttachments } = task
    const { roots, layout } = this.#options.workspace
    const path = expandHome(givenPath.trim())
    await this.#options.workspace.locateNote(targetPathOf(into, 'note.md'))
    const { workspace, forbidden } = roots
    const privateRules = this.#options.privateRulesFor(path)
    const options = { into, withAttachments, own: layout.own, privateRules }
    return client.prepare({ path, ...options, roots: { workspace, forbidden } }, { signal })
  }

  async #inWorker<T>(work: (client: WorkerClient<ImportJobs>) => Promise<T>): Promise<T> {
    return runInWorker<ImportJobs, T>(this.#options.entry, (client) =>
      // Closing the source deletes its temporary files.
      work(client).finally(() => client.close().catch(() => undefined)),
    )
  }
}

function detailOf(change: { readonly detail: string | null } | undefined) {
  return detailSchema.parse(parseJson(change?.detail ?? '{}'))
}

/** A copy of the workspace has other inodes. */
function withoutInode(stamp: string): string {
  return stamp.slice(stamp.indexOf(':'))
}

const knownFolders: readonly (readonly [kind: KnownMemory['kind'], ...segments: string[]])[] = [
  ['openclaw', '.openclaw', 'workspace'],
  ['openclaw', 'clawd'],
  ['claude-code', '.claude'],
  ['codex', '.codex'],
]

/** Finds folders with Markdown below the home folder. Returns absolute paths. */
export async function findMemories(home: string = homedir()): Promise<KnownMemory[]> {
  const memories: KnownMemory[] = []
  for (const [kind, ...segments] of knownFolders) {
    const path = join(home, ...segments)
    if (!existsSync(path)) continue
    const { files } = await walkMarkdown(path)
    if (files.length > 0) memories.push({ kind, path, files: files.length })
  }
  return memories
}
