import type { RouterClient } from '@orpc/server'
import { AppError } from '#shared/util/errors.ts'
import { startThread, type Thread, workerEntry, searcherYoungGenerationMb } from '#platform'
import type { IndexerRouter } from '../indexing/indexer.worker.ts'
import type { SearcherRouter } from '../ranking/searcher.worker.ts'

/** Entry scripts of the workers; they differ between source and build. */
export interface ThreadEntries {
  readonly indexer: URL
  readonly searcher: URL
}

function startIndexer(entries: ThreadEntries): Thread<RouterClient<IndexerRouter>> {
  return startThread(entries.indexer)
}

function startSearcher(entries: ThreadEntries): Thread<RouterClient<SearcherRouter>> {
  return startThread(entries.searcher, searcherYoungGenerationMb)
}

export function threadEntries(mainFolder: URL): ThreadEntries {
  return {
    indexer: workerEntry(mainFolder, 'search/indexing/indexer.worker'),
    searcher: workerEntry(mainFolder, 'search/ranking/searcher.worker'),
  }
}

export interface IndexerProgress {
  /** Number of `notifyWritten` calls so far. */
  touches: number
  /** Number of `notifyWritten` calls when the indexer last became idle; undefined while it has work. */
  idleAt: number | undefined
}

export interface MemoryWorkers {
  readonly indexer: Thread<RouterClient<IndexerRouter>>
  readonly searcher: Thread<RouterClient<SearcherRouter>>
  readonly pending: IndexerProgress
  readonly stop: AbortController
  /** Aborted when a worker has died, so that pending calls fail. */
  readonly died: AbortController
}

export function startThreads(entries: ThreadEntries): MemoryWorkers {
  return {
    indexer: startIndexer(entries),
    searcher: startSearcher(entries),
    pending: { touches: 0, idleAt: undefined },
    stop: new AbortController(),
    died: new AbortController(),
  }
}

/** Rejects with AppError `index_unavailable` when a worker dies, because it will not answer. */
export function rejectOnExit<T>(work: Promise<T>, died: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const fail = () => reject(new AppError('index_unavailable', 'the search worker stopped and is being restarted'))
  if (died.aborted) fail()
  died.addEventListener('abort', fail, { once: true })
  work.then(resolve, reject).finally(() => died.removeEventListener('abort', fail))
  return promise
}

export async function stopThreads({ indexer, searcher, stop, died }: MemoryWorkers): Promise<void> {
  stop.abort()
  // The last connection to close checkpoints the database, which only a writable one can do, so the indexer is closed
  // last.
  await Promise.race([searcher.exited, searcher.client.close().catch(() => undefined)])
  await Promise.race([indexer.exited, indexer.client.close().catch(() => undefined)])
  // Before `terminate`, so that pending calls fail with this error.
  died.abort()
  await Promise.all([indexer.terminate(), searcher.terminate()])
}
