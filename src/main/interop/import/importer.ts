import { basename, dirname } from 'node:path'
import { realpath, stat, writeFile } from 'node:fs/promises'
import type { ImportPlan, ImportStanding, ImportStep, PastImport } from '#shared/contract/index.ts'
import { AppError, isSystemError } from '#shared/util/errors.ts'
import { sourceName, withImport } from '#shared/markdown/provenance.ts'
import { type Clock, expandHome, fromOrpcError, runInWorker, type WorkerClient } from '#platform'
import { attachmentType } from '#shared/util/attachments.ts'
import { isNote, localDate, longTermFile, projectContextFiles, type Workspace } from '#workspace'
import { ruleFor } from '#workspace/privacy'
import type { ImportJobs } from './import.worker.ts'
import { Job, type ImportTask } from './import-job.ts'
import { targetOf } from './import-names.ts'
import { ImportRecords, type ImportRecord } from './import-records.ts'

const undoing = { cause: 'import' } as const

export interface ImporterOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly workspace: Workspace
  readonly now: Clock
  /** What of the workspace the settings keep on this machine. */
  readonly localHere: () => readonly string[]
  /** The same of any folder, by the settings of all agents. */
  readonly localIn: (folder: string) => readonly string[]
  readonly folders: {
    /** Of its proposals: what was exported has them. */
    readonly upkeep: string
    /** Of what imports have made. */
    readonly imports: string
  }
}

/** How often names may be taken by somebody else meanwhile. */
const maxTries = 5

export class Importer {
  readonly #options: ImporterOptions
  #running: Job | undefined
  #waiting: ImportTask[] = []
  #ended: Job[] = []
  readonly #records: ImportRecords

  constructor(options: ImporterOptions) {
    this.#options = options
    this.#records = new ImportRecords(options.folders.imports)
  }

  /** Imports that the end of the app broke off are told of, and can be taken back; only where nobody else imports. */
  async carryOn(): Promise<void> {
    for (const { record, unsure } of await this.#records.brokenOff()) {
      const states = await Promise.all(unsure.map(async (path) => ({ path, is: await this.#stateOf(path) })))
      const made = [...record.made, ...states.flatMap(({ path, is }) => (is === undefined ? [] : [{ path, is }]))]
      const whole = { ...record, made }
      if (made.length > 0) await this.#records.finish(whole)
      else await this.#records.end(record.id)
      if (made.length > 0) this.#ended.push(Job.brokenOff(whole))
    }
  }

  /** What an import would do. @throws AppError `file_not_found`, `import_unknown` */
  async plan(task: ImportTask): Promise<ImportPlan> {
    return this.#inThread(async (client) => (await this.#prepare(client, task)).plan)
  }

  /**
   * Copies, and tells how far it is; the last step names what was made. `cancel` ends it after the file at hand; whoever
   * only stops listening leaves it running.
   */
  async *run(task: ImportTask): AsyncGenerator<ImportStep> {
    if (this.#running) throw new AppError('session_busy', 'an import is running', {})
    const job = this.#begin(task)
    for (;;) {
      await job.moved()
      if (job.ended) break
      yield { type: 'progress', done: job.done, total: job.total }
    }
    this.seen(job.id)
    if (job.failure) throw job.failure
    yield { type: 'done', id: job.id, made: job.made.map(({ path }) => path), isCancelled: job.stop.signal.aborted }
  }

  /** Copies behind everybody's back, after what is being copied already: `standing` tells how far it is. */
  start(task: ImportTask): void {
    if (this.#running) this.#waiting.push(task)
    else this.#begin(task)
  }

  /** What is being copied, and what has ended and nobody has seen yet. */
  standing(): ImportStanding {
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

  /** Somebody was told of the end of an import. */
  seen(id: string): void {
    this.#ended = this.#ended.filter((job) => job.id !== id)
  }

  /** Ends what runs, and what waits behind it. */
  cancel(): void {
    this.#waiting = []
    this.#running?.stop.abort()
  }

  #begin(task: ImportTask): Job {
    const job = new Job(task)
    this.#running = job
    void this.#work(job)
    return job
  }

  async #work(job: Job): Promise<void> {
    try {
      await this.#records.begin({ id: job.id, at: this.#options.now().getTime(), source: job.task.path })
      await this.#inThread(async (client) => {
        for (let tries = 1; !(await this.#makeAll(client, job)); tries += 1)
          if (tries === maxTries)
            throw new AppError('file_changed', 'names are taken over and over', { path: job.task.into })
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

  /** @returns false when somebody else took a name meanwhile: what is left then goes elsewhere, links with it */
  async #makeAll(client: WorkerClient<ImportJobs>, job: Job): Promise<boolean> {
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
      job.move(job.made.length, done + steps.length)
    }
    return true
  }

  /** Imports that can be taken back, the latest first. */
  async past(): Promise<PastImport[]> {
    const records = await this.#records.done.all()
    return records.map(([id, { at, source, made, left }]) => ({ id, at, path: source, files: made.length, left }))
  }

  /**
   * Puts what an import made into the trash, but what somebody has changed since, and takes away folders that it made and
   * that are empty now. @throws AppError `import_unknown`
   */
  async undo(id: string): Promise<{ removed: number; left: string[] }> {
    const record = await this.#records.done.get(id)
    if (!record)
      throw new AppError('import_unknown', 'this import was taken back already, or is long ago', { path: '' })
    const { workspace } = this.#options
    const left: (typeof record.made)[number][] = []
    let removed = 0
    for (const one of record.made) {
      const state = await this.#stateOf(one.path)
      // Gone already, which is what was wanted.
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

  #recordOf({ id, task, made, folders }: Job): ImportRecord {
    const at = this.#options.now().getTime()
    return { id, at, source: task.path, made: [...made], folders: [...folders], left: [] }
  }

  /** Folders that a file needs and that are not there. */
  async #missingAbove(path: string): Promise<string[]> {
    const missing: string[] = []
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (await this.#options.workspace.exists(folder)) break
      missing.push(folder)
    }
    return missing
  }

  /** What is known of a file, to be told from another state of it; undefined where there is none. */
  async #stateOf(path: string): Promise<string | undefined> {
    const { workspace } = this.#options
    try {
      if (attachmentType(path) === undefined) return (await workspace.read(path)).hash
      const { size, mtimeMs } = await stat(await workspace.locate(path))
      return `${size}:${mtimeMs}`
    } catch (error) {
      if (error instanceof AppError && error.code === 'file_not_found') return undefined
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined
      // It is no text any more, or may not be read: it is not what was imported.
      if (error instanceof AppError) return ''
      throw error
    }
  }

  /** @param repository the workspace's history, to go with it @throws AppError `folder_too_large` */
  async pack(repository?: string): Promise<Blob> {
    const { workspace, forbidden } = this.#options.workspace.roots
    const { upkeep } = this.#options.folders
    const local = this.#options.localHere()
    return this.#inThread((client) => client.pack({ workspace, forbidden, local, note: undefined, upkeep, repository }))
  }

  /** One note with what it shows. @throws AppError `folder_too_large`, and as `Workspace.locateNote` */
  async packNote(note: string): Promise<Blob> {
    const { workspace: files } = this.#options
    await files.locateNote(note)
    const { workspace, forbidden } = files.roots
    const local = this.#options.localHere()
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

  /** What of the files that are imported is local where they lie; all of an archive that is. */
  async #localOf(path: string): Promise<readonly string[]> {
    const { localIn } = this.#options
    const real = await realpath(path).catch(() => path)
    const isFile = await stat(real).then(
      (info) => info.isFile(),
      () => false,
    )
    if (!isFile) return localIn(real)
    return ruleFor(basename(real), localIn(dirname(real))) === undefined ? [] : ['**']
  }

  /** @returns what the new file is, to be told from another; undefined when somebody else took its name */
  async #attach(path: string, fill: (file: string) => Promise<void>): Promise<string | undefined> {
    try {
      await this.#options.workspace.attach(path, fill)
      return this.#stateOf(path)
    } catch (error) {
      if (error instanceof AppError && error.code === 'file_exists') return undefined
      throw error
    }
  }

  /** @param from where it comes from @returns the same */
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
        // Deletes what it unpacked.
        await client.close().catch(() => undefined)
      }
    })
  }
}
