import { randomUUID } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import type { ImportRecord } from './import-records.ts'

export interface ImportTask {
  readonly path: string
  readonly into: string
  readonly withAttachments: boolean
}

/** One import, until the interface has shown its result. `done` and `total` count files; `is`: see `ImportRecord`. */
export class ImportJob {
  readonly id: string
  readonly task: ImportTask
  readonly abortController = new AbortController()
  readonly createdFiles: { path: string; is: string }[] = []
  readonly folders = new Set<string>()
  done = 0
  total = 0
  hasEnded = false
  failure: unknown
  #nextProgress = Promise.withResolvers<void>()

  constructor(task: ImportTask, id: string = randomUUID()) {
    this.task = task
    this.id = id
  }

  /** Resolves at the next progress, or at once if the job has ended. */
  nextProgress(): Promise<void> {
    return this.hasEnded ? Promise.resolve() : this.#nextProgress.promise
  }

  reportProgress(done: number, total: number): void {
    this.done = done
    this.total = total
    this.#notify()
  }

  end(): void {
    this.hasEnded = true
    this.#notify()
  }

  /** Returns an ended job, failed with `import_broken_off`, for an import that a crash interrupted. */
  static fromInterrupted({ id, source, made, folders }: ImportRecord): ImportJob {
    const job = new ImportJob({ path: source, into: '', withAttachments: false }, id)
    job.createdFiles.push(...made)
    for (const folder of folders) job.folders.add(folder)
    job.failure = new AppError('import_broken_off', 'the app ended during the import', { path: source })
    job.end()
    return job
  }

  #notify(): void {
    this.#nextProgress.resolve()
    this.#nextProgress = Promise.withResolvers<void>()
  }
}
