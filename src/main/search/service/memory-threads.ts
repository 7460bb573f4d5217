import type { RouterClient } from '@orpc/server'
import { AppError } from '#shared/util/errors.ts'
import { fromOrpcError, startThread, type Thread, threadFile, searcherYoungMb } from '#platform'
import type { IndexerRouter } from '../indexing/indexer.worker.ts'
import type { RechunkRequest, RechunkRouter } from '../evaluation/rechunk.worker.ts'
import type { SearcherRouter } from '../ranking/searcher.worker.ts'

/** The files that the threads start from; they differ between source and build. */
export interface ThreadEntries {
  readonly indexer: URL
  readonly searcher: URL
  readonly rechunk: URL
}

function startIndexer(entries: ThreadEntries): Thread<RouterClient<IndexerRouter>> {
  return startThread(entries.indexer)
}

function startSearcher(entries: ThreadEntries): Thread<RouterClient<SearcherRouter>> {
  return startThread(entries.searcher, searcherYoungMb)
}

/** Cuts and searches in a thread that is there for this alone. */
export async function runRechunk(entries: ThreadEntries, request: RechunkRequest, signal: AbortSignal | undefined) {
  const thread: Thread<RouterClient<RechunkRouter>> = startThread(entries.rechunk)
  try {
    return await thread.client.run(request, signal ? { signal } : {})
  } catch (error) {
    signal?.throwIfAborted()
    throw fromOrpcError(error)
  } finally {
    await Promise.race([thread.gone, thread.client.rest().catch(() => undefined)])
    await thread.terminate()
  }
}

export function threadEntries(mainFolder: URL): ThreadEntries {
  return {
    indexer: threadFile(mainFolder, 'search/indexing/indexer.worker'),
    searcher: threadFile(mainFolder, 'search/ranking/searcher.worker'),
    rechunk: threadFile(mainFolder, 'search/evaluation/rechunk.worker'),
  }
}

/** What is known of the indexer's work without asking it. */
export interface Pending {
  /** How often it was told of files that were written. */
  touches: number
  /** How often it had been told when it last said that there was nothing to do; undefined while there is. */
  idleAt: number | undefined
}

/** What an open memory works with: started and stopped together. */
export interface Threads {
  readonly indexer: Thread<RouterClient<IndexerRouter>>
  readonly searcher: Thread<RouterClient<SearcherRouter>>
  readonly pending: Pending
  readonly stop: AbortController
  /** Aborted when one of the threads is gone: what it was asked will not be answered. */
  readonly died: AbortController
}

export function startThreads(entries: ThreadEntries): Threads {
  return {
    indexer: startIndexer(entries),
    searcher: startSearcher(entries),
    pending: { touches: 0, idleAt: undefined },
    stop: new AbortController(),
    died: new AbortController(),
  }
}

/** A thread that died answers nobody: whoever waits for it is told. */
export function unlessDead<T>(work: Promise<T>, died: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const fail = () => reject(new AppError('index_unavailable', 'the search had stopped; it is being started again'))
  if (died.aborted) fail()
  died.addEventListener('abort', fail, { once: true })
  work.then(resolve, reject).finally(() => died.removeEventListener('abort', fail))
  return promise
}

export async function stopThreads({ indexer, searcher, stop, died }: Threads): Promise<void> {
  stop.abort()
  // The last connection to close tidies the database up, and only a writing one can. A thread that died has no more to tidy.
  await Promise.race([searcher.gone, searcher.client.close().catch(() => undefined)])
  await Promise.race([indexer.gone, indexer.client.close().catch(() => undefined)])
  // First, so that whoever still waits hears that from us.
  died.abort()
  await Promise.all([indexer.terminate(), searcher.terminate()])
}
