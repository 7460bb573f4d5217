/**
 * Finds a text in all notes of a workspace and replaces it. What was found is kept for a while under a name, so that a
 * replacement is of exactly what was told: a note that is another since is left as it is, and named. All that one
 * replacement does is one change, and can be taken back at once.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '#shared/util/errors.ts'
import type { FindEvent, LeftFile, PastReplacement, ReplaceEvent } from '#shared/contract/index.ts'
import { type Clock, type Differ, inBatches, KeptUndos, WorkerHost } from '#platform'
import { hashText } from '../files/text-files.ts'
import type { PendingReplacement } from '../moves/pending-change.ts'
import type { RelocationWatch } from '../moves/multi-file-transaction.ts'
import type { Workspace } from '../files/workspace.ts'
import type { WriteOrigin } from '../files/workspace-edits.ts'
import type { FindJobs } from './find.worker.ts'
import type { Wanted } from './text-matches.ts'

/** The worker ends after so long without a request, ms. */
const idleMs = 60_000
/** Searches of which it is known what they found, and replacements that can be taken back; older ones stand in the history. */
const maxSearches = 8
const maxDone = 5
/** Files that are read at the same time. */
const atOnce = 16

interface Search {
  readonly wanted: Wanted
  /** By path: the hash of the text that it was found in. */
  readonly files: ReadonlyMap<string, string>
}

const doneSchema = z.object({ path: z.string(), before: z.string(), after: z.string() })
type Done = Readonly<z.infer<typeof doneSchema>>

/** A replacement that can be taken back. */
const replacementSchema = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  text: z.string(),
  replacement: z.string(),
  /** Matches. */
  count: z.number(),
  files: z.array(doneSchema).readonly(),
})

interface Planned extends Done {
  /** Matches. */
  readonly count: number
}

export interface FinderOptions {
  /** The thread's entry. */
  readonly entry: URL
  readonly workspace: Workspace
  readonly differ: Differ
  readonly now: Clock
  /** Where it is kept what takes replacements back; only for as long as the app runs when left out. */
  readonly undos?: string | undefined
}

export class Finder {
  readonly #options: FinderOptions
  readonly #searches = new Map<string, Search>()
  readonly #done: KeptUndos<z.infer<typeof replacementSchema>>
  readonly #stops = new Map<string, AbortController>()
  readonly #worker: WorkerHost<FindJobs>

  constructor(options: FinderOptions) {
    this.#options = options
    const { entry, undos } = options
    this.#worker = new WorkerHost({ entry, idleMs })
    this.#done = new KeptUndos({
      folder: undos === undefined ? undefined : join(undos, 'replacements'),
      most: maxDone,
      parse: (json) => replacementSchema.safeParse(json).data,
    })
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
      const count = (of: readonly Planned[]) => of.reduce((sum, change) => sum + change.count, 0)
      const about = { signal, replacement: { text, replacement, count: count(changes) } }
      const made = signal.aborted ? [] : yield* this.#writeAll(changes, left, origin, about)
      const undo = made.length === 0 ? null : await this.#keepDone({ text, replacement, count: count(made) }, made)
      // Who stops when all is written already is too late, and has the way back.
      const isStopped = signal.aborted && made.length === 0
      yield { type: 'done', count: count(made), files: made.length, left, isStopped, undo }
    } finally {
      stop.abort()
      this.#stops.delete(search)
    }
  }

  /** Takes a replacement back that is under way. */
  stop(search: string): void {
    this.#stops.get(search)?.abort()
  }

  /** One that a crash had interrupted, and that this start has finished. @returns by what it can be taken back */
  async keepDone(about: PendingReplacement, files: readonly Done[]): Promise<string | undefined> {
    return files.length > 0 ? this.#keepDone(about, files) : undefined
  }

  async #keepDone({ text, replacement, count }: PendingReplacement, files: readonly Done[]): Promise<string> {
    const undo = randomUUID()
    const kept = files.map(({ path, before, after }) => ({ path, before, after }))
    await this.#done.add(undo, { text, replacement, count, at: this.#options.now().getTime(), files: kept })
    return undo
  }

  /** Replacements that `undo` can take back, latest first. */
  async past(): Promise<PastReplacement[]> {
    const known = [...(await this.#done.all())].toReversed()
    return known.map(([undo, { files, ...about }]) => ({ undo, ...about, files: files.length }))
  }

  /**
   * Takes a whole replacement back, also where other lines were changed since.
   * @throws AppError `undo_conflict` when it was taken back already, or was long ago
   */
  async *undo(undo: string, origin: WriteOrigin): AsyncGenerator<ReplaceEvent> {
    const done = (await this.#done.all()).get(undo)
    if (!done) throw new AppError('undo_conflict', 'this was taken back already, or was long ago', { path: '' })
    const restored = await inBatches(done.files, atOnce, (change) => this.#restored(change))
    const left = restored.filter((one) => isLeft(one))
    const back = restored.flatMap((one) => (isLeft(one) ? [] : [one]))
    const { text, replacement, count } = done
    const about = { replacement: { text: replacement, replacement: text, count } }
    const made = yield* this.#writeAll(back, left, origin, about)
    await this.#done.drop(undo)
    yield { type: 'done', count: made.length, files: made.length, left, isStopped: false, undo: null }
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
        return (await this.#worker.run((client) => client.rewrite(asked))) ?? { path, reason: 'changed' }
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

  /**
   * Writes all texts or, where it is stopped, none. A note that somebody changes at this very moment is left, and the rest
   * is tried once more.
   * @param left gets such a note
   * @returns what was written
   */
  async *#writeAll<Of extends Done>(
    changes: readonly Of[],
    left: LeftFile[],
    origin: WriteOrigin,
    about: Pick<RelocationWatch, 'signal' | 'replacement'>,
  ): AsyncGenerator<ReplaceEvent, readonly Of[]> {
    let rest = changes
    while (rest.length > 0) {
      const texts = rest.map(({ path, before, after }) => ({ path, newPath: path, hash: hashText(before), after }))
      try {
        yield* progressOf((onProgress) =>
          this.#options.workspace.relocate(undefined, texts, origin, { ...about, onProgress }),
        )
        return rest
      } catch (error) {
        if (about.signal?.aborted) return []
        const path = error instanceof AppError ? error.data['path'] : undefined
        const others = rest.filter((change) => change.path !== path)
        if (typeof path !== 'string' || others.length === rest.length) throw error
        left.push(leftBy(path, error))
        rest = others
      }
    }
    return rest
  }

  async #restored({ path, before, after }: Done): Promise<Done | LeftFile> {
    const { workspace, differ } = this.#options
    try {
      const { text } = await workspace.read(path)
      const merge = { base: after, mine: text, theirs: before, keepsBoth: false }
      const restored = text === after ? before : await differ.merge(merge)
      return restored === undefined ? { path, reason: 'changed' } : { path, before: text, after: restored }
    } catch (error) {
      return leftBy(path, error)
    }
  }

  #where() {
    const { workspace, forbidden } = this.#options.workspace.roots
    return { workspace, forbidden: [...forbidden] }
  }
}

function isLeft(one: Done | LeftFile): one is LeftFile {
  return 'reason' in one
}

/** What an expected failure says of a file; anything else ends all of it. */
function leftBy(path: string, error: unknown): LeftFile {
  if (!(error instanceof AppError)) throw error
  return { path, reason: error.code === 'file_changed' || error.code === 'file_not_found' ? 'changed' : 'refused' }
}

/** What a piece of work tells while it is under way: the latest only, to whoever keeps up. */
async function* progressOf(work: (tell: (done: number, total: number) => void) => Promise<unknown>) {
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
  await end
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.set(key, value)
  for (const old of [...map.keys()].slice(0, -most)) map.delete(old)
}
