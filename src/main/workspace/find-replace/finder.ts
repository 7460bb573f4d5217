/**
 * Finds a text in all notes of a workspace and replaces it. What was found is kept for a while under a name, so that a
 * replacement is of exactly what was told: a note that is another since is left as it is, and named. All that one
 * replacement does is one change, and can be taken back at once.
 */
import { randomUUID } from 'node:crypto'
import { AppError } from '#shared/util/errors.ts'
import type { FindEvent, LeftFile, ReplaceEvent } from '#shared/contract/index.ts'
import { inBatches, WorkerHost } from '#platform'
import { leftBy, type Batches } from '../transactions/batches.ts'
import type { TextWrite } from '../transactions/settle-text.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import type { FindJobs } from './find.worker.ts'
import type { Wanted } from './text-matches.ts'

/** The worker ends after so long without a request, ms. */
const idleMs = 60_000
/** Searches of which it is known what they found. */
const maxSearches = 8
/** Files that are read at the same time. */
const atOnce = 16

interface Search {
  readonly wanted: Wanted
  /** By path: the hash of the text that it was found in. */
  readonly files: ReadonlyMap<string, string>
}

interface Planned extends TextWrite {
  /** Matches. */
  readonly count: number
}

export interface FinderOptions {
  /** The thread's entry. */
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

  /** Tells what is found as it is found; the last step has a name for all of it. @throws AppError `input_invalid` */
  async *find(wanted: Wanted, signal: AbortSignal | undefined): AsyncGenerator<FindEvent> {
    const files = new Map<string, string>()
    const steps = this.#worker.stream((client) => client.search({ ...this.#where(), wanted }, { signal }))
    for await (const step of steps) {
      for (const { path, hash } of step.found) files.set(path, hash)
      const found = step.found.map(({ hash: _hash, ...file }) => file)
      yield { type: 'found', found, unread: [...step.unread], done: step.done, total: step.total }
    }
    const search = randomUUID()
    keep(this.#searches, search, { wanted, files }, maxSearches)
    yield { type: 'done', search }
  }

  /**
   * Replaces what a search found, in all of its files or some: all of it or, where it is stopped or the iteration ends,
   * nothing. What a crash interrupts is finished by the next start.
   * @param paths of the search; all of them when left out
   * @throws AppError `search_outdated` for one that is not known any more
   */
  async *replace(
    { search, replacement, paths }: { search: string; replacement: string; paths?: readonly string[] | undefined },
    origin: WriteOrigin,
  ): AsyncGenerator<ReplaceEvent> {
    const known = this.#searches.get(search)
    if (!known) throw new AppError('search_outdated', 'what was found is not known any more; search once more', {})
    const files = [...known.files].filter(([path]) => paths === undefined || paths.includes(path))
    const { text } = known.wanted
    const stop = new AbortController()
    const { signal } = stop
    this.#stops.set(search, stop)
    try {
      yield { type: 'progress', done: 0, total: files.length }
      const { changes, left } = await this.#planned({ ...known.wanted, replacement }, files, signal)
      const counts = new Map(changes.map((change) => [change.path, change.count]))
      const countOf = (of: readonly TextWrite[]) => of.reduce((sum, { path }) => sum + (counts.get(path) ?? 0), 0)
      const batchOf = (of: readonly TextWrite[]) => ({ replacement: { text, replacement, count: countOf(of) } })
      const { batches } = this.#options
      const made = yield* progressOf(async (onProgress) => {
        if (signal.aborted) return []
        try {
          return (await batches.write(batchOf(changes), changes, origin, { left, signal, onProgress })).texts
        } catch (error) {
          if (signal.aborted) return []
          throw error
        }
      })
      const undo = made.length === 0 ? null : await batches.keep(batchOf(made), made, [])
      // Who stops when all is written already is too late, and has the way back.
      const isStopped = signal.aborted && made.length === 0
      yield { type: 'done', count: countOf(made), files: made.length, left, isStopped, undo }
    } finally {
      stop.abort()
      this.#stops.delete(search)
    }
  }

  /** Takes a replacement back that is under way. */
  stop(search: string): void {
    this.#stops.get(search)?.abort()
  }

  async close(): Promise<void> {
    for (const stop of this.#stops.values()) stop.abort()
    await this.#worker.close()
  }

  /** What each file would be; those that are others by now, or may not be written, are left. */
  async #planned(
    wanted: Wanted & { readonly replacement: string },
    files: readonly (readonly [path: string, hash: string])[],
    signal: AbortSignal,
  ): Promise<{ changes: Planned[]; left: LeftFile[] }> {
    const all = await inBatches(files, atOnce, async ([path, hash]): Promise<Planned | LeftFile | undefined> => {
      if (signal.aborted) return undefined
      if (await this.#options.workspace.isProtected(path)) return { path, reason: 'refused' }
      try {
        const asked = { ...this.#where(), wanted, file: { path, hash } }
        const made = await this.#worker.run((client) => client.rewrite(asked))
        return made ? { ...made, newPath: path } : { path, reason: 'changed' }
      } catch (error) {
        return leftBy(path, error)
      }
    })
    const known = all.filter((one) => one !== undefined)
    return {
      changes: known.flatMap((one) => (isLeft(one) ? [] : [one])),
      left: known.filter((one) => isLeft(one)),
    }
  }

  #where() {
    const { workspace, forbidden } = this.#options.workspace.roots
    return { workspace, forbidden: [...forbidden] }
  }
}

function isLeft(one: Planned | LeftFile): one is LeftFile {
  return 'reason' in one
}

/** What a piece of work tells while it is under way: the latest only, to whoever keeps up. */
async function* progressOf<Of>(
  work: (tell: (done: number, total: number) => void) => Promise<Of>,
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

function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.set(key, value)
  for (const old of [...map.keys()].slice(0, -most)) map.delete(old)
}
