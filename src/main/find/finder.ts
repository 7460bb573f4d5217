/**
 * Finds a text in all notes of a workspace and replaces it. What was found is kept for a while under a name, so that a
 * replacement is of exactly what was told: a note that is another since is left as it is, and named. All that one
 * replacement did can be taken back at once.
 */
import { randomUUID } from 'node:crypto'
import type { RouterClient } from '@orpc/server'
import { AppError } from '../../shared/errors.ts'
import type { FindEvent, LeftFile, PastReplacement, ReplaceEvent } from '../../shared/contract/index.ts'
import type { Clock } from '../clock.ts'
import type { Differ } from '../diff/index.ts'
import { fromOrpcError, startThread, type Thread } from '../thread/index.ts'
import { hashText, type Workspace, type WriteOrigin } from '../workspace/index.ts'
import type { FindRouter } from './find-thread.ts'
import type { Wanted } from './matches.ts'

/** A thread that nobody asks for so long gives its memory back, ms. */
const idleMs = 60_000
/** Searches of which it is known what they found, and replacements that can be taken back; older ones stand in the history. */
const maxSearches = 8
const maxDone = 5

type FindClient = RouterClient<FindRouter>

interface Search {
  readonly wanted: Wanted
  /** By path: the hash of the text that it was found in. */
  readonly files: ReadonlyMap<string, string>
}

/** A replacement that can be taken back. */
interface Replacement {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly text: string
  readonly replacement: string
  /** Matches. */
  readonly count: number
  readonly files: readonly Done[]
}

interface Done {
  readonly path: string
  readonly before: string
  readonly after: string
}

export interface FinderOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly workspace: Workspace
  readonly differ: Differ
  readonly now: Clock
}

export class Finder {
  readonly #options: FinderOptions
  readonly #searches = new Map<string, Search>()
  readonly #done = new Map<string, Replacement>()
  readonly #stops = new Map<string, AbortController>()
  #thread: Thread<FindClient> | undefined
  #open = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: FinderOptions) {
    this.#options = options
  }

  /** Tells what is found as it is found; the last step has a name for all of it. @throws AppError `input_invalid` */
  async *find(wanted: Wanted, signal: AbortSignal | undefined): AsyncGenerator<FindEvent> {
    const files = new Map<string, string>()
    const thread = this.#take()
    try {
      for await (const step of await thread.client.search({ ...this.#where(), wanted }, signal ? { signal } : {})) {
        for (const { path, hash } of step.found) files.set(path, hash)
        const found = step.found.map(({ hash: _hash, ...file }) => file)
        yield { type: 'found', found, unread: [...step.unread], done: step.done, total: step.total }
      }
    } catch (error) {
      throw fromOrpcError(error)
    } finally {
      this.#release(thread)
    }
    const search = randomUUID()
    keep(this.#searches, search, { wanted, files }, maxSearches)
    yield { type: 'done', search }
  }

  /**
   * Replaces what a search found, in all of its files or some. Ending the iteration, or `stop`, ends it after the file at
   * hand.
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
    const wanted = { ...known.wanted, replacement }
    const done: Done[] = []
    const left: LeftFile[] = []
    const [undo, stop] = [randomUUID(), new AbortController()]
    this.#stops.set(search, stop)
    let count = 0
    const thread = this.#take()
    try {
      for (const [at, [path, hash]] of files.entries()) {
        if (stop.signal.aborted) break
        const made = await this.#replaceIn(thread, wanted, { path, hash }, origin)
        if ('reason' in made) left.push(made)
        else {
          done.push(made)
          count += made.count
        }
        yield { type: 'progress', done: at + 1, total: files.length }
      }
    } finally {
      this.#stops.delete(search)
      this.#release(thread)
      const at = this.#options.now().getTime()
      if (done.length > 0) keep(this.#done, undo, { at, text: wanted.text, replacement, count, files: done }, maxDone)
    }
    const isStopped = stop.signal.aborted
    yield { type: 'done', count, files: done.length, left, isStopped, undo: done.length > 0 ? undo : null }
  }

  /** Ends a replacement after the file at hand. */
  stop(search: string): void {
    this.#stops.get(search)?.abort()
  }

  /** Replacements that `undo` can take back, latest first. */
  past(): PastReplacement[] {
    return [...this.#done].toReversed().map(([undo, { at, text, replacement, count, files }]) => ({
      undo,
      at,
      text,
      replacement,
      count,
      files: files.length,
    }))
  }

  /**
   * Takes a whole replacement back, also where other lines were changed since.
   * @throws AppError `undo_conflict` when it was taken back already, or was long ago
   */
  async *undo(undo: string, origin: WriteOrigin): AsyncGenerator<ReplaceEvent> {
    const done = this.#done.get(undo)
    if (!done) throw new AppError('undo_conflict', 'this was taken back already, or was long ago', { path: '' })
    this.#done.delete(undo)
    const left: LeftFile[] = []
    for (const [at, change] of done.files.entries()) {
      const problem = await this.#takeBack(change, origin)
      if (problem) left.push(problem)
      yield { type: 'progress', done: at + 1, total: done.files.length }
    }
    const files = done.files.length - left.length
    yield { type: 'done', count: files, files, left, isStopped: false, undo: null }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    for (const stop of this.#stops.values()) stop.abort()
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }

  async #replaceIn(
    thread: Thread<FindClient>,
    wanted: Wanted & { readonly replacement: string },
    file: { readonly path: string; readonly hash: string },
    origin: WriteOrigin,
  ): Promise<(Done & { count: number }) | LeftFile> {
    const { path, hash } = file
    try {
      const made = await thread.client.rewrite({ ...this.#where(), wanted, file })
      if (!made) return { path, reason: 'changed' }
      await this.#options.workspace.edit(path, origin, (current) => {
        if (current === undefined || hashText(current) !== hash)
          throw new AppError('file_changed', `${path} was changed meanwhile`, { path })
        return made.after
      })
      return made
    } catch (error) {
      return leftBy(path, fromOrpcError(error))
    }
  }

  async #takeBack({ path, before, after }: Done, origin: WriteOrigin): Promise<LeftFile | undefined> {
    const { workspace, differ } = this.#options
    try {
      await workspace.edit(path, origin, async (current) => {
        if (current === after) return before
        const merge = { base: after, mine: current ?? '', theirs: before, keepsBoth: false }
        const restored = current === undefined ? undefined : await differ.merge(merge)
        if (restored === undefined) throw new AppError('file_changed', `${path} was changed since`, { path })
        return restored
      })
      return undefined
    } catch (error) {
      return leftBy(path, error)
    }
  }

  #where() {
    const { workspace, forbidden } = this.#options.workspace.roots
    return { workspace, forbidden: [...forbidden] }
  }

  #take(): Thread<FindClient> {
    this.#open += 1
    clearTimeout(this.#idle)
    if (this.#thread) return this.#thread
    const thread = startThread<FindClient>(this.#options.entry)
    thread.onExit(() => {
      if (this.#thread === thread) this.#thread = undefined
    })
    this.#thread = thread
    return thread
  }

  #release(thread: Thread<FindClient>): void {
    this.#open -= 1
    if (this.#open > 0) return
    this.#idle = setTimeout(() => {
      if (this.#open > 0) return
      if (this.#thread === thread) this.#thread = undefined
      void thread.terminate()
    }, idleMs)
    this.#idle.unref()
  }
}

/** What an expected failure says of a file; anything else ends all of it. */
function leftBy(path: string, error: unknown): LeftFile {
  if (!(error instanceof AppError)) throw error
  return { path, reason: error.code === 'file_changed' || error.code === 'file_not_found' ? 'changed' : 'refused' }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.set(key, value)
  for (const old of [...map.keys()].slice(0, -most)) map.delete(old)
}
