/**
 * Copies notes from elsewhere into a workspace. First a plan says what would happen; nothing that is here is replaced: a
 * file whose name is taken goes beside the other.
 */
import { randomUUID } from 'node:crypto'
import type { RouterClient } from '@orpc/server'
import type { ImportPlan, ImportStanding, ImportStep } from '../../shared/contract/index.ts'
import { AppError } from '../../shared/errors.ts'
import { expandHome } from '../settings/index.ts'
import { fromOrpcError, startThread } from '../thread/index.ts'
import { isHidden, isPortable, nameFor, type Workspace } from '../workspace/index.ts'
import type { ImportRouter } from './import-thread.ts'
import type { Source } from './read-source.ts'

const origin = { cause: 'import' } as const

export interface ImporterOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly workspace: Workspace
  /** The folder of its proposals: what was exported has them. */
  readonly upkeep?: string | undefined
}

/** One import, from its beginning until somebody was told of its end. */
class Job {
  readonly id = randomUUID()
  readonly path: string
  readonly stop = new AbortController()
  readonly made: string[] = []
  done = 0
  total = 0
  ended = false
  failure: unknown
  #next = Promise.withResolvers<void>()

  constructor(path: string) {
    this.path = path
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
  #waiting: (readonly [path: string, into: string])[] = []
  #ended: Job[] = []

  constructor(options: ImporterOptions) {
    this.#options = options
  }

  /** What an import would do. @throws AppError `file_not_found`, `import_unknown` */
  async plan(path: string, into: string): Promise<ImportPlan> {
    const source = await this.#read(path)
    let [added, same, conflicts] = [0, 0, 0]
    for (const file of source.files) {
      const state = await this.#stateOf(targetOf(into, file.path), file.text)
      if (state === 'new') added += 1
      else if (state === 'same') same += 1
      else conflicts += 1
    }
    const names = source.files.slice(0, 200).map((file) => targetOf(into, file.path))
    return { kind: source.kind, added, same, conflicts, skipped: source.skipped, others: source.others, names }
  }

  /**
   * Copies, and tells how far it is; the last step names what was made. `cancel` ends it after the file at hand; whoever
   * only stops listening leaves it running.
   */
  async *run(path: string, into: string): AsyncGenerator<ImportStep> {
    if (this.#running) throw new AppError('session_busy', 'an import is running', {})
    const job = this.#begin(path, into)
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
  start(path: string, into: string): void {
    if (this.#running) this.#waiting.push([path, into])
    else this.#begin(path, into)
  }

  /** What is being copied, and what has ended and nobody has seen yet. */
  standing(): ImportStanding {
    const running = this.#running
    return {
      running: running ? { path: running.path, done: running.done, total: running.total } : null,
      ended: this.#ended.map(({ id, path, made, failure, stop }) => ({
        id,
        path,
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

  #begin(path: string, into: string): Job {
    const job = new Job(path)
    this.#running = job
    void this.#work(job, into)
    return job
  }

  async #work(job: Job, into: string): Promise<void> {
    try {
      const { files } = await this.#read(job.path)
      for (const [index, file] of files.entries()) {
        if (job.stop.signal.aborted) break
        const target = await this.#copy(targetOf(into, file.path), file.text)
        if (target !== undefined) job.made.push(target)
        job.move(index + 1, files.length)
      }
    } catch (error) {
      job.failure = error
    }
    this.#running = undefined
    this.#ended.push(job)
    job.end()
    const [next, ...rest] = this.#waiting
    this.#waiting = rest
    if (next) this.#begin(...next)
  }

  /** Puts imported files into the trash. */
  async undo(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      try {
        await this.#options.workspace.remove(path, origin)
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

  #read(path: string): Promise<Source> {
    return this.#inThread((client) => client.read(expandHome(path.trim())))
  }

  /** @returns where it was put; undefined when it is there already */
  async #copy(target: string, text: string): Promise<string | undefined> {
    const [, stem = target, extension = ''] = /^(.*?)(\.[^./]+)$/.exec(target) ?? []
    for (let number = 1; ; number += 1) {
      const path = number === 1 ? target : `${stem} ${number}${extension}`
      const state = await this.#stateOf(path, text)
      if (state === 'same') return undefined
      if (state === 'new' && (await this.#create(path, text))) return path
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

  async #stateOf(path: string, text: string): Promise<'new' | 'same' | 'taken'> {
    const { workspace } = this.#options
    if (!(await workspace.exists(path))) return 'new'
    try {
      return (await workspace.read(path)).text === text ? 'same' : 'taken'
    } catch (error) {
      if (error instanceof AppError) return 'taken'
      throw error
    }
  }

  async #inThread<T>(work: (client: RouterClient<ImportRouter>) => Promise<T>): Promise<T> {
    const thread = startThread<RouterClient<ImportRouter>>(this.#options.entry)
    try {
      return await work(thread.client)
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      await thread.terminate()
    }
  }
}

/** What comes from another system gets names that every one takes. */
function targetOf(into: string, path: string): string {
  const folder = into.trim().replace(/^\/+|\/+$/g, '')
  const steps = path.split('/')
  const file = steps.pop() ?? ''
  const named = [...steps.map((step) => (isFit(step) ? step : nameFor(step, 'Folder'))), fileNameFor(file)].join('/')
  return folder === '' ? named : `${folder}/${named}`
}

function fileNameFor(name: string): string {
  if (isFit(name)) return name
  const [, stem = name, extension = ''] = /^(.*?)(\.[^.]+)$/.exec(name) ?? []
  return `${nameFor(stem, 'Note')}${extension}`
}

/** Room for a number is left, should the name be taken. */
const maxNameBytes = 240

function isFit(name: string): boolean {
  return isPortable(name) && !isHidden(name) && Buffer.byteLength(name) <= maxNameBytes
}
