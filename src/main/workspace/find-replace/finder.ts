/**
 * Finds and replaces text in all notes. A replacement uses the stored results of a search: notes that have changed
 * since are skipped and reported. Each replacement is one batch with one undo.
 */
import { randomUUID } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import type { FindEvent, LeftFile, ReplaceEvent } from '#shared/contract/index.ts'
import { inBatches, WorkerHost } from '#platform'
import { toLeftFile, type Batches } from '../transactions/batches.ts'
import type { TextWrite } from '../transactions/settle-text.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-writer.ts'
import type { FindJobs } from './find.worker.ts'
import type { SearchQuery } from './text-matches.ts'

const idleMs = 60_000
const maxSearches = 8
const atOnce = 16

interface Search {
  readonly wanted: SearchQuery
  /** Hash of the searched text by path. */
  readonly files: ReadonlyMap<string, string>
}

interface Planned extends TextWrite {
  readonly count: number
}

export interface FinderOptions {
  readonly entry: URL
  readonly workspace: Workspace
  readonly batches: Batches
}

export class Finder {
  readonly #options: FinderOptions
  readonly #searches = new Map<string, Search>()
  readonly #stops = new Map<string, AbortController>()
  readonly #worker: WorkerHost<FindJobs>

  constructor(options: FinderOptions) {
    this.#options = options
    this.#worker = new WorkerHost({ entry: options.entry, idleMs })
  }

  /**
   * Yields results while the search runs; the last event has the id for `replace`.
   * @throws AppError `input_invalid` for an invalid pattern
   */
  async *find(wanted: SearchQuery, signal: AbortSignal | undefined): AsyncGenerator<FindEvent> {
    const files = new Map<string, string>()
    const steps = this.#worker.stream((client) => client.search({ ...this.#searchRoots(), wanted }, { signal }))
    for await (const step of steps) {
      for (const { path, hash } of step.found) files.set(path, hash)
      const found = step.found.map(({ hash: _hash, ...file }) => file)
      yield { type: 'found', found, unread: [...step.unread], done: step.done, total: step.total }
    }
    const search = randomUUID()
    setBounded(this.#searches, search, { wanted, files }, maxSearches)
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
    const known = this.#searches.get(search)
    if (!known) throw new AppError('search_outdated', 'the search results have expired; search again', {})
    const files = [...known.files].filter(([path]) => paths === undefined || paths.includes(path))
    const { text } = known.wanted
    const stop = new AbortController()
    const { signal } = stop
    this.#stops.set(search, stop)
    try {
      yield { type: 'progress', done: 0, total: files.length }
      const { changes, left: skipped } = await this.#planReplacements({ ...known.wanted, replacement }, files, signal)
      const counts = new Map(changes.map((change) => [change.path, change.count]))
      const countOf = (writes: readonly TextWrite[]) =>
        writes.reduce((sum, { path }) => sum + (counts.get(path) ?? 0), 0)
      const batchOf = (writes: readonly TextWrite[]) => ({ replacement: { text, replacement, count: countOf(writes) } })
      const { batches } = this.#options
      const made = yield* streamProgress(async (onProgress) => {
        if (signal.aborted) return []
        try {
          return (await batches.write(batchOf(changes), changes, origin, { skipped, signal, onProgress })).texts
        } catch (error) {
          if (signal.aborted) return []
          throw error
        }
      })
      const undo = made.length === 0 ? null : await batches.storeUndo(batchOf(made), made, [])
      // A stop after the last write has no effect: the user gets an undo instead.
      const isStopped = signal.aborted && made.length === 0
      yield { type: 'done', count: countOf(made), files: made.length, left: skipped, isStopped, undo }
    } finally {
      stop.abort()
      this.#stops.delete(search)
    }
  }

  /** Stops a running replacement and rolls it back. */
  stop(search: string): void {
    this.#stops.get(search)?.abort()
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.values()) stop.abort()
    await this.#worker.close()
  }

  async #planReplacements(
    wanted: SearchQuery & { readonly replacement: string },
    files: readonly (readonly [path: string, hash: string])[],
    signal: AbortSignal,
  ): Promise<{ changes: Planned[]; left: LeftFile[] }> {
    const all = await inBatches(files, atOnce, async ([path, hash]): Promise<Planned | LeftFile | undefined> => {
      if (signal.aborted) return undefined
      if (await this.#options.workspace.isProtected(path)) return { path, reason: 'refused' }
      try {
        const request = { ...this.#searchRoots(), wanted, file: { path, hash } }
        const made = await this.#worker.run((client) => client.rewrite(request))
        return made ? { ...made, newPath: path } : { path, reason: 'changed' }
      } catch (error) {
        return toLeftFile(path, error)
      }
    })
    const known = all.filter((one) => one !== undefined)
    return {
      changes: known.flatMap((one) => (isSkipped(one) ? [] : [one])),
      left: known.filter((one) => isSkipped(one)),
    }
  }

  #searchRoots() {
    const { workspace, forbidden } = this.#options.workspace.roots
    return { workspace, forbidden: [...forbidden] }
  }
}

function isSkipped(one: Planned | LeftFile): one is LeftFile {
  return 'reason' in one
}

/** Yields the progress of `work`. Skips events if the consumer is slow. */
async function* streamProgress<Of>(
  work: (reportProgress: (done: number, total: number) => void) => Promise<Of>,
): AsyncGenerator<ReplaceEvent, Of> {
  let latest: ReplaceEvent | undefined
  let news = Promise.withResolvers<boolean>()
  const end = work((done, total) => {
    latest = { type: 'progress', done, total }
    news.resolve(false)
  })
  const ended = end.then(
    () => true,
    () => true,
  )
  for (let isOver = false; !isOver;) {
    isOver = await Promise.race([ended, news.promise])
    news = Promise.withResolvers<boolean>()
    if (latest) yield latest
    latest = undefined
  }
  return end
}

function setBounded<Value>(map: Map<string, Value>, key: string, value: Value, maxSize: number): void {
  map.set(key, value)
  for (const old of [...map.keys()].slice(0, -maxSize)) map.delete(old)
}
