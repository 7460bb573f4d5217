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

export function createFinder(entry: URL, workspace: Workspace) {
  const searches = new Map<string, { readonly query: SearchQuery; readonly files: ReadonlyMap<string, string> }>()
  const runningReplacements = new Map<string, AbortController>()
  const worker = new WorkerHost<FindJobs>({ entry, idleMs })
  const folders = () => ({ workspace: workspace.roots.workspace, forbidden: workspace.roots.forbidden })

  /** Finds matches. The last event has the id for `replace`. @throws AppError `input_invalid` for an invalid pattern */
  async function* find(query: SearchQuery, signal?: AbortSignal): AsyncGenerator<FindEvent> {
    const files = new Map<string, string>()
    const steps = worker.stream((client) => client.search({ ...folders(), query }, { signal }), signal)
    for await (const { event, hashes } of steps) {
      for (const [path, hash] of hashes) files.set(path, hash)
      yield event
    }
    const search = randomUUID()
    setBounded(searches, search, { query, files }, maxSearches)
    yield { type: 'done', search }
  }

  /** Atomic; after a crash, the next start finishes it. @throws AppError `search_outdated` */
  async function* replace(
    { search, replacement, paths }: { search: string; replacement: string; paths?: readonly string[] | undefined },
    origin: WriteOrigin,
  ): AsyncGenerator<ReplaceEvent> {
    const storedSearch = searches.get(search)
    if (!storedSearch) throw new AppError('search_outdated', 'the search results have expired; search again', {})
    const files = [...storedSearch.files].filter(([path]) => paths === undefined || paths.includes(path))
    const query = { ...storedSearch.query, replacement }
    const abortController = new AbortController()
    const { signal } = abortController
    runningReplacements.set(search, abortController)
    const left: LeftFile[] = []
    let written = nothingWritten
    try {
      yield { type: 'progress', done: 0, total: files.length }
      try {
        const plan = await worker.run((client) => client.rewrite({ ...folders(), query, files }, { signal }))
        left.push(...plan.left)
        written = yield* streamProgress((onProgress) =>
          write(query, plan.rewrites, left, origin, { signal, onProgress }),
        )
      } catch (error) {
        if (!signal.aborted) throw error
      }
      // A stop after the last write has no effect: the user can undo the replacement instead.
      yield { type: 'done', ...written, left, isStopped: signal.aborted && written.files === 0 }
    } finally {
      abortController.abort()
      runningReplacements.delete(search)
    }
  }

  function stop(search: string): void {
    runningReplacements.get(search)?.abort()
  }

  async function close(): Promise<void> {
    for (const abortController of runningReplacements.values()) abortController.abort()
    await worker.close()
  }

  /** Writes all notes as one change. Adds those that cannot be written to `left` and writes the others. */
  async function write(
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
        const { change = null } = await workspace.runTransaction(batch, remaining, origin, options)
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

  return { find, replace, stop, close }
}
