/** A replacement uses the stored results of a search: notes that have changed since are skipped and reported. */
import { randomUUID } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import type { FindEvent, LeftFile, ReplaceEvent } from '#shared/contract/index.ts'
import { streamProgress, WorkerHost } from '#platform'
import { setBounded } from '#shared/util/lazy.ts'
import { toLeftFile } from '../transactions/batch.ts'
import type { TransactionOptions } from '../transactions/transaction.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import type { FindJobs } from './find.worker.ts'
import type { Rewrite, SearchQuery } from './search-files.ts'

const idleMs = 60_000
const maxSearches = 8
const nothingWritten: { count: number; files: number; change: number | null } = { count: 0, files: 0, change: null }

export class Finder {
  readonly #workspace: Workspace
  readonly #searches = new Map<string, { readonly query: SearchQuery; readonly files: ReadonlyMap<string, string> }>()
  readonly #runningReplacements = new Map<string, AbortController>()
  readonly #worker: WorkerHost<FindJobs>

  constructor(entry: URL, workspace: Workspace) {
    this.#workspace = workspace
    this.#worker = new WorkerHost({ entry, idleMs })
  }

  /** Finds matches. The last event has the id for `replace`. @throws AppError `input_invalid` for an invalid pattern */
  async *find(query: SearchQuery, signal?: AbortSignal): AsyncGenerator<FindEvent> {
    const files = new Map<string, string>()
    const { workspace, forbidden } = this.#workspace.roots
    const steps = this.#worker.stream((client) => client.search({ workspace, forbidden, query }, { signal }), signal)
    for await (const { event, hashes } of steps) {
      for (const [path, hash] of hashes) files.set(path, hash)
      yield event
    }
    const search = randomUUID()
    setBounded(this.#searches, search, { query, files }, maxSearches)
    yield { type: 'done', search }
  }

  /** Atomic; after a crash, the next start finishes it. @throws AppError `search_outdated` */
  async *replace(
    { search, replacement, paths }: { search: string; replacement: string; paths?: readonly string[] | undefined },
    origin: WriteOrigin,
  ): AsyncGenerator<ReplaceEvent> {
    const storedSearch = this.#searches.get(search)
    if (!storedSearch) throw new AppError('search_outdated', 'the search results have expired; search again', {})
    const files = [...storedSearch.files].filter(([path]) => paths === undefined || paths.includes(path))
    const query = { ...storedSearch.query, replacement }
    const abortController = new AbortController()
    const { signal } = abortController
    this.#runningReplacements.set(search, abortController)
    const left: LeftFile[] = []
    let written = nothingWritten
    try {
      yield { type: 'progress', done: 0, total: files.length }
      try {
        const { workspace, forbidden } = this.#workspace.roots
        const plan = await this.#worker.run((client) =>
          client.rewrite({ workspace, forbidden, query, files }, { signal }),
        )
        left.push(...plan.left)
        written = yield* streamProgress((onProgress) =>
          this.#write(query, plan.rewrites, left, origin, { signal, onProgress }),
        )
      } catch (error) {
        if (!signal.aborted) throw error
      }
      // A stop after the last write has no effect: the user can undo the replacement instead.
      yield { type: 'done', ...written, left, isStopped: signal.aborted && written.files === 0 }
    } finally {
      abortController.abort()
      this.#runningReplacements.delete(search)
    }
  }

  stop(search: string): void {
    this.#runningReplacements.get(search)?.abort()
  }

  async close(): Promise<void> {
    for (const abortController of this.#runningReplacements.values()) abortController.abort()
    await this.#worker.close()
  }

  /** Writes all notes as one change. Adds those that cannot be written to `left` and writes the others. */
  async #write(
    { text, replacement }: { readonly text: string; readonly replacement: string },
    rewrites: readonly Rewrite[],
    left: LeftFile[],
    origin: WriteOrigin,
    options: TransactionOptions,
  ): Promise<typeof nothingWritten> {
    for (let remaining = rewrites; remaining.length > 0;) {
      const count = remaining.reduce((sum, rewrite) => sum + rewrite.count, 0)
      const batch = { replacement: { text, replacement, count } }
      try {
        const { change = null } = await this.#workspace.runTransaction(batch, remaining, origin, options)
        return { count, files: remaining.length, change }
      } catch (error) {
        const path = error instanceof AppError ? error.data['path'] : undefined
        const others = remaining.filter((rewrite) => rewrite.path !== path)
        if (options.signal?.aborted || typeof path !== 'string' || others.length === remaining.length) throw error
        left.push(toLeftFile(path, error))
        remaining = others
      }
    }
    return nothingWritten
  }
}
