/**
 * Finds and replaces text in all notes. A replacement uses the stored results of a search: notes that have changed
 * since are skipped and reported. Each replacement is one batch with one undo.
 */
import { randomUUID } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import type { FindEvent, LeftFile, ReplaceEvent } from '#shared/contract/index.ts'
import { inBatches, setBounded, WorkerHost } from '#platform'
import { toLeftFile, type Batches } from '../transactions/batches.ts'
import type { TextWrite } from '../transactions/settle-text.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import type { FindJobs } from './find.worker.ts'
import type { Rewrite } from './search-files.ts'
import type { SearchQuery } from './text-matches.ts'

const idleMs = 60_000
const maxSearches = 8
const batchSize = 16

interface Search {
  readonly query: SearchQuery
  readonly files: ReadonlyMap<string, string>
}

export interface FinderOptions {
  readonly entry: URL
  readonly workspace: Workspace
  readonly batches: Batches
}

export class Finder {
  readonly #options: FinderOptions
  readonly #searches = new Map<string, Search>()
  readonly #runningReplacements = new Map<string, AbortController>()
  readonly #worker: WorkerHost<FindJobs>

  constructor(options: FinderOptions) {
    this.#options = options
    this.#worker = new WorkerHost({ entry: options.entry, idleMs })
  }

  /**
   * Yields results while the search runs; the last event has the id for `replace`.
   * @throws AppError `input_invalid` for an invalid pattern
   */
  async *find(query: SearchQuery, signal?: AbortSignal): AsyncGenerator<FindEvent> {
    const files = new Map<string, string>()
    const steps = this.#worker.stream((client) => client.search({ ...this.#searchRoots(), query }, { signal }))
    for await (const step of steps) {
      for (const { path, hash } of step.found) files.set(path, hash)
      const found = step.found.map(({ hash: _hash, ...file }) => file)
      yield { type: 'found', found, unread: [...step.unread], done: step.done, total: step.total }
    }
    const search = randomUUID()
    setBounded(this.#searches, search, { query, files }, maxSearches)
    yield { type: 'done', search }
  }

  /**
   * Replaces the matches of a search in all of its files or in `paths`. Atomic: nothing is changed if it is stopped or
   * the caller ends the iteration. After a crash, the next start finishes it.
   * @throws AppError `search_outdated` if the results of the search are no longer stored
   */
  async *replace(
    { search, replacement, paths }: { search: string; replacement: string; paths?: readonly string[] | undefined },
    origin: WriteOrigin,
  ): AsyncGenerator<ReplaceEvent> {
    const storedSearch = this.#searches.get(search)
    if (!storedSearch) throw new AppError('search_outdated', 'the search results have expired; search again', {})
    const files = [...storedSearch.files].filter(([path]) => paths === undefined || paths.includes(path))
    const { query } = storedSearch
    const { text } = query
    const abortController = new AbortController()
    const { signal } = abortController
    this.#runningReplacements.set(search, abortController)
    try {
      yield { type: 'progress', done: 0, total: files.length }
      const { changes, left: skipped } = await this.#planReplacements({ ...query, replacement }, files, signal)
      const counts = new Map(changes.map((change) => [change.path, change.count]))
      const countOf = (writes: readonly TextWrite[]) =>
        writes.reduce((sum, { path }) => sum + (counts.get(path) ?? 0), 0)
      const batchOf = (writes: readonly TextWrite[]) => ({ replacement: { text, replacement, count: countOf(writes) } })
      const { batches } = this.#options
      const written = yield* streamProgress(async (onProgress) => {
        if (signal.aborted) return []
        try {
          return (await batches.write(batchOf(changes), changes, origin, { skipped, signal, onProgress })).texts
        } catch (error) {
          if (signal.aborted) return []
          throw error
        }
      })
      const undo = written.length === 0 ? null : await batches.storeUndo(batchOf(written), written, [])
      // A stop after the last write has no effect: the user can undo the replacement instead.
      const isStopped = signal.aborted && written.length === 0
      yield { type: 'done', count: countOf(written), files: written.length, left: skipped, isStopped, undo }
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

  async #planReplacements(
    query: SearchQuery & { readonly replacement: string },
    files: readonly (readonly [path: string, hash: string])[],
    signal: AbortSignal,
  ): Promise<{ changes: Rewrite[]; left: LeftFile[] }> {
    const results = await inBatches(files, batchSize, async ([path, hash]): Promise<Rewrite | LeftFile | undefined> => {
      if (signal.aborted) return undefined
      if (await this.#options.workspace.isProtected(path)) return { path, reason: 'refused' }
      try {
        const request = { ...this.#searchRoots(), query, file: { path, hash } }
        const rewritten = await this.#worker.run((client) => client.rewrite(request))
        return rewritten ?? { path, reason: 'changed' }
      } catch (error) {
        return toLeftFile(path, error)
      }
    })
    const completed = results.filter((result) => result !== undefined)
    return {
      changes: completed.flatMap((result) => (isSkipped(result) ? [] : [result])),
      left: completed.filter((result) => isSkipped(result)),
    }
  }

  #searchRoots() {
    const { workspace, forbidden } = this.#options.workspace.roots
    return { workspace, forbidden: [...forbidden] }
  }
}

function isSkipped(result: Rewrite | LeftFile): result is LeftFile {
  return 'reason' in result
}

/** Yields the progress of `work`. Skips events if the consumer is slow. */
async function* streamProgress<Result>(
  work: (reportProgress: (done: number, total: number) => void) => Promise<Result>,
): AsyncGenerator<ReplaceEvent, Result> {
  let latest: ReplaceEvent | undefined
  let nextEvent = Promise.withResolvers<boolean>()
  const result = work((done, total) => {
    latest = { type: 'progress', done, total }
    nextEvent.resolve(false)
  })
  const settled = Promise.allSettled([result]).then(() => true)
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([settled, nextEvent.promise])
    nextEvent = Promise.withResolvers<boolean>()
    if (latest) yield latest
    latest = undefined
  }
  return result
}
