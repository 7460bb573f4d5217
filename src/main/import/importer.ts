/**
 * Copies notes from elsewhere into a workspace, with the pictures and recordings that they show. First a plan says what
 * would happen; nothing that is here is replaced: a file whose name is taken goes beside the other.
 */
import { randomUUID } from 'node:crypto'
import type { RouterClient } from '@orpc/server'
import type { ImportPlan, ImportStanding, ImportStep } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { expandHome } from '../settings/index.ts'
import { fromOrpcError, startThread } from '../thread/index.ts'
import { attachmentType } from '../../shared/attachments.ts'
import type { Workspace } from '../workspace/index.ts'
import type { ImportRouter } from './import-thread.ts'
import { targetOf } from './names.ts'

const origin = { cause: 'import' } as const

export interface ImporterOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly workspace: Workspace
  /** The folder of its proposals: what was exported has them. */
  readonly upkeep?: string | undefined
}

/** What is imported, and where to. */
export interface ImportTask {
  readonly path: string
  readonly into: string
  readonly withAttachments: boolean
}

/** How often names may be taken by somebody else meanwhile. */
const maxTries = 5

/** One import, from its beginning until somebody was told of its end. */
class Job {
  readonly id = randomUUID()
  readonly task: ImportTask
  readonly stop = new AbortController()
  readonly made: string[] = []
  done = 0
  total = 0
  ended = false
  failure: unknown
  #next = Promise.withResolvers<void>()

  constructor(task: ImportTask) {
    this.task = task
  }

  /** Resolves when it is a step further. */
  moved(): Promise<void> {
    return this.ended ? Promise.resolve() : this.#next.promise
  }

  move(done: number, total: number): void {
    this.done = done
    this.total = total
    this.#tell()
  }

  end(): void {
    this.ended = true
    this.#tell()
  }

  #tell(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers<void>()
  }
}

export class Importer {
  readonly #options: ImporterOptions
  #running: Job | undefined
  #waiting: ImportTask[] = []
  #ended: Job[] = []

  constructor(options: ImporterOptions) {
    this.#options = options
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
    yield { type: 'done', made: job.made, isCancelled: job.stop.signal.aborted }
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
        made,
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
      await this.#inThread(async (client) => {
        for (let tries = 1; !(await this.#makeAll(client, job)); tries += 1)
          if (tries === maxTries)
            throw new AppError('file_changed', 'names are taken over and over', { path: job.task.into })
      })
    } catch (error) {
      job.failure = error
    }
    this.#running = undefined
    this.#ended.push(job)
    job.end()
    const [next, ...rest] = this.#waiting
    this.#waiting = rest
    if (next) this.#begin(next)
  }

  /** @returns false when somebody else took a name meanwhile: what is left then goes elsewhere, links with it */
  async #makeAll(client: RouterClient<ImportRouter>, job: Job): Promise<boolean> {
    const { attachments, notes } = await this.#prepare(client, job.task)
    const steps = [
      ...attachments.map(({ path, from }) => ({ path, make: () => this.#attach(client, path, from) })),
      ...notes.map(({ path, text }) => ({ path, make: () => this.#create(path, text) })),
    ]
    const done = job.made.length
    for (const { path, make } of steps) {
      if (job.stop.signal.aborted) break
      if (!(await make())) return false
      job.made.push(path)
      job.move(job.made.length, done + steps.length)
    }
    return true
  }

  /** Puts imported files into the trash. */
  async undo(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      try {
        if (attachmentType(path) === undefined) await this.#options.workspace.remove(path, origin)
        else await this.#options.workspace.detach(path)
      } catch (error) {
        // Gone already, which is what was wanted.
        if (!(error instanceof AppError && error.code === 'file_not_found')) throw error
      }
    }
  }

  /** @param repository the workspace's history, to go with it @throws AppError `folder_too_large` */
  async pack(repository?: string): Promise<Blob> {
    const { workspace, forbidden } = this.#options.workspace.roots
    const { upkeep } = this.#options
    return this.#inThread((client) => client.pack({ workspace, forbidden, upkeep, repository }))
  }

  async #prepare(client: RouterClient<ImportRouter>, { path, into, withAttachments }: ImportTask) {
    const { roots } = this.#options.workspace
    await this.#options.workspace.locate(targetOf(into, 'note.md'))
    const { workspace, forbidden } = roots
    const task = { path: expandHome(path.trim()), into, withAttachments, roots: { workspace, forbidden } }
    return client.prepare(task).catch((error: unknown) => {
      throw fromOrpcError(error)
    })
  }

  async #attach(client: RouterClient<ImportRouter>, path: string, from: string): Promise<boolean> {
    try {
      await this.#options.workspace.attach(path, async (to) => {
        await client.copy({ from, to }).catch((error: unknown) => {
          throw fromOrpcError(error)
        })
      })
      return true
    } catch (error) {
      if (error instanceof AppError && error.code === 'file_exists') return false
      throw error
    }
  }

  /** @returns false when somebody else made a file of that name meanwhile */
  async #create(path: string, text: string): Promise<boolean> {
    let isNew = true
    await this.#options.workspace.edit(path, origin, (current) => {
      isNew = current === undefined
      return current ?? text
    })
    return isNew
  }

  async #inThread<T>(work: (client: RouterClient<ImportRouter>) => Promise<T>): Promise<T> {
    const thread = startThread<RouterClient<ImportRouter>>(this.#options.entry)
    try {
      return await work(thread.client)
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      // What it unpacked goes with it.
      await thread.client.close().catch(() => undefined)
      await thread.terminate()
    }
  }
}
