import { basename } from 'node:path'
import { stat, writeFile } from 'node:fs/promises'
import type { ImportPlan, ImportStatus, ImportStep, PastImport } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { sourceName, withImport } from '#shared/markdown/provenance.ts'
import { type Clock, expandHome, onAppError, runInWorker, type WorkerClient } from '#platform'
import { attachmentType } from '#shared/util/attachments.ts'
import { isNote, localDate, type Workspace } from '#workspace'
import type { PrivateRules } from '#workspace/privacy'
import type { ExportTask } from '../export/export-zip.ts'
import type { ImportJobs } from './import.worker.ts'
import { ImportJob, type ImportTask } from './import-job.ts'
import { targetPathOf } from './import-names.ts'
import { ImportRecords } from './import-records.ts'

const undoOrigin = { cause: 'import' } as const

export interface ImporterOptions {
  readonly entry: URL
  readonly workspace: Workspace
  readonly now: Clock
  /** Rules for private notes of the workspace, and of any file or folder (absolute path). */
  readonly privateRules: () => PrivateRules
  readonly privateRulesFor: (path: string) => PrivateRules
  readonly folders: {
    readonly upkeep: string
    readonly imports: string
  }
}

const maxAttempts = 5

/** Imports notes into a workspace and exports it. One import runs at a time; others wait. */
export class Importer {
  readonly #options: ImporterOptions
  #runningJob: ImportJob | undefined
  #waitingTasks: ImportTask[] = []
  #endedJobs: ImportJob[] = []
  readonly #records: ImportRecords

  constructor(options: ImporterOptions) {
    this.#options = options
    this.#records = new ImportRecords(options.folders.imports)
  }

  /** Completes the records of interrupted imports, so that they can be undone. Must not be called during an import. */
  async recover(): Promise<void> {
    for (const { record, uncertain } of await this.#records.listInterrupted()) {
      const files = await Promise.all(uncertain.map(async (path) => ({ path, is: await this.#fingerprintOf(path) })))
      const made = [...record.made, ...files.flatMap(({ path, is }) => (is === undefined ? [] : [{ path, is }]))]
      await this.#records.finish({ ...record, made })
      if (made.length > 0) this.#endedJobs.push(ImportJob.fromInterrupted({ ...record, made }))
    }
  }

  /** Plans an import. @throws AppError `file_not_found`, `file_too_large`, `archive_unusable`, `import_unknown` */
  async plan(task: ImportTask): Promise<ImportPlan> {
    return this.#inWorker(async (client) => (await this.#prepare(client, task)).plan)
  }

  /**
   * Runs an import and yields its progress; the last step lists the created files. Leaving the loop does not stop the
   * import; `cancel` stops it after the current file.
   * @throws AppError `session_busy`, and as `plan`
   */
  async *run(task: ImportTask): AsyncGenerator<ImportStep> {
    if (this.#runningJob) throw new AppError('session_busy', 'an import is running', {})
    const job = this.#begin(task)
    for (;;) {
      await job.nextProgress()
      if (job.hasEnded) break
      yield { type: 'progress', done: job.done, total: job.total }
    }
    this.markSeen(job.id)
    if (job.failure) throw job.failure
    yield {
      type: 'done',
      id: job.id,
      made: job.createdFiles.map(({ path }) => path),
      isCancelled: job.abortController.signal.aborted,
    }
  }

  /** Runs an import in the background, after those that run or wait. `status` returns the progress. */
  start(task: ImportTask): void {
    if (this.#runningJob) this.#waitingTasks.push(task)
    else this.#begin(task)
  }

  /** Returns the progress of the running import, and ended imports that the user has not seen. */
  status(): ImportStatus {
    const running = this.#runningJob
    return {
      running: running ? { path: running.task.path, done: running.done, total: running.total } : null,
      ended: this.#endedJobs.map(({ id, task, createdFiles, failure, abortController }) => ({
        id,
        path: task.path,
        made: createdFiles.map((createdFile) => createdFile.path),
        isCancelled: abortController.signal.aborted,
        failure: failure instanceof AppError ? { code: failure.code, data: failure.data } : null,
      })),
    }
  }

  markSeen(id: string): void {
    this.#endedJobs = this.#endedJobs.filter((job) => job.id !== id)
  }

  /** Stops the running import after the current file and drops waiting ones. */
  cancel(): void {
    this.#waitingTasks = []
    this.#runningJob?.abortController.abort()
  }

  #begin(task: ImportTask): ImportJob {
    const job = new ImportJob(task)
    this.#runningJob = job
    void this.#runJob(job)
    return job
  }

  async #runJob(job: ImportJob): Promise<void> {
    const { id, task, createdFiles, folders } = job
    const header = () => ({ id, at: this.#options.now().getTime(), source: task.path })
    try {
      await this.#records.begin(header())
      await this.#inWorker(async (client) => {
        for (let attempt = 1; !(await this.#createFiles(client, job)); attempt += 1)
          if (attempt === maxAttempts)
            throw new AppError('file_changed', 'other programs keep taking the names of new files', {
              path: job.task.into,
            })
      })
    } catch (error) {
      job.failure = error
    }
    try {
      await this.#records.finish({ ...header(), made: [...createdFiles], folders: [...folders], left: [] })
    } catch (error) {
      job.failure ??= error
    }
    this.#runningJob = undefined
    this.#endedJobs.push(job)
    job.end()
    const [next, ...remaining] = this.#waitingTasks
    this.#waitingTasks = remaining
    if (next) this.#begin(next)
  }

  /** @returns false if another program took a name: the remaining files then need a plan with other names and links */
  async #createFiles(client: WorkerClient<ImportJobs>, job: ImportJob): Promise<boolean> {
    const { attachments, canvases, notes } = await this.#prepare(client, job.task)
    const attach = (path: string, fill: (file: string) => Promise<void>) => {
      const create = () => this.#options.workspace.attach(path, fill).then(() => this.#fingerprintOf(path))
      return { path, create: () => create().catch(onAppError('file_exists')) }
    }
    const importName = basename(job.task.path.trim())
    const steps = [
      ...attachments.map(({ path, from }) => attach(path, (to) => client.copy({ from, to }))),
      ...canvases.map(({ path, text }) => attach(path, (to) => writeFile(to, text, { flag: 'wx' }))),
      ...notes.map(({ path, text }) => ({ path, create: () => this.#createNote(path, text, importName) })),
    ]
    const countBefore = job.createdFiles.length
    for (const { path, create } of steps) {
      if (job.abortController.signal.aborted) break
      const folders = await this.#missingParents(path)
      await this.#records.append(job.id, { path, folders })
      const fingerprint = await create()
      await this.#records.append(job.id, { path, is: fingerprint ?? null })
      if (fingerprint === undefined) return false
      job.createdFiles.push({ path, is: fingerprint })
      for (const folder of folders) job.folders.add(folder)
      job.reportProgress(job.createdFiles.length, countBefore + steps.length)
    }
    return true
  }

  /** Returns imports that can be undone, latest first. */
  async past(): Promise<PastImport[]> {
    const records = await this.#records.undoStore.all()
    return records.map(([id, { at, source, made, left }]) => ({ id, at, path: source, files: made.length, left }))
  }

  /**
   * Moves the files of an import to the trash and removes its empty folders. Keeps changed files (`left`).
   * @throws AppError `import_unknown`
   */
  async undo(id: string): Promise<{ removed: number; left: string[] }> {
    const record = await this.#records.undoStore.get(id)
    if (!record)
      throw new AppError('import_unknown', 'this import was undone already, or is too old to undo', { path: '' })
    const { workspace } = this.#options
    const changedFiles: (typeof record.made)[number][] = []
    let removed = 0
    for (const createdFile of record.made) {
      const state = await this.#fingerprintOf(createdFile.path)
      // The file was deleted already.
      if (state === undefined) continue
      if (state !== createdFile.is) {
        changedFiles.push(createdFile)
        continue
      }
      if (isNote(createdFile.path)) await workspace.remove(createdFile.path, undoOrigin)
      else await workspace.detach(createdFile.path)
      removed += 1
    }
    await workspace.removeEmpty(record.folders.toSorted((a, b) => b.length - a.length))
    const paths = changedFiles.map(({ path }) => path)
    if (changedFiles.length === 0) await this.#records.undoStore.drop(id)
    else await this.#records.undoStore.put(id, { ...record, made: changedFiles, left: paths })
    return { removed, left: paths }
  }

  /** Returns the missing parent folders of a file, deepest first. */
  async #missingParents(path: string): Promise<string[]> {
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
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
      if (!(error instanceof AppError)) throw error
      // A file that is unreadable or no text has changed since the import.
      return error.code === 'file_not_found' ? undefined : ''
    }
  }

  /** Exports the workspace as zip. @param repository history, absolute path @throws AppError `folder_too_large` */
  async pack(repository?: string): Promise<Blob> {
    return this.#pack({ upkeep: this.#options.folders.upkeep, repository })
  }

  /** Exports one note and its embedded files as zip. @throws AppError `folder_too_large`, as `Workspace.locateNote` */
  async packNote(note: string): Promise<Blob> {
    await this.#options.workspace.locateNote(note)
    return this.#pack({ note })
  }

  async #pack(selection: Pick<ExportTask, 'note' | 'upkeep' | 'repository'>): Promise<Blob> {
    const { workspace, forbidden } = this.#options.workspace.roots
    const task = { workspace, forbidden, privateRules: this.#options.privateRules(), ...selection }
    return this.#inWorker((client) => client.pack(task))
  }

  async #prepare(client: WorkerClient<ImportJobs>, { path: givenPath, into, withAttachments }: ImportTask) {
    const { roots, layout } = this.#options.workspace
    const path = expandHome(givenPath.trim())
    await this.#options.workspace.locateNote(targetPathOf(into, 'note.md'))
    const { workspace, forbidden } = roots
    const privateRules = this.#options.privateRulesFor(path)
    const options = { into, withAttachments, own: layout.own, privateRules }
    return client.prepare({ path, ...options, roots: { workspace, forbidden } })
  }

  /** @returns fingerprint of the new file; undefined if another program took its name */
  async #createNote(path: string, text: string, importName: string): Promise<string | undefined> {
    let isNew = true
    const source = { kind: 'import' as const, name: importName }
    const origin = { cause: 'import' as const, sources: [sourceName(source)] }
    const markedText = withImport(text, importName, localDate(this.#options.now()))
    const { hash } = await this.#options.workspace.edit(path, origin, (current) => {
      isNew = current === undefined
      return current ?? markedText
    })
    return isNew ? hash : undefined
  }

  async #inWorker<T>(work: (client: WorkerClient<ImportJobs>) => Promise<T>): Promise<T> {
    return runInWorker<ImportJobs, T>(this.#options.entry, (client) =>
      // Closing the source deletes its temporary files.
      work(client).finally(() => client.close().catch(() => undefined)),
    )
  }
}
