import { basename, dirname } from 'node:path'
import { realpath, stat, writeFile } from 'node:fs/promises'
import type { ImportPlan, ImportStatus, ImportStep, PastImport } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { sourceName, withImport } from '#shared/markdown/provenance.ts'
import { type Clock, expandHome, fromOrpcError, runInWorker, type WorkerClient } from '#platform'
import { attachmentType } from '#shared/util/attachments.ts'
import { isNote, localDate, longTermFile, projectContextFiles, type Workspace } from '#workspace'
import { findRule } from '#workspace/privacy'
import type { ImportJobs } from './import.worker.ts'
import { ImportJob, type ImportTask } from './import-job.ts'
import { targetOf } from './import-names.ts'
import { ImportRecords, type ImportRecord } from './import-records.ts'

const undoing = { cause: 'import' } as const

export interface ImporterOptions {
  readonly entry: URL
  readonly workspace: Workspace
  readonly now: Clock
  readonly localRules: () => readonly string[]
  readonly localRulesFor: (folder: string) => readonly string[]
  readonly folders: {
    /** Folder of the proposals, which an export contains. */
    readonly upkeep: string
    readonly imports: string
  }
}

const maxTries = 5

/** Imports notes into a workspace and exports it. One import runs at a time; others wait. */
export class Importer {
  readonly #options: ImporterOptions
  #running: ImportJob | undefined
  #waiting: ImportTask[] = []
  #ended: ImportJob[] = []
  readonly #records: ImportRecords

  constructor(options: ImporterOptions) {
    this.#options = options
    this.#records = new ImportRecords(options.folders.imports)
  }

  /**
   * Completes the records of imports that a crash interrupted, to show and undo them. Call it only while none runs.
   */
  async recover(): Promise<void> {
    for (const { record, unsure } of await this.#records.interrupted()) {
      const states = await Promise.all(unsure.map(async (path) => ({ path, is: await this.#fingerprintOf(path) })))
      const made = [...record.made, ...states.flatMap(({ path, is }) => (is === undefined ? [] : [{ path, is }]))]
      const whole = { ...record, made }
      if (made.length > 0) await this.#records.finish(whole)
      else await this.#records.end(record.id)
      if (made.length > 0) this.#ended.push(ImportJob.fromInterrupted(whole))
    }
  }

  /** Plans an import. @throws AppError `file_not_found`, `file_too_large`, `archive_unusable`, `import_unknown` */
  async plan(task: ImportTask): Promise<ImportPlan> {
    return this.#inThread(async (client) => (await this.#prepare(client, task)).plan)
  }

  /**
   * Runs an import and yields its progress; the last step lists the created files. Leaving the loop does not stop the
   * import; `cancel` stops it after the current file.
   * @throws AppError `session_busy`, and as `plan`
   */
  async *run(task: ImportTask): AsyncGenerator<ImportStep> {
    if (this.#running) throw new AppError('session_busy', 'an import is running', {})
    const job = this.#begin(task)
    for (;;) {
      await job.nextProgress()
      if (job.ended) break
      yield { type: 'progress', done: job.done, total: job.total }
    }
    this.markSeen(job.id)
    if (job.failure) throw job.failure
    yield { type: 'done', id: job.id, made: job.made.map(({ path }) => path), isCancelled: job.stop.signal.aborted }
  }

  /** Runs an import in the background, after the current one. `status` returns the progress. */
  start(task: ImportTask): void {
    if (this.#running) this.#waiting.push(task)
    else this.#begin(task)
  }

  /** Returns the progress of the running import, and ended imports that the user has not seen. */
  status(): ImportStatus {
    const running = this.#running
    return {
      running: running ? { path: running.task.path, done: running.done, total: running.total } : null,
      ended: this.#ended.map(({ id, task, made, failure, stop }) => ({
        id,
        path: task.path,
        made: made.map((one) => one.path),
        isCancelled: stop.signal.aborted,
        failure: failure instanceof AppError ? { code: failure.code, data: failure.data } : null,
      })),
    }
  }

  markSeen(id: string): void {
    this.#ended = this.#ended.filter((job) => job.id !== id)
  }

  /** Stops the running import after the current file and drops waiting ones. */
  cancel(): void {
    this.#waiting = []
    this.#running?.stop.abort()
  }

  #begin(task: ImportTask): ImportJob {
    const job = new ImportJob(task)
    this.#running = job
    void this.#work(job)
    return job
  }

  async #work(job: ImportJob): Promise<void> {
    try {
      await this.#records.begin({ id: job.id, at: this.#options.now().getTime(), source: job.task.path })
      await this.#inThread(async (client) => {
        for (let tries = 1; !(await this.#makeAll(client, job)); tries += 1)
          if (tries === maxTries)
            throw new AppError('file_changed', 'other programs keep taking the names of new files', {
              path: job.task.into,
            })
      })
    } catch (error) {
      job.failure = error
    }
    try {
      if (job.made.length > 0) await this.#records.finish(this.#recordOf(job))
      else await this.#records.end(job.id)
    } catch (error) {
      job.failure ??= error
    }
    this.#running = undefined
    this.#ended.push(job)
    job.end()
    const [next, ...rest] = this.#waiting
    this.#waiting = rest
    if (next) this.#begin(next)
  }

  /** @returns false if another program took a name: the rest then needs a new plan with other names and links */
  async #makeAll(client: WorkerClient<ImportJobs>, job: ImportJob): Promise<boolean> {
    const { attachments, canvases, notes } = await this.#prepare(client, job.task)
    const steps = [
      ...attachments.map(({ path, from }) => ({
        path,
        make: () =>
          this.#attach(path, (to) =>
            client.copy({ from, to }).catch((error: unknown) => {
              throw fromOrpcError(error)
            }),
          ),
      })),
      ...canvases.map(({ path, text }) => ({
        path,
        make: () => this.#attach(path, (to) => writeFile(to, text, { flag: 'wx' })),
      })),
      ...notes.map(({ path, text }) => ({
        path,
        make: () => this.#create(path, text, basename(job.task.path.trim())),
      })),
    ]
    const done = job.made.length
    for (const { path, make } of steps) {
      if (job.stop.signal.aborted) break
      const folders = await this.#missingAbove(path)
      await this.#records.note(job.id, { path, folders })
      const is = await make()
      await this.#records.note(job.id, { path, is: is ?? null })
      if (is === undefined) return false
      job.made.push({ path, is })
      for (const folder of folders) job.folders.add(folder)
      job.reportProgress(job.made.length, done + steps.length)
    }
    return true
  }

  /** Returns imports that can be undone, latest first. */
  async past(): Promise<PastImport[]> {
    const records = await this.#records.done.all()
    return records.map(([id, { at, source, made, left }]) => ({ id, at, path: source, files: made.length, left }))
  }

  /**
   * Moves the files of an import to the trash, except changed ones (`left`), and removes its empty folders.
   * @throws AppError `import_unknown`
   */
  async undo(id: string): Promise<{ removed: number; left: string[] }> {
    const record = await this.#records.done.get(id)
    if (!record)
      throw new AppError('import_unknown', 'this import was undone already, or is too old to undo', { path: '' })
    const { workspace } = this.#options
    const left: (typeof record.made)[number][] = []
    let removed = 0
    for (const one of record.made) {
      const state = await this.#fingerprintOf(one.path)
      // The user has deleted it already.
      if (state === undefined) continue
      if (state !== one.is) {
        left.push(one)
        continue
      }
      if (isNote(one.path)) await workspace.remove(one.path, undoing)
      else await workspace.detach(one.path)
      removed += 1
    }
    await workspace.removeEmpty(record.folders.toSorted((a, b) => b.length - a.length))
    const paths = left.map(({ path }) => path)
    if (left.length === 0) await this.#records.done.drop(id)
    else await this.#records.done.put(id, { ...record, made: left, left: paths })
    return { removed, left: paths }
  }

  #recordOf({ id, task, made, folders }: ImportJob): ImportRecord {
    const at = this.#options.now().getTime()
    return { id, at, source: task.path, made: [...made], folders: [...folders], left: [] }
  }

  /** Returns the missing parent folders of a file, deepest first. */
  async #missingAbove(path: string): Promise<string[]> {
    const missing: string[] = []
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (await this.#options.workspace.exists(folder)) break
      missing.push(folder)
    }
    return missing
  }

  /**
   * Returns a fingerprint of a file: the hash of a note, size and time of another file, or '' if it is unreadable;
   * undefined if there is no file.
   */
  async #fingerprintOf(path: string): Promise<string | undefined> {
    const { workspace } = this.#options
    try {
      if (attachmentType(path) === undefined) return (await workspace.read(path)).hash
      const { size, mtimeMs } = await stat(await workspace.locate(path))
      return `${size}:${mtimeMs}`
    } catch (error) {
      if (error instanceof AppError && error.code === 'file_not_found') return undefined
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
      // The file is unreadable or no text, so it has changed since the import.
      if (error instanceof AppError) return ''
      throw error
    }
  }

  /** Exports the workspace as zip, with the history at the path `repository`. @throws AppError `folder_too_large` */
  async pack(repository?: string): Promise<Blob> {
    const { workspace, forbidden } = this.#options.workspace.roots
    const { upkeep } = this.#options.folders
    const local = this.#options.localRules()
    return this.#inThread((client) => client.pack({ workspace, forbidden, local, note: undefined, upkeep, repository }))
  }

  /** Exports one note and its embedded files as zip. @throws AppError `folder_too_large`, as `Workspace.locateNote` */
  async packNote(note: string): Promise<Blob> {
    const { workspace: files } = this.#options
    await files.locateNote(note)
    const { workspace, forbidden } = files.roots
    const local = this.#options.localRules()
    const task = { workspace, forbidden, local, note, upkeep: undefined, repository: undefined }
    return this.#inThread((client) => client.pack(task))
  }

  async #prepare(client: WorkerClient<ImportJobs>, { path: asked, into, withAttachments }: ImportTask) {
    const { roots, layout } = this.#options.workspace
    const path = expandHome(asked.trim())
    const steering = [longTermFile(layout), ...projectContextFiles(layout)]
    await this.#options.workspace.locate(targetOf(into, 'note.md'))
    const { workspace, forbidden } = roots
    const task = {
      path,
      into,
      withAttachments,
      steering,
      local: await this.#localOf(path),
      roots: { workspace, forbidden },
    }
    return client.prepare(task).catch((error: unknown) => {
      throw fromOrpcError(error)
    })
  }

  /** Returns the rules for local files in the source; `**` for a local archive. */
  async #localOf(path: string): Promise<readonly string[]> {
    const { localRulesFor } = this.#options
    const real = await realpath(path).catch(() => path)
    const isFile = await stat(real).then(
      (info) => info.isFile(),
      () => false,
    )
    if (!isFile) return localRulesFor(real)
    return findRule(basename(real), localRulesFor(dirname(real))) === undefined ? [] : ['**']
  }

  /** @returns fingerprint of the new file; undefined if another program took its name */
  async #attach(path: string, fill: (file: string) => Promise<void>): Promise<string | undefined> {
    try {
      await this.#options.workspace.attach(path, fill)
      return this.#fingerprintOf(path)
    } catch (error) {
      if (error instanceof AppError && error.code === 'file_exists') return undefined
      throw error
    }
  }

  async #create(path: string, text: string, from: string): Promise<string | undefined> {
    let isNew = true
    const source = { kind: 'import' as const, name: from }
    const origin = { cause: 'import' as const, sources: [sourceName(source)] }
    const made = withImport(text, from, localDate(this.#options.now()))
    const { hash } = await this.#options.workspace.edit(path, origin, (current) => {
      isNew = current === undefined
      return current ?? made
    })
    return isNew ? hash : undefined
  }

  async #inThread<T>(work: (client: WorkerClient<ImportJobs>) => Promise<T>): Promise<T> {
    return runInWorker<ImportJobs, T>(this.#options.entry, async (client) => {
      try {
        return await work(client)
      } finally {
        // Deletes temporary files.
        await client.close().catch(() => undefined)
      }
    })
  }
}
